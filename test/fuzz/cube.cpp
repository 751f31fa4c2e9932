// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cube/reader.hpp"
#include "cube/test_cube.hpp"

namespace pathline::fuzz {
namespace {

constexpr const char* kFile = "profile.cubex";

std::string broken_by_error(const base::Error& error) {
  const std::string& message = error.message;
  if (message.find(kFile) == std::string::npos) return "this error names no file: " + message;
  if (error.code != base::ErrorCode::kCorrupt) return "";
  for (const char* place : {"byte ", "anchor.xml", ".index", ".data", "it is empty"}) {
    if (message.find(place) != std::string::npos) return "";
  }
  return "this error names no place: " + message;
}

std::string broken_by(const profile::MetricTable& table, size_t max_bytes) {
  if (table.call_paths.empty() || table.location_count == 0) return "nothing was read";
  for (size_t c = 0; c < table.call_paths.size(); ++c) {
    const uint32_t parent = table.call_paths[c].parent;
    if (parent != profile::MetricNode::kNoParent && parent >= c) {
      return "a call path stands before its parent";
    }
  }
  size_t bytes = 0;
  for (const std::string& name : profile::path_names(table)) bytes += name.size();
  if (table.values.size() != table.metrics.size()) return "metrics and values differ in number";
  for (const auto& values : table.values) {
    if (values.size() != table.call_paths.size() * table.location_count)
      return "values are missing";
    bytes += values.size() * sizeof(double);
    const bool finite = std::all_of(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!finite) return "a value is not finite";
  }
  return bytes <= max_bytes ? "" : "a file became larger than it may";
}

}  // namespace

std::string cube_example(std::string_view kind) {
  const bool packed = kind == "packed";
  cube::TestCube cube(3);
  cube.big_endian = packed;
  const uint32_t main = cube.call_path("main");
  const uint32_t solve = cube.call_path("solve", main);
  cube.call_path("MPI_Waitall", solve);
  cube.call_path("operator<", main);
  cube.call_path("thread");
  cube.metric({.name = "visits",
               .type = "UINT64",
               .unit = "occ",
               .values = {{1, 1, 1}, {7, 7, 7}, {70, 71, 72}, {}, {1, 0, 0}},
               .packed = packed});
  cube.metric({.name = "time",
               .kind = "INCLUSIVE",
               .values = {{9, 9.5, 9.25}, {7, 6, 5}, {1, 2, 3}, {0.5, 1e-3, 0}, {4, 0, 0}},
               .packed = packed});
  cube.metric(
      {.name = "min_time", .type = "MINDOUBLE", .values = {{9, 9, 9}, {1, 1, 1}, {}, {}, {}}});
  cube.metric({.name = "bytes",
               .kind = "INCLUSIVE",
               .type = "UINT16",
               .unit = "bytes",
               .values = {{9, 8, 7}, {9, 9, 9}, {}, {}, {}},
               .packed = packed});
  cube.metric({.name = "none"});
  cube.metric({.name = "rate", .type = "RATE", .values = {{1, 2, 3}, {}, {}, {}, {}}});
  return cube.bytes();
}

std::string probe_cube(std::span<const uint8_t> content) {
  const auto file = cube::read_bytes(content, kFile);
  if (!file) return broken_by_error(file.error());
  const profile::MetricTable& table = file.value().table;
  // Of a packed archive, too, the limit is that of the file.
  const size_t max_bytes =
      std::min(cube::kMaxBytes, cube::kFreeBytes + cube::kBytesPerByte * content.size());
  const std::string broken = broken_by(table, max_bytes);
  if (!broken.empty()) return broken;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const auto one = cube::read_bytes(content, kFile, {.metrics = {table.metrics[m].name}});
    if (!one) return "one metric of several cannot be read: " + one.error().message;
    if (one.value().table.metrics.size() != 1) return "not one metric was read";
    if (one.value().table.values[0] != table.values[m]) return "one metric has other values alone";
  }
  return "";
}

}  // namespace pathline::fuzz

// SPDX-License-Identifier: BSD-3-Clause
#include "app/counted_profile.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "profile/profile_file.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::string_view kHead = "region,rank,thread,calls,exclusive_s";

struct Line {
  std::string region;
  uint32_t rank = 0;
  uint32_t thread = 0;
  uint64_t calls = 0;
  double seconds = 0;
};

std::optional<Line> parse_line(std::string_view rest) {
  const std::string region = base::take_csv_field(rest);
  const auto rank = base::number_in<uint32_t>(base::take_csv_field(rest));
  const auto thread = base::number_in<uint32_t>(base::take_csv_field(rest));
  const auto calls = base::number_in<uint64_t>(base::take_csv_field(rest));
  const auto seconds = base::number_in<double>(rest);
  if (!rank || !thread || !calls || !seconds || *seconds < 0) return std::nullopt;
  return Line{region, *rank, *thread, *calls, *seconds};
}

}  // namespace

bool has_counted_profile(const fs::path& run) {
  std::error_code ignored;
  return fs::is_regular_file(run / "profile.csv", ignored);
}

base::Result<profile::MetricTable> read_counted_profile(const fs::path& run) {
  const fs::path path = run / "profile.csv";
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  std::string_view text = file.value().text();
  std::vector<Line> lines;
  std::map<std::string, uint32_t> regions;
  std::vector<std::string> names;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> locations;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 && words == kHead) continue;
    const auto line = number > 1 ? parse_line(words) : std::nullopt;
    if (!line) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("{}, line {}: expected {}", path.string(), number,
                               number == 1 ? "the heading " + std::string(kHead)
                                           : "a region and four numbers")};
    }
    if (regions.emplace(line->region, static_cast<uint32_t>(names.size())).second) {
      names.push_back(line->region);
    }
    locations.try_emplace({line->rank, line->thread});
    lines.push_back(*line);
  }
  profile::MetricTable table;
  table.metrics = {{.name = std::string(profile::kTimeMetric), .unit = "sec"},
                   {.name = std::string(profile::kVisitsMetric), .unit = "occ"}};
  for (const std::string& name : names) {
    table.call_paths.push_back({profile::MetricNode::kNoParent, name});
  }
  for (auto& [place, index] : locations) {
    index = table.location_count++;
    table.rank_of_location.emplace_back(place.first);
  }
  constexpr size_t kMostCells = size_t{1} << 30U;
  if (names.size() * locations.size() > kMostCells) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} has too many regions and threads: {} x {}", path.string(),
                             names.size(), locations.size())};
  }
  table.values.assign(2, std::vector<double>(names.size() * locations.size()));
  for (const Line& line : lines) {
    const size_t cell =
        size_t{regions[line.region]} * table.location_count + locations[{line.rank, line.thread}];
    table.values[0][cell] += line.seconds;
    table.values[1][cell] += static_cast<double>(line.calls);
  }
  return table;
}

}  // namespace pathline::app

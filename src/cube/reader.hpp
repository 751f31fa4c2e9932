// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/metric_table.hpp"

namespace pathline::cube {

struct ReadOptions {
  /// Unique names of the metrics to read; empty: all. What the file does not have is left out.
  std::vector<std::string> metrics;
};

struct CubeFile {
  profile::MetricTable table;
  /// Unique names of metrics that are declared, but have no data.
  std::vector<std::string> without_data;
  /// Unique names of metrics whose type of value (RATE, TAU_ATOMIC, HISTOGRAM, ...) is no number.
  std::vector<std::string> unsupported;
  /// What is odd about the file but does not change what was read: a wrong checksum; how many
  /// exclusive values would be negative and were taken as 0.
  std::vector<std::string> warnings;
};

/// Reads a Cube 4 profile (`.cubex`, as Score-P, Scalasca and TAU write it): a tar archive, plain
/// or gzip, of an XML anchor and per metric an index and rows of values, raw or zlib, in either
/// byte order. Inclusive metrics are turned into exclusive values.
///
/// errors  kNotFound, kIo; kCorrupt naming the file, the member and the fact (truncated, rows out
///         of order or range, a stream that does not unpack to its row, an anchor that is not XML,
///         cnodes without regions, ...); kUnsupported for values that would take more than 2 GiB.
/// cost    O(bytes of the metrics asked for + rows x locations).
base::Result<CubeFile> read(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same, of a file in memory; `name` is what errors call it.
base::Result<CubeFile> read_bytes(std::span<const uint8_t> bytes, const std::string& name,
                                  const ReadOptions& options = {});

}  // namespace pathline::cube

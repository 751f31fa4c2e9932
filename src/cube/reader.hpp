// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/profile_file.hpp"

namespace pathline::cube {

struct ReadOptions {
  /// Unique names of the metrics to read; empty: all. What the file does not have is left out.
  std::vector<std::string> metrics;
};

/// What a file may become in memory, as a few bytes can stand for any number of them: 32 MiB and
/// 1,024 times its size, and never more than 2 GiB. That is for the unpacked anchor, and again for
/// all values together with the names of the call paths (profile::path_names).
constexpr size_t kMaxBytes = size_t{1} << 31;
constexpr size_t kFreeBytes = size_t{1} << 25;
constexpr size_t kBytesPerByte = 1024;

/// Reads a Cube 4 profile (`.cubex`, as Score-P, Scalasca and TAU write it): a tar archive, plain
/// or gzip, of an XML anchor and per metric an index and rows of values, raw or zlib, in either
/// byte order. Inclusive metrics are turned into exclusive values.
///
/// errors  kNotFound, kIo; kCorrupt naming the file, the member and the fact (truncated, rows out
///         of order or range, a stream that does not unpack to its row, an anchor that is not XML,
///         cnodes without regions, a value that is no finite number, ...); kUnsupported for other
///         versions of the format, and for files that would take more memory than they may.
/// cost    O(bytes of the metrics asked for + rows x locations).
base::Result<profile::ProfileFile> read(const std::filesystem::path& path,
                                        const ReadOptions& options = {});

/// The same, of a file in memory; `name` is what errors call it.
base::Result<profile::ProfileFile> read_bytes(std::span<const uint8_t> bytes,
                                              const std::string& name,
                                              const ReadOptions& options = {});

}  // namespace pathline::cube

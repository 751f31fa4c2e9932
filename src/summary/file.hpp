// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "summary/column_file.hpp"
#include "summary/run_summary.hpp"

namespace pathline::summary {

/// True if the bytes begin as a summary does (*.plsum).
bool looks_like_summary(std::span<const uint8_t> head);

/// Writes a summary; the same one gives the same bytes.
///
/// left_free  of the bytes that a summary may have, those for what will be added to it
/// errors     kIo; there is no file then, or the one that was there before.
base::Status write(const RunSummary& summary, const std::filesystem::path& path,
                   uint64_t left_free = 0);

/// Adds RunSummary::judged to a summary that has none.
///
/// errors  those of reading and writing it; it is then as it was.
base::Status add_judged(const std::filesystem::path& path, std::string_view judged);

/// Trusts nothing in the file.
///
/// errors  kNotFound, kIo, kUnsupported for another version of the format, kCorrupt with offset and
///         fact.
base::Result<RunSummary> read(const std::filesystem::path& path, const Parts& parts = {});

}  // namespace pathline::summary

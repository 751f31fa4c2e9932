// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "summary/column_file.hpp"
#include "summary/run_summary.hpp"

namespace pathline::summary {

/// True if the bytes begin as a summary does (*.plsum).
bool looks_like_summary(std::span<const uint8_t> head);

/// Writes a summary; the same one gives the same bytes.
///
/// errors  kIo; there is no file then, or the one that was there before.
base::Status write(const RunSummary& summary, const std::filesystem::path& path);

/// Trusts nothing in the file.
///
/// errors  kNotFound, kIo, kUnsupported for another version of the format, kCorrupt with offset and
///         fact.
base::Result<RunSummary> read(const std::filesystem::path& path, const Parts& parts = {});

/// Time steps that the program marked.
struct StepsOfTime {
  /// Those that overlap a time, as trace::marked_steps() has them.
  std::vector<std::vector<trace::StepWindow>> windows;
  uint64_t count = 0;  ///< How many numbers there are in the whole run.
};
/// run            of the summary.
/// of_first_rank  only those of the first rank that has some.
/// errors         kCorrupt.
/// cost           25 bytes for each step of each rank of the run while it reads.
base::Result<StepsOfTime> read_steps_of_time(const ColumnReader& file, const trace::Trace& run,
                                             uint64_t from_ticks, uint64_t until_ticks,
                                             bool of_first_rank = false);

}  // namespace pathline::summary

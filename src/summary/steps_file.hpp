// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "steps/table.hpp"
#include "summary/column_file.hpp"
#include "summary/columns.hpp"
#include "summary/run_summary.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

void write_steps(const RunSummary& summary, ColumnWriter& out);

/// errors  `in` has them.
steps::Table read_steps(Columns& in, const trace::Trace& run);

/// Time steps that the program marked.
struct StepsOfTime {
  /// Those that overlap a time, as trace::marked_steps() has them.
  std::vector<std::vector<trace::StepWindow>> windows;
  uint64_t count = 0;  ///< How many numbers there are in the whole run.
};
/// run            of the summary.
/// of_first_rank  only those of the first rank that has some.
/// errors         kCorrupt.
/// cost           O(steps of all ranks); of those outside of the time nothing is kept.
base::Result<StepsOfTime> read_steps_of_time(const ColumnReader& file, const trace::Trace& run,
                                             uint64_t from_ticks, uint64_t until_ticks,
                                             bool of_first_rank = false);

/// From the first begin to the last end of a step, of all ranks that have it.
///
/// errors  kNotFound, as trace::require_step(); kCorrupt.
/// cost    O(steps of all ranks).
base::Result<trace::StepWindow> read_time_of_step(const ColumnReader& file,
                                                  const RunSummary& summary, uint32_t step);

}  // namespace pathline::summary

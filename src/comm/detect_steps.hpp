// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "base/thread_pool.hpp"
#include "comm/step_table.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// What the calls of a program say about its main loop. It is a guess: nothing here is a time step
/// that the program marked.
struct Detection {
  StepWindows windows;      ///< Per rank its periods, numbered from 0; all empty if none was found.
  std::string reason;       ///< Why none was found; "" otherwise.
  std::string begins_with;  ///< What every period begins with: "MPI_Allreduce of 64 bytes".
  uint64_t count = 0;       ///< Periods of a rank, by most ranks' count.
  uint64_t calls = 0;       ///< Calls of a period that communicate; the mean.
  uint64_t agreeing_ranks = 0;
  double call_share = 0;  ///< Of all communicating calls of all ranks that lie in periods.
  double time_share = 0;  ///< Of the run on all ranks.
  double regularity = 0;  ///< 1 when all periods hold the same calls, 0 for random order.
  /// How far no larger loop is to be expected around the period, 0.97 at most: less where one was
  /// passed over, where the period looks like an inner loop (no smaller one in it, and no
  /// collective operation or several for each exchange), and where there are less than five.
  double outermost = 0;
  double certainty = 0;  ///< Product of the share of ranks, call_share, regularity and outermost.
  uint64_t outer_count = 0;  ///< Turns of a larger loop that was passed over, or 0; of one rank.
  uint64_t outer_holds = 0;  ///< Periods in each of them.

  [[nodiscard]] bool found() const { return reason.empty(); }
  /// "high" from 0.8 on, "medium" from 0.5 on, "low".
  [[nodiscard]] const char* certainty_word() const;
};

/// Looks for the period in the calls of MPI that each rank's first thread communicates by. Calls
/// are alike when their function is, and for operations without a root the magnitude of their
/// bytes; failing that for messages also peer and bytes. Calls that follow one another with the
/// same function (MPI_Isend to all neighbours) are one. steps::find_repetitions() judges each rank
/// alone, steps::main_loop() chooses among nested loops, then more than half of the ranks must have
/// found the same number of periods.
///
/// cost  O(events), parallel over ranks; what it returns is independent of the thread count.
Detection detect_steps(const trace::Trace& trace, base::ThreadPool& pool);

}  // namespace pathline::comm

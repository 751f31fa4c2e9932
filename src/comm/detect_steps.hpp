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
  double certainty = 0;   ///< Product of the share of ranks, call_share and regularity.

  [[nodiscard]] bool found() const { return reason.empty(); }
  /// "high" from 0.8 on, "medium" from 0.5 on, "low".
  [[nodiscard]] const char* certainty_word() const;
};

/// Looks for the period in the calls of MPI that each rank's first thread communicates by. Calls
/// are alike when their function is, and for operations without a root the magnitude of their
/// bytes; failing that for messages also peer and bytes. Calls that follow one another with the
/// same function (MPI_Isend to all neighbours) are one. steps::find_repetitions() judges each rank
/// alone, then more than half of them must have found the same number of periods.
///
/// cost  O(events + calls log calls), parallel over ranks; independent of the thread count.
Detection detect_steps(const trace::Trace& trace, base::ThreadPool& pool);

}  // namespace pathline::comm

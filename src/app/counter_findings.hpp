// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "app/findings.hpp"

namespace pathline::app {

/// How fast work is beside that of another run, as factors whose product is useful time before over
/// useful time after; less than 1 is worse.
struct WorkScaling {
  std::optional<double> instructions;
  std::optional<double> ipc;  ///< Instructions in a cycle.
  std::optional<double>
      frequency;  ///< Cycles in a second of work, of which a shared core has less.
  /// With more ranks, whether the problem grew with them, as instructions are nearer to that; they
  /// and the product are by rank then.
  bool weak = false;
};

/// nullopt where hardware counters of both runs tell nothing.
std::optional<WorkScaling> work_scaling(const FindingsReport& before, const FindingsReport& after);

/// Puts `ipc_drop`, `more_instructions` and `frequency_drop` among the findings of the later run:
/// factors below 0.9 that cost at least so many percent of the time. Recoverable is the part of a
/// rank's work that the factor is to blame for; no replay tells.
void add_counter_findings(const FindingsReport& before, double min_percent, FindingsReport& after);

}  // namespace pathline::app

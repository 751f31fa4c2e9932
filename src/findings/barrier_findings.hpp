// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "findings/finding.hpp"
#include "findings/model.hpp"
#include "findings/what_if.hpp"

namespace pathline::findings {

/// Calls of barriers that make nobody wait for whom he does not wait for anyhow: all their ranks
/// call an operation of all with all of the same communicator next, or one or another barrier
/// before, and all together spend at most half as long in between as in the barrier beyond waiting.
/// Ascending.
///
/// cost  O(calls + dependencies).
std::vector<uint32_t> needless_barriers(const Model& model);

/// A finding for each call path of such barriers, of those without which the run would be shorter.
/// It costs what is spent in them beyond waiting: who is late there would be late in the operation.
///
/// cost  needless_barriers(), and a replay for each of these call paths, of at most eight.
std::vector<Finding> barrier_findings(const Model& model, const WhatIf& what_if);

/// Leaves out findings of what a function costs that is mostly the cost of needless barriers: it is
/// said once.
void leave_out_costs_of(const std::vector<Finding>& needless, const trace::Trace& trace,
                        std::vector<Finding>& costs);

}  // namespace pathline::findings

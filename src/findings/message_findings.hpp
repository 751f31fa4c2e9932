// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "findings/delay_costs.hpp"
#include "findings/finding.hpp"
#include "findings/model.hpp"
#include "findings/what_if.hpp"

namespace pathline::findings {

/// What is wrong with how ranks talk, whatever they compute:
///
///   wrong order      a rank waits for a message while another one is there that it takes later. It
///                    could take them as they come, and use the time for what it does in between.
///   tiny messages    most messages have at most 64 bytes, and a pair of ranks sends 20 of them or
///   more
///                    in a time step, or one behind the other. One message for all of them would
///                    cost as much as one.
///
/// and where ranks wait for another kind of leave for 2 % of the time, and the run would be shorter
/// if they did not have to:
///
///   late post of a receive  to be received: as if sends were done when their buffer is copied
///   lock contention         for locks of one-sided communication
///   late post               for the window of the rank that they put to
///
/// cost  O(calls + messages log calls), and a replay each for orders and kinds of leave.
std::vector<Finding> message_findings(const Model& model, const DelayCosts& costs,
                                      const WhatIf& what_if);

}  // namespace pathline::findings

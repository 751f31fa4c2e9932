// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "predict/tables.hpp"

namespace pathline::predict {

/// The messages of one shift, by the rank that receives.
struct ShiftMessages {
  std::vector<uint32_t> source;     ///< kNobody: nothing comes.
  std::vector<uint32_t> target;     ///< Of what the rank sends; kNobody: nothing.
  std::vector<uint32_t> kind;       ///< Index of a MessageKind.
  std::vector<uint64_t> first_way;  ///< Of `ways`, one more than there are ranks.
  std::vector<uint32_t> ways;       ///< What the messages go over: links, shared parts of nodes.
};

/// Messages that take the same as long as as many share their ways.
struct MessageKind {
  Protocol protocol;
  /// Ways are shared by the pair of messages that pass each other: inside nodes.
  bool both_directions = false;
  /// With so many at once; a refusal ends it all.
  std::function<base::Result<Time>(double lanes)> time;
};

/// What all ranks begin together and go on behind when it is done.
struct Stage {
  std::vector<double> work_s;    ///< Of each rank; empty: there are messages.
  std::vector<uint32_t> shifts;  ///< Under way at once.
};

struct StepTime {
  double step_s = 0;
  /// Of the messages: low and high over the value, by time.
  double low = 1;
  double high = 1;
};

/// Lets ranks go through `steps` time steps, event by event. A message is under way from when its
/// sender has posted it, or if it does not move early, the receiver too; meanwhile it makes such
/// progress as the table has it for the number of messages that are on the busiest of its ways at
/// that moment. Waiting keeps ranks apart, and messages then pass at different times: what a model
/// that takes all messages of a shift as simultaneous cannot see.
///
/// returns  the growth of the last rank's time by step, without the first two steps
/// errors   those of the tables
/// cost     O(messages * ways * messages on a way), log of it for the order of events
base::Result<StepTime> run_steps(uint32_t rank_count, uint32_t way_count,
                                 std::span<const Stage> stages,
                                 std::span<const ShiftMessages> shifts,
                                 std::span<const MessageKind> kinds, uint32_t steps);

}  // namespace pathline::predict

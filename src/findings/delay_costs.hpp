// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "findings/model.hpp"
#include "findings/replay.hpp"

namespace pathline::findings {

/// What others waited because of one call path of one lane.
struct DelayCost {
  uint32_t lane;
  uint32_t path;         ///< Index into Model::call_paths; kNone: outside of every call, or of many
                         ///< small ones.
  uint64_t short_ticks;  ///< Waits that it caused itself.
  uint64_t long_ticks;   ///< Waits that came of these, further on.
  friend bool operator==(const DelayCost&, const DelayCost&) = default;
};

struct DelayCosts {
  std::vector<DelayCost> rows;  ///< By lane, then path; what cost nothing has no row.
  uint64_t wait_ticks = 0;     ///< Of all waits whose cause is in the window: the sum of all costs.
  uint64_t unknown_ticks = 0;  ///< Of the others.
};

/// Blames waits on what the late ones did: the delay costs of Boehme, Geimer, Wolf & Arnold (ICPP
/// 2010), made to conserve.
///
/// Rank r waits from a until d for rank q. Both were together for the last time at t0: the end of
/// the last wait of one for the other, or the latest enter of the last operation of all with all
/// that both took part in. By how much longer than r, which had until a, q was at each call path
/// between t0 and d is to blame, and so is what q itself waited in that time: its waits inherit
/// their share, and hand it on to what caused them. As both begin at t0, these parts are never
/// shorter than the wait, and each tick of waiting finds its cause.
///
/// What a wait hands on is shared by the length of the waits that get it, to the tick, whatever
/// else their lane waits for.
///
/// measured  of the same model.
/// cost  O(waits log waits) beside what the intervals are long; of long ones, sums of each lane are
///       known every so many calls as there are paths, 8 bytes a call. The 255 paths with most time
///       count one by one.
DelayCosts delay_costs(const Model& model, const Measured& measured);

}  // namespace pathline::findings

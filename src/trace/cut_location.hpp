// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/ranks.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// A location's part in a collective operation that gets a communicator of its own.
struct SplitPart {
  uint32_t comm;  ///< Index.
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t new_comm;  ///< Id.
};

/// What cut_location() has to know about one location besides its events.
struct LocationPlan {
  uint32_t begin = 0;       ///< First event inside.
  uint32_t end = 0;         ///< First event after.
  std::vector<bool> whole;  ///< By event from `begin` on: both ends of its message are inside.
  std::vector<SplitPart> split;
  uint64_t missed_resumes = 0;  ///< To be switched on so many times where the part begins.
};

struct CutPlan {
  const Trace& trace;
  const Selection& selection;
  const CommunicatorRanks& members;
  const std::vector<bool>& left_out;  ///< By Region; empty for none.
  Region step_marker;                 ///< none() if there is none.
};

struct LocationCut {
  Events events;
  uint64_t lost_sends = 0;
  uint64_t lost_receives = 0;
  uint64_t reopened_calls = 0;
  /// Words of half messages that the caller fills with a communicator's id: where in
  /// Events::words, and 2 x the index of their old one, + 1 for a receive.
  std::vector<std::pair<uint32_t, uint32_t>> half_comms;
};

/// The events are not packed.
LocationCut cut_location(const CutPlan& plan, uint32_t location, LocationPlan own);

}  // namespace pathline::trace

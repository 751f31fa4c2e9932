// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/column.hpp"
#include "trace/channels.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// One end of a message. What its row in Messages will need is looked up in the events: there are
/// as many ends as twice the messages, and all are in memory at once.
struct End {
  /// Its number in the rank's Channels; base::IdMap::kNone for a cancelled send or a receive that
  /// never completed.
  uint32_t channel;
  uint32_t location;
  uint32_t event;  ///< The send, or the completion of the receive. Of a receive that was posted
                   ///< and did not complete its request; kNone if it was cancelled.
};
struct Send : End {
  uint32_t end_event;  ///< The buffer was free again; kNone of one that goes on.
  uint64_t ticks;
  uint64_t bytes;
};
struct Receive : End {
  uint32_t post_event;  ///< It was posted; kNone if only Ends::post_ticks tells.
};

/// What one rank contributes to the messages of a trace.
struct Ends {
  base::Column<Send> sends;        ///< In the order of sending.
  base::Column<Receive> receives;  ///< In the order of posting.
  Channels send_channels;
  Channels receive_channels;
  std::vector<Unmatched> lost_sends;
  std::vector<Unmatched> lost_receives;
  uint64_t cancelled = 0;
  uint64_t cancelled_before = 0;  ///< Of them those whose request began before the events.
  std::vector<uint64_t> resumed;  ///< When recording was switched on, ascending.
  /// When receives were posted whose calls ended in a part before, by location and event.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> post_ticks;

  /// When a receive that was not cancelled was posted.
  [[nodiscard]] uint64_t posted(const Trace& trace, const Receive& receive) const {
    if (receive.post_event == base::IdMap::kNone) {
      return post_ticks.at({receive.location, receive.event});
    }
    return trace.locations[receive.location].events.ticks[receive.post_event];
  }
};

/// Receives are ordered by when they were posted. A blocking one by its own record: the call around
/// it may be all of main.
uint64_t order_ticks(const Trace& trace, const Ends& ends, const Receive& receive);

/// Follows the requests of all locations of one rank. MPI orders the messages of a rank, not of a
/// thread: ends of several locations are merged by time.
///
/// post_ticks  by location, maybe fewer: OpenEnds::post_ticks of the part before.
/// arena       where the ends will live.
/// cost        O(events); for several locations with messages also O(ends) for each.
Ends collect_ends(const Trace& trace, const CommunicatorRanks& ranks,
                  std::span<const uint32_t> locations,
                  const std::vector<std::vector<uint64_t>>& post_ticks, base::Arena& arena);

}  // namespace pathline::trace

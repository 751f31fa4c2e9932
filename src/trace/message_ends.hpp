// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/id_map.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// One end of a message, with everything that its row in Messages will need, so that joining the
/// ends does not have to go back to the events.
struct End {
  uint32_t
      peer;  ///< Rank; base::IdMap::kNone for a cancelled send or a receive that never completed.
  uint32_t comm;  ///< Index.
  uint32_t tag;
  uint32_t location;
  uint32_t event;  ///< The send, or the completion of the receive. Of a receive that was posted
                   ///< and did not complete its request; kNone if it was cancelled.
};
struct Send : End {
  /// Its end is not there; of a nonblocking one.
  bool goes_on = false;
  uint64_t ticks;
  uint64_t end_ticks;  ///< The buffer was free again.
  uint64_t bytes;
};
struct Receive : End {
  uint64_t ticks;       ///< It was complete.
  uint64_t post_ticks;  ///< It was posted.
};

/// What one rank contributes to the messages of a trace.
struct Ends {
  base::Column<Send> sends;        ///< In the order of sending.
  base::Column<Receive> receives;  ///< In the order of posting.
  std::vector<Unmatched> lost_sends;
  std::vector<Unmatched> lost_receives;
  uint64_t cancelled = 0;
  uint64_t cancelled_before = 0;  ///< Of them those whose request began before the events.
  std::vector<uint64_t> resumed;  ///< When recording was switched on, ascending.
};

/// Receives are ordered by when they were posted. A blocking one by its own record: the call around
/// it may be all of main.
uint64_t order_ticks(const Trace& trace, const Receive& receive);

/// Follows the requests of all locations of one rank. MPI orders the messages of a rank, not of a
/// thread: ends of several locations are merged by time.
///
/// post_ticks  by location, maybe fewer: OpenEnds::post_ticks of the part before.
/// arena       where the ends will live.
/// cost   O(events); for several locations with messages also O(ends) for each.
Ends collect_ends(const Trace& trace, const CommunicatorRanks& ranks,
                  std::span<const uint32_t> locations,
                  const std::vector<std::vector<uint64_t>>& post_ticks, base::Arena& arena);

}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// Joins sends and receives to messages: the k-th send of a rank to another with a communicator
/// and tag belongs to the k-th receive that was posted for them (MPI 4.1, 3.5: messages do not
/// overtake). A nonblocking receive is ordered by its MpiIrecvRequest and timed by its completion;
/// a blocking one by itself. Fills messages, unmatched_sends, unmatched_receives and
/// cancelled_requests; assign_ranks must have been called.
///
/// wanted  kCount: `counted_messages` is filled in place of `messages`, which is most of the work;
///         not where a message was received before it was sent: what is odd takes them all.
/// cost    O(sends + receives); needs about 44 bytes a message besides the result.
void match_messages(Trace& trace, base::ThreadPool& pool,
                    WantedMessages wanted = WantedMessages::kList);

/// What of a part of a run its next part has to begin with again.
struct OpenEnds {
  /// Per location, ascending: sends and receives whose partner was not there yet, the ends of these
  /// sends, and the requests of receives that these need or that did not complete.
  std::vector<std::vector<uint32_t>> events;
  /// When the receives among these were posted of which no request says that: by location, in their
  /// order. The calls around them have ended.
  std::vector<std::vector<uint64_t>> post_ticks;
  /// Messages that were found while their sends went on.
  struct Sending {
    uint32_t message;
    uint64_t request;  ///< Of the sender's location.
  };
  std::vector<Sending> sending;
  /// Recording was switched on, or a request was cancelled that began in an earlier part: which
  /// ends belong together shows in the whole only.
  bool needs_whole = false;
};
/// As match_messages() for a part of a run that goes on, its messages by groups of ranks, then
/// time. Joins what every further event leaves joined: of a rank's receives those posted before
/// each that is not complete. Of ends without a partner lists those whose peer does not exist;
/// calls add to these.
///
/// before  what the part before left open, whose events this one begins with.
OpenEnds match_open_messages(Trace& trace, const OpenEnds& before, base::ThreadPool& pool);
/// match_messages() for the last part of such a run. returns  OpenEnds::needs_whole.
bool match_last_messages(Trace& trace, const OpenEnds& before, base::ThreadPool& pool);

struct EventAt {
  uint32_t location;  ///< LocationIndex.
  uint32_t event;
};
/// Which events match_messages() joined: the send, and the completion of its receive, of each
/// message between two `chosen` ranks (by rank; empty for all). In the order of senders.
void for_each_pair(const Trace& trace, const std::vector<bool>& chosen, base::ThreadPool& pool,
                   const std::function<void(EventAt send, EventAt receive)>& visit);

/// A member's part in a collective operation that it began before a part of the run, and that not
/// all members had ended there.
struct BegunOperation {
  uint32_t comm;       ///< Index.
  uint32_t number;     ///< Of those of the communicator, from the first that was under way.
  uint32_t location;   ///< LocationIndex.
  uint64_t end_ticks;  ///< 0 where it had ended.
};

/// Joins the i-th collective operation that each member of a communicator began. A member that
/// takes part in fewer operations than others (measurement switched off, died) is missing in the
/// last ones. Fills collectives.
///
/// begun       of a part of a run: what tells the first operations of its members apart.
/// from_ticks  when they begin then, at the latest.
void match_collectives(Trace& trace, base::ThreadPool& pool,
                       std::span<const BegunOperation> begun = {}, uint64_t from_ticks = 0);

}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "trace/match.hpp"
#include "trace/message_ends.hpp"

namespace pathline::trace {

/// The ends of one rank and what they are joined with.
struct RankEnds {
  Ends ends;
  base::Column<uint32_t> receive_of;  ///< Per send: the receive of its peer, or base::IdMap::kNone.
  bool goes_on = false;               ///< There will be more.
  size_t known_receives = 0;          ///< Those behind may be of any channel.
  std::vector<uint32_t> waiting;      ///< Receives whose send may still come.

  /// Rank that a send which is not cancelled goes to.
  [[nodiscard]] uint32_t peer(const Send& send) const {
    return ends.send_channels[send.channel].peer;
  }
};

/// Puts the messages that were joined into the columns of a trace, by time, then sender.
///
/// ranks  by rank; behind the last one may be entries that joined nothing.
/// cost   O(sends); besides the messages 128 bytes for each of some 130,000 at a time, or of
///        65,000 a thread.
///
/// sending  gets those whose sends go on, if it is not null: of a part of a run, whose messages are
///          not packed, and stand in the order of time among those of neighbouring senders only.
void write_messages(const std::vector<RankEnds>& ranks, base::ThreadPool& pool, Trace& trace,
                    std::vector<OpenEnds::Sending>* sending);

}  // namespace pathline::trace

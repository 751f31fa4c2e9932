// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <utility>

#include "trace/match.hpp"
#include "trace/message_ends.hpp"
#include "trace/write_messages.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

/// The ends of each channel of one rank, in order. Needed only while the ends are joined.
class Links {
 public:
  Links() = default;
  /// count  of the ends, those that others may be joined with.
  template <class List>
  Links(const List& ends, size_t count, const Channels& channels, base::Arena& arena) {
    first_.reserve(channels.size(), arena);
    first_.resize(channels.size());
    std::fill(first_.begin(), first_.end(), kNone);
    next_.reserve(count, arena);
    next_.resize(count);
    std::vector<uint32_t> last(channels.size(), kNone);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t channel = ends[i].channel;
      if (channel == kNone) continue;
      (last[channel] == kNone ? first_[channel] : next_[last[channel]]) = i;
      last[channel] = i;
      next_[i] = kNone;
    }
  }

  /// The first end of a channel, kNone if there is none.
  [[nodiscard]] uint32_t first(uint32_t channel) const { return first_[channel]; }
  /// The end after `i` in its channel, or kNone.
  [[nodiscard]] uint32_t next(uint32_t i) const { return next_[i]; }

 private:
  base::Column<uint32_t> first_;  // Per channel.
  base::Column<uint32_t> next_;   // Per end.
};

struct RankLinks {
  Links sends;
  Links receives;
};

/// How many receives were posted before the first one that may still complete.
size_t known_receives(const Ends& ends) {
  const auto open =
      std::find_if(ends.receives.begin(), ends.receives.end(),
                   [](const Receive& one) { return one.channel == kNone && one.event != kNone; });
  return static_cast<size_t>(open - ends.receives.begin());
}

/// Locations by rank, behind the last one those of none, which are many lists of one entry.
class LocationsOfRanks {
 public:
  explicit LocationsOfRanks(const Trace& trace) : first_(size_t{trace.rank_count} + 2, 0) {
    const auto rank_of = [&](const Location& location) {
      return location.rank.valid() ? uint32_t{location.rank} : trace.rank_count;
    };
    for (const Location& location : trace.locations) ++first_[rank_of(location) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    locations_.resize(trace.locations.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t i = 0; i < trace.locations.size(); ++i) {
      locations_[next[rank_of(trace.locations[i])]++] = i;
    }
  }
  [[nodiscard]] size_t size() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const uint32_t> operator[](size_t rank) const {
    return std::span(locations_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> locations_;
};

/// Which stretch of recorded time a moment of a rank lies in.
size_t stretch_of(const Ends& ends, uint64_t ticks) {
  return static_cast<size_t>(std::upper_bound(ends.resumed.begin(), ends.resumed.end(), ticks) -
                             ends.resumed.begin());
}

/// Joins the channels of one receiving rank with those of its senders; the k-th send meets the k-th
/// receive. Where recording was switched off and on (some time steps only) this counts from the
/// beginning of each stretch, if both ranks have equally many: messages that crossed an edge have
/// one end in the trace, which must not shift all that follow. Each channel has one receiver, so
/// ranks may be done at the same time.
///
/// looks    whether a receive came before its send.
/// returns  that.
template <bool kLooks>
bool join(const Trace& trace, const std::vector<RankLinks>& links, uint32_t receiver,
          std::vector<RankEnds>& ranks) {
  bool any_before = false;
  Ends& ends = ranks[receiver].ends;
  for (uint32_t number = 0; number < ends.receive_channels.size(); ++number) {
    const Channel channel = ends.receive_channels[number];
    RankEnds& sender = ranks[channel.peer];
    const bool by_stretch =
        !ends.resumed.empty() && ends.resumed.size() == sender.ends.resumed.size();
    const uint32_t other = sender.ends.send_channels.find({receiver, channel.comm, channel.tag});
    const Links& sends = links[channel.peer].sends;
    const Links& receives = links[receiver].receives;
    uint32_t send = other == kNone ? kNone : sends.first(other);
    for (uint32_t i = receives.first(number); i != kNone; i = receives.next(i)) {
      const Receive& receive = ends.receives[i];
      size_t stretch = 0;
      size_t send_stretch = 0;
      if (by_stretch) {
        stretch = stretch_of(ends, order_ticks(trace, ends, receive));
        for (; send != kNone; send = sends.next(send)) {
          send_stretch = stretch_of(sender.ends, sender.ends.sends[send].ticks);
          if (send_stretch >= stretch) break;
        }
      }
      if (send == kNone || send_stretch > stretch) {
        if (ranks[receiver].goes_on) {
          ranks[receiver].waiting.push_back(i);
        } else {
          ends.lost_receives.push_back({receive.location, receive.event, Rank(channel.peer)});
        }
        continue;
      }
      sender.receive_of[send] = i;
      if constexpr (kLooks) {
        any_before = any_before || trace.locations[receive.location].events.ticks[receive.event] <
                                       sender.ends.sends[send].ticks;
      }
      send = sends.next(send);
    }
  }
  return any_before;
}

/// chosen      by rank: those that count; empty for all.
/// goes_on     more of the run will follow.
/// any_before  if given, becomes whether a message was received before it was sent.
std::vector<RankEnds> match_ranks(const Trace& trace, const std::vector<bool>& chosen,
                                  const OpenEnds& before, bool goes_on, base::ThreadPool& pool,
                                  base::Arena& arena, std::atomic<bool>* any_before = nullptr) {
  const CommunicatorRanks members(trace);
  const LocationsOfRanks locations(trace);
  // The last entry is of the locations that are no rank's: all their ends are lost.
  std::vector<RankEnds> ranks(locations.size());
  base::Arena arena_of_links;
  std::vector<RankLinks> links(locations.size());
  pool.for_each(ranks.size(), [&](size_t i) {
    if (!chosen.empty() && !(i < chosen.size() && chosen[i])) return;
    RankEnds& rank = ranks[i];
    rank.ends = collect_ends(trace, members, locations[i], before.post_ticks, arena);
    const Ends& ends = rank.ends;
    rank.goes_on = goes_on;
    rank.known_receives = goes_on ? known_receives(ends) : ends.receives.size();
    links[i].sends = Links(ends.sends, ends.sends.size(), ends.send_channels, arena_of_links);
    links[i].receives =
        Links(ends.receives, rank.known_receives, ends.receive_channels, arena_of_links);
    rank.receive_of.reserve(ends.sends.size(), arena);
    rank.receive_of.resize(ends.sends.size());
    std::fill(rank.receive_of.begin(), rank.receive_of.end(), kNone);
  });
  pool.for_each(ranks.size(), [&](size_t i) {
    const auto receiver = static_cast<uint32_t>(i);
    if (any_before == nullptr) {
      join<false>(trace, links, receiver, ranks);
    } else if (join<true>(trace, links, receiver, ranks)) {
      *any_before = true;
    }
  });
  return ranks;
}

/// Per rank: its sends that have a receive.
std::vector<MessageCount> matched_sends(const std::vector<RankEnds>& ranks,
                                        base::ThreadPool& pool) {
  std::vector<MessageCount> counts(ranks.size());
  pool.for_each(ranks.size(), [&](size_t of) {
    const RankEnds& rank = ranks[of];
    MessageCount count;
    for (size_t i = 0; i < rank.receive_of.size(); ++i) {
      if (rank.receive_of[i] == kNone) continue;
      ++count.messages;
      count.bytes += rank.ends.sends[i].bytes;
    }
    counts[of] = count;
  });
  return counts;
}

void collect_unmatched(const std::vector<RankEnds>& ranks, const std::vector<MessageCount>& matched,
                       Trace& trace) {
  for (size_t of = 0; of < ranks.size(); ++of) {
    const RankEnds& rank = ranks[of];
    const Ends& ends = rank.ends;
    const bool all = matched[of].messages == ends.sends.size();
    for (size_t i = 0; i < ends.sends.size() && !all; ++i) {
      const Send& send = ends.sends[i];
      if (rank.receive_of[i] != kNone || send.channel == kNone) continue;
      trace.unmatched_sends.push_back({send.location, send.event, Rank(rank.peer(send))});
    }
    trace.unmatched_sends.insert(trace.unmatched_sends.end(), ends.lost_sends.begin(),
                                 ends.lost_sends.end());
    trace.unmatched_receives.insert(trace.unmatched_receives.end(), ends.lost_receives.begin(),
                                    ends.lost_receives.end());
    trace.cancelled_requests += ends.cancelled;
  }
  const auto in_order = [](const Unmatched& a, const Unmatched& b) {
    return a.location != b.location ? a.location < b.location : a.event < b.event;
  };
  std::sort(trace.unmatched_sends.begin(), trace.unmatched_sends.end(), in_order);
  std::sort(trace.unmatched_receives.begin(), trace.unmatched_receives.end(), in_order);
}

/// Whether it takes all of the run to know which ends belong together.
bool show_in_the_whole(const RankEnds& rank) {
  return !rank.ends.resumed.empty() || rank.ends.cancelled_before > 0;
}

OpenEnds open_ends(const std::vector<RankEnds>& ranks, const Trace& trace) {
  OpenEnds open;
  open.events.resize(trace.locations.size());
  open.post_ticks.resize(trace.locations.size());
  std::vector<std::pair<uint32_t, uint32_t>> found;  // Location and event, of one rank.
  for (const RankEnds& rank : ranks) {
    const Ends& ends = rank.ends;
    open.needs_whole = open.needs_whole || show_in_the_whole(rank);
    found.clear();
    for (size_t i = 0; i < ends.sends.size(); ++i) {
      const Send& send = ends.sends[i];
      if (rank.receive_of[i] != kNone || send.channel == kNone) continue;
      found.emplace_back(send.location, send.event);
      if (send.end_event != kNone && send.end_event != send.event) {
        found.emplace_back(send.location, send.end_event);
      }
    }
    std::vector<const Receive*> without_request;
    const auto keep = [&](const Receive& receive) {
      if (receive.event == kNone) return;
      found.emplace_back(receive.location, receive.event);
      if (receive.channel == kNone) return;
      const Events& events = trace.locations[receive.location].events;
      if (receive.post_event != kNone &&
          events.kind[receive.post_event] == EventKind::kMpiIrecvRequest) {
        found.emplace_back(receive.location, receive.post_event);
      } else {
        without_request.push_back(&receive);
      }
    };
    for (size_t i = rank.known_receives; i < ends.receives.size(); ++i) keep(ends.receives[i]);
    for (const uint32_t i : rank.waiting) keep(ends.receives[i]);
    std::sort(without_request.begin(), without_request.end(),
              [](const Receive* a, const Receive* b) { return a->event < b->event; });
    for (const Receive* receive : without_request) {
      open.post_ticks[receive->location].push_back(ends.posted(trace, *receive));
    }
    // Each list takes its memory once.
    std::sort(found.begin(), found.end());
    for (size_t i = 0; i < found.size();) {
      const uint32_t location = found[i].first;
      size_t end = i;
      while (end < found.size() && found[end].first == location) ++end;
      std::vector<uint32_t>& events = open.events[location];
      events.reserve(end - i);
      for (; i < end; ++i) events.push_back(found[i].second);
    }
  }
  return open;
}

}  // namespace

void match_messages(Trace& trace, base::ThreadPool& pool, WantedMessages wanted) {
  if (wanted == WantedMessages::kList) {
    match_last_messages(trace, {}, pool);
    return;
  }
  base::Arena arena;
  std::atomic<bool> any_before = false;
  const std::vector<RankEnds> ranks = match_ranks(trace, {}, {}, false, pool, arena, &any_before);
  const std::vector<MessageCount> matched = matched_sends(ranks, pool);
  collect_unmatched(ranks, matched, trace);
  if (any_before) {
    write_messages(ranks, pool, trace, nullptr);
  } else {
    MessageCount& all = trace.counted_messages.emplace();
    for (const MessageCount& of_rank : matched) {
      all.messages += of_rank.messages;
      all.bytes += of_rank.bytes;
    }
  }
}

bool match_last_messages(Trace& trace, const OpenEnds& before, base::ThreadPool& pool) {
  base::Arena arena;
  const std::vector<RankEnds> ranks = match_ranks(trace, {}, before, false, pool, arena);
  collect_unmatched(ranks, matched_sends(ranks, pool), trace);
  write_messages(ranks, pool, trace, nullptr);
  return std::any_of(ranks.begin(), ranks.end(), show_in_the_whole);
}

OpenEnds match_open_messages(Trace& trace, const OpenEnds& before, base::ThreadPool& pool) {
  base::Arena arena;
  const std::vector<RankEnds> ranks = match_ranks(trace, {}, before, true, pool, arena);
  for (const RankEnds& rank : ranks) {
    const Ends& ends = rank.ends;
    trace.unmatched_sends.insert(trace.unmatched_sends.end(), ends.lost_sends.begin(),
                                 ends.lost_sends.end());
    trace.unmatched_receives.insert(trace.unmatched_receives.end(), ends.lost_receives.begin(),
                                    ends.lost_receives.end());
    trace.cancelled_requests += ends.cancelled;
  }
  std::vector<OpenEnds::Sending> sending;
  write_messages(ranks, pool, trace, &sending);
  OpenEnds open = open_ends(ranks, trace);
  open.sending = std::move(sending);
  return open;
}

void for_each_pair(const Trace& trace, const std::vector<bool>& chosen, base::ThreadPool& pool,
                   const std::function<void(EventAt send, EventAt receive)>& visit) {
  base::Arena arena;
  const std::vector<RankEnds> ranks = match_ranks(trace, chosen, {}, false, pool, arena);
  for (const RankEnds& rank : ranks) {
    for (size_t i = 0; i < rank.receive_of.size(); ++i) {
      if (rank.receive_of[i] == kNone) continue;
      const Send& send = rank.ends.sends[i];
      const Receive& receive = ranks[rank.peer(send)].ends.receives[rank.receive_of[i]];
      visit({send.location, send.event}, {receive.location, receive.event});
    }
  }
}

}  // namespace pathline::trace

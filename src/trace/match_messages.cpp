// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/radix_sort.hpp"
#include "trace/match.hpp"
#include "trace/message_ends.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

/// Ends of one rank with the same peer, communicator and tag, in order: a list through
/// Channels::next.
struct Channel {
  uint32_t peer;
  uint32_t comm;
  uint32_t tag;
  uint32_t first = kNone;
  uint32_t last = kNone;
};

/// The channels of one rank's sends or receives. A hash table of numbers into a list, so that the
/// list keeps the order of first use.
class Channels {
 public:
  Channels() = default;
  /// count  of the ends, those that others may be joined with.
  template <class List>
  Channels(const List& ends, size_t count, base::Arena& arena) {
    next_.reserve(count, arena);
    next_.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (ends[i].peer == kNone) continue;
      Channel& channel = add(ends[i].peer, ends[i].comm, ends[i].tag);
      (channel.first == kNone ? channel.first : next_[channel.last]) = i;
      channel.last = i;
      next_[i] = kNone;
    }
  }

  /// returns the first end of a channel, kNone if there is none.
  [[nodiscard]] uint32_t first(uint32_t peer, uint32_t comm, uint32_t tag) const {
    if (slots_.empty()) return kNone;
    const uint32_t number = slots_[slot(peer, comm, tag)];
    return number == kNone ? kNone : channels_[number].first;
  }
  /// The end after `i` in its channel, or kNone.
  [[nodiscard]] uint32_t next(uint32_t i) const { return next_[i]; }
  [[nodiscard]] const std::vector<Channel>& all() const { return channels_; }

 private:
  Channel& add(uint32_t peer, uint32_t comm, uint32_t tag) {
    if (2 * (channels_.size() + 1) > slots_.size()) grow();
    uint32_t& number = slots_[slot(peer, comm, tag)];
    if (number == kNone) {
      number = static_cast<uint32_t>(channels_.size());
      channels_.push_back({peer, comm, tag});
    }
    return channels_[number];
  }
  [[nodiscard]] size_t slot(uint32_t peer, uint32_t comm, uint32_t tag) const {
    uint64_t hash = (uint64_t{peer} << 32U | tag) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ comm) * 0xd6e8feb86659fd93ULL;
    const size_t mask = slots_.size() - 1;
    for (size_t i = (hash >> 32U) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == kNone) return i;
      const Channel& channel = channels_[slots_[i]];
      if (channel.peer == peer && channel.tag == tag && channel.comm == comm) return i;
    }
  }
  void grow() {
    slots_.assign(std::max<size_t>(64, 2 * slots_.size()), kNone);
    for (uint32_t number = 0; number < channels_.size(); ++number) {
      const Channel& channel = channels_[number];
      slots_[slot(channel.peer, channel.comm, channel.tag)] = number;
    }
  }

  std::vector<Channel> channels_;
  std::vector<uint32_t> slots_;  // Numbers of channels; a power of two, at most half full.
  base::Column<uint32_t> next_;  // Per end. Apart from it: this is what joining runs through.
};

struct RankEnds {
  Ends ends;
  Channels sends;
  Channels receives;
  base::Column<uint32_t> receive_of;  // Per send: the receive of its peer, or kNone.
  bool goes_on = false;               // There will be more.
  size_t known_receives = 0;          // Those behind may be of any channel.
  std::vector<uint32_t> waiting;      // Receives whose send may still come.
};

/// How many receives were posted before the first one that may still complete.
size_t known_receives(const Ends& ends) {
  const auto open =
      std::find_if(ends.receives.begin(), ends.receives.end(),
                   [](const Receive& one) { return one.peer == kNone && one.event != kNone; });
  return static_cast<size_t>(open - ends.receives.begin());
}

std::vector<std::vector<uint32_t>> locations_by_rank(const Trace& trace) {
  std::vector<std::vector<uint32_t>> locations(size_t{trace.rank_count} + 1);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const Rank rank = trace.locations[i].rank;
    locations[rank.valid() ? uint32_t{rank} : trace.rank_count].push_back(i);
  }
  return locations;
}

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
void join(const Trace& trace, std::vector<RankEnds>& ranks, uint32_t receiver) {
  Ends& ends = ranks[receiver].ends;
  for (const Channel& channel : ranks[receiver].receives.all()) {
    RankEnds& sender = ranks[channel.peer];
    const bool by_stretch =
        !ends.resumed.empty() && ends.resumed.size() == sender.ends.resumed.size();
    uint32_t send = sender.sends.first(receiver, channel.comm, channel.tag);
    for (uint32_t i = channel.first; i != kNone; i = ranks[receiver].receives.next(i)) {
      const Receive& receive = ends.receives[i];
      size_t stretch = 0;
      size_t send_stretch = 0;
      if (by_stretch) {
        stretch = stretch_of(ends, order_ticks(trace, receive));
        for (; send != kNone; send = sender.sends.next(send)) {
          send_stretch = stretch_of(sender.ends, sender.ends.sends[send].ticks);
          if (send_stretch >= stretch) break;
        }
      }
      if (send == kNone || send_stretch > stretch) {
        if (ranks[receiver].goes_on) {
          ranks[receiver].waiting.push_back(i);
        } else {
          ends.lost_receives.push_back({receive.location, receive.event, Rank(receive.peer)});
        }
        continue;
      }
      sender.receive_of[send] = i;
      send = sender.sends.next(send);
    }
  }
}

/// Times that cut the matched sends into slices of about the same number, for sorting in parallel.
std::vector<uint64_t> cut_times(const std::vector<RankEnds>& ranks, size_t message_count) {
  constexpr size_t kSliceMessages = 32768;
  constexpr size_t kMaxSlices = 256;
  constexpr size_t kSamplesPerSlice = 16;
  // Each looks for its borders in the sends of every rank.
  constexpr size_t kMessagesARank = 4;
  const size_t slices =
      std::min({kMaxSlices, message_count / kSliceMessages + 1,
                message_count / (kMessagesARank * std::max<size_t>(1, ranks.size())) + 1});
  const size_t stride = std::max<size_t>(1, message_count / (slices * kSamplesPerSlice));
  std::vector<uint64_t> samples;
  size_t next = stride / 2;
  for (const RankEnds& rank : ranks) {
    for (; next < rank.ends.sends.size(); next += stride) {
      samples.push_back(rank.ends.sends[next].ticks);
    }
    next -= rank.ends.sends.size();
  }
  std::sort(samples.begin(), samples.end());
  std::vector<uint64_t> cuts = {0};
  for (size_t i = 1; i < slices && !samples.empty(); ++i) {
    const uint64_t cut = samples[i * samples.size() / slices];
    if (cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

/// Calls visit(rank, index) for the matched sends of the slice that begins at `cuts[slice]`.
template <class Visit>
void for_each_in_slice(const std::vector<RankEnds>& ranks, const std::vector<uint64_t>& cuts,
                       size_t slice, Visit visit) {
  const auto before = [](const Send& send, uint64_t ticks) { return send.ticks < ticks; };
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& sends = ranks[rank].ends.sends;
    const Send* const first = std::lower_bound(sends.begin(), sends.end(), cuts[slice], before);
    const Send* const end = slice + 1 < cuts.size()
                                ? std::lower_bound(first, sends.end(), cuts[slice + 1], before)
                                : sends.end();
    for (auto i = static_cast<uint32_t>(first - sends.begin()); i < end - sends.begin(); ++i) {
      if (ranks[rank].receive_of[i] != kNone) visit(rank, i);
    }
  }
}

/// Writes the rows of one slice, from `row` on: time, then sender, then the sender's own order.
void write_slice(const std::vector<RankEnds>& ranks, const std::vector<uint64_t>& cuts,
                 size_t slice, size_t row, size_t row_count, Messages& messages,
                 const std::function<void(size_t row, const Send& send)>& sending) {
  struct Order {
    uint64_t ticks;
    uint32_t sender;
    uint32_t send;
  };
  base::Column<Order> order;
  order.reserve(row_count);
  for_each_in_slice(ranks, cuts, slice, [&](uint32_t rank, uint32_t i) {
    order.push_back({ranks[rank].ends.sends[i].ticks, rank, i});
  });
  base::radix_sort(order, [](const Order& entry) { return entry.ticks; });
  // Neighbours in time are of different ranks, so almost every row is two cache misses: ask early.
  constexpr size_t kAhead = 12;
  for (size_t k = 0; k < order.size(); ++k) {
    if (k + 2 * kAhead < order.size()) {
      const Order& far = order[k + 2 * kAhead];
      __builtin_prefetch(&ranks[far.sender].ends.sends[far.send]);
      const Order& near = order[k + kAhead];
      const uint32_t peer = ranks[near.sender].ends.sends[near.send].peer;
      __builtin_prefetch(&ranks[peer].ends.receives[ranks[near.sender].receive_of[near.send]]);
    }
    const auto [ticks, sender, i] = order[k];
    const Send& send = ranks[sender].ends.sends[i];
    const Receive& receive = ranks[send.peer].ends.receives[ranks[sender].receive_of[i]];
    messages.sender[row] = sender;
    messages.receiver[row] = send.peer;
    messages.send_ticks[row] = ticks;
    messages.send_end_ticks[row] = send.end_ticks;
    messages.recv_post_ticks[row] = receive.post_ticks;
    messages.recv_ticks[row] = receive.ticks;
    messages.bytes[row] = send.bytes;
    messages.tag[row] = send.tag;
    messages.comm[row] = send.comm;
    messages.send_location[row] = send.location;
    messages.recv_location[row] = receive.location;
    if (send.goes_on && sending) sending(row, send);
    ++row;
  }
}

/// chosen   by rank: those that count; empty for all.
/// goes_on  more of the run will follow.
std::vector<RankEnds> match_ranks(const Trace& trace, const std::vector<bool>& chosen,
                                  const OpenEnds& before, bool goes_on, base::ThreadPool& pool,
                                  base::Arena& arena) {
  const CommunicatorRanks members(trace);
  const auto locations = locations_by_rank(trace);
  // The last entry is of the locations that are no rank's: all their ends are lost.
  std::vector<RankEnds> ranks(locations.size());
  pool.for_each(ranks.size(), [&](size_t i) {
    if (!chosen.empty() && !(i < chosen.size() && chosen[i])) return;
    RankEnds& rank = ranks[i];
    rank.ends = collect_ends(trace, members, locations[i], before.post_ticks, arena);
    rank.goes_on = goes_on;
    rank.known_receives = goes_on ? known_receives(rank.ends) : rank.ends.receives.size();
    rank.sends = Channels(rank.ends.sends, rank.ends.sends.size(), arena);
    rank.receives = Channels(rank.ends.receives, rank.known_receives, arena);
    rank.receive_of.reserve(rank.ends.sends.size(), arena);
    rank.receive_of.resize(rank.ends.sends.size());
    std::fill(rank.receive_of.begin(), rank.receive_of.end(), kNone);
  });
  pool.for_each(ranks.size(), [&](size_t i) { join(trace, ranks, static_cast<uint32_t>(i)); });
  return ranks;
}

void collect_unmatched(const std::vector<RankEnds>& ranks, Trace& trace) {
  for (const RankEnds& rank : ranks) {
    const Ends& ends = rank.ends;
    for (size_t i = 0; i < ends.sends.size(); ++i) {
      if (rank.receive_of[i] != kNone || ends.sends[i].peer == kNone) continue;
      const Send& send = ends.sends[i];
      trace.unmatched_sends.push_back({send.location, send.event, Rank(send.peer)});
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

/// A receive that stays open, and when it was posted.
struct OpenReceive {
  uint32_t event;
  uint64_t post_ticks;
};

/// Adds to the events of a location that stay open what these need: the requests of receives and
/// the ends of sends.
///
/// receives  those among the events that are complete, ascending.
/// returns   OpenEnds::post_ticks of the location.
std::vector<uint64_t> add_requests(const Events& of, std::vector<OpenReceive>& receives,
                                   std::vector<uint32_t>& events) {
  std::vector<uint64_t> post_ticks;
  std::unordered_map<uint64_t, uint32_t> posted;
  std::unordered_map<uint64_t, bool> sending;  // By request: whether the send stays open.
  const size_t count = events.size();
  size_t next = 0;
  size_t next_receive = 0;
  for (uint32_t i = 0; i < of.size(); ++i) {
    const bool stays = next < count && events[next] == i;
    next += stays ? 1 : 0;
    switch (of.kind[i]) {
      case EventKind::kMpiIrecvRequest: posted[of.word64(i)] = i; break;
      case EventKind::kMpiIsend:
        if (stays) {
          sending[of.point_to_point(i).request] = true;
        } else if (!sending.empty()) {
          sending.erase(of.point_to_point(i).request);
        }
        break;
      case EventKind::kMpiIsendComplete:
        if (!sending.empty() && sending.erase(of.word64(i)) > 0) events.push_back(i);
        break;
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv: {
        const auto request = of.kind[i] == EventKind::kMpiIrecv
                                 ? posted.find(of.point_to_point(i).request)
                                 : posted.end();
        if (stays && request != posted.end()) events.push_back(request->second);
        while (next_receive < receives.size() && receives[next_receive].event < i) ++next_receive;
        if (stays && request == posted.end() && next_receive < receives.size()) {
          post_ticks.push_back(receives[next_receive].post_ticks);
        }
        if (request != posted.end()) posted.erase(request);
        break;
      }
      default: break;
    }
  }
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return post_ticks;
}

/// Whether it takes all of the run to know which ends belong together.
bool show_in_the_whole(const RankEnds& rank) {
  return !rank.ends.resumed.empty() || rank.ends.cancelled_before > 0;
}

OpenEnds open_ends(const std::vector<RankEnds>& ranks, const Trace& trace, base::ThreadPool& pool) {
  OpenEnds open;
  const size_t locations = trace.locations.size();
  open.events.resize(locations);
  open.post_ticks.resize(locations);
  std::vector<std::vector<OpenReceive>> receives(locations);
  for (const RankEnds& rank : ranks) {
    const Ends& ends = rank.ends;
    open.needs_whole = open.needs_whole || show_in_the_whole(rank);
    for (size_t i = 0; i < ends.sends.size(); ++i) {
      const Send& send = ends.sends[i];
      if (rank.receive_of[i] == kNone && send.peer != kNone) {
        open.events[send.location].push_back(send.event);
      }
    }
    const auto keep = [&](const Receive& receive) {
      if (receive.event == kNone) return;
      open.events[receive.location].push_back(receive.event);
      if (receive.peer != kNone) {
        receives[receive.location].push_back({receive.event, receive.post_ticks});
      }
    };
    for (size_t i = rank.known_receives; i < ends.receives.size(); ++i) keep(ends.receives[i]);
    for (const uint32_t i : rank.waiting) keep(ends.receives[i]);
  }
  pool.for_each(locations, [&](size_t i) {
    const Events& events = trace.locations[i].events;
    std::sort(open.events[i].begin(), open.events[i].end());
    const bool all_alone = std::all_of(open.events[i].begin(), open.events[i].end(), [&](auto at) {
      return events.kind[at] == EventKind::kMpiSend;
    });
    if (all_alone) return;
    std::sort(receives[i].begin(), receives[i].end(),
              [](const OpenReceive& a, const OpenReceive& b) { return a.event < b.event; });
    open.post_ticks[i] = add_requests(events, receives[i], open.events[i]);
  });
  return open;
}

/// Puts the messages in order.
///
/// sending  gets those whose sends go on, if it is not null.
void write_messages(const std::vector<RankEnds>& ranks, base::ThreadPool& pool, Trace& trace,
                    std::vector<OpenEnds::Sending>* sending) {
  size_t send_count = 0;
  for (const RankEnds& rank : ranks) send_count += rank.ends.sends.size();
  const std::vector<uint64_t> cuts = cut_times(ranks, send_count);
  std::vector<size_t> first_row(cuts.size() + 1, 0);
  pool.for_each(cuts.size(), [&](size_t slice) {
    size_t count = 0;
    for_each_in_slice(ranks, cuts, slice, [&](uint32_t, uint32_t) { ++count; });
    first_row[slice + 1] = count;
  });
  for (size_t slice = 0; slice < cuts.size(); ++slice) first_row[slice + 1] += first_row[slice];

  trace.messages.resize(first_row.back());
  std::vector<std::vector<OpenEnds::Sending>> of_slice(cuts.size());
  pool.for_each(cuts.size(), [&](size_t slice) {
    const auto note = [&](size_t row, const Send& send) {
      const Events& events = trace.locations[send.location].events;
      of_slice[slice].push_back(
          {static_cast<uint32_t>(row), events.point_to_point(send.event).request});
    };
    write_slice(ranks, cuts, slice, first_row[slice], first_row[slice + 1] - first_row[slice],
                trace.messages,
                sending != nullptr ? note : std::function<void(size_t, const Send&)>());
  });
  for (const auto& some : of_slice) {
    if (sending != nullptr) sending->insert(sending->end(), some.begin(), some.end());
  }
}

}  // namespace

void match_messages(Trace& trace, base::ThreadPool& pool) { match_last_messages(trace, {}, pool); }

bool match_last_messages(Trace& trace, const OpenEnds& before, base::ThreadPool& pool) {
  base::Arena arena;
  const std::vector<RankEnds> ranks = match_ranks(trace, {}, before, false, pool, arena);
  collect_unmatched(ranks, trace);
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
  OpenEnds open = open_ends(ranks, trace, pool);
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
      const Receive& receive = ranks[send.peer].ends.receives[rank.receive_of[i]];
      visit({send.location, send.event}, {receive.location, receive.event});
    }
  }
}

}  // namespace pathline::trace

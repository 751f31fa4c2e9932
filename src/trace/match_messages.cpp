// SPDX-License-Identifier: BSD-3-Clause
// Long because joining, ordering and what stays open share the ends of a rank.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/radix_sort.hpp"
#include "trace/match.hpp"
#include "trace/message_ends.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;
constexpr size_t kBytesWord = 3;  // Of the fields of an MpiSend or MpiIsend.

/// The ends of each channel of one rank, in order. Needed only while the ends are joined.
class Links {
 public:
  Links() = default;
  /// count  of the ends, those that others may be joined with.
  template <class List>
  Links(const List& ends, size_t count, const Channels& channels, base::Arena& arena)
      : first_(channels.size(), kNone) {
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
  std::vector<uint32_t> first_;  // Per channel.
  base::Column<uint32_t> next_;  // Per end.
};

struct RankEnds {
  Ends ends;
  base::Column<uint32_t> receive_of;  // Per send: the receive of its peer, or kNone.
  bool goes_on = false;               // There will be more.
  size_t known_receives = 0;          // Those behind may be of any channel.
  std::vector<uint32_t> waiting;      // Receives whose send may still come.

  /// Rank that a send which is not cancelled goes to.
  [[nodiscard]] uint32_t peer(const Send& send) const {
    return ends.send_channels[send.channel].peer;
  }
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
void join(const Trace& trace, const std::vector<RankLinks>& links, uint32_t receiver,
          std::vector<RankEnds>& ranks) {
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
          send_stretch = stretch_of(sender.ends, ticks_of(trace, sender.ends.sends[send]));
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
      send = sends.next(send);
    }
  }
}

/// Times that cut the matched sends into slices of about the same number, for sorting in parallel.
std::vector<uint64_t> cut_times(const Trace& trace, const std::vector<RankEnds>& ranks,
                                size_t message_count) {
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
      samples.push_back(ticks_of(trace, rank.ends.sends[next]));
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

/// What of a rank's sends belongs to which slice.
struct Borders {
  std::vector<uint32_t> first;    // Per slice: its first send; one entry more.
  std::vector<uint32_t> matched;  // Per slice.
};

Borders borders_of(const Trace& trace, const RankEnds& rank, const std::vector<uint64_t>& cuts) {
  Borders borders{.first = {0}, .matched = std::vector<uint32_t>(cuts.size(), 0)};
  const auto& sends = rank.ends.sends;
  for (uint32_t i = 0; i < sends.size(); ++i) {
    const uint64_t ticks = ticks_of(trace, sends[i]);
    while (borders.first.size() < cuts.size() && ticks >= cuts[borders.first.size()]) {
      borders.first.push_back(i);
    }
    if (rank.receive_of[i] != kNone) ++borders.matched[borders.first.size() - 1];
  }
  borders.first.resize(cuts.size() + 1, static_cast<uint32_t>(sends.size()));
  return borders;
}

/// A row of Messages and the end that completes it.
struct Row {
  uint32_t sender;
  uint32_t receiver;
  uint64_t send_ticks;
  uint64_t send_end_ticks;
  uint64_t recv_post_ticks;
  uint64_t recv_ticks;
  uint64_t bytes;
  uint32_t tag;
  uint32_t comm;
  uint32_t send_location;
  uint32_t recv_location;
  uint32_t receive;  // Of the receiver.
  uint32_t sending;  // The send, if it goes on; or kNone.
};

/// Appends the rows of one rank's sends from `first` to `end`, without what the receives tell.
void add_sends(const Trace& trace, const std::vector<RankEnds>& ranks, uint32_t sender,
               uint32_t first, uint32_t end, base::Column<Row>& rows) {
  const RankEnds& rank = ranks[sender];
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t receive = rank.receive_of[i];
    if (receive == kNone) continue;
    const Send& send = rank.ends.sends[i];
    const Channel& channel = rank.ends.send_channels[send.channel];
    __builtin_prefetch(&ranks[channel.peer].ends.receives[receive]);
    const Events& events = trace.locations[send.location].events;
    const uint64_t ticks = events.ticks[send.event];
    const bool goes_on = send.end_event == kNone;
    rows.push_back({.sender = sender,
                    .receiver = channel.peer,
                    .send_ticks = ticks,
                    .send_end_ticks = goes_on || send.end_event == send.event
                                          ? ticks
                                          : events.ticks[send.end_event],
                    .recv_post_ticks = 0,
                    .recv_ticks = 0,
                    .bytes = events.word64(send.event, kBytesWord),
                    .tag = channel.tag,
                    .comm = channel.comm,
                    .send_location = send.location,
                    .recv_location = 0,
                    .receive = receive,
                    .sending = goes_on ? send.event : kNone});
  }
}

void add_receives(const Trace& trace, const std::vector<RankEnds>& ranks, base::Column<Row>& rows) {
  for (Row& row : rows) {
    const Receive& receive = ranks[row.receiver].ends.receives[row.receive];
    const auto& ticks = trace.locations[receive.location].events.ticks;
    row.recv_post_ticks = ranks[row.receiver].ends.posted(trace, receive);
    row.recv_ticks = ticks[receive.event];
    row.recv_location = receive.location;
  }
}

/// Writes the rows of one slice, from `first_row` on: time, then sender, then the sender's own
/// order.
void write_slice(const Trace& trace, const std::vector<RankEnds>& ranks,
                 const std::vector<Borders>& borders, size_t slice, size_t first_row,
                 size_t row_count, Messages& messages, std::vector<OpenEnds::Sending>* sending) {
  // Rank by rank, as what is looked up stands together there; all of a slice stays in the cache.
  base::Column<Row> rows;
  rows.reserve(row_count);
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<uint32_t>& first = borders[rank].first;
    add_sends(trace, ranks, rank, first[slice], first[slice + 1], rows);
  }
  add_receives(trace, ranks, rows);
  struct Order {
    uint64_t ticks;
    size_t row;
  };
  base::Column<Order> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = {rows[i].send_ticks, i};
  base::radix_sort(order, [](const Order& one) { return one.ticks; });
  for (size_t i = 0; i < order.size(); ++i) {
    const Row& row = rows[order[i].row];
    const size_t to = first_row + i;
    messages.sender[to] = row.sender;
    messages.receiver[to] = row.receiver;
    messages.send_ticks[to] = row.send_ticks;
    messages.send_end_ticks[to] = row.send_end_ticks;
    messages.recv_post_ticks[to] = row.recv_post_ticks;
    messages.recv_ticks[to] = row.recv_ticks;
    messages.bytes[to] = row.bytes;
    messages.tag[to] = row.tag;
    messages.comm[to] = row.comm;
    messages.send_location[to] = row.send_location;
    messages.recv_location[to] = row.recv_location;
    if (row.sending == kNone || sending == nullptr) continue;
    const Events& events = trace.locations[row.send_location].events;
    sending->push_back({static_cast<uint32_t>(to), events.point_to_point(row.sending).request});
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
  pool.for_each(ranks.size(),
                [&](size_t i) { join(trace, links, static_cast<uint32_t>(i), ranks); });
  return ranks;
}

void collect_unmatched(const std::vector<RankEnds>& ranks, Trace& trace) {
  for (const RankEnds& rank : ranks) {
    const Ends& ends = rank.ends;
    for (size_t i = 0; i < ends.sends.size(); ++i) {
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
      if (rank.receive_of[i] == kNone && send.channel != kNone) {
        open.events[send.location].push_back(send.event);
      }
    }
    const auto keep = [&](const Receive& receive) {
      if (receive.event == kNone) return;
      open.events[receive.location].push_back(receive.event);
      if (receive.channel != kNone) {
        receives[receive.location].push_back({receive.event, ends.posted(trace, receive)});
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
  const std::vector<uint64_t> cuts = cut_times(trace, ranks, send_count);
  std::vector<Borders> borders(ranks.size());
  pool.for_each(ranks.size(), [&](size_t i) { borders[i] = borders_of(trace, ranks[i], cuts); });
  std::vector<size_t> first_row(cuts.size() + 1, 0);
  for (size_t slice = 0; slice < cuts.size(); ++slice) {
    first_row[slice + 1] = first_row[slice];
    for (const Borders& one : borders) first_row[slice + 1] += one.matched[slice];
  }

  trace.messages.resize(first_row.back());
  std::vector<std::vector<OpenEnds::Sending>> of_slice(cuts.size());
  pool.for_each(cuts.size(), [&](size_t slice) {
    write_slice(trace, ranks, borders, slice, first_row[slice],
                first_row[slice + 1] - first_row[slice], trace.messages,
                sending != nullptr ? &of_slice[slice] : nullptr);
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
      const Receive& receive = ranks[rank.peer(send)].ends.receives[rank.receive_of[i]];
      visit({send.location, send.event}, {receive.location, receive.event});
    }
  }
}

}  // namespace pathline::trace

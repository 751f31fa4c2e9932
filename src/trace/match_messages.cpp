// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "base/radix_sort.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

/// One send or receive with its partner resolved to ranks of the program.
struct End {
  uint32_t own_rank;
  uint32_t peer_rank;
  uint32_t comm;  // Index.
  uint32_t tag;
  uint32_t location;
  uint32_t event;  // The send, or the completion of the receive.
  uint32_t other;  // Send: its completion or kNone. Receive: the event that posted it.
};

/// What one location contributes, in the order of its events; receives in posting order.
struct Ends {
  base::Column<End> sends;
  base::Column<End> receives;
  std::vector<Unmatched> lost_sends;
  std::vector<Unmatched> lost_receives;
  uint64_t cancelled = 0;
};

/// From request ids that are active to a number. A program has few at a time: open addressing with
/// linear search, deletion by moving back.
class ActiveRequests {
 public:
  void set(uint64_t request, uint32_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    size_t i = slot(request);
    if (slots_[i].value == kNone) ++used_;
    slots_[i] = {request, value};
  }
  /// Removes the request and returns its value, kNone if it is not active.
  uint32_t take(uint64_t request) {
    if (slots_.empty()) return kNone;
    size_t hole = slot(request);
    const uint32_t value = slots_[hole].value;
    if (value == kNone) return kNone;
    const size_t mask = slots_.size() - 1;
    for (size_t i = (hole + 1) & mask; slots_[i].value != kNone; i = (i + 1) & mask) {
      const size_t home = hash(slots_[i].request) & mask;
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole].value = kNone;
    --used_;
    return value;
  }

 private:
  struct Slot {
    uint64_t request = 0;
    uint32_t value = kNone;
  };
  static size_t hash(uint64_t request) {
    return static_cast<size_t>((request * 0x9e3779b97f4a7c15ULL) >> 32U);
  }
  [[nodiscard]] size_t slot(uint64_t request) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash(request) & mask;
    while (slots_[i].value != kNone && slots_[i].request != request) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : 2 * old.size(), Slot{});
    for (const Slot& entry : old) {
      if (entry.value != kNone) slots_[slot(entry.request)] = entry;
    }
  }
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

/// Finds the Enter of the call that an event stands in. Looks at the events before it, where it is
/// nearly always; a location where it was not found near gets a table of all its events, so that a
/// million receives in one call cost no million times a million steps. May be used concurrently.
class EnclosingCalls {
 public:
  explicit EnclosingCalls(const Trace& trace) : trace_(trace), tables_(trace.locations.size()) {}

  /// returns `i` itself when it stands in no call.
  uint32_t enter_of(uint32_t location, uint32_t i) {
    const Events& events = trace_.locations[location].events;
    uint32_t k = i;
    for (uint32_t steps = 0; k-- > 0 && steps < kNear; ++steps) {
      if (events.kind[k] == EventKind::kEnter) return k;
      if (events.kind[k] == EventKind::kLeave) k = events.ref[k];  // Skip a call that is over.
      if (k == 0) return i;
    }
    Table& table = tables_[location];
    std::call_once(table.once, [&] { table.enter = enters_of(events); });
    return table.enter[i];
  }

 private:
  static constexpr uint32_t kNear = 64;
  struct Table {
    std::once_flag once;
    std::vector<uint32_t> enter;
  };
  static std::vector<uint32_t> enters_of(const Events& events) {
    std::vector<uint32_t> enters(events.size());
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < events.size(); ++i) {
      enters[i] = open.empty() ? i : open.back();
      if (events.kind[i] == EventKind::kEnter) open.push_back(i);
      if (events.kind[i] != EventKind::kLeave) continue;
      while (open.back() != events.ref[i]) open.pop_back();
      open.pop_back();
    }
    return enters;
  }

  const Trace& trace_;
  std::vector<Table> tables_;
};

Ends collect_ends(const Trace& trace, const CommunicatorRanks& ranks, uint32_t location_index) {
  const Location& location = trace.locations[location_index];
  const Events& events = location.events;
  Ends ends;
  ActiveRequests sending;
  ActiveRequests receiving;
  std::vector<uint32_t> withdrawn;  // Sends that were cancelled: nobody receives them.
  bool in_posting_order = true;

  for (uint32_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind[i];
    if (kind == EventKind::kEnter || kind == EventKind::kLeave) [[likely]] {
      continue;
    }
    switch (kind) {
      case EventKind::kMpiIsendComplete: {
        const uint32_t send = sending.take(events.word64(i));
        if (send != kNone) ends.sends[send].other = i;
        break;
      }
      case EventKind::kMpiIrecvRequest: receiving.set(events.word64(i), i); break;
      case EventKind::kMpiRequestCancelled: {
        const uint32_t send = sending.take(events.word64(i));
        if (send != kNone) withdrawn.push_back(send);
        receiving.take(events.word64(i));
        ++ends.cancelled;
        break;
      }
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend:
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv: {
        const bool is_send = kind == EventKind::kMpiSend || kind == EventKind::kMpiIsend;
        const PointToPoint point = events.point_to_point(i);
        const uint32_t comm = trace.definitions.communicator_index(point.comm);
        const Rank peer = comm == kNone ? Rank::none() : ranks.resolve(comm, point.peer, location);
        uint32_t other = kNone;
        if (kind == EventKind::kMpiRecv) other = i;
        if (kind == EventKind::kMpiIrecv) {
          other = receiving.take(point.request);
          if (other == kNone) other = i;  // Old recorders write no request.
        }
        if (!peer.valid() || !location.rank.valid()) {
          (is_send ? ends.lost_sends : ends.lost_receives)
              .push_back({.location = location_index, .event = i, .peer = peer});
          break;
        }
        base::Column<End>& list = is_send ? ends.sends : ends.receives;
        if (kind == EventKind::kMpiIsend) {
          sending.set(point.request, static_cast<uint32_t>(list.size()));
        }
        if (!is_send && !list.empty() && list.back().other > other) in_posting_order = false;
        list.push_back({.own_rank = location.rank,
                        .peer_rank = peer,
                        .comm = comm,
                        .tag = point.tag,
                        .location = location_index,
                        .event = i,
                        .other = other});
        break;
      }
      default: break;
    }
  }
  if (!withdrawn.empty()) {
    for (const uint32_t send : withdrawn) ends.sends[send].peer_rank = kNone;
    const End* last = std::remove_if(ends.sends.begin(), ends.sends.end(),
                                     [](const End& end) { return end.peer_rank == kNone; });
    ends.sends.resize(static_cast<size_t>(last - ends.sends.begin()));
  }
  if (!in_posting_order) {
    base::radix_sort(ends.receives, [](const End& end) { return uint64_t{end.other}; });
  }
  return ends;
}

/// All ends of one kind, grouped by the receiving rank; inside a group in the order of time for
/// several threads of a rank, else in the order of the location's events.
struct Grouped {
  base::Column<End> ends;
  std::vector<size_t> start;  // Per receiving rank, one more.
};

template <class ReceiverOf>
Grouped group_by_receiver(const Trace& trace, std::vector<Ends>& parts,
                          base::Column<End> Ends::*list, ReceiverOf receiver_of) {
  Grouped grouped;
  grouped.start.assign(size_t{trace.rank_count} + 1, 0);
  std::vector<size_t> threads_with_ends(trace.rank_count, 0);
  for (const Ends& part : parts) {
    for (const End& end : part.*list) ++grouped.start[receiver_of(end) + 1];
    if (!(part.*list).empty()) ++threads_with_ends[(part.*list)[0].own_rank];
  }
  for (size_t rank = 0; rank < trace.rank_count; ++rank) {
    grouped.start[rank + 1] += grouped.start[rank];
  }
  grouped.ends.resize(grouped.start.back());
  std::vector<size_t> next(grouped.start.begin(), grouped.start.end() - 1);
  for (Ends& part : parts) {
    for (const End& end : part.*list) grouped.ends[next[receiver_of(end)]++] = end;
    part.*list = {};
  }
  // MPI orders the sends of a rank, not of a thread. Where several threads of a rank communicate
  // their events have to be merged by time.
  const bool merge = std::any_of(threads_with_ends.begin(), threads_with_ends.end(),
                                 [](size_t threads) { return threads > 1; });
  if (merge) {
    const auto time_of = [&](const End& end) {
      const uint32_t event = list == &Ends::sends ? end.event : end.other;
      return trace.locations[end.location].events.ticks[event];
    };
    for (size_t rank = 0; rank < trace.rank_count; ++rank) {
      std::stable_sort(grouped.ends.data() + grouped.start[rank],
                       grouped.ends.data() + grouped.start[rank + 1],
                       [&](const End& a, const End& b) { return time_of(a) < time_of(b); });
    }
  }
  return grouped;
}

/// The sends that wait for a receive, first in first out for each sender, communicator and tag.
class Queues {
 public:
  explicit Queues(size_t send_count) : next_(send_count, kNone) {}

  void push(const End& send, uint32_t index) {
    Queue& queue = queues_[key(send.own_rank, send.comm, send.tag)];
    if (queue.first == kNone) {
      queue.first = index;
    } else {
      next_[queue.last] = index;
    }
    queue.last = index;
  }
  uint32_t pop(const End& receive) {
    const auto found = queues_.find(key(receive.peer_rank, receive.comm, receive.tag));
    if (found == queues_.end() || found->second.first == kNone) return kNone;
    const uint32_t index = found->second.first;
    found->second.first = next_[index];
    return index;
  }

 private:
  struct Key {
    uint64_t sender_and_comm;
    uint32_t tag;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return (key.sender_and_comm * 0x9e3779b97f4a7c15ULL ^ key.tag) * 0xd6e8feb86659fd93ULL;
    }
  };
  struct Queue {
    uint32_t first = kNone;
    uint32_t last = kNone;
  };
  static Key key(uint32_t sender, uint32_t comm, uint32_t tag) {
    return {uint64_t{sender} << 32U | comm, tag};
  }
  std::unordered_map<Key, Queue, Hash> queues_;
  std::vector<uint32_t> next_;
};

struct Pair {
  uint64_t send_ticks;
  uint32_t send;     // Index into the grouped sends.
  uint32_t receive;  // Index into the grouped receives.
};

}  // namespace

void match_messages(Trace& trace, base::ThreadPool& pool) {
  const CommunicatorRanks ranks(trace);
  std::vector<Ends> parts(trace.locations.size());
  pool.for_each(parts.size(),
                [&](size_t i) { parts[i] = collect_ends(trace, ranks, static_cast<uint32_t>(i)); });
  for (Ends& part : parts) {
    trace.unmatched_sends.insert(trace.unmatched_sends.end(), part.lost_sends.begin(),
                                 part.lost_sends.end());
    trace.unmatched_receives.insert(trace.unmatched_receives.end(), part.lost_receives.begin(),
                                    part.lost_receives.end());
    trace.cancelled_requests += part.cancelled;
  }

  std::array<Grouped, 2> grouped;
  pool.for_each(2, [&](size_t i) {
    grouped[i] = i == 0 ? group_by_receiver(trace, parts, &Ends::sends,
                                            [](const End& end) { return end.peer_rank; })
                        : group_by_receiver(trace, parts, &Ends::receives,
                                            [](const End& end) { return end.own_rank; });
  });
  const auto& [sends, receives] = grouped;

  struct PerRank {
    base::Column<Pair> pairs;
    std::vector<Unmatched> sends;
    std::vector<Unmatched> receives;
  };
  std::vector<PerRank> per_rank(trace.rank_count);
  pool.for_each(trace.rank_count, [&](size_t rank) {
    const size_t first = sends.start[rank];
    const size_t count = sends.start[rank + 1] - first;
    Queues queues(count);
    std::vector<bool> matched(count);
    PerRank& result = per_rank[rank];
    result.pairs.reserve(count);
    for (size_t i = 0; i < count; ++i) queues.push(sends.ends[first + i], static_cast<uint32_t>(i));
    for (size_t r = receives.start[rank]; r < receives.start[rank + 1]; ++r) {
      const End& receive = receives.ends[r];
      const uint32_t i = queues.pop(receive);
      if (i == kNone) {
        result.receives.push_back({receive.location, receive.event, Rank(receive.peer_rank)});
        continue;
      }
      matched[i] = true;
      const End& send = sends.ends[first + i];
      result.pairs.push_back({trace.locations[send.location].events.ticks[send.event],
                              static_cast<uint32_t>(first + i), static_cast<uint32_t>(r)});
    }
    for (size_t i = 0; i < count; ++i) {
      const End& send = sends.ends[first + i];
      if (!matched[i]) result.sends.push_back({send.location, send.event, Rank(send.peer_rank)});
    }
  });

  base::Column<Pair> pairs;
  for (PerRank& part : per_rank) {
    for (const Pair& pair : part.pairs) pairs.push_back(pair);
    trace.unmatched_sends.insert(trace.unmatched_sends.end(), part.sends.begin(), part.sends.end());
    trace.unmatched_receives.insert(trace.unmatched_receives.end(), part.receives.begin(),
                                    part.receives.end());
  }
  std::vector<PerRank>().swap(per_rank);
  const auto in_order = [](const Unmatched& a, const Unmatched& b) {
    return a.location != b.location ? a.location < b.location : a.event < b.event;
  };
  std::sort(trace.unmatched_sends.begin(), trace.unmatched_sends.end(), in_order);
  std::sort(trace.unmatched_receives.begin(), trace.unmatched_receives.end(), in_order);

  // Time, then sender, then the sender's own order: a total order, whatever the receivers were.
  base::radix_sort(pairs, [](const Pair& pair) { return pair.send_ticks; });
  for (size_t i = 0; i < pairs.size();) {
    size_t same = i + 1;
    while (same < pairs.size() && pairs[same].send_ticks == pairs[i].send_ticks) ++same;
    if (same - i > 1) {
      std::sort(pairs.data() + i, pairs.data() + same, [&](const Pair& a, const Pair& b) {
        const End& x = sends.ends[a.send];
        const End& y = sends.ends[b.send];
        if (x.own_rank != y.own_rank) return x.own_rank < y.own_rank;
        return x.location != y.location ? x.location < y.location : x.event < y.event;
      });
    }
    i = same;
  }

  EnclosingCalls calls(trace);
  Messages& messages = trace.messages;
  messages.resize(pairs.size());
  constexpr size_t kChunk = 65536;
  pool.for_each((pairs.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
    const size_t end = std::min(pairs.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      const End& send = sends.ends[pairs[i].send];
      const End& receive = receives.ends[pairs[i].receive];
      const Events& from = trace.locations[send.location].events;
      const Events& to = trace.locations[receive.location].events;
      messages.sender[i] = send.own_rank;
      messages.receiver[i] = receive.own_rank;
      messages.send_ticks[i] = pairs[i].send_ticks;
      messages.recv_ticks[i] = to.ticks[receive.event];
      messages.bytes[i] = from.word64(send.event, 3);
      messages.tag[i] = send.tag;
      messages.comm[i] = send.comm;
      messages.send_location[i] = send.location;
      messages.recv_location[i] = receive.location;
      const uint32_t posted = receive.other == receive.event
                                  ? calls.enter_of(receive.location, receive.event)
                                  : receive.other;
      messages.recv_post_ticks[i] = to.ticks[posted];
      messages.send_end_ticks[i] =
          send.other == kNone ? pairs[i].send_ticks : from.ticks[send.other];
    }
  });
}

}  // namespace pathline::trace

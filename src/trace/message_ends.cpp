// SPDX-License-Identifier: BSD-3-Clause
#include "trace/message_ends.hpp"

#include <algorithm>

#include "trace/find_kinds.hpp"
#include "trace/plain_events.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

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
  /// Calls visit(value) for each that is active.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.value != kNone) visit(slot.value);
    }
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

/// Adds the ends of one location to those of its rank.
class Collector {
 public:
  Collector(const Trace& trace, const CommunicatorRanks& ranks, uint32_t location_index,
            std::span<const uint64_t> post_ticks, Ends& ends)
      : trace_(trace),
        ranks_(ranks),
        location_(trace.locations[location_index]),
        location_index_(location_index),
        post_ticks_(post_ticks),
        ends_(ends) {}

  void run() {
    with_columns(location_.events, [&](const auto& events) { run(events); });
  }

 private:
  template <class Columns>
  void run(const Columns& events) {
    constexpr KindRange kSwitched = kOnly<EventKind::kMeasurementOnOff>;
    for_each_of<kMessageKinds, kSwitched>(location_.events.kind.span(), 0, [&](size_t event) {
      const auto i = static_cast<uint32_t>(event);
      switch (events.kind[i]) {
        case EventKind::kMpiSend:
        case EventKind::kMpiIsend: add_send(events, i); break;
        case EventKind::kMpiIsendComplete: {
          const uint32_t send = sending_.take(events.word64(i));
          if (send != kNone) ends_.sends[send].end_event = i;
          break;
        }
        case EventKind::kMpiIrecvRequest:
          // Takes its place in the order of posting; add_receive fills it.
          receiving_.set(events.word64(i), static_cast<uint32_t>(ends_.receives.size()));
          ends_.receives.push_back({{kNone, location_index_, i}, i});
          break;
        case EventKind::kMpiRecv:
        case EventKind::kMpiIrecv: add_receive(events, i); break;
        case EventKind::kMpiRequestCancelled: {
          const uint32_t send = sending_.take(events.word64(i));
          if (send != kNone) ends_.sends[send].channel = kNone;
          const uint32_t receive = receiving_.take(events.word64(i));
          if (receive != kNone) ends_.receives[receive].event = kNone;
          ++ends_.cancelled;
          if (send == kNone && receive == kNone) ++ends_.cancelled_before;
          break;
        }
        case EventKind::kMeasurementOnOff: {
          constexpr uint32_t kOn = 1;
          if (events.ref[i] == kOn) ends_.resumed.push_back(events.ticks[i]);
          break;
        }
        default: break;
      }
    });
    sending_.for_each([&](uint32_t send) { ends_.sends[send].end_event = kNone; });
  }

  [[nodiscard]] Rank peer_of(const PointToPoint& point, uint32_t comm) const {
    if (comm == kNone || !location_.rank.valid()) return Rank::none();
    return ranks_.resolve(comm, point.peer, location_);
  }

  template <class Columns>
  void add_send(const Columns& events, uint32_t i) {
    const PointToPoint point = events.point_to_point(i);
    const uint32_t comm = trace_.definitions.communicator_index(point.comm);
    const Rank peer = peer_of(point, comm);
    if (!peer.valid()) {
      ends_.lost_sends.push_back({location_index_, i, peer});
      return;
    }
    if (events.kind[i] == EventKind::kMpiIsend) {
      sending_.set(point.request, static_cast<uint32_t>(ends_.sends.size()));
    }
    const uint32_t channel = ends_.send_channels.number({peer, comm, point.tag});
    ends_.sends.push_back({{channel, location_index_, i}, i, events.ticks[i], point.bytes});
  }

  template <class Columns>
  void follow_call(const Columns& events, uint32_t i) {
    if (events.kind[i] == EventKind::kEnter) {
      open_calls_.push_back(i);
    } else if (events.kind[i] == EventKind::kLeave) {
      // Calls inside whose Leave got lost end here too.
      while (!open_calls_.empty() && open_calls_.back() >= events.ref[i]) open_calls_.pop_back();
    }
  }

  /// The Enter of the call around event `i`, or `i`. Calls are followed only so far: where all
  /// receives are nonblocking this is never asked.
  template <class Columns>
  uint32_t call_around(const Columns& events, uint32_t i) {
    for (; followed_ < i; ++followed_) follow_call(events, followed_);
    return open_calls_.empty() ? i : open_calls_.back();
  }

  template <class Columns>
  void add_receive(const Columns& events, uint32_t i) {
    const PointToPoint point = events.point_to_point(i);
    const uint32_t comm = trace_.definitions.communicator_index(point.comm);
    const Rank peer = peer_of(point, comm);
    uint32_t place = kNone;
    if (events.kind[i] == EventKind::kMpiIrecv) place = receiving_.take(point.request);
    if (!peer.valid()) {
      ends_.lost_receives.push_back({location_index_, i, peer});
      return;
    }
    const uint32_t channel = ends_.receive_channels.number({peer, comm, point.tag});
    if (place == kNone) {  // Blocking, or of an old recorder, which writes no request.
      uint32_t post_event = kNone;
      if (post_ticks_.empty()) {
        post_event = call_around(events, i);
      } else {  // Of a call that is not there any more.
        ends_.post_ticks[{location_index_, i}] = post_ticks_.front();
        post_ticks_ = post_ticks_.subspan(1);
      }
      ends_.receives.push_back({{channel, location_index_, i}, post_event});
    } else {
      Receive& receive = ends_.receives[place];
      receive = {{channel, location_index_, i}, receive.post_event};
    }
  }

  const Trace& trace_;
  const CommunicatorRanks& ranks_;
  const Location& location_;
  const uint32_t location_index_;
  std::span<const uint64_t> post_ticks_;  // Of the first receives.
  Ends& ends_;
  ActiveRequests sending_;
  ActiveRequests receiving_;
  uint32_t followed_ = 0;             // Up to this event calls are followed:
  std::vector<uint32_t> open_calls_;  // Enters, outermost first.
};

/// Merges stretches of a list that are in order each. `starts`: where each begins.
template <class List, class TimeOf>
void merge(List& list, const std::vector<size_t>& starts, TimeOf time_of) {
  for (size_t k = 1; k < starts.size(); ++k) {
    const size_t end = k + 1 < starts.size() ? starts[k + 1] : list.size();
    std::inplace_merge(list.begin(), list.begin() + starts[k], list.begin() + end,
                       [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  }
}

void reserve(const Trace& trace, std::span<const uint32_t> locations, Ends& ends,
             base::Arena& arena) {
  size_t sends = 0;
  size_t receives = 0;
  for (const uint32_t location : locations) {
    const std::span<const EventKind> kinds = trace.locations[location].events.kind.span();
    sends += count_of<KindRange{EventKind::kMpiSend, EventKind::kMpiIsend}>(kinds, 0);
    receives += count_of<KindRange{EventKind::kMpiIrecvRequest, EventKind::kMpiRecv}>(kinds, 0);
  }
  ends.sends.reserve(sends, arena);
  ends.receives.reserve(receives, arena);
}

}  // namespace

uint64_t order_ticks(const Trace& trace, const Ends& ends, const Receive& receive) {
  const Events& events = trace.locations[receive.location].events;
  const bool blocking =
      receive.channel != kNone && events.kind[receive.event] == EventKind::kMpiRecv;
  return blocking ? events.ticks[receive.event] : ends.posted(trace, receive);
}

Ends collect_ends(const Trace& trace, const CommunicatorRanks& ranks,
                  std::span<const uint32_t> locations,
                  const std::vector<std::vector<uint64_t>>& post_ticks, base::Arena& arena) {
  Ends ends;
  ends.send_channels = Channels(arena);
  ends.receive_channels = Channels(arena);
  reserve(trace, locations, ends, arena);
  std::vector<size_t> first_sends;
  std::vector<size_t> first_receives;
  for (const uint32_t location : locations) {
    const size_t sends = ends.sends.size();
    const size_t receives = ends.receives.size();
    std::span<const uint64_t> known;
    if (location < post_ticks.size()) known = post_ticks[location];
    Collector(trace, ranks, location, known, ends).run();
    if (ends.sends.size() > sends) first_sends.push_back(sends);
    if (ends.receives.size() > receives) first_receives.push_back(receives);
  }
  merge(ends.sends, first_sends, [](const Send& send) { return send.ticks; });
  merge(ends.receives, first_receives,
        [&](const Receive& receive) { return order_ticks(trace, ends, receive); });
  std::sort(ends.resumed.begin(), ends.resumed.end());
  return ends;
}

}  // namespace pathline::trace

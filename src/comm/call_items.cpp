// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call_items.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace pathline::comm {
namespace {

using steps::Symbol;
using trace::EventKind;

/// What the events inside of a call say about it.
struct Communication {
  bool any = false;
  bool is_collective = false;
  uint32_t peer = trace::kUndefined;
  uint64_t bytes = 0;
  bool has_root = false;
};

Communication communication_in(const trace::Events& events, trace::CallEvents call) {
  Communication found;
  for (uint32_t i = call.enter + 1; i < call.leave; ++i) {
    switch (events.kind[i]) {
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend:
      case EventKind::kMpiRecv: {
        if (!found.any) {
          const trace::PointToPoint point = events.point_to_point(i);
          found.peer = point.peer;
          found.bytes = point.bytes;
        }
        found.any = true;
        break;
      }
      case EventKind::kMpiIrecv:  // Of several that are complete, which is first is chance.
      case EventKind::kMpiIrecvRequest:
      case EventKind::kMpiIsendComplete:
      case EventKind::kNonBlockingCollectiveRequest:
      case EventKind::kNonBlockingCollectiveComplete:
      case EventKind::kRmaPut:
      case EventKind::kRmaGet:
      case EventKind::kRmaGroupSync: found.any = true; break;
      case EventKind::kMpiCollectiveEnd:
      case EventKind::kRmaCollectiveEnd:
        found.any = true;
        found.is_collective = true;
        found.has_root = events.fields(i)[events.kind[i] == EventKind::kMpiCollectiveEnd ? 2 : 3] !=
                         trace::kUndefined;
        found.bytes = events.kind[i] == EventKind::kMpiCollectiveEnd && !found.has_root
                          ? events.word64(i, 3)
                          : 0;
        break;
      default: break;
    }
  }
  return found;
}

}  // namespace

std::vector<Item> items_of(const trace::Events& events,
                           const std::vector<trace::CallClass>& classes, bool each_call) {
  std::vector<Item> items;
  trace::for_each_outer_call(
      events,
      [&](trace::Region region) {
        return region.valid() && classes[region] == trace::CallClass::kMpi;
      },
      [&](trace::CallEvents call) {
        const Communication what = communication_in(events, call);
        if (!what.any) return;
        const uint64_t magnitude = static_cast<uint64_t>(std::bit_width(what.bytes));
        const uint64_t region = uint64_t{events.region(call.enter)} << 8U;
        const uint64_t function = (region | (what.is_collective ? magnitude : 0)) << 32U;
        const Symbol by_function{function, events.ticks[call.enter], what.is_collective};
        if (!each_call && !what.is_collective && !items.empty() &&
            items.back().by_function.key == by_function.key) {
          ++items.back().calls;
          return;
        }
        const uint64_t key_by_peers = ((region | magnitude) << 32U) ^ (uint64_t{what.peer} + 1);
        items.push_back({by_function, key_by_peers, call, what.is_collective ? what.bytes : 0, 1});
      });
  return items;
}

std::vector<Symbol> symbols_of(const std::vector<Item>& items, Detail detail) {
  std::vector<Symbol> symbols;
  symbols.reserve(items.size());
  for (const Item& item : items) {
    symbols.push_back(item.by_function);
    if (detail != Detail::kFunction) symbols.back().key = item.key_by_peers;
  }
  return symbols;
}

bool peers_say_more(const std::vector<Item>& items) {
  std::unordered_map<uint64_t, uint64_t> peers;
  std::unordered_map<uint64_t, uint64_t> functions;
  return std::any_of(items.begin(), items.end(), [&](const Item& item) {
    const uint64_t function = item.by_function.key;
    return peers.try_emplace(function, item.key_by_peers).first->second != item.key_by_peers ||
           functions.try_emplace(item.key_by_peers, function).first->second != function;
  });
}

}  // namespace pathline::comm

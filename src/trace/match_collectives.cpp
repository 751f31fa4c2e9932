// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <unordered_map>

#include "trace/match.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {
namespace {

/// One location's part in one collective operation.
struct Part {
  uint32_t comm;      // Index.
  uint32_t sequence;  // How many operations of this communicator the rank began before.
  uint32_t location;
  uint32_t root;  // In the communicator.
  uint8_t operation;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint64_t bytes_sent;
  uint64_t bytes_received;
};

/// Broadcast, gather, gatherv, scatter, scatterv and reduce, by OTF2's numbers.
bool has_root(uint8_t operation) { return (operation >= 1 && operation <= 5) || operation == 12; }

bool is_of_collective(EventKind kind) {
  return kind == EventKind::kMpiCollectiveBegin || kind == EventKind::kMpiCollectiveEnd ||
         kind == EventKind::kNonBlockingCollectiveRequest ||
         kind == EventKind::kNonBlockingCollectiveComplete;
}

std::vector<Part> collect_parts(const Trace& trace, uint32_t location_index) {
  const Events& events = trace.locations[location_index].events;
  struct Begun {
    size_t begin_order;
    Part part;
  };
  std::vector<Begun> done;
  std::vector<std::pair<size_t, uint64_t>> open;  // Blocking ones can nest in a user's wrapper.
  std::unordered_map<uint64_t, std::pair<size_t, uint64_t>> requests;
  size_t begun = 0;

  const auto finish = [&](size_t i, size_t order, uint64_t begin_ticks) {
    const std::span<const uint32_t> fields = events.fields(i);
    const uint32_t comm = trace.definitions.communicator_index(fields[1]);
    if (comm == base::IdMap::kNone) return;
    done.push_back({order,
                    {.comm = comm,
                     .sequence = 0,
                     .location = location_index,
                     .root = fields[2],
                     .operation = static_cast<uint8_t>(fields[0]),
                     .begin_ticks = begin_ticks,
                     .end_ticks = events.ticks[i],
                     .bytes_sent = events.word64(i, 3),
                     .bytes_received = events.word64(i, 5)}});
  };
  const auto add_event = [&](size_t i) {
    switch (events.kind[i]) {
      case EventKind::kMpiCollectiveBegin: open.emplace_back(begun++, events.ticks[i]); break;
      case EventKind::kMpiCollectiveEnd:
        if (open.empty()) open.emplace_back(begun++, events.ticks[i]);
        finish(i, open.back().first, open.back().second);
        open.pop_back();
        break;
      case EventKind::kNonBlockingCollectiveRequest:
        requests[events.word64(i)] = {begun++, events.ticks[i]};
        break;
      case EventKind::kNonBlockingCollectiveComplete: {
        const auto request = requests.find(events.word64(i, 7));
        if (request == requests.end()) {
          finish(i, begun++, events.ticks[i]);
        } else {
          finish(i, request->second.first, request->second.second);
          requests.erase(request);
        }
        break;
      }
      default: break;
    }
  };
  // Few events are of collectives: blocks without any are passed over as a whole.
  constexpr size_t kBlock = 64;
  for (size_t begin = 0; begin < events.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, events.size());
    bool any = false;
    for (size_t i = begin; i < end; ++i) any |= is_of_collective(events.kind[i]);
    if (!any) continue;
    for (size_t i = begin; i < end; ++i) add_event(i);
  }
  // Operations of a communicator pair up in the order in which they began, not completed.
  std::sort(done.begin(), done.end(),
            [](const Begun& a, const Begun& b) { return a.begin_order < b.begin_order; });
  std::unordered_map<uint32_t, uint32_t> sequence;
  std::vector<Part> parts;
  parts.reserve(done.size());
  for (Begun& item : done) {
    item.part.sequence = sequence[item.part.comm]++;
    parts.push_back(item.part);
  }
  return parts;
}

/// MPI orders the operations of a rank, whichever of its threads calls them: where several do, they
/// are numbered again by time.
void number_by_rank(const Trace& trace, std::vector<std::vector<Part>>& by_location) {
  std::vector<std::vector<size_t>> locations(trace.rank_count);
  for (size_t i = 0; i < by_location.size(); ++i) {
    const Rank rank = trace.locations[i].rank;
    if (rank.valid() && !by_location[i].empty()) locations[rank].push_back(i);
  }
  for (const auto& of_rank : locations) {
    if (of_rank.size() < 2) continue;
    std::vector<Part*> parts;
    for (const size_t i : of_rank) {
      for (Part& part : by_location[i]) parts.push_back(&part);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part* a, const Part* b) { return a->begin_ticks < b->begin_ticks; });
    std::unordered_map<uint32_t, uint32_t> sequence;
    for (Part* part : parts) part->sequence = sequence[part->comm]++;
  }
}

}  // namespace

void match_collectives(Trace& trace, base::ThreadPool& pool) {
  std::vector<std::vector<Part>> by_location(trace.locations.size());
  pool.for_each(by_location.size(),
                [&](size_t i) { by_location[i] = collect_parts(trace, static_cast<uint32_t>(i)); });
  number_by_rank(trace, by_location);
  std::vector<Part> parts;
  for (const auto& list : by_location) parts.insert(parts.end(), list.begin(), list.end());

  // A communicator of rank 0 alone (self) exists once per location: its operations never pair.
  const auto group_of = [&](const Part& part) {
    const uint32_t group =
        trace.definitions.group_index(trace.definitions.communicators[part.comm].group);
    const bool self =
        group != base::IdMap::kNone && trace.definitions.groups[group].type == GroupType::kCommSelf;
    return self ? part.location + 1 : 0;
  };
  std::stable_sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) {
    if (a.comm != b.comm) return a.comm < b.comm;
    if (group_of(a) != group_of(b)) return group_of(a) < group_of(b);
    return a.sequence < b.sequence;
  });

  Collectives& collectives = trace.collectives;
  const CommunicatorRanks ranks(trace);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const bool same = i > 0 && parts[i - 1].comm == part.comm &&
                      parts[i - 1].sequence == part.sequence &&
                      group_of(parts[i - 1]) == group_of(part);
    if (!same) {
      collectives.first.push_back(static_cast<uint32_t>(i));
      collectives.operation.push_back(part.operation);
      collectives.comm.push_back(part.comm);
      const Rank root = has_root(part.operation)
                            ? ranks.resolve(part.comm, part.root, trace.locations[part.location])
                            : Rank::none();
      collectives.root.push_back(uint32_t{root});
    }
    collectives.location.push_back(part.location);
    collectives.begin_ticks.push_back(part.begin_ticks);
    collectives.end_ticks.push_back(part.end_ticks);
    collectives.bytes_sent.push_back(part.bytes_sent);
    collectives.bytes_received.push_back(part.bytes_received);
  }
  collectives.first.push_back(static_cast<uint32_t>(parts.size()));
}

}  // namespace pathline::trace

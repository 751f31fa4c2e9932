// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "trace/collective_stream.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {

void match_collectives(Trace& trace, base::ThreadPool& pool) {
  std::vector<std::vector<CollectivePart>> by_location(trace.locations.size());
  pool.for_each(by_location.size(), [&](size_t i) {
    CollectiveStream stream(static_cast<uint32_t>(i));
    stream.add(trace.definitions, trace.locations[i].events, 0);
    stream.end();
    by_location[i] = stream.take(UINT64_MAX);
  });
  std::map<uint32_t, std::vector<std::span<CollectivePart>>> by_rank;
  for (size_t i = 0; i < by_location.size(); ++i) {
    const Rank rank = trace.locations[i].rank;
    if (rank.valid()) {
      by_rank[rank].emplace_back(by_location[i]);
    } else {
      CollectiveNumbers().number({by_location[i]});
    }
  }
  for (const auto& [rank, lists] : by_rank) CollectiveNumbers().number(lists);
  std::vector<CollectivePart> parts;
  for (const auto& list : by_location) parts.insert(parts.end(), list.begin(), list.end());

  // A communicator of rank 0 alone (self) exists once per location: its operations never pair.
  const auto group_of = [&](const CollectivePart& part) {
    return is_self(trace.definitions, part.comm) ? part.location + 1 : 0;
  };
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
    if (a.comm != b.comm) return a.comm < b.comm;
    if (group_of(a) != group_of(b)) return group_of(a) < group_of(b);
    return a.sequence < b.sequence;
  });
  const CommunicatorRanks ranks(trace);
  for (size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
    const CollectivePart& first = parts[begin];
    while (end < parts.size() && parts[end].comm == first.comm &&
           parts[end].sequence == first.sequence && group_of(parts[end]) == group_of(first)) {
      ++end;
    }
    append(std::span(parts).subspan(begin, end - begin), trace, ranks, trace.collectives);
  }
  trace.collectives.first.push_back(static_cast<uint32_t>(parts.size()));
}

}  // namespace pathline::trace

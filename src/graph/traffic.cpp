// SPDX-License-Identifier: BSD-3-Clause
#include "graph/traffic.hpp"

#include <algorithm>
#include <tuple>

namespace pathline::graph {

Traffic traffic_of(uint32_t rank_count, std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::tie(a.sender, a.receiver) < std::tie(b.sender, b.receiver);
  });
  Traffic traffic;
  traffic.row.assign(size_t{rank_count} + 1, 0);
  const Pair* last = nullptr;
  for (const Pair& pair : pairs) {
    if (last != nullptr && last->sender == pair.sender && last->receiver == pair.receiver) {
      traffic.messages.back() += pair.messages;
      traffic.bytes.back() += pair.bytes;
      continue;
    }
    traffic.receiver.push_back(pair.receiver);
    traffic.messages.push_back(pair.messages);
    traffic.bytes.push_back(pair.bytes);
    ++traffic.row[pair.sender + size_t{1}];
    last = &pair;
  }
  for (size_t rank = 0; rank < rank_count; ++rank) traffic.row[rank + 1] += traffic.row[rank];
  return traffic;
}

Traffic merged(const Traffic& traffic, std::span<const uint32_t> group_of_rank,
               uint32_t group_count) {
  std::vector<Pair> pairs;
  pairs.reserve(traffic.entry_count());
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      pairs.push_back({group_of_rank[sender], group_of_rank[traffic.receiver[i]],
                       traffic.messages[i], traffic.bytes[i]});
    }
  }
  return traffic_of(group_count, std::move(pairs));
}

}  // namespace pathline::graph

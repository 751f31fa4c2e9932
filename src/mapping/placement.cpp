// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/placement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::mapping {
namespace {

base::Error misplaced(std::string fact) {
  return {base::ErrorCode::kInvalidArgument, std::move(fact)};
}

}  // namespace

Placement placement_on(std::vector<network::Vertex> node_of_rank) {
  uint32_t node_count = 0;
  for (const network::Vertex node : node_of_rank) node_count = std::max(node_count, node + 1);
  std::vector<uint32_t> next(node_count, 0);
  Placement placement;
  for (const network::Vertex node : node_of_rank) placement.slot_of_rank.push_back(next[node]++);
  placement.node_of_rank = std::move(node_of_rank);
  return placement;
}

Placement moved(const Placement& placement, std::span<const network::Vertex> places,
                std::span<const uint32_t> place_of_item) {
  Placement result = placement;
  for (network::Vertex& node : result.node_of_rank) {
    const auto at = std::lower_bound(places.begin(), places.end(), node);
    if (at == places.end() || *at != node) continue;
    node = places[place_of_item[static_cast<size_t>(at - places.begin())]];
  }
  return result;
}

base::Status check_placement(const Placement& placement, const network::Network& network,
                             uint32_t ranks_per_node) {
  const uint32_t rank_count = placement.rank_count();
  if (placement.slot_of_rank.size() != rank_count) {
    return misplaced(fmt::format("{} ranks have a node, but {} a slot", rank_count,
                                 placement.slot_of_rank.size()));
  }
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    const network::Vertex node = placement.node_of_rank[rank];
    if (node >= network.node_count()) {
      return misplaced(fmt::format("rank {} is on node {}, but {} has {}", rank, uint32_t{node},
                                   network.spec(),
                                   base::counted(network.node_count(), "node", "nodes")));
    }
    if (ranks_per_node > 0 && placement.slot_of_rank[rank] >= ranks_per_node) {
      return misplaced(fmt::format("rank {} is in slot {} of node {}, but a node has {} (from 0)",
                                   rank, placement.slot_of_rank[rank], network.name(node),
                                   base::counted(ranks_per_node, "slot", "slots")));
    }
  }
  std::vector<uint32_t> ranks = identity(rank_count);
  const auto seat = [&](uint32_t rank) {
    return std::pair(placement.node_of_rank[rank], placement.slot_of_rank[rank]);
  };
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](uint32_t a, uint32_t b) { return seat(a) < seat(b); });
  const auto twice = std::adjacent_find(ranks.begin(), ranks.end(),
                                        [&](uint32_t a, uint32_t b) { return seat(a) == seat(b); });
  if (twice == ranks.end()) return {};
  return misplaced(fmt::format("ranks {} and {} are both in slot {} of node {}", twice[0], twice[1],
                               placement.slot_of_rank[*twice],
                               network.name(placement.node_of_rank[*twice])));
}

}  // namespace pathline::mapping

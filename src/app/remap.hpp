// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/network_input.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "mapping/placement.hpp"
#include "mapping/search.hpp"

namespace pathline::app {

enum class RemapMethod : uint8_t {
  kMultilevel,  ///< mapping::multilevel().
  kPartition,   ///< mapping::place_by_partition(), then annealing over all nodes.
  kAnneal,      ///< mapping::anneal() from the mapping given.
  kExact,       ///< All arrangements of the nodes that may move.
  kRandom,      ///< Random restarts of swaps of the nodes that may move.
};

struct RemapRequest {
  RemapMethod method = RemapMethod::kMultilevel;
  mapping::SearchOptions search;
  bool group = false;      ///< Also choose which ranks share a node.
  bool all_nodes = false;  ///< Nodes that hold no rank now may be used.
  /// Routes, as pairs of nodes, whose ends alone may move; empty: everything may.
  std::vector<std::pair<network::Vertex, network::Vertex>> movable;
  uint32_t part_count = 0;           ///< Of kPartition; 0: it chooses.
  uint64_t trial_count = 1'000'000;  ///< Swaps that kRandom looks at.
};

struct Remapping {
  mapping::Placement placement;  ///< The better one of the new and the one given.
  double hop_bytes_before = 0;
  double hop_bytes_after = 0;
  double bound_hop_bytes = 0;  ///< No placement of the groups tried has fewer.
  uint64_t max_link_load_before_bytes = 0;
  uint64_t max_link_load_after_bytes = 0;
  uint64_t off_node_bytes_before = 0;
  uint64_t off_node_bytes_after = 0;
  uint32_t moved = 0;   ///< Ranks with another node.
  uint32_t places = 0;  ///< Nodes that could be used.
  bool timed_out = false;
};

/// A placement of the ranks with a lower objective; the one given if none is found.
/// errors  those of mapping::Problem::make, mapping::group_ranks and of the methods.
base::Result<Remapping> remap(const NetworkInput& input, const RemapRequest& request,
                              base::ThreadPool& pool);

/// The largest effort that is done in about `seconds` on two cores, at least 1. Depends on these
/// numbers only, so that the answer does.
int effort_within(double seconds, uint32_t node_count);

}  // namespace pathline::app

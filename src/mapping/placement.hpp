// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "mapping/problem.hpp"
#include "network/network.hpp"

namespace pathline::mapping {

/// Where each rank runs.
struct Placement {
  std::vector<network::Vertex> node_of_rank;
  /// Which core of its node a rank has, as far as that is known, else which of the node's ranks it
  /// is, from 0: the T of Blue Gene/Q.
  std::vector<uint32_t> slot_of_rank;

  [[nodiscard]] uint32_t rank_count() const { return static_cast<uint32_t>(node_of_rank.size()); }
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// More than any machine has: a larger number is a mistake, and would cost memory.
constexpr uint32_t kMaxRanks = 4'194'304;
constexpr uint32_t kMaxSlots = 65'536;

/// The ranks of each node have its slots in ascending order.
Placement placement_on(std::vector<network::Vertex> node_of_rank);

/// The ranks of places[item] go to places[place_of_item[item]], slots unchanged. Ranks on nodes
/// that are no places stay.
Placement moved(const Placement& placement, std::span<const network::Vertex> places,
                std::span<const uint32_t> place_of_item);

/// Nothing is wrong with a placement if each rank has a node of the network and a slot of its own
/// there.
/// ranks_per_node  slots that a node has; 0: not known.
/// errors          kInvalidArgument naming ranks, node and slot.
base::Status check_placement(const Placement& placement, const network::Network& network,
                             uint32_t ranks_per_node);

}  // namespace pathline::mapping

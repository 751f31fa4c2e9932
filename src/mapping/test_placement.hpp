// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mapping/placement.hpp"

namespace pathline::mapping {

/// The first ranks_per_node ranks on node 0, the next on node 1 ...
inline Placement block_placement(uint32_t rank_count, uint32_t ranks_per_node) {
  Placement placement;
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    placement.node_of_rank.emplace_back(rank / ranks_per_node);
    placement.slot_of_rank.push_back(rank % ranks_per_node);
  }
  return placement;
}

}  // namespace pathline::mapping

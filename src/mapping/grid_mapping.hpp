// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "mapping/placement.hpp"
#include "network/network.hpp"

namespace pathline::mapping {

/// Ways to lay ranks that form a grid (the first axis fastest) onto nodes, each of which takes the
/// same number of them.
enum class GridMapping : uint8_t {
  kSmp,         ///< Node after node is filled, as most launchers do.
  kRoundRobin,  ///< Rank after rank goes to the next node.
  kBlock,       ///< Each node takes a block of the grid with the smallest surface.
  kFolded,      ///< Blocks, laid into a torus so that neighbours stay neighbours.
  kRandom,      ///< Blocks on nodes in a random order: what no thought at all costs.
};

/// "smp", "round-robin", "block", "folded", "random".
std::string_view name_of(GridMapping mapping);
inline constexpr GridMapping kGridMappings[] = {GridMapping::kSmp, GridMapping::kRoundRobin,
                                                GridMapping::kBlock, GridMapping::kFolded,
                                                GridMapping::kRandom};

/// ranks           of the grid along each axis, one to three axes
/// ranks_per_node  divides their product
/// network         where the nodes are, of which the first ones are taken; nullptr: numbers only
/// seed            of kRandom
///
/// errors  kInvalidArgument, saying what does not divide what: kBlock and kRandom need a block of
///         so many ranks that divides the grid, kFolded besides a torus or mesh of at most one
///         dimension more than the grid has axes, whose sizes divide the grid of blocks; kNotFound
///         when the network has too few nodes.
/// cost    O(ranks)
///
/// Folding: an axis of blocks that is longer than its dimension of the torus goes forth and back
/// through it, and each turn is a step along the dimension that is left.
base::Result<Placement> place_grid(GridMapping mapping, std::span<const uint32_t> ranks,
                                   uint32_t ranks_per_node, const network::Network* network,
                                   uint64_t seed = 1);

}  // namespace pathline::mapping

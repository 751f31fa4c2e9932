// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/grid_mapping.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mapping/search/random.hpp"

namespace pathline::mapping {
namespace {

using network::Vertex;

constexpr size_t kAxes = 3;
using Sizes = std::array<uint32_t, kAxes>;

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

std::string text_of(std::span<const uint32_t> sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

/// What a rank or a block has of each axis, the first one fastest.
Sizes address_of(uint32_t number, const Sizes& sizes) {
  Sizes address;
  for (size_t axis = 0; axis < kAxes; ++axis) {
    address[axis] = number % sizes[axis];
    number /= sizes[axis];
  }
  return address;
}

uint32_t number_of(const Sizes& address, const Sizes& sizes) {
  return address[0] + sizes[0] * (address[1] + sizes[1] * address[2]);
}

/// Neighbours that the ranks of a block have outside, along axes where there are any.
uint64_t surface_of(const Sizes& block, const Sizes& grid) {
  const uint64_t volume = uint64_t{block[0]} * block[1] * block[2];
  uint64_t surface = 0;
  for (size_t axis = 0; axis < kAxes; ++axis) {
    if (block[axis] < grid[axis]) surface += volume / block[axis];
  }
  return surface;
}

/// The block of `count` ranks with the smallest surface; of equal ones the longest along the first
/// axis. All zero when none divides the grid.
Sizes best_block(const Sizes& grid, uint32_t count) {
  Sizes best{};
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (uint32_t x = std::min(count, grid[0]); x > 0; --x) {
    if (count % x != 0 || grid[0] % x != 0) continue;
    for (uint32_t y = std::min(count / x, grid[1]); y > 0; --y) {
      const uint32_t z = count / x / y;
      if (count / x % y != 0 || grid[1] % y != 0 || grid[2] % z != 0) continue;
      const uint64_t surface = surface_of({x, y, z}, grid);
      if (surface >= least) continue;
      least = surface;
      best = {x, y, z};
    }
  }
  return best;
}

/// An axis of blocks in its dimension of the torus: how often it goes through it, and where it is.
struct Fold {
  uint32_t turn;
  uint32_t place;
};

Fold folded(uint32_t position, uint32_t length) {
  const uint32_t turn = position / length;
  const uint32_t place = position % length;
  return {turn, turn % 2 == 0 ? place : length - 1 - place};
}

/// Node of each block, folded.
base::Result<std::vector<Vertex>> fold(const Sizes& blocks, size_t axes,
                                       const network::Network& network) {
  const auto& dimensions = network.dimensions();
  std::vector<uint32_t> sizes;
  for (const auto& dimension : dimensions) sizes.push_back(dimension.size);
  const std::string both =
      fmt::format("{} blocks into {}", text_of({blocks.data(), axes}), network.spec());
  // Nodes whose places are told by a network of switches have no neighbours to keep.
  if (sizes.size() < axes || sizes.size() > axes + 1 ||
      network.vertex_count() != network.node_count()) {
    return invalid(fmt::format("nothing folds {}: expected a torus or mesh of {} or {} dimensions",
                               both, axes, axes + 1));
  }
  // Which dimension an axis goes into may matter; the first way that fits is taken.
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const bool has_rest = sizes.size() > axes;
  do {
    uint64_t turns = 1;
    bool fits = true;
    for (size_t axis = 0; axis < axes; ++axis) {
      const uint32_t length = std::min(sizes[order[axis]], blocks[axis]);
      fits = fits && blocks[axis] % length == 0;
      turns *= blocks[axis] / length;
    }
    if (!fits || turns > (has_rest ? sizes[order[axes]] : 1)) continue;
    std::vector<Vertex> nodes;
    const uint32_t count = blocks[0] * blocks[1] * blocks[2];
    std::vector<uint32_t> place(sizes.size());
    for (uint32_t i = 0; i < count; ++i) {
      const Sizes address = address_of(i, blocks);
      uint32_t level = 0;
      for (size_t axis = axes; axis-- > 0;) {
        const uint32_t length = std::min(sizes[order[axis]], blocks[axis]);
        const Fold at = folded(address[axis], length);
        place[order[axis]] = at.place;
        // The turns of an axis run back where those of the axes behind it are odd.
        const uint32_t count_of_turns = blocks[axis] / length;
        const uint32_t turn = level % 2 == 0 ? at.turn : count_of_turns - 1 - at.turn;
        level = level * count_of_turns + turn;
      }
      if (has_rest) place[order[axes]] = level;
      nodes.push_back(network.node(place));
    }
    return nodes;
  } while (std::next_permutation(order.begin(), order.end()));
  return invalid(fmt::format(
      "nothing folds {}: each axis is to fit its dimension some whole times, and the dimension "
      "that is left all turns",
      both));
}

}  // namespace

std::string_view name_of(GridMapping mapping) {
  switch (mapping) {
    case GridMapping::kSmp: return "smp";
    case GridMapping::kRoundRobin: return "round-robin";
    case GridMapping::kBlock: return "block";
    case GridMapping::kFolded: return "folded";
    default: return "random";
  }
}

base::Result<Placement> place_grid(GridMapping mapping, std::span<const uint32_t> ranks,
                                   uint32_t ranks_per_node, const network::Network* network,
                                   uint64_t seed) {
  if (ranks.empty() || ranks.size() > kAxes) {
    return invalid(fmt::format("the ranks have {} axes, expected 1 to {}", ranks.size(), kAxes));
  }
  Sizes grid = {1, 1, 1};
  uint64_t count = 1;
  for (size_t axis = 0; axis < ranks.size(); ++axis) {
    grid[axis] = ranks[axis];
    count *= ranks[axis];
    if (count == 0 || count > kMaxRanks) {
      return invalid(fmt::format("{} ranks, expected 1 to {}", text_of(ranks), kMaxRanks));
    }
  }
  const auto rank_count = static_cast<uint32_t>(count);
  if (ranks_per_node == 0 || rank_count % ranks_per_node != 0) {
    return invalid(
        fmt::format("{} ranks do not divide into nodes of {}", text_of(ranks), ranks_per_node));
  }
  const uint32_t node_count = rank_count / ranks_per_node;
  if (network != nullptr && node_count > network->node_count()) {
    return base::Error{
        base::ErrorCode::kNotFound,
        fmt::format("{} ranks, {} on each node, need {} nodes, but {} has {}", text_of(ranks),
                    ranks_per_node, node_count, network->spec(), network->node_count())};
  }
  Placement placement;
  placement.node_of_rank.resize(rank_count);
  placement.slot_of_rank.resize(rank_count);
  if (mapping == GridMapping::kSmp || mapping == GridMapping::kRoundRobin) {
    for (uint32_t rank = 0; rank < rank_count; ++rank) {
      const bool fills = mapping == GridMapping::kSmp;
      placement.node_of_rank[rank] = Vertex(fills ? rank / ranks_per_node : rank % node_count);
      placement.slot_of_rank[rank] = fills ? rank % ranks_per_node : rank / node_count;
    }
    return placement;
  }
  const Sizes block = best_block(grid, ranks_per_node);
  if (block[0] == 0) {
    return invalid(fmt::format("no block of {} ranks divides {} ranks: {} needs one",
                               ranks_per_node, text_of(ranks), name_of(mapping)));
  }
  Sizes blocks;
  for (size_t axis = 0; axis < kAxes; ++axis) blocks[axis] = grid[axis] / block[axis];
  std::vector<Vertex> nodes(node_count);
  for (uint32_t i = 0; i < node_count; ++i) nodes[i] = Vertex(i);
  if (mapping == GridMapping::kFolded) {
    if (network == nullptr) return invalid("folded needs a network to fold into");
    auto folded = fold(blocks, ranks.size(), *network);
    if (!folded) return folded.error();
    nodes = std::move(folded).value();
  } else if (mapping == GridMapping::kRandom) {
    Random random(seed);
    random.shuffle(nodes);
  }
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    const Sizes address = address_of(rank, grid);
    Sizes outer, inner;
    for (size_t axis = 0; axis < kAxes; ++axis) {
      outer[axis] = address[axis] / block[axis];
      inner[axis] = address[axis] % block[axis];
    }
    placement.node_of_rank[rank] = nodes[number_of(outer, blocks)];
    placement.slot_of_rank[rank] = number_of(inner, block);
  }
  return placement;
}

}  // namespace pathline::mapping

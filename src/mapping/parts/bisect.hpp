// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/random.hpp"

namespace pathline::mapping {

/// Vertices to be put on side 0 or 1. The cost of a bisection is the sum of the weights of edges
/// between the sides and of the pull of every vertex on side 1.
struct BisectGraph {
  struct Edge {
    uint32_t to;
    float weight;
  };
  std::vector<uint32_t> row = {0};  ///< Of edges, per vertex; each edge stands at both its ends.
  std::vector<Edge> edges;
  std::vector<uint32_t> size;  ///< Per vertex: how much of a side it fills.
  std::vector<float> pull;     ///< Per vertex: what it costs on side 1, less that on side 0.

  [[nodiscard]] uint32_t vertex_count() const { return static_cast<uint32_t>(size.size()); }
};

/// A cheap bisection whose side 0 is filled by `side_0_size` of vertices of size 1, exactly:
/// multilevel by heavy edges (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998), refined by moves
/// of single vertices (Fiduccia and Mattheyses, DAC 1982).
///
/// starts   tries on the smallest graph; the best is kept.
/// returns  the side of each vertex.
/// cost     about O(edges log vertices).
std::vector<uint8_t> bisect(const BisectGraph& graph, uint32_t side_0_size, uint32_t starts,
                            Random& random);

}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "graph/traffic.hpp"

namespace pathline::mapping {

/// An undirected graph with weights; each edge is in the rows of both its ends.
struct WeightedGraph {
  struct Edge {
    uint32_t to;
    int64_t weight;  ///< Larger than 0.
  };
  std::vector<uint64_t> row = {0};  ///< Per vertex: its first edge; one more than vertices.
  std::vector<Edge> edges;          ///< Ascending in `to` within a row; none to the vertex itself.

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(row.size() - 1); }
  [[nodiscard]] std::span<const Edge> of(uint32_t vertex) const {
    return {edges.data() + row[vertex], edges.data() + row[vertex + 1]};
  }
};

/// Both directions of `traffic` added up, in bytes. Clamped where sums leave 62 bits.
WeightedGraph graph_of(const graph::Traffic& traffic);

/// Sum of the weights of edges between different parts, each edge once.
int64_t cut_weight(const WeightedGraph& graph, std::span<const uint32_t> part_of_vertex);

/// Sizes of `count` parts of `total` vertices that differ by one at most, the larger ones first.
std::vector<uint32_t> even_sizes(uint32_t total, uint32_t count);

/// Cuts a graph into parts of exactly the sizes wanted such that little weight is between them:
/// METIS (Karypis & Kumar, SIAM J. Sci. Comput. 20, 1998), by bisection and k-way at once, each
/// followed by fit_sizes() and swap_refine(); the lighter cut of both.
///
/// part_sizes  larger than 0; add up to the number of vertices.
/// returns     part of each vertex; the same for the same seed, as long as no other thread calls
///             rand(), which METIS uses.
/// errors      kUnsupported for more than 2^31 edges; kInvalidArgument for sizes of 0 or
///             that do not add up.
base::Result<std::vector<uint32_t>> cut_into_parts(const WeightedGraph& graph,
                                                   std::span<const uint32_t> part_sizes,
                                                   uint64_t seed);

/// Moves vertices out of parts that are too large until each has its size, those first that cost
/// least. O(moves * (vertices + edges)) at the worst.
void fit_sizes(const WeightedGraph& graph, std::span<const uint32_t> part_sizes,
               std::vector<uint32_t>& part_of_vertex);

/// Swaps pairs of vertices of different parts as long as that takes weight off the cut, in at most
/// `sweeps` passes over all vertices.
void swap_refine(const WeightedGraph& graph, uint32_t part_count, uint32_t sweeps,
                 std::vector<uint32_t>& part_of_vertex);

}  // namespace pathline::mapping

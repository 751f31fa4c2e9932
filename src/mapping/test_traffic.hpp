// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>

#include "base/test_data.hpp"
#include "graph/traffic.hpp"
#include "mapping/problem.hpp"
#include "mapping/search/random.hpp"
#include "network/torus.hpp"

namespace pathline::mapping {

inline std::unique_ptr<network::Torus> torus(std::vector<uint32_t> sizes) {
  network::TorusShape shape;
  shape.sizes = std::move(sizes);
  return network::Torus::make(std::move(shape)).value();
}

inline std::vector<network::Vertex> all_nodes(const network::Network& network) {
  std::vector<network::Vertex> nodes;
  for (uint32_t node = 0; node < network.node_count(); ++node) nodes.emplace_back(node);
  return nodes;
}

inline Problem problem_of(const network::Network& network, const graph::Traffic& traffic) {
  base::ThreadPool pool(1);
  return Problem::make(network, traffic, all_nodes(network), pool).value();
}

/// Each rank sends `bytes` to each of its neighbours in a torus of `sizes`, ranks dealt out at
/// random.
inline graph::Traffic shuffled_stencil(std::vector<uint32_t> sizes, uint64_t bytes, Random random) {
  const auto grid = torus(std::move(sizes));
  Permutation rank_of = identity(grid->node_count());
  random.shuffle(rank_of);
  std::vector<graph::Pair> pairs;
  for (uint32_t v = 0; v < grid->node_count(); ++v) {
    for (const auto& hop : grid->hops(network::Vertex(v))) {
      pairs.push_back({rank_of[v], rank_of[hop.to], 1, bytes});
    }
  }
  return graph::traffic_of(grid->node_count(), std::move(pairs));
}

/// Random pairs, some to the sender itself, some both ways.
inline graph::Traffic random_traffic(uint32_t ranks, uint32_t pair_count, Random random) {
  std::vector<graph::Pair> pairs;
  for (uint32_t i = 0; i < pair_count; ++i) {
    pairs.push_back({random.below(ranks), random.below(ranks), 1, random.below(1000)});
  }
  return graph::traffic_of(ranks, std::move(pairs));
}

/// `SRC DST BYTES ...` in lines; no ranks if there are no such data.
inline graph::Traffic hop_byte_traffic(const std::string& name, uint32_t ranks,
                                       uint32_t ranks_per_node) {
  std::ifstream file(base::third_party_data("par-comm/hopbyte/" + name));
  if (!file) return {};
  std::vector<graph::Pair> pairs;
  for (std::string line; std::getline(file, line);) {
    uint32_t sender = 0;
    uint32_t receiver = 0;
    double bytes = 0;
    if (std::sscanf(line.c_str(), "%u %u %lf", &sender, &receiver, &bytes) != 3) continue;
    pairs.push_back(
        {sender / ranks_per_node, receiver / ranks_per_node, 1, static_cast<uint64_t>(bytes)});
  }
  return graph::traffic_of(ranks / ranks_per_node, std::move(pairs));
}

}  // namespace pathline::mapping

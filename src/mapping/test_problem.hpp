// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/test_data.hpp"
#include "mapping/problem.hpp"
#include "mapping/search/random.hpp"
#include "network/torus.hpp"

namespace pathline::mapping {

/// A problem together with the network it refers to.
struct TestProblem {
  std::unique_ptr<network::Network> network;
  std::unique_ptr<Problem> problem;
};

inline std::vector<network::Vertex> all_nodes(const network::Network& network) {
  std::vector<network::Vertex> nodes;
  for (uint32_t node = 0; node < network.node_count(); ++node) nodes.emplace_back(node);
  return nodes;
}

inline std::unique_ptr<network::Torus> test_torus(std::vector<uint32_t> sizes,
                                                  std::vector<bool> wrap = {}) {
  return std::move(
      network::Torus::make({.sizes = std::move(sizes), .wrap = std::move(wrap)}).value());
}

/// places  empty: all nodes.
inline TestProblem test_problem(std::unique_ptr<network::Network> network,
                                std::vector<graph::Pair> pairs,
                                std::vector<network::Vertex> places = {}) {
  base::ThreadPool pool(1);
  if (places.empty()) places = all_nodes(*network);
  auto problem = Problem::make(*network, graph::traffic_of(network->node_count(), std::move(pairs)),
                               std::move(places), pool);
  TestProblem made;
  made.problem = std::make_unique<Problem>(std::move(problem).value());
  made.network = std::move(network);
  return made;
}

/// About pairs_per_node messages from every node of `nodes` to random others of them.
inline std::vector<graph::Pair> random_pairs(const std::vector<network::Vertex>& nodes,
                                             uint32_t pairs_per_node, uint64_t seed) {
  Random random(seed);
  std::vector<graph::Pair> pairs;
  if (nodes.size() < 2) return pairs;
  for (size_t i = 0; i < nodes.size() * pairs_per_node; ++i) {
    const auto count = static_cast<uint32_t>(nodes.size());
    pairs.push_back({nodes[i / pairs_per_node], nodes[random.below(count)], 1,
                     uint64_t{1} + random.below(1000)});
  }
  return pairs;
}

/// A ring or grid of processes, row by row, that exchange bytes with their neighbours around.
inline std::vector<graph::Pair> stencil(uint32_t rows, uint32_t columns) {
  std::vector<graph::Pair> pairs;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      const uint32_t rank = row * columns + column;
      pairs.push_back({rank, (row + 1) % rows * columns + column, 1, 100});
      pairs.push_back({rank, row * columns + (column + 1) % columns, 1, 100});
    }
  }
  return pairs;
}

/// The least cost of all permutations, for up to 8 places.
template <class Cost>
auto brute_force(uint32_t size, const Cost& cost) {
  Permutation places = identity(size);
  auto best = cost(places);
  while (std::next_permutation(places.begin(), places.end())) best = std::min(best, cost(places));
  return best;
}

/// Rows of `SRC DST BYTES ...` of the par-comm data; empty if the file is missing.
inline std::vector<graph::Pair> hop_byte_pairs(const std::string& name, uint32_t ranks_per_node) {
  std::vector<graph::Pair> pairs;
  std::ifstream file(base::third_party_data("par-comm/hopbyte/" + name + "_hopbyte.txt"));
  uint32_t from = 0;
  uint32_t to = 0;
  double bytes = 0;
  std::string line;
  while (file >> from >> to >> bytes && std::getline(file, line)) {
    pairs.push_back({from / ranks_per_node, to / ranks_per_node, 1, static_cast<uint64_t>(bytes)});
  }
  return pairs;
}

}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/bisect.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "mapping/search/place_tree.hpp"
#include "mapping/test_problem.hpp"

namespace pathline::mapping {
namespace {

BisectGraph grid(uint32_t rows, uint32_t columns) {
  BisectGraph graph;
  for (uint32_t v = 0; v < rows * columns; ++v) {
    if (v % columns > 0) graph.edges.push_back({v - 1, 1});
    if (v % columns + 1 < columns) graph.edges.push_back({v + 1, 1});
    if (v >= columns) graph.edges.push_back({v - columns, 1});
    if (v + columns < rows * columns) graph.edges.push_back({v + columns, 1});
    graph.row.push_back(static_cast<uint32_t>(graph.edges.size()));
    graph.size.push_back(1);
    graph.pull.push_back(0);
  }
  return graph;
}

float cut_of(const BisectGraph& graph, const std::vector<uint8_t>& side) {
  float cut = 0;
  for (uint32_t v = 0; v < graph.vertex_count(); ++v) {
    for (uint32_t i = graph.row[v]; i < graph.row[v + 1]; ++i) {
      if (side[v] < side[graph.edges[i].to]) cut += graph.edges[i].weight;
    }
  }
  return cut;
}

TEST(Bisect, CutsALongGridAcross) {
  const BisectGraph graph = grid(40, 8);
  Random random(1);
  const std::vector<uint8_t> side = bisect(graph, 160, 8, random);
  EXPECT_EQ(std::count(side.begin(), side.end(), 0), 160);
  EXPECT_LE(cut_of(graph, side), 9);
}

TEST(Bisect, FillsTheSidesExactlyWhateverTheyAre) {
  for (const uint32_t rows : {1U, 2U, 7U, 30U}) {
    const BisectGraph graph = grid(rows, 7);
    for (uint32_t size = 1; size < rows * 7; size += 1 + rows) {
      Random random(size);
      const std::vector<uint8_t> side = bisect(graph, size, 4, random);
      EXPECT_EQ(std::count(side.begin(), side.end(), 0), size);
    }
  }
}

TEST(Bisect, FollowsThePull) {
  // No edges: the ten that are pulled to side 0 most go there.
  BisectGraph graph;
  for (uint32_t v = 0; v < 60; ++v) {
    graph.row.push_back(0);
    graph.size.push_back(1);
    graph.pull.push_back(v % 6 == 0 ? 10 : 0);
  }
  Random random(1);
  const std::vector<uint8_t> side = bisect(graph, 10, 4, random);
  for (uint32_t v = 0; v < 60; ++v) EXPECT_EQ(side[v] == 0, v % 6 == 0) << v;
}

TEST(PlaceTree, HalvesABoxAlongItsLongestSide) {
  const TestProblem test = test_problem(test_torus({2, 8}, {false, false}), {});
  const PlaceTree tree = PlaceTree::make(*test.problem, 0);
  ASSERT_EQ(tree.levels().size(), 5U);
  const PlaceTree::Level& halves = tree.levels()[1];
  ASSERT_EQ(halves.part_count(), 2U);
  for (uint32_t slot = 0; slot < 16; ++slot) {
    EXPECT_EQ(tree.place_of_slot(slot) % 8 < 4, slot < 8) << slot;
  }
  // Four of the eight pairs of columns are 4 apart; 2.. on the average, half a row more.
  EXPECT_FLOAT_EQ(halves.between(0, 1), 4.5F);
}

TEST(PlaceTree, EndsWithEachPlaceAlone) {
  for (const std::vector<uint32_t>& sizes :
       {std::vector<uint32_t>{1}, {2}, {3}, {5, 3}, {7, 2, 3}, {4, 4, 4}}) {
    for (const uint64_t variant : {0, 1, 2}) {
      const TestProblem test = test_problem(test_torus(sizes), {});
      const PlaceTree tree = PlaceTree::make(*test.problem, variant);
      Permutation places;
      for (uint32_t slot = 0; slot < test.problem->size(); ++slot) {
        places.push_back(tree.place_of_slot(slot));
      }
      EXPECT_TRUE(is_permutation(places, test.problem->size()));
      EXPECT_EQ(tree.levels().back().part_count(), test.problem->size());
    }
  }
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/quadtree_graph.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "bundle/router_cases.hpp"
#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

struct Points {
  std::vector<float> x, y;
  std::vector<uint64_t> weight;
};

constexpr layout::Rect kArea = {30, 10, 640, 360};

/// Much weight near two places, little elsewhere: all sizes of cells occur.
Points crowded(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> near(0.1);
  Points points;
  for (size_t i = 0; i < count; ++i) {
    const bool anywhere = random() % 20 == 0;
    const auto across = static_cast<double>(random() % 640);
    const auto down = static_cast<double>(random() % 360);
    const double x = anywhere ? 30 + across : (random() % 2 == 0 ? 101 : 500) + near(random);
    const double y = anywhere ? 10 + down : 203 + near(random);
    points.x.push_back(static_cast<float>(x));
    points.y.push_back(static_cast<float>(y));
    points.weight.push_back(1 + random() % 9);
  }
  return points;
}

QuadtreeGraph grow(const Points& points, const QuadtreeLimits& limits,
                   const layout::Rect& area = kArea, unsigned threads = 1) {
  base::ThreadPool pool(threads);
  const WeightedPoints parts[] = {{points.x, points.y, points.weight}};
  return {parts, area, limits, pool};
}

bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
  return a < b + b_size && b < a + a_size;
}

TEST(QuadtreeGraph, KeepsNeighboursWithinOneLevel) {
  const QuadtreeGraph graph = grow(crowded(5000, 1), {});
  std::set<uint32_t> sizes;
  for (const auto& a : graph.leaves()) {
    sizes.insert(a.size);
    for (const auto& b : graph.leaves()) {
      const bool beside = a.column + a.size == b.column && overlap(a.row, a.size, b.row, b.size);
      const bool above = a.row + a.size == b.row && overlap(a.column, a.size, b.column, b.size);
      if (!beside && !above) continue;
      ASSERT_LE(a.size, 2 * b.size);
      ASSERT_LE(b.size, 2 * a.size);
    }
  }
  EXPECT_GE(sizes.size(), 4U) << "too even to show anything";
}

TEST(QuadtreeGraph, TilesTheAreaWithItsLeaves) {
  const QuadtreeGraph graph = grow(crowded(3000, 2), {});
  double covered = 0;
  for (uint32_t i = 0; i < graph.leaves().size(); ++i) {
    const layout::Rect rect = graph.rect(graph.leaves()[i]);
    covered += rect.w * rect.h;
    for (const double at : {0.01, 0.5, 0.99}) {
      EXPECT_EQ(graph.leaf_at({rect.x + at * rect.w, rect.y + at * rect.h}), i);
    }
    const layout::Point top_left = graph.vertices()[graph.leaves()[i].corners[0]];
    const layout::Point bottom_right = graph.vertices()[graph.leaves()[i].corners[3]];
    EXPECT_NEAR(top_left.x, rect.x, 1e-9);
    EXPECT_NEAR(bottom_right.y, rect.bottom(), 1e-9);
  }
  EXPECT_NEAR(covered, kArea.w * kArea.h, 1e-6);
  EXPECT_EQ(graph.leaf_at({-1e9, -1e9}), graph.leaf_at({30.1, 10.1}));
  EXPECT_EQ(graph.leaf_at({1e9, 1e9}), graph.leaf_at({669.9, 369.9}));
}

TEST(QuadtreeGraph, SplitsWhatIsTooHeavyAndNotTooSmall) {
  const Points points = crowded(5000, 3);
  const QuadtreeGraph graph = grow(points, {.max_share = 0.01, .min_side_px = 8});
  std::vector<uint64_t> weight(graph.leaves().size());
  uint64_t total = 0;
  for (size_t i = 0; i < points.x.size(); ++i) {
    weight[graph.leaf_at({points.x[i], points.y[i]})] += points.weight[i];
    total += points.weight[i];
  }
  size_t heavy_count = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    const layout::Rect rect = graph.rect(graph.leaves()[i]);
    EXPECT_GT(std::max(rect.w, rect.h), 4) << "split although small";
    if (static_cast<double>(weight[i]) <= 0.01 * static_cast<double>(total)) continue;
    ++heavy_count;
    EXPECT_LE(std::max(rect.w, rect.h), 8) << "not split although heavy";
  }
  EXPECT_GT(heavy_count, 0U);
}

TEST(QuadtreeGraph, DoesNotSplitWithoutNeed) {
  Points one;
  one.x = {100};
  one.y = {100};
  one.weight = {5};
  const QuadtreeGraph whole = grow(one, {.max_share = 1}, {0, 0, 512, 512});
  EXPECT_EQ(whole.leaves().size(), 1U);
  EXPECT_EQ(whole.vertices().size(), 4U);
  EXPECT_EQ(whole.edges().size(), 6U);
  // Three leaves of 256 px, three of 128 px and four of 64 px, in balance as they are.
  const QuadtreeGraph deep = grow(one, {.max_share = 0.5, .min_side_px = 64}, {0, 0, 512, 512});
  EXPECT_EQ(deep.leaves().size(), 10U);
}

/// The definition: between corners that follow each other on a side of some leaf, and diagonals.
TEST(QuadtreeGraph, HasEdgesAlongSidesAndDiagonalsOnly) {
  const QuadtreeGraph graph = grow(crowded(2000, 4), {.max_share = 0.05});
  std::set<std::pair<uint32_t, uint32_t>> expected;
  const auto add = [&](uint32_t a, uint32_t b) {
    expected.insert({std::min(a, b), std::max(a, b)});
  };
  const auto& at = graph.vertices();
  for (const auto& leaf : graph.leaves()) {
    const uint32_t* c = leaf.corners;
    add(c[0], c[3]);
    add(c[1], c[2]);
    const std::pair<uint32_t, uint32_t> sides[] = {
        {c[0], c[1]}, {c[2], c[3]}, {c[0], c[2]}, {c[1], c[3]}};
    for (const auto& [a, b] : sides) {
      std::vector<uint32_t> on_side;
      for (uint32_t v = 0; v < at.size(); ++v) {
        if (distance(at[a], at[v]) + distance(at[v], at[b]) < distance(at[a], at[b]) + 1e-9) {
          on_side.push_back(v);
        }
      }
      std::sort(on_side.begin(), on_side.end(), [&, from = a](uint32_t p, uint32_t q) {
        return distance(at[from], at[p]) < distance(at[from], at[q]);
      });
      for (size_t i = 1; i < on_side.size(); ++i) add(on_side[i - 1], on_side[i]);
    }
  }
  std::set<std::pair<uint32_t, uint32_t>> actual;
  for (const auto& edge : graph.edges()) {
    actual.insert({edge.a, edge.b});
    EXPECT_NEAR(edge.length_px, distance(at[edge.a], at[edge.b]), 1e-9);
  }
  EXPECT_EQ(actual.size(), graph.edges().size());
  EXPECT_EQ(actual, expected);
  size_t arc_count = 0;
  for (uint32_t v = 0; v < at.size(); ++v) {
    for (const auto& arc : graph.arcs(v)) {
      ++arc_count;
      const auto& edge = graph.edges()[arc.edge];
      EXPECT_TRUE((edge.a == v && edge.b == arc.to) || (edge.b == v && edge.a == arc.to));
    }
  }
  EXPECT_EQ(arc_count, 2 * graph.edges().size());
}

TEST(QuadtreeGraph, OfAMirroredPictureIsTheMirrorImage) {
  const auto leaves = [](const QuadtreeGraph& graph, bool mirrored) {
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> all;
    uint32_t width = 0;
    for (const auto& leaf : graph.leaves()) width = std::max(width, leaf.column + leaf.size);
    for (const auto& leaf : graph.leaves()) {
      all.insert({mirrored ? width - leaf.column - leaf.size : leaf.column, leaf.row, leaf.size});
    }
    return all;
  };
  Points points = crowded(3000, 5);
  Points mirror = points;
  for (size_t i = 0; i < points.x.size(); ++i) {
    // Not on the border of a cell, which belongs to the cell on its right.
    points.x[i] = std::floor(points.x[i]) + 0.25F;
    mirror.x[i] = static_cast<float>(kArea.x + kArea.right()) - points.x[i];
  }
  EXPECT_EQ(leaves(grow(points, {}), false), leaves(grow(mirror, {}), true));
}

TEST(QuadtreeGraph, DoesNotDependOnThreads) {
  const Points points = crowded(140000, 6);
  const QuadtreeGraph expected = grow(points, {});
  for (const unsigned threads : {2U, 8U}) {
    const QuadtreeGraph graph = grow(points, {}, kArea, threads);
    ASSERT_EQ(graph.leaves().size(), expected.leaves().size());
    for (size_t i = 0; i < graph.leaves().size(); ++i) {
      ASSERT_EQ(graph.leaves()[i].column, expected.leaves()[i].column);
      ASSERT_EQ(graph.leaves()[i].row, expected.leaves()[i].row);
    }
  }
}

TEST(QuadtreeGraph, BoundsTheNumberOfCells) {
  const Points points = crowded(10, 7);
  for (const layout::Rect& area : {layout::Rect{0, 0, 1e6, 1e6}, layout::Rect{0, 0, 1e6, 0.01},
                                   layout::Rect{0, 0, 0.01, 1e6}}) {
    const QuadtreeGraph graph = grow(points, {.max_share = 0, .min_side_px = 0}, area);
    EXPECT_GE(graph.leaves().size(), 1U);
    EXPECT_LE(graph.leaves().size(), size_t{1} << 20);
  }
}

}  // namespace
}  // namespace pathline::bundle

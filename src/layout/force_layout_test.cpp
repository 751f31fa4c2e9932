// SPDX-License-Identifier: BSD-3-Clause
#include "layout/force_layout.hpp"

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

using testing::HasSubstr;

ForceLayout place(uint32_t node_count, const std::vector<ForceEdge>& edges) {
  auto layout = force_layout(node_count, edges);
  EXPECT_TRUE(layout.ok()) << layout.error().message;
  return layout.ok() ? std::move(layout).value() : ForceLayout{};
}

double distance(const ForceLayout& layout, size_t a, size_t b) {
  return std::hypot(layout.at[a].x - layout.at[b].x, layout.at[a].y - layout.at[b].y);
}

std::vector<ForceEdge> ring(uint32_t count) {
  std::vector<ForceEdge> edges;
  for (uint32_t i = 0; i < count; ++i) edges.push_back({i, (i + 1) % count});
  return edges;
}

TEST(ForceLayout, PutsNeighboursOfARingNearerThanOppositeNodes) {
  constexpr uint32_t kCount = 24;
  const ForceLayout layout = place(kCount, ring(kCount));
  ASSERT_EQ(layout.at.size(), kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(std::isfinite(layout.at[i].x) && std::isfinite(layout.at[i].y));
    EXPECT_LT(2 * distance(layout, i, (i + 1) % kCount), distance(layout, i, (i + 12) % kCount));
  }
}

TEST(ForceLayout, PutsHeavyPartnersNearer) {
  // All pairs of eight nodes; only weights tell the two cliques apart.
  std::vector<ForceEdge> edges;
  for (uint32_t a = 0; a < 8; ++a) {
    for (uint32_t b = a + 1; b < 8; ++b) edges.push_back({a, b, a % 2 == b % 2 ? 100.0 : 1.0});
  }
  const ForceLayout layout = place(8, edges);
  EXPECT_TRUE(layout.by_weight);
  double inside = 0;
  double across = 0;
  for (const ForceEdge& edge : edges) {
    (edge.a % 2 == edge.b % 2 ? inside : across) += distance(layout, edge.a, edge.b);
  }
  EXPECT_LT(2 * inside / 12, across / 16);
}

TEST(ForceLayout, AddsUpEdgesOfTheSameNodesInBothDirections) {
  const ForceLayout once = place(3, {{0, 1, 3}, {1, 2, 1}});
  const ForceLayout often = place(3, {{1, 2, 1}, {1, 0, 1}, {0, 1, 2}});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(once.at[i].x, often.at[i].x);
    EXPECT_EQ(once.at[i].y, often.at[i].y);
  }
}

TEST(ForceLayout, GivesTheSamePositionsAgainAndFromSeveralThreads) {
  const ForceLayout first = place(40, ring(40));
  std::vector<ForceLayout> others(4);
  std::vector<std::thread> threads;
  for (ForceLayout& other : others) threads.emplace_back([&] { other = place(40, ring(40)); });
  for (std::thread& thread : threads) thread.join();
  for (const ForceLayout& other : others) {
    for (size_t i = 0; i < 40; ++i) {
      ASSERT_EQ(first.at[i].x, other.at[i].x);
      ASSERT_EQ(first.at[i].y, other.at[i].y);
    }
  }
}

TEST(ForceLayout, KeepsComponentsApart) {
  // Two triangles and a node without partners.
  const ForceLayout layout = place(7, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5, 50}, {3, 5}});
  for (uint32_t a = 0; a < 3; ++a) {
    for (uint32_t b = 3; b < 7; ++b) EXPECT_GT(distance(layout, a, b), 1e-3);
  }
  EXPECT_LT(distance(layout, 4, 5), distance(layout, 3, 4));
}

TEST(ForceLayout, TakesGraphsOfNoAndOfOneNode) {
  EXPECT_TRUE(place(0, {}).at.empty());
  const ForceLayout one = place(1, {});
  ASSERT_EQ(one.at.size(), 1U);
  EXPECT_TRUE(std::isfinite(one.at[0].x));
  EXPECT_GT(distance(place(2, {{1, 0}}), 0, 1), 0);
}

TEST(ForceLayout, RefusesEdgesThatCannotBe) {
  const auto outside = force_layout(2, std::vector<ForceEdge>{{0, 2}});
  ASSERT_FALSE(outside.ok());
  EXPECT_THAT(outside.error().message, HasSubstr("nodes 0 and 2 of a graph of 2 nodes"));
  EXPECT_FALSE(force_layout(2, std::vector<ForceEdge>{{1, 1}}).ok());
  EXPECT_FALSE(force_layout(2, std::vector<ForceEdge>{{0, 1, 0}}).ok());
  EXPECT_FALSE(force_layout(2, std::vector<ForceEdge>{{0, 1, NAN}}).ok());
}

}  // namespace
}  // namespace pathline::layout

// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/hierarchy_router.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "bundle/router_cases.hpp"

namespace pathline::bundle {
namespace {

/// Two regions of two groups of events each: (100|160, 100) and (700, 400|460).
layout::Segments two_regions() {
  layout::Segments lines;
  lines.clip = {0, 0, 800, 600};
  lines.add(100, 100, 160, 100);
  lines.add(102, 100, 700, 400);
  lines.add(162, 100, 700, 460);
  lines.add(700, 402, 700, 462);
  return lines;
}

constexpr HierarchyOptions kTwoLevels = {.level_count = 2, .radius_px = 20, .radius_growth = 5};

std::unique_ptr<Router> make(const layout::Segments& lines, const HierarchyOptions& options) {
  base::ThreadPool pool(1);
  return make_hierarchy_router(lines, options, pool);
}

/// The inner points of a route, as indices of nodes.
std::vector<size_t> inner(const Router& router, layout::Point from, layout::Point to) {
  const auto nodes = router.nodes();
  const auto control = cases::route(router, from, to);
  std::vector<size_t> found;
  for (size_t i = 1; i + 1 < control.size(); ++i) {
    size_t n = 0;
    while (n < nodes.size() && (nodes[n].at.x != control[i].x || nodes[n].at.y != control[i].y))
      ++n;
    found.push_back(n);
  }
  return found;
}

using Indices = std::vector<size_t>;

TEST(HierarchyRouter, HasItsClustersAndTheRootAsNodes) {
  const auto nodes = make(two_regions(), kTwoLevels)->nodes();
  ASSERT_EQ(nodes.size(), 7U);
  const uint32_t levels[] = {0, 0, 0, 0, 1, 1, 2};
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(nodes[i].level, levels[i]);
  EXPECT_NEAR(nodes[0].at.x, 101, 0.01);
  EXPECT_NEAR(nodes[1].at.x, 161, 0.01);
  EXPECT_NEAR(nodes[2].at.y, 401, 0.01);
  EXPECT_NEAR(nodes[3].at.y, 461, 0.01);
  EXPECT_NEAR(nodes[4].at.x, 131, 0.01);
  EXPECT_NEAR(nodes[5].at.y, 431, 0.01);
  EXPECT_NEAR(nodes[6].at.x, 415.5, 0.01);  // mean of all ends
  EXPECT_NEAR(nodes[6].at.y, 265.5, 0.01);
}

TEST(HierarchyRouter, ClimbsToTheLowestCommonAncestorAndDownAgain) {
  const auto router = make(two_regions(), kTwoLevels);
  EXPECT_EQ(inner(*router, {100, 100}, {102, 100}), (Indices{0}));
  EXPECT_EQ(inner(*router, {100, 100}, {160, 100}), (Indices{0, 4, 1}));
  EXPECT_EQ(inner(*router, {102, 100}, {700, 460}), (Indices{0, 4, 6, 5, 3}));
  EXPECT_EQ(inner(*router, {700, 460}, {102, 100}), (Indices{3, 5, 6, 4, 0}));
}

TEST(HierarchyRouter, SendsPlacesWithoutEventsThroughTheNearestCluster) {
  const auto router = make(two_regions(), kTwoLevels);
  EXPECT_EQ(inner(*router, {10, 590}, {790, 590}), (Indices{0, 4, 6, 5, 3}));
  EXPECT_EQ(inner(*router, {-500, 100}, {160, -50}), (Indices{0, 4, 1}));
}

TEST(HierarchyRouter, PassesAClusterAndItsOnlyParentOnce) {
  layout::Segments lines;
  lines.clip = {0, 0, 800, 600};
  lines.add(100, 100, 700, 500);
  const auto router = make(lines, {.level_count = 3, .radius_px = 10, .radius_growth = 2});
  EXPECT_EQ(router->nodes().size(), 7U);
  const auto control = cases::route(*router, {100.5, 100}, {700, 500.5});
  EXPECT_EQ(control.size(), 5U);  // event, cluster, root, cluster, event
}

TEST(HierarchyRouter, BeginsAndEndsExactlyInTheEvents) {
  const layout::Segments lines = cases::phases(2000, 2);
  const auto router = make(lines, {});
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto control = cases::route(*router, cases::sender(lines, i), cases::receiver(lines, i));
    ASSERT_GE(control.size(), 3U);
    ASSERT_EQ(control.front().x, lines.x1[i]);
    ASSERT_EQ(control.front().y, lines.y1[i]);
    ASSERT_EQ(control.back().x, lines.x2[i]);
    ASSERT_EQ(control.back().y, lines.y2[i]);
  }
}

TEST(HierarchyRouter, ClimbsByOneLevelPerPointUpAndThenDown) {
  const layout::Segments lines = cases::phases(2000, 4);
  const auto router = make(lines, {});
  const auto nodes = router->nodes();
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto path = inner(*router, cases::sender(lines, i), cases::receiver(lines, i));
    ASSERT_FALSE(path.empty());
    size_t top = 0;
    for (size_t k = 0; k < path.size(); ++k) {
      ASSERT_LT(path[k], nodes.size());
      if (nodes[path[k]].level > nodes[path[top]].level) top = k;
    }
    // Equal places are found as their lowest node, so steps may skip levels but never turn.
    for (size_t k = 1; k < path.size(); ++k) {
      if (k <= top) {
        ASSERT_GT(nodes[path[k]].level, nodes[path[k - 1]].level);
      } else {
        ASSERT_LT(nodes[path[k]].level, nodes[path[k - 1]].level);
      }
    }
  }
}

TEST(HierarchyRouter, WeighsTheRootByTheMessages) {
  layout::Segments lines = two_regions();
  lines.weight = {1000000, 0, 0, 0};
  const auto router = make(lines, kTwoLevels);
  const auto nodes = router->nodes();
  EXPECT_NEAR(nodes.back().at.x, 130, 0.01);
  EXPECT_NEAR(nodes.back().at.y, 100, 0.01);
}

TEST(HierarchyRouter, OfAMirroredPictureIsTheMirrorImage) {
  const layout::Segments lines = two_regions();
  const auto router = make(lines, kTwoLevels);
  const auto mirror = make(cases::mirrored(lines), kTwoLevels);
  for (size_t i = 0; i < lines.size(); ++i) {
    const layout::Point from = cases::sender(lines, i);
    const layout::Point to = cases::receiver(lines, i);
    const auto a = cases::route(*router, from, to);
    const auto b = cases::route(*mirror, {800 - from.x, from.y}, {800 - to.x, to.y});
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k].x, 800 - b[k].x, 0.01);
      EXPECT_NEAR(a[k].y, b[k].y, 0.01);
    }
  }
}

TEST(HierarchyRouter, DoesNotDependOnOrderOrThreads) {
  EXPECT_EQ("", cases::difference_by_order_and_threads(
                    [](const layout::Segments& lines, base::ThreadPool& pool) {
                      return make_hierarchy_router(lines, {}, pool);
                    }));
}

TEST(HierarchyRouter, WorksForDegenerateInput) {
  for (const HierarchyOptions& options :
       {HierarchyOptions{}, HierarchyOptions{.level_count = 100, .radius_px = 1e-5},
        HierarchyOptions{.level_count = 0, .radius_px = 1e9}}) {
    EXPECT_EQ("", cases::fault_with_degenerate_input(
                      [&](const layout::Segments& lines, base::ThreadPool& pool) {
                        return make_hierarchy_router(lines, options, pool);
                      }));
  }
}

}  // namespace
}  // namespace pathline::bundle

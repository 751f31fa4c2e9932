// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/grid_router.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/router_cases.hpp"

namespace pathline::bundle {
namespace {

using ::testing::ElementsAre;

constexpr GridOptions kBare = {.column_count = 8, .row_count = 6, .cluster_centres = false};

layout::Segments nothing() {
  layout::Segments lines;
  lines.clip = {0, 0, 800, 600};
  return lines;
}

std::unique_ptr<Router> make(const layout::Segments& lines, const GridOptions& options) {
  base::ThreadPool pool(1);
  return make_grid_router(lines, options, pool);
}

std::vector<GridNode> octile(GridNode from, GridNode to) {
  std::vector<GridNode> path;
  octile_route(from, to, path);
  return path;
}

std::string way(const Router& router, layout::Point from, layout::Point to) {
  return cases::text(cases::route(router, from, to));
}

bool is_step(GridNode a, GridNode b) {
  return a != b && std::abs(a.column - b.column) <= 1 && std::abs(a.row - b.row) <= 1;
}

double octile_length(const std::vector<GridNode>& path) {
  double length = 0;
  for (size_t i = 1; i < path.size(); ++i) {
    length += std::hypot(path[i].column - path[i - 1].column, path[i].row - path[i - 1].row);
  }
  return length;
}

constexpr int kColumns = 7;
constexpr int kRows = 5;
constexpr size_t kNodes = size_t{kColumns} * kRows;

/// Shortest lengths from `from` over 8 neighbours, by relaxing until nothing changes.
std::vector<double> shortest_lengths(GridNode from) {
  std::vector<double> length(kNodes, HUGE_VAL);
  length[from.row * kColumns + from.column] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < kColumns * kRows; ++a) {
      for (int b = 0; b < kColumns * kRows; ++b) {
        const int dx = std::abs(a % kColumns - b % kColumns);
        const int dy = std::abs(a / kColumns - b / kColumns);
        if (std::max(dx, dy) != 1) continue;
        const double through = length[a] + (dx + dy == 2 ? std::sqrt(2.0) : 1.0);
        if (through < length[b] - 1e-9) {
          length[b] = through;
          changed = true;
        }
      }
    }
  }
  return length;
}

TEST(OctileRoute, IsAShortestPathBetweenAnyTwoNodes) {
  for (int a = 0; a < kColumns * kRows; ++a) {
    const GridNode from = {a % kColumns, a / kColumns};
    const auto shortest = shortest_lengths(from);
    for (int b = 0; b < kColumns * kRows; ++b) {
      const GridNode to = {b % kColumns, b / kColumns};
      const auto path = octile(from, to);
      EXPECT_EQ(path.front(), from);
      EXPECT_EQ(path.back(), to);
      for (size_t i = 1; i < path.size(); ++i) EXPECT_TRUE(is_step(path[i - 1], path[i]));
      EXPECT_NEAR(octile_length(path), shortest[b], 1e-9) << a << " to " << b;
    }
  }
}

TEST(OctileRoute, TakesDiagonalStepsFirst) {
  EXPECT_THAT(octile({0, 0}, {4, 2}), ElementsAre(GridNode{0, 0}, GridNode{1, 1}, GridNode{2, 2},
                                                  GridNode{3, 2}, GridNode{4, 2}));
  EXPECT_THAT(octile({4, 2}, {0, 0}), ElementsAre(GridNode{4, 2}, GridNode{3, 1}, GridNode{2, 0},
                                                  GridNode{1, 0}, GridNode{0, 0}));
  EXPECT_THAT(octile({1, 4}, {2, 1}),
              ElementsAre(GridNode{1, 4}, GridNode{2, 3}, GridNode{2, 2}, GridNode{2, 1}));
  EXPECT_THAT(octile({3, 3}, {3, 3}), ElementsAre(GridNode{3, 3}));
}

TEST(GridRouter, HasTheMiddlesOfItsCellsAsNodes) {
  const auto nodes = make(nothing(), kBare)->nodes();
  ASSERT_EQ(nodes.size(), 48U);
  EXPECT_EQ(nodes[0].at.x, 50);
  EXPECT_EQ(nodes[0].at.y, 50);
  EXPECT_EQ(nodes[9].at.x, 150);
  EXPECT_EQ(nodes[9].at.y, 150);
  EXPECT_EQ(nodes[47].at.x, 750);
  EXPECT_EQ(nodes[0].level, 1U);
}

TEST(GridRouter, HasANodePer40PixelsByDefaultButAtLeastTwo) {
  EXPECT_EQ(make(nothing(), {.cluster_centres = false})->nodes().size(), 20U * 15U);
  layout::Segments tiny;
  tiny.clip = {0, 0, 1, 1};
  EXPECT_EQ(make(tiny, {.cluster_centres = false})->nodes().size(), 4U);
}

TEST(GridRouter, GoesFromEventToEventThroughTheNearestNodes) {
  EXPECT_EQ(way(*make(nothing(), kBare), {60, 40}, {330, 190}),
            " (60, 40) (50, 50) (150, 150) (250, 150) (350, 150) (330, 190)");
}

TEST(GridRouter, PassesTheClustersOfItsEvents) {
  layout::Segments lines = nothing();
  lines.add(62, 40, 330, 190);
  lines.add(58, 40, 330, 180);
  lines.add(310, 185, 330, 185);
  const auto router = make(lines, {.column_count = 8, .row_count = 6, .radius_px = 40});
  const auto nodes = router->nodes();
  ASSERT_EQ(nodes.size(), 50U);
  EXPECT_EQ(nodes[1].level, 0U);
  EXPECT_NEAR(nodes[0].at.x, 60, 0.01);
  EXPECT_NEAR(nodes[1].at.x, 325, 0.01);
  EXPECT_NEAR(nodes[1].at.y, 185, 0.01);
  const std::string left = cases::text({nodes[0].at});
  const std::string right = cases::text({nodes[1].at});
  EXPECT_EQ(
      way(*router, {62, 40}, {330, 190}),
      " (62, 40)" + left + " (50, 50) (150, 150) (250, 150) (350, 150)" + right + " (330, 190)");
  // Inside one cluster there is no way to the grid and back.
  EXPECT_EQ(way(*router, {310, 185}, {330, 185}), " (310, 185)" + right + " (330, 185)");
}

TEST(GridRouter, PassesNoPointTwiceInARow) {
  const auto router = make(nothing(), kBare);
  EXPECT_EQ(way(*router, {50, 50}, {150, 50}), " (50, 50) (150, 50)");
  EXPECT_EQ(way(*router, {40, 50}, {45, 50}), " (40, 50) (50, 50) (45, 50)");
}

TEST(GridRouter, ReachesEndsOutsideThroughTheEdgeOfTheGrid) {
  EXPECT_EQ(way(*make(nothing(), kBare), {-500, 40}, {120, 9000}),
            " (-500, 40) (50, 50) (150, 150) (150, 250) (150, 350) (150, 450) (150, 550)"
            " (120, 9000)");
}

TEST(GridRouter, OfAMirroredPictureIsTheMirrorImage) {
  const auto router = make(nothing(), kBare);
  const layout::Segments lines = cases::phases(500, 3, {0, 0, 800, 600});
  for (size_t i = 0; i < lines.size(); ++i) {
    const layout::Point from = cases::sender(lines, i);
    const layout::Point to = cases::receiver(lines, i);
    const auto a = cases::route(*router, from, to);
    const auto b = cases::route(*router, {800 - from.x, from.y}, {800 - to.x, to.y});
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(a[k].x, 800 - b[k].x, 1e-9);
      ASSERT_EQ(a[k].y, b[k].y);
    }
  }
}

TEST(GridRouter, DoesNotDependOnOrderOrThreads) {
  EXPECT_EQ("", cases::difference_by_order_and_threads(
                    [](const layout::Segments& lines, base::ThreadPool& pool) {
                      return make_grid_router(lines, {}, pool);
                    }));
}

TEST(GridRouter, WorksForDegenerateInput) {
  for (const GridOptions& options :
       {GridOptions{}, kBare, GridOptions{.column_count = 1, .row_count = UINT32_MAX}}) {
    EXPECT_EQ("", cases::fault_with_degenerate_input(
                      [&](const layout::Segments& lines, base::ThreadPool& pool) {
                        return make_grid_router(lines, options, pool);
                      }));
  }
}

}  // namespace
}  // namespace pathline::bundle

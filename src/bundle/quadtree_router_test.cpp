// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/quadtree_router.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "bundle/router_cases.hpp"
#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr layout::Rect kSquare = {0, 0, 512, 512};
constexpr QuadtreeLimits kEven = {.max_share = 0, .min_side_px = 32};

std::unique_ptr<Router> make(const layout::Segments& lines, const QuadtreeOptions& options) {
  base::ThreadPool pool(1);
  return make_quadtree_router(lines, options, pool);
}

QuadtreeGraph graph_of(const layout::Segments& lines, const QuadtreeLimits& limits) {
  base::ThreadPool pool(1);
  const auto units = weight_units(lines, pool);
  const WeightedPoints ends[] = {{lines.x1, lines.y1, units}, {lines.x2, lines.y2, units}};
  return {ends, lines.clip, limits, pool};
}

/// Light messages of no length in each of 16 x 16 cells of 32 px, so that with kEven the tree has
/// exactly these leaves.
layout::Segments even_picture() {
  layout::Segments lines;
  lines.clip = kSquare;
  for (int i = 0; i < 256; ++i) {
    const float x = static_cast<float>(i % 16) * 32 + 16;
    const int row = i / 16;
    const float y = static_cast<float>(row) * 32 + 16;
    lines.add(x, y, x, y);
    lines.weight.push_back(1e-3F);
  }
  return lines;
}

void add(layout::Segments& lines, layout::Point from, layout::Point to, float weight) {
  lines.add(static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(to.x),
            static_cast<float>(to.y));
  lines.weight.push_back(weight);
}

double length_px(const std::vector<layout::Point>& control) {
  double sum = 0;
  for (size_t i = 1; i < control.size(); ++i) sum += distance(control[i - 1], control[i]);
  return sum;
}

using Step = std::pair<std::pair<double, double>, std::pair<double, double>>;

std::set<Step> inner_steps(const std::vector<layout::Point>& control) {
  std::set<Step> steps;
  for (size_t i = 2; i + 1 < control.size(); ++i) {
    steps.insert({{control[i - 1].x, control[i - 1].y}, {control[i].x, control[i].y}});
  }
  return steps;
}

TEST(QuadtreeRouter, FollowsEdgesOfTheGraphFromCellToCell) {
  const layout::Segments lines = cases::phases(5000, 1);
  const QuadtreeGraph graph = graph_of(lines, {});
  std::map<std::pair<double, double>, uint32_t> vertex_at;
  for (uint32_t v = 0; v < graph.vertices().size(); ++v) {
    vertex_at[{graph.vertices()[v].x, graph.vertices()[v].y}] = v;
  }
  const auto is_corner = [&](uint32_t vertex, layout::Point event) {
    const auto& corners = graph.leaves()[graph.leaf_at(event)].corners;
    return std::count(std::begin(corners), std::end(corners), vertex) == 1;
  };
  const auto router = make(lines, {});
  size_t routed_count = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto control = cases::route(*router, cases::sender(lines, i), cases::receiver(lines, i));
    if (control.size() == 2) continue;
    ++routed_count;
    std::vector<uint32_t> path;
    for (size_t k = 1; k + 1 < control.size(); ++k) {
      ASSERT_TRUE(vertex_at.contains({control[k].x, control[k].y}));
      path.push_back(vertex_at[{control[k].x, control[k].y}]);
    }
    EXPECT_TRUE(is_corner(path.front(), control.front()));
    EXPECT_TRUE(is_corner(path.back(), control.back()));
    for (size_t k = 1; k < path.size(); ++k) {
      const auto arcs = graph.arcs(path[k - 1]);
      EXPECT_TRUE(std::any_of(arcs.begin(), arcs.end(),
                              [&](const auto& arc) { return arc.to == path[k]; }));
    }
  }
  EXPECT_GT(routed_count, lines.size() / 4) << "too few to show anything";
}

TEST(QuadtreeRouter, BeginsAndEndsExactlyInTheEventsWithinTheDetour) {
  const layout::Segments lines = cases::phases(5000, 2);
  for (const double max_detour : {1.05, 1.3}) {
    const auto router = make(lines, {.max_detour = max_detour});
    for (size_t i = 0; i < lines.size(); ++i) {
      const layout::Point from = cases::sender(lines, i);
      const layout::Point to = cases::receiver(lines, i);
      const auto control = cases::route(*router, from, to);
      ASSERT_TRUE(is_same(control.front(), from));
      ASSERT_TRUE(is_same(control.back(), to));
      ASSERT_LE(length_px(control), max_detour * distance(from, to) * (1 + 1e-12));
    }
  }
}

/// Cheapest cost from `from` to `to` over corners of their leaves, by relaxing all edges.
double cheapest(const QuadtreeGraph& graph, layout::Point from, layout::Point to, double power) {
  const auto leg = [&](layout::Point p, uint32_t v) {
    return std::pow(distance(p, graph.vertices()[v]), power);
  };
  std::vector<double> cost(graph.vertices().size(), HUGE_VAL);
  for (const uint32_t v : graph.leaves()[graph.leaf_at(from)].corners) cost[v] = leg(from, v);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& e : graph.edges()) {
      const double of_edge = std::pow(e.length_px, power);
      const double a = std::min(cost[e.a], cost[e.b] + of_edge);
      const double b = std::min(cost[e.b], cost[e.a] + of_edge);
      changed = changed || a < cost[e.a] || b < cost[e.b];
      cost[e.a] = a;
      cost[e.b] = b;
    }
  }
  double least = HUGE_VAL;
  for (const uint32_t v : graph.leaves()[graph.leaf_at(to)].corners) {
    least = std::min(least, cost[v] + leg(to, v));
  }
  return least;
}

TEST(QuadtreeRouter, TakesTheCheapestWayInTheFirstRound) {
  // So few messages that the mean event of a cell is the event itself.
  layout::Segments lines;
  lines.clip = {0, 0, 640, 480};
  std::mt19937 random(4);
  for (int i = 0; i < 40; ++i) {
    lines.add(static_cast<float>(random() % 639) + 0.5F, static_cast<float>(random() % 479) + 0.5F,
              static_cast<float>(random() % 639) + 0.5F, static_cast<float>(random() % 479) + 0.5F);
  }
  const QuadtreeLimits limits = {.max_share = 1.0 / 120, .min_side_px = 4};
  const QuadtreeGraph graph = graph_of(lines, limits);
  const auto router =
      make(lines, {.limits = limits, .length_power = 1.5, .max_detour = 3, .round_count = 1});
  for (size_t i = 0; i < lines.size(); ++i) {
    const layout::Point from = cases::sender(lines, i);
    const layout::Point to = cases::receiver(lines, i);
    const auto control = cases::route(*router, from, to);
    ASSERT_GT(control.size(), 2U) << "message " << i;
    double cost = 0;
    for (size_t k = 1; k < control.size(); ++k) {
      cost += std::pow(distance(control[k - 1], control[k]), 1.5);
    }
    const double expected = cheapest(graph, from, to, 1.5);
    EXPECT_NEAR(cost, expected, 1e-3 * expected) << "message " << i;
  }
}

TEST(QuadtreeRouter, DrawsFlowsTogetherInTheSecondRound) {
  layout::Segments lines = even_picture();
  const layout::Point upper[] = {{16, 250}, {496, 250}};
  const layout::Point lower[] = {{16, 300}, {496, 300}};
  add(lines, upper[0], upper[1], 90);
  add(lines, lower[0], lower[1], 10);
  const auto shared = [&](uint32_t round_count) {
    const auto router = make(lines, {.limits = kEven, .round_count = round_count});
    const auto a = inner_steps(cases::route(*router, upper[0], upper[1]));
    const auto b = inner_steps(cases::route(*router, lower[0], lower[1]));
    EXPECT_GE(a.size(), 14U);
    EXPECT_GE(b.size(), 14U);
    std::vector<Step> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both.size();
  };
  EXPECT_EQ(shared(1), 0U);
  EXPECT_GE(shared(2), 10U);
}

TEST(QuadtreeRouter, AttractsByWeightAndNotByItsUnit) {
  layout::Segments lines = cases::phases(3000, 5);
  layout::Segments in_other_unit = lines;
  for (float& weight : in_other_unit.weight) weight *= 3.0F / 1048576;
  EXPECT_EQ("", cases::difference(*make(lines, {}), *make(in_other_unit, {}), lines));
}

TEST(QuadtreeRouter, GivesAllMessagesBetweenTwoCellsTheSameInnerPoints) {
  layout::Segments lines = even_picture();
  add(lines, {10, 20}, {500, 300}, 1);
  const auto router = make(lines, {.limits = kEven});
  const auto a = cases::route(*router, {10, 20}, {500, 300});
  const auto b = cases::route(*router, {3, 30}, {485, 315});
  ASSERT_GT(a.size(), 10U);
  EXPECT_EQ(inner_steps(a), inner_steps(b));
}

TEST(QuadtreeRouter, DrawsStraightWhatItDoesNotKnow) {
  layout::Segments lines = even_picture();
  add(lines, {10, 20}, {500, 300}, 1);
  const auto router = make(lines, {.limits = kEven});
  EXPECT_EQ(cases::route(*router, {500, 300}, {10, 20}).size(), 2U) << "the other way round";
  EXPECT_EQ(cases::route(*router, {10, 20}, {500, 400}).size(), 2U) << "another cell";
  EXPECT_EQ(cases::route(*router, {10, 20}, {12, 25}).size(), 2U) << "inside a cell";
  EXPECT_EQ(cases::route(*router, {10, NAN}, {500, 300}).size(), 2U);
}

TEST(QuadtreeRouter, RoutesTheHeaviestFirstWhenThereAreTooMany) {
  layout::Segments lines = even_picture();
  add(lines, {10, 20}, {500, 300}, 1);
  add(lines, {10, 200}, {500, 400}, 3);
  add(lines, {10, 400}, {500, 100}, 2);
  const auto router = make(lines, {.limits = kEven, .max_bundle_count = 2});
  EXPECT_EQ(cases::route(*router, {10, 20}, {500, 300}).size(), 2U);
  EXPECT_GT(cases::route(*router, {10, 200}, {500, 400}).size(), 2U);
  EXPECT_GT(cases::route(*router, {10, 400}, {500, 100}).size(), 2U);
}

TEST(QuadtreeRouter, BoundsTheNumberOfSearchesButNeverBelow64) {
  layout::Segments lines = even_picture();
  for (int cell = 0; cell < 100; ++cell) {
    const int row = cell / 8;
    const layout::Point from = {cell % 8 * 32.0 + 16, row * 32.0 + 16};
    add(lines, from, {from.x + 200, from.y + 64}, static_cast<float>(100 - cell));
  }
  const auto router = make(lines, {.limits = kEven, .max_search_effort = 1});
  for (size_t i = 256; i < lines.size(); ++i) {
    const auto control = cases::route(*router, cases::sender(lines, i), cases::receiver(lines, i));
    EXPECT_EQ(control.size() > 2, i < 256 + 64) << "message " << i;
  }
}

TEST(QuadtreeRouter, DoesNotDependOnOrderOrThreads) {
  EXPECT_EQ("", cases::difference_by_order_and_threads(
                    [](const layout::Segments& lines, base::ThreadPool& pool) {
                      return make_quadtree_router(lines, {}, pool);
                    }));
}

TEST(QuadtreeRouter, WorksForDegenerateInput) {
  for (const QuadtreeOptions& options :
       {QuadtreeOptions{}, QuadtreeOptions{.limits = {.max_share = 0, .min_side_px = 1}},
        QuadtreeOptions{.limits = {.max_share = 2}, .max_detour = 0, .round_count = 0}}) {
    EXPECT_EQ("", cases::fault_with_degenerate_input(
                      [&](const layout::Segments& lines, base::ThreadPool& pool) {
                        return make_quadtree_router(lines, options, pool);
                      }));
  }
}

}  // namespace
}  // namespace pathline::bundle

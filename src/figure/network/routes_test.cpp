// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/frame.hpp"
#include "figure/network/network.hpp"
#include "figure/network/route_lens.hpp"
#include "figure/network/route_matrix.hpp"
#include "figure/network/test_routes.hpp"
#include "figure/test_scene.hpp"
#include "render/draw.hpp"

namespace pathline::figure {
namespace {

using layout::Boxes;
using layout::Color;
using layout::Polyline;
using layout::Polylines;
using layout::Rect;
using layout::Scene;
using layout::Segments;
using testing::HasSubstr;

Scene draw(const TestRoutes& test, const NetworkOptions& options = {}) {
  auto scene = routes(*test.network, test.routes, options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

/// Where rows, columns and cells are: the same that the figure uses.
struct Geometry {
  NetworkView view;
  RouteMatrix matrix;

  Geometry(const TestRoutes& test, const NetworkOptions& options)
      : view(network_view(*test.network, test.routes, options).value()),
        matrix(view, options, layout::theme(options.theme)) {
    EXPECT_TRUE(matrix.place(70).ok());
  }
};

/// Boxes whose colour is on the heat ramp: those of cells that routes cross.
std::vector<Rect> hot_boxes(const Scene& scene) {
  const layout::Theme& theme = layout::light_theme();
  std::set<std::array<uint8_t, 3>> ramp;
  for (int i = 0; i <= 4096; ++i) {
    const Color color = theme.heat.at(i / 4096.0);
    ramp.insert({color.r, color.g, color.b});
  }
  std::vector<Rect> found;
  for (const Boxes* boxes : layers_of<Boxes>(scene)) {
    for (size_t i = 0; i < boxes->x.size(); ++i) {
      const Color& color = boxes->color[i];
      if (!ramp.contains({color.r, color.g, color.b})) continue;
      found.push_back({boxes->x[i], boxes->y[i], boxes->w[i], boxes->h[i]});
    }
  }
  return found;
}

TEST(RoutesFigure, LeadsARouteFromItsSourceByTheCellsOfItsLinksToItsTarget) {
  TestRoutes test("mesh:4x4,order=AB");
  test.add(1, 11, 100);  // (0 1) by (1 1), (2 1), (2 2) to (2 3).
  const Scene scene = draw(test);
  const Polyline* route = nullptr;
  for (const Polylines* layer : layers_of<Polylines>(scene)) {
    for (const Polyline& line : layer->lines) {
      if (line.points.size() == 9) route = &line;
    }
  }
  ASSERT_NE(route, nullptr);
  // On the diagonal at both ends and at each node between; links at the corners.
  const std::vector<layout::Point>& points = route->points;
  for (size_t i = 1; i < points.size(); ++i) {
    if (i % 2 == 1) {
      EXPECT_EQ(points[i].y, points[i - 1].y) << "level from the row of the node";
    } else {
      EXPECT_EQ(points[i].x, points[i - 1].x) << "upright in the column of the next";
    }
  }
  for (size_t i = 2; i < points.size(); i += 2) {
    EXPECT_NEAR(points[i].x - points[0].x, points[i].y - points[0].y, 1e-6) << "on the diagonal";
    EXPECT_GT(points[i].x, points[i - 2].x);
  }
}

TEST(RoutesFigure, PutsTheCellOfALinkInTheRowWhereItBeginsAndTheColumnItLeadsTo) {
  TestRoutes test("mesh:8");
  test.add(2, 3, 10).add(6, 5, 20);
  NetworkOptions options;
  options.height_px = 400;
  const Geometry geometry(test, options);
  const RouteMatrix& matrix = geometry.matrix;
  const Rect forth = matrix.cell(matrix.slot_of_group(2), matrix.slot_of_group(3));
  const Rect back = matrix.cell(matrix.slot_of_group(6), matrix.slot_of_group(5));
  EXPECT_NEAR(forth.x + forth.w / 2, matrix.plot().x + matrix.middle(3), 1);
  EXPECT_NEAR(forth.y + forth.h / 2, matrix.plot().y + matrix.middle(2), 1);
  EXPECT_GT(forth.x, forth.y - matrix.plot().y + matrix.plot().x) << "right of the diagonal";
  EXPECT_LT(back.x, back.y - matrix.plot().y + matrix.plot().x) << "left of it";
}

TEST(RoutesFigure, DrawsCellsOfCrossedLinksOnly) {
  TestRoutes test("mesh:128");
  for (uint32_t i = 0; i + 2 < 128; i += 2) test.add(i, i + 2, 10 + i);
  const Geometry geometry(test, {});
  const Rect& plot = geometry.matrix.plot();
  size_t cells = 0;
  for (const Rect& box : hot_boxes(draw(test))) cells += box.x < plot.right() ? 1 : 0;
  EXPECT_EQ(cells, 126U);
}

/// MiniAMR's shape, with the most on a link of A 1, B 2 and on one from there to A 1, B 3.
TestRoutes two_hot_blocks() {
  TestRoutes test("mesh:4x4x16x2,order=ABCD");
  const auto number = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return ((a * 4 + b) * 16 + c) * 2 + d;
  };
  for (uint32_t i = 0; i + 1 < 512; ++i) test.add(i, i + 1, 10);
  test.add(number(1, 2, 5, 0), number(1, 2, 6, 0), 5000);
  test.add(number(1, 2, 9, 1), number(1, 3, 9, 1), 4000);
  return test;
}

TEST(RouteLens, EnlargesTheBlocksOfTheHottestLinks) {
  const TestRoutes test = two_hot_blocks();
  NetworkOptions options;
  const Geometry geometry(test, options);
  std::vector<LensCell> cells;
  for (const GroupLink& link : group_links(geometry.view, RouteMetric::kBytes)) {
    cells.push_back({link.from, link.to, link.value, layout::kTransparent, "x"});
  }
  const auto lenses = choose_lenses(geometry.matrix, cells, "up to");
  ASSERT_EQ(lenses.size(), 2U);
  EXPECT_EQ(lenses[0].caption, "A 1, B 2: up to x");
  EXPECT_EQ(lenses[0].count, 32U) << "the blocks of A and B";
  EXPECT_EQ(lenses[0].first_row, (4U + 2) * 32);
  EXPECT_EQ(lenses[0].first_column, lenses[0].first_row);
  EXPECT_EQ(lenses[1].caption, "A 1, B 2 \u2192 A 1, B 3: up to x");
  EXPECT_EQ(lenses[1].first_column, (4U + 3) * 32);
  for (const RouteLens& lens : lenses) {
    EXPECT_GE(lens.item_px(), 7);
    EXPECT_LE(lens.place.right(), options.width_px - kMargin);
    EXPECT_LE(lens.place.bottom(), options.height_px - kMargin);
    EXPECT_GE(lens.place.x, geometry.matrix.legend().right());
  }
  EXPECT_NE(find_label(labels_of(draw(test)), "A 1, B 2: up to 5.00 kB"), nullptr);
}

TEST(RouteLens, IsNotThereWhereCellsAreLargeOrThePictureSmall) {
  TestRoutes few("mesh:8x8");
  few.add(0, 63, 10);
  EXPECT_EQ(Geometry(few, {}).matrix.lenses().w, 0);
  NetworkOptions small;
  small.width_px = 900;
  EXPECT_EQ(Geometry(two_hot_blocks(), small).matrix.lenses().w, 0);
  EXPECT_TRUE(routes(*few.network, few.routes, {}).ok());
}

TEST(RoutesFigure, SharesCellsWithSumsOrMaximaWhenNodesAreMoreThanPixels) {
  TestRoutes test("mesh:2000");
  for (uint32_t i = 0; i + 1 < 2000; ++i) test.add(i, i + 1, i + 1);
  NetworkOptions options;
  const Geometry geometry(test, options);
  const uint32_t per_slot = geometry.matrix.axis().items_per_slot();
  ASSERT_GT(per_slot, 1U);
  const auto top_of_scale = [&](CellValue cells) {
    options.cells = cells;
    const Scene scene = draw(test, options);
    const auto labels = labels_of(scene);
    const std::string what = fmt::format("a cell is {0} x {0} nodes and shows {1}", per_slot,
                                         cells == CellValue::kSum ? "the sum" : "the largest");
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const layout::Label& label) {
      return label.text.find(what) != std::string::npos;
    })) << what;
    return labels;
  };
  EXPECT_NE(find_label(top_of_scale(CellValue::kMax), "2.00 kB"), nullptr);
  // The last slot holds links with 2000 - per_slot + 1 .. 1999 - 1 bytes inside it.
  double sum = 0;
  for (uint32_t i = 2000 - per_slot; i + 1 < 2000; ++i) sum += i + 1;
  EXPECT_NE(find_label(top_of_scale(CellValue::kSum), fmt::format("{:.2f} kB", sum / 1000)),
            nullptr);
}

TEST(RoutesFigure, FoldsNodesThatNoRouteDrawnTouchesAndSaysHowMany) {
  TestRoutes test("torus:16x16");
  test.add(0, 1, 10).add(100, 101, 20);
  const auto labels = labels_of(draw(test));
  EXPECT_NE(find_label(labels, "+98"), nullptr);   // 2 .. 99
  EXPECT_NE(find_label(labels, "+154"), nullptr);  // 102 .. 255
  bool said = false;
  for (const layout::Label& label : labels) said |= label.text.starts_with("Stripes: 252 nodes");
  EXPECT_TRUE(said);
}

TEST(RoutesFigure, OrdersByCoordinatesNotByNumbers) {
  // An XC40 numbers cabinets before groups: node 768 is in group 0 as node 0 is.
  TestRoutes test("xc40:2");
  test.add(0, 64, 5).add(0, 4, 5);
  const NetworkOptions options;
  const Geometry geometry(test, options);
  std::vector<uint32_t> address(5);
  std::vector<std::pair<std::vector<uint32_t>, double>> places;
  for (const uint32_t node : {0U, 4U, 64U}) {
    test.network->coordinates(network::Vertex(node), address);
    places.emplace_back(address, geometry.matrix.middle(node));
  }
  std::sort(places.begin(), places.end());
  EXPECT_LT(places[0].second, places[1].second);
  EXPECT_LT(places[1].second, places[2].second);
}

TEST(RoutesFigure, NestsBlocksOfCoordinates) {
  TestRoutes test("torus:4x4x2");
  for (uint32_t i = 0; i < 32; ++i) test.add(i, (i + 1) % 32, 10);
  const NetworkOptions options;
  const Geometry geometry(test, options);
  ASSERT_EQ(geometry.matrix.level_count(), 3U);
  const auto outer = geometry.matrix.blocks(0);
  const auto inner = geometry.matrix.blocks(1);
  ASSERT_EQ(outer.size(), 4U);
  ASSERT_EQ(inner.size(), 16U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outer[i].coordinate, i);
    EXPECT_EQ(outer[i].begin_px, inner[4 * i].begin_px);
    EXPECT_EQ(outer[i].end_px, inner[4 * i + 3].end_px);
  }
  EXPECT_EQ(outer.back().end_px, geometry.matrix.plot().w);
}

TEST(RoutesFigure, AddsUpManyRoutesAsLinesOfTheirBytes) {
  TestRoutes test("torus:4x4");
  for (uint32_t i = 0; i < 16; ++i) {
    for (uint32_t k = 0; k < 16; ++k) {
      if (i != k) test.add(i, k, i + 1);
    }
  }
  const Scene scene = draw(test);
  const auto layers = layers_of<Segments>(scene);
  ASSERT_EQ(layers.size(), 1U);
  // A level and an upright piece for each link of each route.
  EXPECT_EQ(layers[0]->curves.size(), 2 * test.routes.links.size());
  EXPECT_EQ(*std::max_element(layers[0]->curves.weight.begin(), layers[0]->curves.weight.end()),
            16);
}

TEST(RoutesFigure, OfSwitchesNamesThemBehindTheNodes) {
  TestRoutes test("fattree:2,2");
  test.add(0, 3, 7);
  const auto labels = labels_of(draw(test));
  EXPECT_NE(find_label(labels, "switch 0.0"), nullptr);
  const NetworkOptions options;
  const Geometry geometry(test, options);
  for (uint32_t vertex = 4; vertex < test.network->vertex_count(); ++vertex) {
    EXPECT_GT(geometry.matrix.middle(vertex), geometry.matrix.middle(3));
  }
}

TEST(RoutesFigure, OfFewNodesOrRoutesIsAPictureAndOfWrongOptionsAnError) {
  base::ThreadPool pool(1);
  TestRoutes none("torus:4x4");
  const Scene empty = draw(none);
  EXPECT_NE(find_label(labels_of(empty), "no routes between nodes"), nullptr);
  EXPECT_TRUE(render::draw(empty, pool).ok());
  EXPECT_TRUE(render::draw(draw(TestRoutes("torus:1")), pool).ok());
  TestRoutes one("torus:2");
  one.add(0, 1, 0);
  EXPECT_TRUE(render::draw(draw(one), pool).ok());
  NetworkOptions options;
  options.aggregate.emplace();
  EXPECT_TRUE(render::draw(draw(one, options), pool).ok());
  options = {};
  options.chosen = {1};
  const auto outside = routes(*one.network, one.routes, options);
  ASSERT_FALSE(outside.ok());
  EXPECT_THAT(outside.error().message, HasSubstr("there is no route 1; there are 1"));
  options = {};
  options.aggregate = {3};
  EXPECT_FALSE(routes(*one.network, one.routes, options).ok());
  options = {};
  options.palette = "rainbow";
  EXPECT_FALSE(routes(*one.network, one.routes, options).ok());
  options = {};
  options.width_px = 90;
  EXPECT_FALSE(routes(*one.network, one.routes, options).ok());
}

}  // namespace
}  // namespace pathline::figure

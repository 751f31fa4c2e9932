// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/network/graph_nodes.hpp"
#include "figure/network/network.hpp"
#include "figure/network/test_routes.hpp"
#include "figure/test_scene.hpp"
#include "render/draw.hpp"

namespace pathline::figure {
namespace {

using layout::Polyline;
using layout::Polylines;
using layout::Ribbons;
using layout::Scene;
using testing::HasSubstr;

Scene draw(const TestRoutes& test, const NetworkOptions& options = {}) {
  auto scene = graph(*test.network, test.routes, options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

NetworkView view_of(const TestRoutes& test, const NetworkOptions& options = {}) {
  auto view = network_view(*test.network, test.routes, options);
  EXPECT_TRUE(view.ok()) << view.error().message;
  return std::move(view).value();
}

const Ribbons& bands(const Scene& scene) { return *layers_of<Ribbons>(scene).back(); }

/// 16 nodes, each to the next four.
TestRoutes crowd(std::string_view spec = "torus:4x4") {
  TestRoutes test(spec);
  for (uint32_t i = 0; i < 16; ++i) {
    for (uint32_t k = 1; k <= 4; ++k) test.add(i, (i + k) % 16, 100 * k);
  }
  return test;
}

TEST(GraphFigure, GivesBandsTheWidthsOfTheirBytes) {
  TestRoutes test("mesh:4");
  test.add(0, 1, 400).add(1, 2, 100).add(3, 2, 200);
  const Scene scene = draw(test);
  const Ribbons& found = bands(scene);
  ASSERT_EQ(found.size(), 3U);
  std::vector<float> widths = found.half_width;
  std::sort(widths.begin(), widths.end());
  EXPECT_NEAR(widths[2] / widths[0], 4, 1e-3);
  EXPECT_NEAR(widths[1] / widths[0], 2, 1e-3);
}

TEST(GraphFigure, StacksRoutesOnTheRightOfTheirWayWithoutOverlap) {
  // Both ways between two nodes, two routes each over the link (1)-(2).
  TestRoutes test("mesh:4");
  test.add(0, 2, 300).add(1, 2, 100).add(3, 1, 200).add(2, 1, 100);
  const Scene scene = draw(test);
  const Ribbons& found = bands(scene);
  ASSERT_EQ(found.size(), 6U);
  int beside = 0;
  int opposite = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double dx = found.x2[i] - found.x1[i];
    const double dy = found.y2[i] - found.y1[i];
    const double length = std::hypot(dx, dy);
    for (size_t k = 0; k < found.size(); ++k) {
      const double kx = found.x2[k] - found.x1[k];
      const double ky = found.y2[k] - found.y1[k];
      // How far k lies to the right of i, seen along i.
      const double right =
          ((found.y1[k] - found.y1[i]) * dx - (found.x1[k] - found.x1[i]) * dy) / length;
      const double touching = found.half_width[i] + found.half_width[k];
      if (k != i && std::hypot(kx - dx, ky - dy) < 0.01) {
        EXPECT_NEAR(std::abs(right), touching, 0.01) << "side by side";
        ++beside;
      }
      if (std::hypot(kx + dx, ky + dy) < 0.01) {
        EXPECT_LE(right, 0.01 - touching) << "the other way is at the left";
        ++opposite;
      }
    }
  }
  EXPECT_EQ(beside, 4) << "two routes on the link each way";
  EXPECT_EQ(opposite, 8);
}

TEST(GraphFigure, MergesRoutesToABandPerLinkWhenTheyAreTooMany) {
  TestRoutes test("torus:8x8");
  for (uint32_t i = 0; i < 64; ++i) {
    for (uint32_t k = 0; k < 64; ++k) {
      if (i != k) test.add(i, k, 10);
    }
  }
  const Scene scene = draw(test);
  EXPECT_EQ(bands(scene).size(), 256U) << "one for each directed link";
  bool said = false;
  std::string text;
  for (const layout::Label& label : labels_of(scene)) text += label.text + ' ';
  said = text.find("4,032 routes are too many to be told apart") != std::string::npos;
  EXPECT_TRUE(said) << text;
}

TEST(GraphFigure, SumsWhatRoutesCarryOverEachLink) {
  const TestRoutes test = crowd();
  const NetworkView view = view_of(test);
  double carried = 0;
  for (const GroupLink& link : group_links(view, RouteMetric::kBytes)) {
    EXPECT_EQ(link.bytes, link.load_bytes) << "all routes are drawn";
    EXPECT_EQ(link.value, static_cast<double>(link.load_bytes));
    carried += static_cast<double>(link.bytes);
  }
  EXPECT_EQ(carried, view.totals.hop_bytes);
  for (const GroupLink& link : group_links(view, RouteMetric::kLength)) {
    EXPECT_GE(link.value, 1);
    EXPECT_LE(link.value, 4);
  }
  for (const GroupLink& link : group_links(view, RouteMetric::kMaxLoad)) {
    EXPECT_GE(link.value, static_cast<double>(link.load_bytes));
    EXPECT_LE(link.value, static_cast<double>(view.totals.max_link_load_bytes));
  }
}

TEST(GraphFigure, DrawsOnlyRoutesOverTheTopLinksButKeepsTheNodesWhereTheyAre) {
  TestRoutes test("mesh:16");
  for (uint32_t i = 0; i + 1 < 16; ++i) test.add(i, i + 1, i == 7 ? 1000 : 10);
  NetworkOptions options;
  const Scene all = draw(test, options);
  options.top_links_share = 0.01;
  const Scene top = draw(test, options);
  ASSERT_EQ(bands(top).size(), 1U);
  EXPECT_EQ(layers_of<Ribbons>(top).at(0)->size(), 14U) << "the other links, pale";
  const Ribbons& every = bands(all);
  const size_t heavy =
      static_cast<size_t>(std::max_element(every.half_width.begin(), every.half_width.end()) -
                          every.half_width.begin());
  EXPECT_NEAR(bands(top).x1[0], every.x1[heavy], 1);
  EXPECT_NEAR(bands(top).y2[0], every.y2[heavy], 1);
  EXPECT_NE(labels_of(top).at(1).text.find("1 of 15 routes (those over the 1 % most loaded links"),
            std::string::npos)
      << labels_of(top).at(1).text;
}

TEST(GraphFigure, HasPartnersAndBalanceOfEachNode) {
  TestRoutes test("mesh:5");
  test.add(0, 2, 30).add(1, 2, 30).add(2, 3, 20);
  const NetworkView view = view_of(test);
  const auto links = group_links(view, RouteMetric::kBytes);
  GraphNodes nodes(view, links);
  ASSERT_EQ(nodes.size(), 4U) << "node 4 has no traffic";
  EXPECT_EQ(nodes.of_group(2).in_pairs, 2U);
  EXPECT_EQ(nodes.of_group(2).out_pairs, 1U);
  EXPECT_EQ(nodes.of_group(2).in_bytes, 60);
  ASSERT_TRUE(nodes.place({0, 0, 400, 300}, PlacedBy::kPairs).ok());
  // Areas grow with the partners: 3 against 1.
  EXPECT_NEAR(nodes.of_group(2).radius_px / nodes.of_group(0).radius_px, std::sqrt(3), 1e-6);
  for (const GraphNode& node : nodes.all()) {
    EXPECT_GE(node.at.x - node.radius_px, 0);
    EXPECT_LE(node.at.x + node.radius_px, 400);
    EXPECT_GE(node.at.y - node.radius_px, 0);
    EXPECT_LE(node.at.y + node.radius_px, 300);
  }
}

TEST(GraphFigure, MarksWhatStaysInAGroup) {
  // Row 0 keeps 300 of the 400 bytes that its nodes send; row 1 only receives.
  TestRoutes test("mesh:2x4,order=AB");
  test.add(0, 1, 300).add(0, 4, 100);
  NetworkOptions options;
  options.aggregate = {0};
  const NetworkView view = view_of(test, options);
  const auto links = group_links(view, RouteMetric::kBytes);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].bytes, 100U);
  const GraphNodes nodes(view, links);
  EXPECT_NEAR(nodes.of_group(0).inner_share(), 600.0 / 700, 1e-9);
  EXPECT_EQ(nodes.of_group(1).inner_share(), 0);
  const auto labels = labels_of(draw(test, options));
  EXPECT_NE(find_label(labels, "A 0"), nullptr);
  EXPECT_NE(find_label(labels, "share that stays in the group"), nullptr);
}

TEST(GraphFigure, PutsSwitchesBetweenTheNodesThatTheyConnect) {
  const TestRoutes test = crowd("fattree:4,2");
  const NetworkView view = view_of(test);
  const auto links = group_links(view, RouteMetric::kBytes);
  GraphNodes nodes(view, links);
  ASSERT_TRUE(nodes.place({0, 0, 800, 600}, PlacedBy::kPairs).ok());
  uint32_t relays = 0;
  for (const GraphNode& node : nodes.all()) relays += node.talks() ? 0 : 1;
  EXPECT_GT(relays, 4U);
  EXPECT_NE(find_label(labels_of(draw(test)), fmt::format("{} only pass on", relays)), nullptr);
}

TEST(GraphFigure, IsTheSameEachTime) {
  base::ThreadPool one(1);
  base::ThreadPool four(4);
  const TestRoutes test = crowd();
  const auto first = render::draw(draw(test), one);
  const auto second = render::draw(draw(test), four);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value().rgba, second.value().rgba);
}

TEST(GraphFigure, SpeaksOfRoutesWhereFilesHaveNoBytes) {
  TestRoutes test("mesh:4");
  test.add(0, 3, 1).add(1, 3, 1);
  NetworkOptions options;
  options.unit = LoadUnit::kRoutes;
  for (const layout::Label& label : labels_of(draw(test, options))) {
    EXPECT_EQ(label.text.find(" B"), std::string::npos) << label.text;
    EXPECT_EQ(label.text.find("ytes"), std::string::npos) << label.text;
  }
}

TEST(GraphFigure, OfFewNodesOrRoutesIsAPictureAndOfWrongOptionsAnError) {
  base::ThreadPool pool(1);
  const Scene none = draw(TestRoutes("torus:4x4"));
  EXPECT_NE(find_label(labels_of(none), "no routes between nodes"), nullptr);
  EXPECT_TRUE(render::draw(none, pool).ok());
  TestRoutes one("torus:2");
  one.add(0, 1, 0);
  EXPECT_TRUE(render::draw(draw(one), pool).ok());
  NetworkOptions options;
  options.aggregate.emplace();
  EXPECT_TRUE(render::draw(draw(one, options), pool).ok()) << "all in one group";
  options.aggregate = {1};
  const auto dimension = graph(*one.network, one.routes, options);
  ASSERT_FALSE(dimension.ok());
  EXPECT_THAT(dimension.error().message, HasSubstr("no dimension 1"));
  options = {};
  options.height_px = 120;
  EXPECT_FALSE(graph(*one.network, one.routes, options).ok());
}

}  // namespace
}  // namespace pathline::figure

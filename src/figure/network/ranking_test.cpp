// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/network/network.hpp"
#include "figure/network/test_routes.hpp"
#include "figure/test_scene.hpp"
#include "render/draw.hpp"

namespace pathline::figure {
namespace {

using layout::Boxes;
using layout::Scene;
using testing::HasSubstr;

Scene draw(const TestRoutes& test, RankingMetric metric, NetworkOptions options = {}) {
  options.ranking = metric;
  auto scene = ranking(*test.network, test.routes, options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

/// The layer with most boxes: the bars.
const Boxes& bars(const Scene& scene) {
  const auto layers = layers_of<Boxes>(scene);
  return **std::max_element(layers.begin(), layers.end(), [](const Boxes* a, const Boxes* b) {
    return a->x.size() < b->x.size();
  });
}

/// Names at the left of the bars, from the top downwards.
std::vector<std::string> names(const Scene& scene) {
  std::vector<std::string> found;
  for (const layout::Label& label : labels_of(scene)) {
    if (label.anchor == layout::Anchor::kEnd) found.push_back(label.text);
  }
  return found;
}

/// 0 to 2 over (1), which carries both routes.
TestRoutes small() {
  TestRoutes test("mesh:4");
  return std::move(test.add(0, 2, 30).add(1, 2, 10).add(3, 2, 20));
}

TEST(RankingFigure, PutsBarsInFallingOrderWithNamesAndLengthsOfTheirValues) {
  const Scene scene = draw(small(), RankingMetric::kLinkBytes);
  EXPECT_EQ(names(scene), (std::vector<std::string>{"(1) → (2)", "(0) → (1)", "(3) → (2)"}));
  const Boxes& found = bars(scene);
  ASSERT_EQ(found.w.size(), 3U);
  EXPECT_NEAR(found.w[1] / found.w[0], 30.0 / 40, 1e-3);
  EXPECT_NEAR(found.w[2] / found.w[0], 20.0 / 40, 1e-3);
  EXPECT_LT(found.y[0], found.y[1]);
}

TEST(RankingFigure, KnowsEveryMetric) {
  const TestRoutes test = small();
  const auto first = [&](RankingMetric metric) {
    const Scene scene = draw(test, metric);
    const auto labels = labels_of(scene);
    std::string value;
    for (const layout::Label& label : labels) {
      if (value.empty() && label.text.find("%)") != std::string::npos &&
          label.text.find("top") == std::string::npos) {
        value = label.text;
      }
    }
    return names(scene).at(0) + " " + value;
  };
  EXPECT_EQ(first(RankingMetric::kRouteLength), "(0) → (2) 2 hops (50.0 %)");
  EXPECT_EQ(first(RankingMetric::kRouteBytes), "(0) → (2) 30 B (50.0 %)");
  EXPECT_EQ(first(RankingMetric::kRouteHopBytes), "(0) → (2) 60 B (66.7 %)");
  EXPECT_EQ(first(RankingMetric::kLinkBytes), "(1) → (2) 40 B (44.4 %)");
  EXPECT_EQ(first(RankingMetric::kLinkRoutes), "(1) → (2) 2 routes (50.0 %)");
  EXPECT_EQ(first(RankingMetric::kNodeOutPairs), "(0) 1 (33.3 %)");
  EXPECT_EQ(first(RankingMetric::kNodeInPairs), "(2) 3 (100.0 %)");
  EXPECT_EQ(first(RankingMetric::kNodeOutBytes), "(0) 30 B (50.0 %)");
  EXPECT_EQ(first(RankingMetric::kNodeInBytes), "(2) 60 B (100.0 %)");
  // A maximum has no sum, so there is no share of it.
  const Scene loads = draw(test, RankingMetric::kRouteMaxLoad);
  EXPECT_EQ(names(loads).at(2), "(3) → (2)");
  EXPECT_NE(find_label(labels_of(loads), "40 B"), nullptr);
}

TEST(RankingFigure, OfThousandsGivesEachColumnTheLargestOfItsBars) {
  TestRoutes test("mesh:5000");
  for (uint32_t i = 0; i + 1 < 5000; ++i) test.add(i, i + 1, 1 + i * 7919 % 4999);
  const Scene scene = draw(test, RankingMetric::kLinkBytes);
  const Boxes& found = bars(scene);
  ASSERT_GT(found.h.size(), 300U);
  ASSERT_LT(found.h.size(), 1280U);
  for (size_t i = 1; i < found.h.size(); ++i) ASSERT_LE(found.h[i], found.h[i - 1]);
  // 4,999 values 1 .. 4999: column c begins with the largest not in one before it.
  const size_t columns = found.h.size();
  for (const size_t c : {size_t{0}, columns / 2, columns - 1}) {
    const double value = 4999 - static_cast<double>(c * 4999 / columns);
    EXPECT_NEAR(found.h[c] / found.h[0], value / 4999, 2e-3);
  }
}

TEST(RankingFigure, MarksTheTopWithItsNumberThresholdAndShare) {
  TestRoutes test("mesh:1001");
  for (uint32_t i = 0; i < 1000; ++i) test.add(i, i + 1, i < 20 ? 5000 : 1000);
  NetworkOptions options;
  options.top_links_share = 0.02;
  const Scene scene = draw(test, RankingMetric::kLinkBytes, options);
  EXPECT_NE(find_label(labels_of(scene),
                       "top 2 %: 20 links in use, each at least 5.00 kB, together 9.26 %"),
            nullptr);
  // Ties with the last are in: of equal bars all are at the top.
  options.top_links_share = 0.5;
  const Scene half = draw(test, RankingMetric::kLinkBytes, options);
  bool found = false;
  for (const layout::Label& label : labels_of(half)) {
    found |= label.text.starts_with("top 50 %: 1,000 links in use, each at least 1.00 kB");
  }
  EXPECT_TRUE(found);
}

TEST(RankingFigure, HasALogarithmicScaleWhenTheLargestIsFarAboveTheMedian) {
  const auto has_log = [](uint64_t most) {
    TestRoutes test("mesh:101");
    for (uint32_t i = 0; i < 100; ++i) test.add(i, i + 1, i == 0 ? most : 10);
    for (const layout::Label& label : labels_of(draw(test, RankingMetric::kLinkBytes))) {
      if (label.text == "load of the link (log scale)") return true;
    }
    return false;
  };
  EXPECT_FALSE(has_log(1000));
  EXPECT_TRUE(has_log(1001));
}

TEST(RankingFigure, MergesNodes) {
  TestRoutes test("torus:2x4,order=AB");
  test.add(0, 4, 10).add(1, 5, 20).add(0, 1, 100);
  NetworkOptions options;
  options.aggregate = {0};
  const Scene scene = draw(test, RankingMetric::kNodeOutBytes, options);
  EXPECT_EQ(names(scene), (std::vector<std::string>{"A 0", "A 1"}));
  EXPECT_NE(find_label(labels_of(scene), "30 B (100.0 %)"), nullptr) << "100 B stay inside";
}

TEST(RankingFigure, CountsRoutesWhereFilesHaveNoBytes) {
  NetworkOptions options;
  options.unit = LoadUnit::kRoutes;
  TestRoutes test("mesh:3");
  test.add(0, 2, 1).add(1, 2, 1);
  for (const layout::Label& label : labels_of(draw(test, RankingMetric::kLinkBytes, options))) {
    EXPECT_EQ(label.text.find(" B"), std::string::npos) << label.text;
  }
}

TEST(RankingFigure, OfFewNodesOrRoutesIsAPicture) {
  base::ThreadPool pool(1);
  for (const RankingMetric metric :
       {RankingMetric::kLinkBytes, RankingMetric::kNodeInPairs, RankingMetric::kRouteMaxLoad}) {
    const Scene none = draw(TestRoutes("torus:1"), metric);
    EXPECT_NE(find_label(labels_of(none), "no routes between nodes"), nullptr);
    EXPECT_TRUE(render::draw(none, pool).ok());
    TestRoutes zero("torus:2");
    zero.add(0, 1, 0);
    EXPECT_TRUE(render::draw(draw(zero, metric), pool).ok());
  }
  TestRoutes zeros("mesh:300");
  for (uint32_t i = 0; i + 1 < 300; ++i) zeros.add(i, i + 1, 0);
  EXPECT_TRUE(render::draw(draw(zeros, RankingMetric::kLinkBytes), pool).ok());
  NetworkOptions options;
  options.width_px = 100;
  const auto small_picture = ranking(*zeros.network, zeros.routes, options);
  ASSERT_FALSE(small_picture.ok());
  EXPECT_THAT(small_picture.error().message, HasSubstr("100x720"));
}

}  // namespace
}  // namespace pathline::figure

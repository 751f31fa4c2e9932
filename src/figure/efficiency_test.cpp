// SPDX-License-Identifier: BSD-3-Clause
#include "findings/efficiency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"

namespace pathline::figure {
namespace {

using testing::HasSubstr;

/// Four steps; of the third nothing is known of communication, the last one is not complete.
findings::Efficiency four_steps() {
  findings::Efficiency whole;
  whole.ranks = 8;
  whole.parallel = 0.45;
  whole.load_balance = 0.5;
  whole.communication = 0.9;
  whole.steps = {{0, 100, 0.5, 0.8, true},
                 {1, 300, 1.0, 0.6, true},
                 {2, 100, 0.25, std::nullopt, true},
                 {5, 100, 0.75, 0.1, false}};
  return whole;
}

layout::Scene draw(const findings::Efficiency& whole, const Options& options = {}) {
  auto scene = efficiency(whole, 1.5, options);
  EXPECT_TRUE(scene.ok());
  return std::move(scene).value();
}

TEST(EfficiencyFigure, DrawsEachStepAsHighAsItsFactors) {
  const layout::Scene scene = draw(four_steps());
  const auto& lines = layers_of<layout::Polylines>(scene);
  const layout::Color balance = layout::light_theme().series_color(0);
  const layout::Color communication = layout::light_theme().series_color(1);
  std::vector<layout::Polyline> found;
  for (const auto* layer : lines) {
    for (const layout::Polyline& line : layer->lines) {
      const bool is_of_steps = line.width_px == 1.5 || line.fill;
      if (is_of_steps && line.points.size() > 2) found.push_back(line);
    }
  }
  ASSERT_EQ(found.size(), 3U);
  const layout::Polyline& area = found[0];
  ASSERT_TRUE(area.fill);
  ASSERT_EQ(area.points.size(), 6U) << "two steps and back along the bottom";
  const double bottom = area.points[4].y;
  const double per_percent = (bottom - area.points[0].y) / 40;  // 0.5 x 0.8
  EXPECT_NEAR(bottom - area.points[2].y, 60 * per_percent, 1e-6);
  EXPECT_EQ(found[1].stroke, communication);
  ASSERT_EQ(found[1].points.size(), 4U) << "of two steps it is known";
  EXPECT_NEAR(bottom - found[1].points[0].y, 80 * per_percent, 1e-6);
  EXPECT_NEAR(bottom - found[1].points[2].y, 60 * per_percent, 1e-6);
  EXPECT_EQ(found[2].stroke, balance);
  ASSERT_EQ(found[2].points.size(), 8U);
  const double expected[] = {50, 100, 25, 75};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(bottom - found[2].points[2 * i].y, expected[i] * per_percent, 1e-6) << i;
  }
}

TEST(EfficiencyFigure, SaysWhatTheWholeHas) {
  const auto labels = labels_of(draw(four_steps()));
  EXPECT_THAT(labels.at(1).text, HasSubstr("4 time steps on 8 ranks, 1.50 s: parallel efficiency "
                                           "45.0 % = load balance 50.0 % × communication 90.0 %"));
  EXPECT_NE(find_label(labels, "50.0 %"), nullptr);
  EXPECT_NE(find_label(labels, "90.0 %"), nullptr);
  EXPECT_NE(find_label(labels, "5"), nullptr) << "steps have the numbers of the program";
}

TEST(EfficiencyFigure, KeepsValuesThatAreNearApart) {
  findings::Efficiency whole = four_steps();
  whole.communication = 0.501;
  const auto labels = labels_of(draw(whole));
  const layout::Label* balance = find_label(labels, "50.0 %");
  const layout::Label* communication = find_label(labels, "50.1 %");
  ASSERT_TRUE(balance != nullptr && communication != nullptr);
  EXPECT_GE(balance->at.y - communication->at.y, balance->size_px);
}

TEST(EfficiencyFigure, TakesMeansWhereStepsShareAColumn) {
  findings::Efficiency whole = four_steps();
  whole.steps.clear();
  for (uint32_t i = 0; i < 100'000; ++i)
    whole.steps.push_back({i, 10, i % 2 ? 0.4 : 0.6, {}, true});
  const layout::Scene scene = draw(whole);
  size_t points = 0;
  for (const auto* layer : layers_of<layout::Polylines>(scene)) {
    for (const layout::Polyline& line : layer->lines) points += line.points.size();
  }
  EXPECT_LT(points, 4000U);
  EXPECT_NE(find_label(labels_of(scene), "communication: of the whole only"), nullptr);
}

TEST(EfficiencyFigure, RefusesARunWithoutSteps) {
  findings::Efficiency whole = four_steps();
  whole.steps.clear();
  const auto scene = efficiency(whole, 1.5, {});
  ASSERT_FALSE(scene.ok());
  EXPECT_THAT(scene.error().message, HasSubstr("marks no time steps"));
  Options options;
  options.width_px = 100;
  options.height_px = 60;
  EXPECT_FALSE(efficiency(four_steps(), 1.5, options).ok());
}

}  // namespace
}  // namespace pathline::figure

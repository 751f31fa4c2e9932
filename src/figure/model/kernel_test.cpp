// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/model/test_model.hpp"

namespace pathline::figure {
namespace {

using testing::HasSubstr;

TEST(ModelFigure, PutsMarksAtTheirValues) {
  Case given = root_law();
  given.add_target({1024});
  const auto scene = draw(given, {.target = {1024}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const Rect plot = plot_of(scene.value());
  const Axis x = x_axis(scene.value(), plot, 4, 1024, true);
  const Axis y = y_axis(scene.value(), plot, "10", 10, "50", 50, true);
  const auto marks = marks_of(scene.value(), layout::light_theme().series_color(0), plot);
  ASSERT_EQ(marks.size(), 5U);
  for (size_t i = 0; i < 5; ++i) {
    const double p = kPowersOfTwo[i][0];
    EXPECT_NEAR(marks[i].x, x.px(p), 0.8);
    EXPECT_NEAR(marks[i].y, y.px(0.5 + 2 * std::sqrt(p)), 0.8);
  }
  const auto prediction = marks_of(scene.value(), layout::light_theme().highlight, plot);
  ASSERT_EQ(prediction.size(), 1U);
  EXPECT_NEAR(prediction[0].x, x.px(1024), 0.8);
  EXPECT_NEAR(prediction[0].y, y.px(64.5), 0.8);
}

TEST(ModelFigure, MarksEachRepetition) {
  const auto scene = draw(root_law(), {});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const Rect plot = plot_of(scene.value());
  size_t strokes = 0;
  for (const Polyline* line : lines_of(scene.value())) {
    if (line->points.size() != 2 || line->clip || line->stroke.a == 255) continue;
    EXPECT_EQ(line->points[0].y, line->points[1].y);
    EXPECT_GT(line->points[0].y, plot.y);
    ++strokes;
  }
  EXPECT_EQ(strokes, 15U);
}

TEST(ModelFigure, DrawsTheFormulaAtEveryEighthPixel) {
  const std::pair<Model, bool> models[] = {{power_law(0.5, 2, {1, 2, 0}), true},
                                           {power_law(9, 0.3, {0, 1, 1}), false},
                                           {power_law(40, -0.5, {1, 1, 0}), false},
                                           {power_law(0, 1e-7, {3, 1, 2}), true}};
  for (const auto& [law, is_logarithmic] : models) {
    Case given = case_of({{"f", law}}, kPowersOfTwo);
    given.add_target({1024});
    const auto scene = draw(given, {.target = {1024}});
    ASSERT_TRUE(scene.ok()) << scene.error().message;
    const Rect plot = plot_of(scene.value());
    const Axis x = x_axis(scene.value(), plot, 4, 1024, true);
    // The scale of values is taken from two marks, which another test has checked.
    const auto marks = marks_of(scene.value(), layout::light_theme().series_color(0), plot);
    ASSERT_EQ(marks.size(), 5U);
    const double first[] = {4};
    const double last[] = {64};
    const Axis y{scaling::evaluate(law, first), marks[0].y, scaling::evaluate(law, last),
                 marks[4].y, is_logarithmic};
    std::vector<Point> points;
    for (const bool dashed : {false, true}) {
      const auto pieces = curves_of(scene.value(), dashed);
      ASSERT_EQ(pieces.size(), 1U);
      points.insert(points.end(), pieces[0]->points.begin(), pieces[0]->points.end());
    }
    ASSERT_GT(points.size(), 100U);
    size_t i = 0;
    for (double px = points.front().x; px <= points.back().x; px += 8) {
      while (points[i + 1].x < px) ++i;
      const double share = (px - points[i].x) / (points[i + 1].x - points[i].x);
      const double drawn = points[i].y + share * (points[i + 1].y - points[i].y);
      const double p[] = {4 * std::pow(256, (px - x.px(4)) / (x.px(1024) - x.px(4)))};
      EXPECT_NEAR(drawn, y.px(scaling::evaluate(law, p)), 1.0) << "at p = " << p[0];
    }
  }
}

TEST(ModelFigure, DashesWhatWasNotMeasured) {
  Case given = root_law();
  given.add_target({1024});
  const auto scene = draw(given, {.target = {1024}});
  ASSERT_TRUE(scene.ok());
  const Axis x = x_axis(scene.value(), plot_of(scene.value()), 4, 1024, true);
  const auto solid = curves_of(scene.value(), false);
  const auto dashed = curves_of(scene.value(), true);
  ASSERT_EQ(solid.size(), 1U);
  ASSERT_EQ(dashed.size(), 1U);
  EXPECT_NEAR(solid[0]->points.front().x, x.px(4), 0.8);
  EXPECT_NEAR(solid[0]->points.back().x, x.px(64), 0.8);
  EXPECT_NEAR(dashed[0]->points.front().x, x.px(64), 0.8);
  EXPECT_NEAR(dashed[0]->points.back().x, x.px(1024), 0.8);
}

TEST(ModelFigure, HasTheCurveInItsBand) {
  Case given = root_law();
  given.add_target({1024});
  const auto scene = draw(given, {.target = {1024}});
  ASSERT_TRUE(scene.ok());
  const auto bands = bands_of(scene.value());
  ASSERT_EQ(bands.size(), 2U);
  for (size_t piece = 0; piece < 2; ++piece) {
    const auto& curve = curves_of(scene.value(), piece == 1)[0]->points;
    const auto& band = bands[piece]->points;
    ASSERT_EQ(band.size(), 2 * curve.size());
    for (size_t i = 0; i < curve.size(); ++i) {
      const Point high = band[i];
      const Point low = band[band.size() - 1 - i];
      EXPECT_EQ(high.x, curve[i].x);
      EXPECT_EQ(low.x, curve[i].x);
      EXPECT_LT(high.y, curve[i].y);
      EXPECT_GT(low.y, curve[i].y);
    }
  }
}

TEST(ModelFigure, LabelsMeasuredValuesAndTheTarget) {
  Case given = root_law();
  given.add_target({1024});
  const auto scene = draw(given, {.target = {1024}});
  ASSERT_TRUE(scene.ok());
  const auto labels = labels_of(scene.value());
  for (const char* text : {"4", "8", "16", "32", "64", "1,024"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
  EXPECT_NE(find_label(labels, "p (log scale)"), nullptr);
}

TEST(ModelFigure, IsStraightWhereValuesAreNearToEachOther) {
  const Case given = case_of({{"f", power_law(1, 0.5, {1, 1, 0})}}, {{10}, {20}, {30}, {40}, {50}});
  const auto scene = draw(given, {});
  ASSERT_TRUE(scene.ok());
  const auto labels = labels_of(scene.value());
  EXPECT_NE(find_label(labels, "p"), nullptr);
  const Rect plot = plot_of(scene.value());
  const Axis x = x_axis(scene.value(), plot, 10, 50, false);
  const auto marks = marks_of(scene.value(), layout::light_theme().series_color(0), plot);
  ASSERT_EQ(marks.size(), 5U);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(marks[i].x, x.px(10.0 * double(i + 1)), 0.8);
  const auto forced = draw(given, {.axes = ModelAxes::kLog});
  ASSERT_TRUE(forced.ok());
  EXPECT_NE(find_label(labels_of(forced.value()), "p (log scale)"), nullptr);
}

TEST(ModelFigure, SaysWhatTheModelIs) {
  Case given = root_law();
  given.fits[0].smape = 2.5;
  given.fits[0].noise = 0.1;
  given.fits[0].flags.set(scaling::Flag::kFewPoints);
  given.add_target({1024});
  const auto scene = draw(given, {.title = "runs", .target = {1024}, .unit = "sec"});
  ASSERT_TRUE(scene.ok());
  std::string all;
  for (const layout::Label& label : labels_of(scene.value())) all += label.text;
  EXPECT_THAT(all, HasSubstr("f(p) = 0.5 + 2 · p1/2"));
  EXPECT_THAT(all, HasSubstr("SMAPE 2.5 %"));
  EXPECT_THAT(all, HasSubstr("noise 10 %"));
  EXPECT_THAT(all, HasSubstr("5 points × 3 repetitions"));
  EXPECT_THAT(all, HasSubstr("fewer than 5 points"));
  EXPECT_THAT(all, HasSubstr("64.5 s at p = 1,024"));
  EXPECT_THAT(all, HasSubstr("90 %: 48.4 s to 96.8 s"));
  EXPECT_EQ(scene.value().title, "main->solve — time");
}

Case two_parameters(size_t seconds) {
  std::vector<std::vector<double>> points;
  for (double p = 4; p <= 64; p *= 2) {
    for (size_t n = 1; n <= seconds; ++n) points.push_back({p, 10.0 * double(n)});
  }
  const Model law{1, {{0.25, {{0, {1, 2, 0}}, {1, {1, 1, 0}}}}}};
  return case_of({{"main->solve", law}}, points, 1, {"p", "n"});
}

TEST(ModelFigure, HasACurveForEachValueOfTheSecondParameter) {
  Case given = two_parameters(3);
  given.add_target({256, 30});
  const auto scene = draw(given, {.target = {256, 30}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_EQ(curves_of(scene.value(), false).size(), 3U);
  const auto labels = labels_of(scene.value());
  for (const char* text : {"n = 10", "n = 20", "n = 30"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
}

TEST(ModelFigure, HasNoMoreThanSixCurvesAndOneForTheTarget) {
  Case given = two_parameters(11);
  given.add_target({256, 1000});
  const auto scene = draw(given, {.target = {256, 1000}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_EQ(curves_of(scene.value(), false).size(), 6U);
  EXPECT_EQ(curves_of(scene.value(), true).size(), 7U);
  const auto labels = labels_of(scene.value());
  for (const char* text : {"n = 10", "n = 110", "n = 1,000 (not measured)"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
}

}  // namespace
}  // namespace pathline::figure

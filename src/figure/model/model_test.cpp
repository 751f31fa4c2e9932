// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/model.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/model/plot.hpp"
#include "figure/model/test_model.hpp"
#include "figure/model/views.hpp"

namespace pathline::figure {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Areas that the labels of a scene cover.
std::vector<std::pair<Rect, std::string>> areas_of(const layout::Scene& scene) {
  std::vector<std::pair<Rect, std::string>> areas;
  for (const layout::Label& label : labels_of(scene)) {
    double width = layout::text_width_px(label.text, label.size_px, label.weight);
    if (label.max_width_px) width = std::min(width, *label.max_width_px);
    const double left = label.anchor == layout::Anchor::kStart    ? label.at.x
                        : label.anchor == layout::Anchor::kMiddle ? label.at.x - width / 2
                                                                  : label.at.x - width;
    const double height = 0.7 * label.size_px;
    const double top = label.baseline == layout::Baseline::kTop      ? label.at.y + 1
                       : label.baseline == layout::Baseline::kMiddle ? label.at.y - height / 2
                                                                     : label.at.y - height;
    areas.push_back({{left, top, width, height}, label.text});
  }
  return areas;
}

void expect_readable(const layout::Scene& scene) {
  const auto areas = areas_of(scene);
  for (size_t i = 0; i < areas.size(); ++i) {
    const auto& [a, text] = areas[i];
    EXPECT_GE(a.x, 0) << text;
    EXPECT_GE(a.y, 0) << text;
    EXPECT_LE(a.right(), scene.width_px + 0.5) << text;
    EXPECT_LE(a.bottom(), scene.height_px) << text;
    for (size_t j = 0; j < i; ++j) {
      const auto& [b, other] = areas[j];
      const bool apart = a.x >= b.right() - 0.5 || b.x >= a.right() - 0.5 || a.y >= b.bottom() ||
                         b.y >= a.bottom();
      EXPECT_TRUE(apart) << text << " / " << other;
    }
  }
}

Case three_kernels() {
  return case_of({{"main->a", power_law(0, 1, {1, 1, 0})},
                  {"main->b", {{3}}},
                  {"main->c", power_law(2, 0.5, {0, 1, 1})}},
                 kPowersOfTwo);
}

TEST(ModelFigure, DrawsBarsAsLongAsTheirValues) {
  Case given = three_kernels();
  given.add_target({128});
  const auto scene = draw(given, {.kind = ModelKind::kBars, .target = {128}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const layout::Theme& theme = layout::light_theme();
  const double expected[] = {128, 3, 5.5};
  const double measured[] = {64, 3, 5};
  const GrowthClass growth[] = {GrowthClass::kLinear, GrowthClass::kConstant,
                                GrowthClass::kLogarithmic};
  const auto& bars = *layers_of<layout::Boxes>(scene.value()).back();
  ASSERT_EQ(bars.w.size(), 6U);
  const double px = bars.w[0] / 128;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(bars.w[2 * i], expected[i] * px, 0.01);
    EXPECT_EQ(bars.color[2 * i], growth_color(theme, growth[i]));
    EXPECT_NEAR(bars.w[2 * i + 1], measured[i] * px, 0.01);
    EXPECT_EQ(bars.x[2 * i], bars.x[2 * i + 1]);
  }
  const auto labels = labels_of(scene.value());
  for (const char* text : {"94 %", "2.2 %", "4.0 %", "× 2", "linear", "constant", "logarithmic"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
}

TEST(ModelFigure, DrawsBarsFromMeasuredToPredictedWhereValuesAreFarApart) {
  Case given = three_kernels();
  given.add_target({65536});
  const auto scene = draw(given, {.kind = ModelKind::kBars, .target = {65536}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const auto& bars = *layers_of<layout::Boxes>(scene.value()).back();
  ASSERT_EQ(bars.w.size(), 9U);
  // Lengths are factors: 1024, 1, 2.
  EXPECT_NEAR(bars.w[3], 0, 0.01);
  EXPECT_NEAR(bars.w[0], bars.w[6] * 10, 0.05);
}

TEST(ModelFigure, SaysHowManyKernelsASheetShows) {
  std::vector<std::pair<std::string, Model>> kernels;
  for (int i = 0; i < 500; ++i) {
    kernels.emplace_back("main->kernel" + std::to_string(i), power_law(1, 500 - i, {1, 2, 0}));
  }
  Case given = case_of(kernels, kPowersOfTwo);
  given.add_target({1024});
  const auto scene = draw(
      given, {.width_px = 1600, .height_px = 1000, .kind = ModelKind::kSheet, .target = {1024}});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const auto labels = labels_of(scene.value());
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const layout::Label& label) {
    return label.text.starts_with(
        "24 of 500 kernels, predicted for p = 1,024 (9.4 % of the total)");
  }));
  EXPECT_EQ(curves_of(scene.value(), false).size(), 24U);
  const auto few = draw(
      given,
      {.width_px = 1600, .height_px = 1000, .kind = ModelKind::kSheet, .target = {1024}, .top = 5});
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(curves_of(few.value(), false).size(), 5U);
}

TEST(ModelFigure, SearchesOnceAndOnlyWhatIsDrawn) {
  Case given = three_kernels();
  given.add_target({128});
  size_t calls = 0;
  const SearchAgain again = [&](std::span<const uint32_t> kernels,
                                std::vector<std::vector<double>> targets) {
    ++calls;
    EXPECT_EQ(kernels.size(), 2U);
    EXPECT_GT(targets.size(), 20U);
    return again_of(given)(kernels, std::move(targets));
  };
  const auto scene = model(given.experiment, given.fits,
                           {.kind = ModelKind::kSheet, .target = {128}, .top = 2}, again);
  ASSERT_TRUE(scene.ok());
  EXPECT_EQ(calls, 1U);
}

TEST(ModelFigure, HasNoTextOverTextInSmallPictures) {
  const std::string name(300, 'x');
  const Model odd[] = {{{0}},
                       {{1e-300}},
                       power_law(1e300, 1e296, {1, 1, 0}),
                       power_law(50, -3, {1, 1, 0}),
                       power_law(0, -1e-9, {0, 1, 1}),
                       power_law(123456, 7.89e-5, {3, 2, 2})};
  for (const ModelKind kind : {ModelKind::kKernel, ModelKind::kSheet, ModelKind::kBars}) {
    std::vector<std::pair<std::string, Model>> kernels;
    for (const Model& law : odd) kernels.emplace_back(name + std::to_string(kernels.size()), law);
    Case given = case_of(kernels, kPowersOfTwo);
    for (Fit& fit : given.fits) {
      for (const auto flag : {scaling::Flag::kAmbiguous, scaling::Flag::kNoRepetitions,
                              scaling::Flag::kNotSeparable, scaling::Flag::kNegativeValues}) {
        fit.flags.set(flag);
      }
      fit.rivals.assign(3, {odd[5], 0.2});
    }
    given.add_target({65536});
    for (size_t i = 0; i < given.fits.size(); ++i) {
      std::swap(given.fits[0], given.fits[i]);
      const auto again = [&](auto, auto) { return std::vector<Fit>{}; };
      const auto scene = model(given.experiment, given.fits,
                               {.width_px = 640,
                                .height_px = 400,
                                .title = name,
                                .kind = kind,
                                .target = {65536},
                                .unit = "sec"},
                               again);
      ASSERT_TRUE(scene.ok()) << scene.error().message;
      expect_readable(scene.value());
      if (kind != ModelKind::kKernel) break;
    }
  }
}

TEST(ModelFigure, DrawsWhatGrowsBeyondAllNumbers) {
  for (const ModelKind kind : {ModelKind::kKernel, ModelKind::kSheet, ModelKind::kBars}) {
    Case given = case_of({{"main->solve", power_law(0.5, 2, {3, 1, 0})}}, kPowersOfTwo);
    given.add_target({1e300});
    EXPECT_TRUE(draw(given, {.kind = kind, .target = {1e300}}).ok());
  }
}

TEST(ModelFigure, HasAxesThatEndAtNumbers) {
  const std::pair<double, double> ranges[] = {
      {4, 1e300}, {1e-9, 1e306}, {1e306, 1e306}, {1e-300, 1e-300}, {5e-324, 1e306}};
  for (const auto& [low, high] : ranges) {
    // As narrow as in a sheet of many panels, where the padding is much of the axis.
    const ModelScale x = make_x_scale({low, high}, ModelAxes::kLog, 0, 60, 7);
    const ModelScale y = make_y_scale({low, high}, true, 100, 0);
    for (const ModelScale& scale : {x, y}) {
      EXPECT_GT(scale.begin, 0);
      EXPECT_LT(scale.begin, scale.end);
      EXPECT_TRUE(std::isfinite(scale.end));
      EXPECT_FALSE(ValueText("").log_ticks(scale.begin, scale.end, 8).major.empty()) << high;
      const double middle = std::sqrt(low) * std::sqrt(high);
      EXPECT_NEAR(scale.px(middle), (scale.px_begin + scale.px_end) / 2, 8) << low << " " << high;
    }
  }
}

TEST(ModelFigure, DrawsASinglePoint) {
  const Case given = case_of({{"main", {{2}}}}, {{16}}, 1);
  for (const ModelKind kind : {ModelKind::kKernel, ModelKind::kSheet}) {
    const auto scene = draw(given, {.kind = kind});
    ASSERT_TRUE(scene.ok()) << scene.error().message;
    EXPECT_NE(find_label(labels_of(scene.value()), "16"), nullptr);
    EXPECT_EQ(curves_of(scene.value(), true).size(), 2U);  // To both sides of the point.
  }
}

TEST(ModelFigure, RefusesPicturesThatAreTooSmall) {
  Case given = three_kernels();
  given.add_target({128});
  for (const ModelKind kind : {ModelKind::kKernel, ModelKind::kSheet, ModelKind::kBars}) {
    const auto scene =
        draw(given, {.width_px = 300, .height_px = 200, .kind = kind, .target = {128}});
    ASSERT_FALSE(scene.ok());
    EXPECT_THAT(scene.error().message,
                AllOf(HasSubstr("300x200"), HasSubstr("the smallest is 480x")));
  }
}

TEST(ModelFigure, DrawsTheSmallestPictureThatItNames) {
  Case given = root_law();
  for (uint32_t flag = 0; flag < 9; ++flag) given.fits[0].flags.set(scaling::Flag(flag));
  given.add_target({1024});
  ModelOptions options{.width_px = 480, .height_px = 320, .title = "x", .target = {1024}};
  const auto small = draw(given, options);
  ASSERT_FALSE(small.ok());
  const std::string& message = small.error().message;
  options.height_px = std::stod(message.substr(message.rfind('x') + 1));
  EXPECT_TRUE(draw(given, options).ok()) << message;
}

TEST(ModelFigure, RefusesWhatMakesNoSense) {
  Case given = root_law();
  const auto message = [&](const ModelOptions& options) {
    const auto scene = draw(given, options);
    return scene.ok() ? std::string() : scene.error().message;
  };
  EXPECT_THAT(message({.kind = ModelKind::kBars}), HasSubstr("no point to predict at"));
  EXPECT_THAT(message({.target = {1, 2}}), HasSubstr("has 2 values, but there are 1 parameters"));
  given.experiment.samples[0] = -1;
  EXPECT_THAT(message({.axes = ModelAxes::kLog}), HasSubstr("cannot show time = -1"));
  given.experiment.coordinates[0] = 0;
  for (const ModelKind kind : {ModelKind::kKernel, ModelKind::kSheet}) {
    EXPECT_THAT(message({.kind = kind, .axes = ModelAxes::kLog}), HasSubstr("cannot show p = 0"));
  }
  given.fits.clear();
  EXPECT_THAT(message({}), HasSubstr("nothing to draw"));
}

TEST(ModelFigure, FitsCallPathsByLeavingOutArgumentsAndCallers) {
  const std::string path = "main->Solver<double, Matrix>::solve(int, double)->apply(Vector<float>)";
  EXPECT_EQ(fitted_call_path(path, 1e4, 12), path);
  EXPECT_EQ(fitted_call_path(path, 180, 12), "main->Solver::solve->apply");
  EXPECT_EQ(fitted_call_path(path, 60, 12), "…->apply");
}

TEST(ModelFigure, RefusesSeveralMetricsInOneSheet) {
  scaling::ExperimentBuilder builder({"p"});
  for (const double p : {4.0, 8.0}) {
    for (const char* metric : {"time", "bytes"}) {
      builder.add(builder.call_path("main"), builder.metric(metric), builder.point({{p}}), p);
    }
  }
  Case given;
  given.experiment = std::move(builder).finish();
  given.fits.resize(2);
  given.fits[1].kernel = 1;
  const auto scene = draw(given, {.kind = ModelKind::kSheet});
  ASSERT_FALSE(scene.ok());
  EXPECT_THAT(scene.error().message, HasSubstr("of one metric, not of time and bytes"));
}

}  // namespace
}  // namespace pathline::figure

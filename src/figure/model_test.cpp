// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/model_plot.hpp"
#include "figure/model_text.hpp"
#include "figure/model_views.hpp"
#include "figure/test_scene.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Point;
using layout::Polyline;
using layout::Rect;
using scaling::Experiment;
using scaling::Fit;
using scaling::Model;
using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::HasSubstr;

Model power_law(double constant, double coefficient, scaling::Exponents exponents) {
  return {constant, {{coefficient, {{0, exponents}}}}};
}

/// Kernels that a model describes exactly, measured three times with +-10 % around it.
struct Case {
  Experiment experiment;
  std::vector<Fit> fits;

  void add_target(const std::vector<double>& target) {
    for (Fit& fit : fits) {
      const double value = scaling::evaluate(fit.model, target);
      fit.predictions = {{value, value - std::abs(value) / 4, value + std::abs(value) / 2}};
    }
  }
};

Case case_of(const std::vector<std::pair<std::string, Model>>& kernels,
             const std::vector<std::vector<double>>& points, size_t repetitions = 3,
             std::vector<std::string> parameters = {"p"}) {
  Case result;
  scaling::ExperimentBuilder builder(std::move(parameters));
  for (const auto& [name, model] : kernels) {
    for (const auto& point : points) {
      for (size_t r = 0; r < repetitions; ++r) {
        const double off = 0.1 * (double(r) - double(repetitions - 1) / 2);
        builder.add(builder.call_path(name), builder.metric("time"), builder.point(point),
                    scaling::evaluate(model, point) * (1 + off));
      }
    }
    Fit fit;
    fit.kernel = static_cast<uint32_t>(result.fits.size());
    fit.model = model;
    fit.noise = std::nan("");
    result.fits.push_back(std::move(fit));
  }
  result.experiment = std::move(builder).finish();
  return result;
}

const std::vector<std::vector<double>> kPowersOfTwo = {{4}, {8}, {16}, {32}, {64}};

Case root_law() { return case_of({{"main->solve", power_law(0.5, 2, {1, 2, 0})}}, kPowersOfTwo); }

/// A search that finds the same models, each with a range from 20 % below to 30 % above.
SearchAgain again_of(const Case& given) {
  return [&given](std::span<const uint32_t> kernels, std::vector<std::vector<double>> targets) {
    std::vector<Fit> fits;
    for (const uint32_t kernel : kernels) {
      Fit fit = given.fits.at(kernel);
      fit.predictions.clear();
      for (const auto& target : targets) {
        const double value = scaling::evaluate(fit.model, target);
        fit.predictions.push_back(
            {value, value - std::abs(value) / 5, value + 0.3 * std::abs(value)});
      }
      fits.push_back(std::move(fit));
    }
    return fits;
  };
}

base::Result<layout::Scene> draw(const Case& given, const ModelOptions& options) {
  return model(given.experiment, given.fits, options, again_of(given));
}

/// The plot is the largest box.
Rect plot_of(const layout::Scene& scene) {
  Rect plot;
  for (const auto* boxes : layers_of<layout::Boxes>(scene)) {
    for (size_t i = 0; i < boxes->x.size(); ++i) {
      if (boxes->w[i] * boxes->h[i] <= plot.w * plot.h) continue;
      plot = {boxes->x[i], boxes->y[i], boxes->w[i], boxes->h[i]};
    }
  }
  return plot;
}

std::vector<const Polyline*> lines_of(const layout::Scene& scene) {
  std::vector<const Polyline*> found;
  for (const auto* layer : layers_of<layout::Polylines>(scene)) {
    for (const Polyline& line : layer->lines) found.push_back(&line);
  }
  return found;
}

/// Pieces of the curve, those within what was measured or those outside of it.
std::vector<const Polyline*> curves_of(const layout::Scene& scene, bool dashed) {
  std::vector<const Polyline*> found;
  for (const Polyline* line : lines_of(scene)) {
    if (line->clip && !line->fill && line->dash_px.empty() != dashed) found.push_back(line);
  }
  return found;
}

std::vector<const Polyline*> bands_of(const layout::Scene& scene) {
  std::vector<const Polyline*> found;
  for (const Polyline* line : lines_of(scene)) {
    if (line->clip && line->fill) found.push_back(line);
  }
  return found;
}

/// Middles of filled polygons of a colour that are at most `size` px wide, from left to right.
std::vector<Point> marks_of(const layout::Scene& scene, layout::Color fill, const Rect& plot) {
  std::vector<Point> found;
  for (const Polyline* line : lines_of(scene)) {
    if (line->clip || !line->fill || *line->fill != fill) continue;
    Point low = line->points[0];
    Point high = low;
    for (const Point& point : line->points) {
      low = {std::min(low.x, point.x), std::min(low.y, point.y)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y)};
    }
    const Point middle{(low.x + high.x) / 2, (low.y + high.y) / 2};
    if (middle.y >= plot.y - 1) found.push_back(middle);
  }
  return found;
}

/// The pixel of a value, from two labelled ticks of an axis.
struct Axis {
  double value0, px0, value1, px1;
  bool logarithmic;
  [[nodiscard]] double px(double value) const {
    const auto map = [&](double v) { return logarithmic ? std::log(v) : v; };
    return px0 + (map(value) - map(value0)) / (map(value1) - map(value0)) * (px1 - px0);
  }
};

Axis x_axis(const layout::Scene& scene, const Rect& plot, double value0, double value1,
            bool logarithmic) {
  Axis axis{value0, 0, value1, 0, logarithmic};
  for (const layout::Label& label : labels_of(scene)) {
    if (label.at.y < plot.bottom()) continue;
    const double middle = label.at.x + layout::text_width_px(label.text, label.size_px) / 2;
    if (label.text == number_text(value0)) axis.px0 = middle;
    if (label.text == number_text(value1)) axis.px1 = middle;
  }
  return axis;
}

Axis y_axis(const layout::Scene& scene, const Rect& plot, const std::string& text0, double value0,
            const std::string& text1, double value1, bool logarithmic) {
  Axis axis{value0, 0, value1, 0, logarithmic};
  for (const layout::Label& label : labels_of(scene)) {
    if (label.at.x > plot.x || label.anchor != layout::Anchor::kEnd) continue;
    if (label.text == text0) axis.px0 = label.at.y;
    if (label.text == text1) axis.px1 = label.at.y;
  }
  return axis;
}

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

TEST(ModelText, TellsClassesOfGrowth) {
  EXPECT_EQ(growth_class({{3}}), GrowthClass::kConstant);
  EXPECT_EQ(growth_class(power_law(1, 1, {0, 1, 2})), GrowthClass::kLogarithmic);
  EXPECT_EQ(growth_class(power_law(1, 1, {2, 3, 1})), GrowthClass::kSublinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {1, 1, 0})), GrowthClass::kLinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {1, 1, 1})), GrowthClass::kSuperlinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {3, 2, 0})), GrowthClass::kSuperlinear);
  EXPECT_EQ(growth_class(power_law(1, -1, {1, 1, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(0, 1, {-1, 1, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(2, 1, {-1, 2, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(2, -1, {-1, 2, 0})), GrowthClass::kConstant);  // From below.
}

TEST(ModelText, HasWordsForEveryFlag) {
  for (unsigned bit = 0; bit <= static_cast<unsigned>(scaling::Flag::kNoLogarithms); ++bit) {
    Fit fit;
    fit.flags.set(static_cast<scaling::Flag>(bit));
    EXPECT_EQ(flag_texts(fit, {}).size(), 1U) << bit;
  }
}

TEST(ModelText, SaysFirstThatNoModelFits) {
  Fit fit;
  fit.flags.set(scaling::Flag::kFewPoints);
  fit.flags.set(scaling::Flag::kPoorFit);
  EXPECT_THAT(plain(flag_texts(fit, {})[0]), HasSubstr("no model fits"));
  EXPECT_TRUE(is_doubtful(fit));
}

TEST(ModelText, WritesFormulas) {
  const std::vector<std::string> names = {"p", "n"};
  const Model law{-1.5, {{-2e-5, {{0, {3, 2, 0}}, {1, {0, 1, 2}}}}, {0.25, {{1, {-1, 1, 0}}}}}};
  EXPECT_EQ(plain(rich_formula(law, names, 4)), "−1.5 − 2·10^−5 · p^3/2 · log2(n)^2 + 0.25 · n^−1");
  EXPECT_EQ(plain(rich_order(law, names)), "O(p^3/2 · log2(n)^2)");
  EXPECT_EQ(plain(rich_order({{3}}, names)), "O(1)");
  const RichText cut = fitted_formula(law, names, 170, 12);
  EXPECT_LE(rich_width_px(cut, 12), 170);
  EXPECT_THAT(plain(cut), HasSubstr("…"));
}

TEST(ModelText, WritesNumbers) {
  EXPECT_EQ(number_text(65536), "65,536");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(1e-6), "10⁻⁶");
  EXPECT_EQ(number_text(-1.2e12), "−1.2·10¹²");
  EXPECT_EQ(ValueText("sec")(0.0123), "12.3 ms");
  EXPECT_EQ(ValueText("sec")(4130), "4,130 s");
  EXPECT_EQ(ValueText("bytes")(2.5e6), "2.50 MB");
  EXPECT_EQ(ValueText("flop")(1234567), "1.23·10⁶ flop");
  for (const char* unit : {"", "sec", "bytes"}) {
    EXPECT_THAT(ValueText(unit)(INFINITY), testing::StartsWith("∞"));
    EXPECT_THAT(ValueText(unit)(-INFINITY), testing::StartsWith("−∞"));
    EXPECT_THAT(ValueText(unit)(NAN), testing::StartsWith("?"));
  }
}

TEST(ModelText, HasTicksForAnyRange) {
  for (const char* unit : {"", "sec", "bytes"}) {
    const ValueText text(unit);
    for (const double size : {1e-300, 1e-9, 1e-3, 1.0, 47.0, 1e5, 1e12, 1e300}) {
      int exponent = 0;
      const auto linear = text.linear_ticks(0, size, 5, exponent);
      EXPECT_GE(linear.major.size(), 2U) << unit << size;
      EXPECT_LE(linear.major.size(), 6U) << unit << size;
      const auto logarithmic = text.log_ticks(size, 20 * size, 6);
      EXPECT_GE(logarithmic.major.size(), 1U) << unit << size;
      for (const layout::Tick& tick : linear.major) EXPECT_LE(tick.label.size(), 20U);
    }
    EXPECT_LE(text.log_ticks(1e-300, 1e300, 6).major.size(), 7U);
  }
}

}  // namespace
}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "figure/model/model.hpp"
#include "figure/model/text.hpp"
#include "figure/test_scene.hpp"
#include "layout/text.hpp"

// Models to draw, and what is seen in pictures of them. For tests only; no program includes this.
namespace pathline::figure {

using layout::Point;
using layout::Polyline;
using layout::Rect;
using scaling::Experiment;
using scaling::Fit;
using scaling::Model;

inline Model power_law(double constant, double coefficient, scaling::Exponents exponents) {
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

inline Case case_of(const std::vector<std::pair<std::string, Model>>& kernels,
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

inline const std::vector<std::vector<double>> kPowersOfTwo = {{4}, {8}, {16}, {32}, {64}};

inline Case root_law() {
  return case_of({{"main->solve", power_law(0.5, 2, {1, 2, 0})}}, kPowersOfTwo);
}

/// A search that finds the same models, each with a range from 20 % below to 30 % above.
inline SearchAgain again_of(const Case& given) {
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

inline base::Result<layout::Scene> draw(const Case& given, const ModelOptions& options) {
  return model(given.experiment, given.fits, options, again_of(given));
}

/// The plot is the largest box.
inline Rect plot_of(const layout::Scene& scene) {
  Rect plot;
  for (const auto* boxes : layers_of<layout::Boxes>(scene)) {
    for (size_t i = 0; i < boxes->x.size(); ++i) {
      if (boxes->w[i] * boxes->h[i] <= plot.w * plot.h) continue;
      plot = {boxes->x[i], boxes->y[i], boxes->w[i], boxes->h[i]};
    }
  }
  return plot;
}

inline std::vector<const Polyline*> lines_of(const layout::Scene& scene) {
  std::vector<const Polyline*> found;
  for (const auto* layer : layers_of<layout::Polylines>(scene)) {
    for (const Polyline& line : layer->lines) found.push_back(&line);
  }
  return found;
}

/// Pieces of the curve, those within what was measured or those outside of it.
inline std::vector<const Polyline*> curves_of(const layout::Scene& scene, bool dashed) {
  std::vector<const Polyline*> found;
  for (const Polyline* line : lines_of(scene)) {
    if (line->clip && !line->fill && line->dash_px.empty() != dashed) found.push_back(line);
  }
  return found;
}

inline std::vector<const Polyline*> bands_of(const layout::Scene& scene) {
  std::vector<const Polyline*> found;
  for (const Polyline* line : lines_of(scene)) {
    if (line->clip && line->fill) found.push_back(line);
  }
  return found;
}

/// Middles of filled polygons of a colour that are at most `size` px wide, from left to right.
inline std::vector<Point> marks_of(const layout::Scene& scene, layout::Color fill,
                                   const Rect& plot) {
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

inline Axis x_axis(const layout::Scene& scene, const Rect& plot, double value0, double value1,
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

inline Axis y_axis(const layout::Scene& scene, const Rect& plot, const std::string& text0,
                   double value0, const std::string& text1, double value1, bool logarithmic) {
  Axis axis{value0, 0, value1, 0, logarithmic};
  for (const layout::Label& label : labels_of(scene)) {
    if (label.at.x > plot.x || label.anchor != layout::Anchor::kEnd) continue;
    if (label.text == text0) axis.px0 = label.at.y;
    if (label.text == text1) axis.px1 = label.at.y;
  }
  return axis;
}

}  // namespace pathline::figure

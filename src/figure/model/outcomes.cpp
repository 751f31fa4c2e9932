// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/model/plot.hpp"
#include "figure/model/views.hpp"
#include "figure/network/view.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Rect;

constexpr double kSmallestWidth = 480;
constexpr double kSmallestHeight = 320;
constexpr double kLeft = 62;        // Labels of values.
constexpr double kPanelTitle = 34;  // Name, and the title of the axis.
constexpr double kAxisHeight = 46;
constexpr double kGap = 18;
constexpr double kSmallestPanelWidth = 200;
constexpr double kSmallestPanelHeight = 180;
constexpr double kBandOpacity = 0.2;
constexpr double kRadius = 3.5;

/// Names in the order in which they come first.
std::vector<std::string> names_of(std::span<const OutcomePoint> points,
                                  std::string OutcomePoint::*member) {
  std::vector<std::string> names;
  for (const OutcomePoint& point : points) {
    if (std::find(names.begin(), names.end(), point.*member) == names.end()) {
      names.push_back(point.*member);
    }
  }
  return names;
}

class OutcomeFigure : Frame {
 public:
  OutcomeFigure(std::span<const OutcomePoint> points, const OutcomeOptions& options)
      : Frame(options),
        points_(points),
        options_(options),
        panels_(names_of(points, &OutcomePoint::panel)),
        series_(names_of(points, &OutcomePoint::series)) {}

  base::Result<layout::Scene> draw() {
    if (points_.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "there is nothing to draw: no runs with predictions"};
    }
    if (options_.width_px < kSmallestWidth || options_.height_px < kSmallestHeight) {
      return too_small("predictions", kSmallestWidth, kSmallestHeight);
    }
    double top = add_title(options_.title, "Predicted and measured", options_.subtitle);
    top += add_model_legend(&scene_, theme_, legend(), {kMargin, top, inner_width(), 0}) + 4;
    const double height = options_.height_px - top - 4;
    // The circles want a square; what is left holds panels.
    const double side = std::min(height, 0.45 * options_.width_px);
    add_scatter({kMargin, top, std::floor(side), std::floor(height)});
    const double left = kMargin + std::floor(side) + kGap;
    add_panels({left, top, options_.width_px - kMargin - left, height});
    scene_.description = "Times of steps as predicted and as measured";
    return std::move(scene_);
  }

 private:
  [[nodiscard]] layout::Color color(const std::string& series) const {
    const auto at = std::find(series_.begin(), series_.end(), series) - series_.begin();
    return theme_.series_color(static_cast<size_t>(at));
  }
  [[nodiscard]] std::vector<ModelEntry> legend() const {
    std::vector<ModelEntry> entries;
    for (const std::string& name : series_) {
      entries.push_back({ModelSwatch::kLine, color(name), base::printable(name)});
    }
    entries.push_back({ModelSwatch::kCircle, theme_.muted_text, "measured"});
    entries.push_back({ModelSwatch::kBand, layout::with_alpha(theme_.muted_text, kBandOpacity),
                       "predicted, 90 % interval"});
    return entries;
  }

  /// The plot in `area` with its name above and room for axes.
  [[nodiscard]] static Rect plot_in(const Rect& area) {
    return {std::round(area.x + kLeft), std::round(area.y + kPanelTitle),
            std::floor(area.w - kLeft - 8), std::floor(area.h - kPanelTitle - kAxisHeight)};
  }
  void add_name(const Rect& area, const std::string& name) {
    layout::Labels labels;
    labels.items.push_back({.text = name,
                            .at = {area.x, area.y + 8},
                            .color = theme_.text,
                            .size_px = theme_.text_size_px,
                            .baseline = layout::Baseline::kMiddle,
                            .weight = layout::Weight::kBold,
                            .max_width_px = area.w});
    scene_.layers.emplace_back(std::move(labels));
  }
  void add_time_axis(const Rect& plot, const ModelScale& y, const char* title) {
    const auto count = static_cast<size_t>(std::max(3.0, plot.h / 34));
    int exponent = 0;
    layout::Ticks ticks = y.logarithmic ? text_.log_ticks(y.begin, y.end, count)
                                        : text_.linear_ticks(y.begin, y.end, count, exponent);
    layout::add_left_axis(scene_, theme_, plot, straight(y), on_straight(std::move(ticks), y),
                          title);
  }

  void add_scatter(const Rect& area) {
    ValueRange range;
    for (const OutcomePoint& point : points_) {
      range.add(point.measured_s);
      if (point.predicted_s > 0) range.add(point.predicted_s);
    }
    const bool logarithmic = range.spans(8);
    add_name(area, "step, measured against predicted");
    const Rect plot = plot_in(area);
    const ModelScale y = make_y_scale(range, logarithmic, plot.bottom(), plot.y);
    ModelScale x = y;
    x.px_begin = plot.x;
    x.px_end = plot.right();
    add_ground(plot);
    const auto count = static_cast<size_t>(std::max(2.0, plot.w / 80));
    int exponent = 0;
    layout::Ticks ticks = logarithmic ? text_.log_ticks(x.begin, x.end, count)
                                      : text_.linear_ticks(x.begin, x.end, count, exponent);
    layout::add_bottom_axis(scene_, theme_, plot, straight(x), on_straight(std::move(ticks), x),
                            "predicted");
    add_time_axis(plot, y, "measured");
    layout::Polylines lines;
    lines.lines.push_back({.points = {{plot.x, plot.bottom()}, {plot.right(), plot.y}},
                           .stroke = theme_.axis,
                           .dash_px = {4, 3}});
    for (const OutcomePoint& point : points_) {
      if (point.predicted_s <= 0) continue;
      const double at = y.px(point.measured_s);
      lines.lines.push_back({.points = {{x.px(point.low_s), at}, {x.px(point.high_s), at}},
                             .stroke = layout::with_alpha(color(point.series), 0.6),
                             .width_px = 1.5,
                             .clip = plot});
    }
    for (const OutcomePoint& point : points_) {
      if (point.predicted_s <= 0) continue;
      lines.lines.push_back(circle({x.px(point.predicted_s), y.px(point.measured_s)}, kRadius,
                                   color(point.series), theme_.plot_background, 1));
    }
    scene_.layers.emplace_back(std::move(lines));
  }

  void add_panels(const Rect& area) {
    const auto fit = [](double room, double least) {
      return static_cast<size_t>(std::max(0.0, std::floor(room / least)));
    };
    const size_t most_columns = fit(area.w + kGap, kSmallestPanelWidth + kGap);
    const size_t most_rows = fit(area.h, kSmallestPanelHeight);
    const size_t shown = std::min(panels_.size(), most_columns * most_rows);
    if (shown == 0) return;
    // Rather wide panels: columns only where rows have no room.
    size_t columns = 1;
    while ((shown + columns - 1) / columns > most_rows) ++columns;
    const double column_count = static_cast<double>(columns);
    const double row_count = std::ceil(static_cast<double>(shown) / column_count);
    const double width = (area.w - kGap * (column_count - 1)) / column_count;
    const double height = area.h / row_count;
    ValueRange x_range;
    for (const OutcomePoint& point : points_) x_range.add(point.ranks);
    for (size_t i = 0; i < shown; ++i) {
      const auto column = static_cast<double>(i % columns);
      const auto row = std::floor(static_cast<double>(i) / column_count);
      add_panel({area.x + column * (width + kGap), area.y + row * height, width, height},
                panels_[i], x_range);
    }
  }

  /// The runs of a panel, series by series.
  [[nodiscard]] std::vector<ModelCurve> curves_of(const std::string& panel) const {
    std::vector<ModelCurve> curves;
    for (const std::string& series : series_) {
      std::map<double, const OutcomePoint*> by_ranks;
      for (const OutcomePoint& point : points_) {
        if (point.panel == panel && point.series == series) by_ranks.emplace(point.ranks, &point);
      }
      if (by_ranks.empty()) continue;
      ModelCurve curve{.color = color(series)};
      for (const auto& [ranks, point] : by_ranks) {
        curve.marks.push_back({.x = ranks, .value = point->measured_s});
        curve.measured.add(ranks);
        if (point->predicted_s <= 0) continue;
        curve.x.push_back(ranks);
        curve.value.push_back(point->predicted_s);
        curve.low.push_back(point->low_s);
        curve.high.push_back(point->high_s);
      }
      curves.push_back(std::move(curve));
    }
    return curves;
  }

  void add_panel(const Rect& area, const std::string& name, const ValueRange& x_range) {
    const std::vector<ModelCurve> curves = curves_of(name);
    add_name(area, base::printable(name));
    const Rect plot = plot_in(area);
    const ModelScale x = make_x_scale(x_range, ModelAxes::kAuto, plot.x, plot.right(), 14);
    ValueRange range;
    for (const ModelCurve& curve : curves) {
      for (const ModelMark& mark : curve.marks) range.add(mark.value);
      for (const double value : curve.value) range.add(value);
    }
    const ModelScale y = make_y_scale(range, range.spans(8), plot.bottom(), plot.y);
    add_ground(plot);
    layout::add_bottom_axis(scene_, theme_, plot, straight(x),
                            on_straight(x_ticks(curves, {}, x), x),
                            x.logarithmic ? "ranks (log scale)" : "ranks");
    add_time_axis(plot, y, y.logarithmic ? "step (log scale)" : "step");
    layout::Polylines bands;
    layout::Polylines lines;
    for (const ModelCurve& curve : curves) {
      add_model_band(bands, curve, x, y, plot, kBandOpacity);
      add_model_line(lines, curve, x, y, plot, 1.5);
    }
    for (const ModelCurve& curve : curves) {
      for (const ModelMark& mark : curve.marks) {
        lines.lines.push_back(circle({x.px(mark.x), y.px(mark.value)}, kRadius, curve.color,
                                     theme_.plot_background, 1));
      }
    }
    scene_.layers.emplace_back(std::move(bands));
    scene_.layers.emplace_back(std::move(lines));
  }

  std::span<const OutcomePoint> points_;
  const OutcomeOptions& options_;
  const ValueText text_{"s"};
  std::vector<std::string> panels_;
  std::vector<std::string> series_;
};

}  // namespace

base::Result<layout::Scene> outcomes(std::span<const OutcomePoint> points,
                                     const OutcomeOptions& options) {
  return OutcomeFigure(points, options).draw();
}

}  // namespace pathline::figure

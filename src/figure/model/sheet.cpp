// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

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

using layout::Anchor;
using layout::Point;
using layout::Rect;

constexpr double kPanelLeft = 54;  // Labels of values.
constexpr double kPanelTop = 34;   // Name and formula.
constexpr double kPanelBottom = 8;
constexpr double kPanelGap = 14;
constexpr double kAxisHeight = 44;
constexpr double kSmallestPanelWidth = 168;
constexpr double kSmallestPanelHeight = 104;
constexpr double kSmallestWidth = 480;
constexpr double kSmallestHeight = 320;
constexpr size_t kMostPanels = 24;
constexpr double kBandOpacity = 0.25;

/// Columns x rows for `count` panels in an area: those nearest to 3:2 of what they leave free.
struct Raster {
  size_t columns = 1;
  size_t rows = 1;
};

Raster raster_for(size_t count, double width, double height) {
  Raster best;
  double best_loss = HUGE_VAL;
  for (size_t columns = 1; columns <= count; ++columns) {
    const size_t rows = (count + columns - 1) / columns;
    const double w = width / static_cast<double>(columns);
    const double h = height / static_cast<double>(rows);
    if (columns > 1 && w < kSmallestPanelWidth) break;
    const double empty = static_cast<double>(columns * rows - count) / static_cast<double>(count);
    const double loss =
        std::abs(std::log(w / h / 1.4)) + empty + (h < kSmallestPanelHeight ? 10 : 0);
    if (loss >= best_loss) continue;
    best_loss = loss;
    best = {columns, rows};
  }
  return best;
}

class SheetFigure : Frame {
 public:
  SheetFigure(const scaling::Experiment& experiment, std::span<const scaling::Fit> fits,
              const ModelOptions& options)
      : Frame(options),
        experiment_(experiment),
        fits_(fits),
        options_(options),
        text_(options.unit) {
    for (const scaling::Fit& fit : fits_) {
      const auto prediction = prediction_of(fit, options_);
      if (options.adds_up && prediction && prediction->value > 0) total_ += prediction->value;
    }
  }

  base::Result<layout::Scene> draw(const SearchAgain& again) {
    if (options_.width_px < kSmallestWidth || options_.height_px < kSmallestHeight) {
      return too_small("a sheet of models", kSmallestWidth, kSmallestHeight);
    }
    const double width = inner_width() + kPanelGap;
    shown_ = fits_.size();  // Until it is clear how many find room.
    const double legend_height =
        add_model_legend(nullptr, theme_, legend(), {kMargin, 0, width - kPanelGap, 0});
    // The height of title and subtitle is always the same.
    layout::Scene probe = scene_;
    const double top = layout::add_title(probe, theme_, "t", "s") + legend_height + 8;
    const double height = options_.height_px - top - kAxisHeight - 4;
    choose(width, height);
    layout::add_title(scene_, theme_, title(), subtitle());
    add_model_legend(&scene_, theme_, legend(),
                     {kMargin, top - legend_height - 8, width - kPanelGap, 0});
    compute(again, width);
    for (size_t i = 0; i < shown_; ++i) {
      const size_t column = i % raster_.columns;
      const size_t row = i / raster_.columns;
      const double w = width / static_cast<double>(raster_.columns);
      const double h = height / static_cast<double>(raster_.rows);
      const Rect panel{std::round(kMargin + static_cast<double>(column) * w),
                       std::round(top + static_cast<double>(row) * h), std::floor(w - kPanelGap),
                       std::floor(h)};
      add_panel(i, panel, i + raster_.columns >= shown_);
    }
    scene_.description = "Measurements and scaling models of kernels";
    return std::move(scene_);
  }

 private:
  void choose(double width, double height) {
    const double columns = std::max(1.0, std::floor(width / kSmallestPanelWidth));
    const double rows = std::max(1.0, std::floor(height / kSmallestPanelHeight));
    shown_ = std::min({fits_.size(), static_cast<size_t>(columns * rows),
                       options_.top == 0 ? kMostPanels : options_.top});
    raster_ = raster_for(shown_, width, height);
  }

  [[nodiscard]] std::string title() const {
    std::string title = options_.title.empty() ? "" : base::printable(options_.title) + ": ";
    const std::string metric = metric_of(experiment_, fits_[0]);
    title += metric.empty() ? "models" : "models of " + metric;
    return title;
  }
  [[nodiscard]] std::string subtitle() const {
    const std::string all = base::counted(fits_.size(), "kernel", "kernels");
    std::string text =
        shown_ == fits_.size() ? all : fmt::format("{} of {}", base::human_count(shown_), all);
    if (!options_.target.empty()) {
      text += fmt::format(", predicted for {}", point_text(experiment_, options_.target));
      if (shown_ < fits_.size() && total_ > 0) {
        double sum = 0;
        for (size_t i = 0; i < shown_; ++i) {
          sum += std::max(0.0, prediction_of(fits_[i], options_)->value);
        }
        text += fmt::format(" ({} of the total)", percent_text(sum / total_));
      }
    }
    const std::vector<double> held = held_values();
    for (size_t i = 1; i < held.size(); ++i) {
      text += fmt::format("{}{} = {}", i == 1 ? "; drawn at " : ", ",
                          base::printable(experiment_.parameters[i]), number_text(held[i]));
    }
    // The least important is left out where it does not fit.
    const std::string more =
        fmt::format("{}; {}", text, value_text(experiment_, options_.aggregate));
    const bool fits = layout::text_width_px(more, theme_.text_size_px) < inner_width();
    return fits ? more : text;
  }
  /// Of all parameters, the first one being free.
  [[nodiscard]] std::vector<double> held_values() const {
    if (!options_.target.empty()) return options_.target;
    const auto point = experiment_.point(largest_point(experiment_));
    return {point.begin(), point.end()};
  }

  [[nodiscard]] std::vector<ModelEntry> legend() const {
    std::vector<ModelEntry> entries;
    const auto shown = fits_.first(shown_);
    for (size_t i = 0; i < kGrowthClassCount; ++i) {
      const auto growth = static_cast<GrowthClass>(i);
      const bool any = std::any_of(shown.begin(), shown.end(), [&](const scaling::Fit& fit) {
        return growth_class(fit.model) == growth;
      });
      if (any) {
        entries.push_back({ModelSwatch::kLine, growth_color(theme_, growth), growth_name(growth)});
      }
    }
    entries.push_back({ModelSwatch::kDashes, theme_.text, "extrapolated"});
    entries.push_back(
        {ModelSwatch::kBand, layout::with_alpha(theme_.text, kBandOpacity), "90 % range"});
    entries.push_back({ModelSwatch::kCircle, theme_.text, "measured"});
    if (!options_.target.empty()) {
      entries.push_back({ModelSwatch::kDiamond, theme_.highlight, "prediction"});
    }
    return entries;
  }

  /// The same pixels of a panel's x axis for all, and so one search for all.
  void compute(const SearchAgain& again, double width) {
    const double panel_width =
        std::floor(width / static_cast<double>(raster_.columns) - kPanelGap) - kPanelLeft;
    const std::vector<double> held = held_values();
    std::vector<uint32_t> kernels;
    for (size_t i = 0; i < shown_; ++i) {
      kernels.push_back(fits_[i].kernel);
      ModelCurve curve{.at = held, .color = growth_color(theme_, growth_class(fits_[i].model))};
      for (size_t p = 0; p < experiment_.point_count(); ++p) {
        const auto point = experiment_.point(p);
        if (!std::equal(point.begin() + 1, point.end(), held.begin() + 1)) continue;
        curve.marks.push_back({point[0],
                               aggregated(experiment_, fits_[i].kernel, p, options_.aggregate),
                               experiment_.samples_of(fits_[i].kernel, p)});
        curve.measured.add(point[0]);
      }
      curves_.push_back(std::move(curve));
    }
    for (size_t p = 0; p < experiment_.point_count(); ++p) x_range_.add(experiment_.point(p)[0]);
    if (!options_.target.empty()) x_range_.add(options_.target[0]);
    x_ = make_x_scale(x_range_, options_.axes, 0, panel_width, 7);
    const std::vector<double> xs = x_along(curves_.front(), x_range_, x_, 3);
    std::vector<std::vector<double>> targets;
    for (const double x : xs) {
      targets.push_back(held);
      targets.back()[0] = x;
    }
    const std::vector<scaling::Fit> found = again(kernels, targets);
    for (size_t i = 0; i < shown_; ++i) {
      curves_[i].x = xs;
      std::span<const scaling::Prediction> predictions;
      if (i < found.size()) predictions = found[i].predictions;
      evaluate_curve(curves_[i], fits_[i].model, predictions);
    }
  }

  void add_panel(size_t i, const Rect& panel, bool has_axis) {
    const Rect plot{panel.x + kPanelLeft, panel.y + kPanelTop, panel.w - kPanelLeft,
                    std::floor(panel.h - kPanelTop - kPanelBottom)};
    const ModelCurve& curve = curves_[i];
    const auto prediction = prediction_of(fits_[i], options_);
    add_heading(i, panel, prediction);
    ModelScale x = x_;
    x.px_begin += plot.x;
    x.px_end += plot.x;
    const ModelScale y = y_scale(curve, prediction, plot);
    add_axes(plot, x, y, has_axis);
    layout::Polylines lines;
    add_model_band(lines, curve, x, y, plot, kBandOpacity);
    add_model_line(lines, curve, x, y, plot, 1.6);
    for (const ModelMark& mark : curve.marks) {
      const double px = x.px(mark.x);
      lines.lines.push_back(
          {.points = {{px, y.px(mark.samples.front())}, {px, y.px(mark.samples.back())}},
           .stroke = layout::with_alpha(curve.color, 0.7)});
      lines.lines.push_back(
          circle({px, y.px(mark.value)}, 2.8, curve.color, theme_.plot_background, 0.8));
    }
    if (prediction) {
      lines.lines.push_back(diamond({x.px(options_.target[0]), y.px(prediction->value)}, 5,
                                    theme_.highlight, theme_.plot_background));
    }
    scene_.layers.emplace_back(std::move(lines));
  }

  /// "1  main->solve    12.3 s" and the formula below.
  void add_heading(size_t i, const Rect& panel,
                   const std::optional<scaling::Prediction>& prediction) {
    layout::Labels labels;
    const double size = theme_.small_size_px;
    double right = panel.right();
    if (prediction) {
      const std::string value = text_(prediction->value);
      labels.items.push_back({.text = value,
                              .at = {right, panel.y + 8},
                              .color = theme_.text,
                              .size_px = size,
                              .anchor = Anchor::kEnd,
                              .baseline = layout::Baseline::kMiddle});
      right -= layout::text_width_px(value, size) + 8;
    }
    const std::string number = fmt::format("{}  ", i + 1);
    const double room =
        right - panel.x - layout::text_width_px(number, size, layout::Weight::kBold);
    const std::string name = number + fitted_call_path(call_path_of(experiment_, fits_[i]), room,
                                                       size, layout::Weight::kBold);
    labels.items.push_back({.text = name,
                            .at = {panel.x, panel.y + 8},
                            .color = theme_.text,
                            .size_px = size,
                            .baseline = layout::Baseline::kMiddle,
                            .weight = layout::Weight::kBold});
    double left = panel.x;
    if (is_doubtful(fits_[i])) {
      add_warning_sign(scene_, theme_, {left, panel.y + 23});
      left += 18;
    }
    add_rich(labels,
             fitted_formula(fits_[i].model, experiment_.parameters, panel.right() - left, size),
             {left, panel.y + 23}, size, theme_.muted_text);
    scene_.layers.emplace_back(std::move(labels));
  }

  [[nodiscard]] ModelScale y_scale(const ModelCurve& curve,
                                   const std::optional<scaling::Prediction>& prediction,
                                   const Rect& plot) const {
    ValueRange plain;
    for (const ModelMark& mark : curve.marks) {
      for (const double sample : mark.samples) plain.add(sample);
    }
    for (const double value : curve.value) plain.add(value);
    // One that spans little is flat on a logarithmic axis too, and so comparable with the others.
    const bool logarithmic =
        options_.axes == ModelAxes::kLog || (options_.axes == ModelAxes::kAuto && x_.logarithmic);
    const bool fits = logarithmic && plain.low > 0;
    return make_y_scale(y_range({&curve, 1}, prediction, fits), fits, plot.bottom(), plot.y);
  }

  void add_axes(const Rect& plot, const ModelScale& x, const ModelScale& y, bool has_axis) {
    add_ground(plot);
    layout::Ticks x_labels = on_straight(x_ticks(curves_, options_.target, x), x);
    if (has_axis) {
      const std::string name = base::printable(experiment_.parameters[0]);
      layout::add_bottom_axis(scene_, theme_, plot, straight(x), x_labels,
                              x.logarithmic ? name + " (log scale)" : name);
    } else {
      layout::Polylines lines;
      for (const layout::Tick& tick : x_labels.major) {
        const double px = straight(x).px(tick.value);
        lines.add_rule({px, plot.y}, {px, plot.bottom()}, theme_.grid);
      }
      lines.add_rule({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, theme_.axis);
      scene_.layers.emplace_back(std::move(lines));
    }
    const auto count = static_cast<size_t>(std::max(2.0, plot.h / 26));
    int exponent = 0;
    layout::Ticks ticks = y.logarithmic ? text_.log_ticks(y.begin, y.end, count)
                                        : text_.linear_ticks(y.begin, y.end, count, exponent);
    if (exponent != 0) {
      for (layout::Tick& tick : ticks.major) tick.label = number_text(tick.value);
    }
    layout::add_left_axis(scene_, theme_, plot, straight(y), on_straight(std::move(ticks), y));
  }

  const scaling::Experiment& experiment_;
  const std::span<const scaling::Fit> fits_;
  const ModelOptions& options_;
  const ValueText text_;
  double total_ = 0;
  size_t shown_ = 0;
  Raster raster_;
  ValueRange x_range_;
  ModelScale x_;  // From 0.
  std::vector<ModelCurve> curves_;
};

}  // namespace

base::Result<layout::Scene> model_sheet(const scaling::Experiment& experiment,
                                        std::span<const scaling::Fit> fits,
                                        const ModelOptions& options, const SearchAgain& again) {
  return SheetFigure(experiment, fits, options).draw(again);
}

}  // namespace pathline::figure

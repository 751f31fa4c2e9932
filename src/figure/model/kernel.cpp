// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/model/free_place.hpp"
#include "figure/model/plot.hpp"
#include "figure/model/views.hpp"
#include "figure/network/view.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Anchor;
using layout::Rect;

constexpr double kLeft = 78;
constexpr double kAxisHeight = 46;
constexpr double kTitleOfAxis = 24;
constexpr double kSmallestWidth = 480;
constexpr double kSmallestHeight = 320;
constexpr double kSmallestPlot = 90;
constexpr size_t kMostCurves = 6;
constexpr double kCurveStepPx = 4;

class KernelFigure : Frame {
 public:
  KernelFigure(const scaling::Experiment& experiment, const scaling::Fit& fit,
               const ModelOptions& options)
      : Frame(options),
        experiment_(experiment),
        fit_(fit),
        options_(options),
        text_(options.unit),
        prediction_(prediction_of(fit, options)) {}

  base::Result<layout::Scene> draw(const SearchAgain& again) {
    if (options_.width_px < kSmallestWidth || options_.height_px < kSmallestHeight) {
      return too_small("a model", kSmallestWidth, kSmallestHeight);
    }
    curves_ = model_curves(experiment_, fit_.kernel, options_, kMostCurves);
    if (auto status = check_logarithmic(); !status) return status.error();
    double y = add_texts();
    const std::vector<ModelEntry> entries = legend();
    const Rect legend_area{kMargin, y, inner_width(), 0};
    y += add_model_legend(&scene_, theme_, entries, legend_area);
    plot_ = {kLeft, std::round(y + kTitleOfAxis), std::floor(options_.width_px - kLeft - 24), 0};
    plot_.h = std::floor(options_.height_px - plot_.y - kAxisHeight - 6);
    if (plot_.h < kSmallestPlot) {
      return too_small("a model", options_.width_px,
                       std::ceil(options_.height_px + kSmallestPlot - plot_.h));
    }
    compute(again);
    add_axes();
    add_curves();
    add_marks();
    if (prediction_) add_prediction();
    scene_.description = fmt::format("{} of {}, modelled as {}", metric_of(experiment_, fit_),
                                     call_path_of(experiment_, fit_),
                                     plain(rich_formula(fit_.model, experiment_.parameters, 4)));
    return std::move(scene_);
  }

 private:
  /// Of the values; x has been checked.
  base::Status check_logarithmic() const {
    if (options_.axes != ModelAxes::kLog) return {};
    for (const ModelCurve& curve : curves_) {
      for (const ModelMark& mark : curve.marks) {
        const double value = mark.samples.front();
        if (value > 0) continue;
        return base::Error{base::ErrorCode::kInvalidArgument,
                           fmt::format("a logarithmic axis cannot show {} = {}",
                                       metric_of(experiment_, fit_), value)};
      }
    }
    return {};
  }

  // --- Texts ---

  /// returns  the first free y.
  double add_texts() {
    const std::string metric =
        layout::fit_text_middle(metric_of(experiment_, fit_), 0.4 * options_.width_px,
                                theme_.title_size_px, layout::Weight::kBold);
    const std::string behind = metric.empty() ? "" : " \u2014 " + metric;
    const double room = inner_width() -
                        layout::text_width_px(behind, theme_.title_size_px, layout::Weight::kBold) -
                        2;
    double y = layout::add_title(scene_, theme_,
                                 fitted_call_path(call_path_of(experiment_, fit_), room,
                                                  theme_.title_size_px, layout::Weight::kBold) +
                                     behind);
    scene_.title = call_path_of(experiment_, fit_);
    if (!metric.empty()) scene_.title += " \u2014 " + metric_of(experiment_, fit_);
    y = add_formula(y);
    const Rect area{kMargin, y, inner_width(), 0};
    y += add_facts(scene_, theme_, facts(), area, 2, theme_.muted_text);
    const std::vector<RichText> flags = flag_texts(fit_, experiment_.parameters);
    if (!flags.empty()) {
      const bool doubtful = is_doubtful(fit_);
      if (doubtful) add_warning_sign(scene_, theme_, {kMargin, y + 9});
      const double sign = doubtful ? 19 : 0;
      y += add_facts(scene_, theme_, flags, {kMargin + sign, y, area.w - sign, 0}, 2,
                     doubtful ? theme_.highlight : theme_.muted_text);
    }
    return y + 2;
  }

  double add_formula(double y) {
    const double size = theme_.text_size_px + 2;
    RichText line{{fmt::format("f({}) = ", parameter_names())}};
    const double room = inner_width() - rich_width_px(line, size);
    for (Run& run : fitted_formula(fit_.model, experiment_.parameters, room, size)) {
      line.push_back(std::move(run));
    }
    layout::Labels labels;
    add_rich(labels, line, {kMargin, y + 9}, size, theme_.text);
    scene_.layers.emplace_back(std::move(labels));
    return y + 22;
  }
  [[nodiscard]] std::string parameter_names() const {
    std::string names;
    for (const std::string& name : experiment_.parameters) {
      names += (names.empty() ? "" : ", ") + base::printable(name);
    }
    return names.size() > 40 ? "…" : names;
  }

  [[nodiscard]] std::vector<RichText> facts() const {
    std::vector<RichText> facts;
    if (!options_.title.empty()) facts.push_back({{base::printable(options_.title)}});
    facts.push_back(rich_order(fit_.model, experiment_.parameters));
    if (fit_.probability > 0) {
      facts.back().push_back({fmt::format(", {:.0f} % likely", 100 * fit_.probability)});
    }
    constexpr double kRounding = 1e-9;  // Percent.
    facts.push_back(
        {{fmt::format("SMAPE {} %", two_digits(fit_.smape < kRounding ? 0 : fit_.smape))}});
    if (std::isfinite(fit_.noise)) {
      facts.push_back({{fmt::format("noise {} %", two_digits(100 * fit_.noise))}});
    }
    facts.push_back({{points_text()}});
    facts.push_back({{value_text(experiment_, options_.aggregate)}});
    if (experiment_.parameters.size() > 2 && !curves_.empty()) {
      facts.push_back({{held_text()}});
    }
    return facts;
  }
  static std::string two_digits(double value) { return number_text(base::rounded(value, 2)); }
  [[nodiscard]] std::string points_text() const {
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (size_t p = 0; p < experiment_.point_count(); ++p) {
      const size_t count = experiment_.samples_of(fit_.kernel, p).size();
      least = std::min(least, count);
      most = std::max(most, count);
    }
    const std::string points = base::counted(experiment_.point_count(), "point", "points");
    if (most == 1) return points + " measured once";
    return least == most ? fmt::format("{} \u00d7 {} repetitions", points, most)
                         : fmt::format("{} \u00d7 {} to {} repetitions", points, least, most);
  }
  /// "drawn at m = 3": what the third and further parameters are on the curves.
  [[nodiscard]] std::string held_text() const {
    std::string text;
    for (size_t i = 2; i < experiment_.parameters.size(); ++i) {
      text += fmt::format("{}{} = {}", text.empty() ? "drawn at " : ", ",
                          base::printable(experiment_.parameters[i]),
                          number_text(curves_.front().at[i]));
    }
    return text;
  }

  [[nodiscard]] bool is_single() const { return experiment_.parameters.size() == 1; }

  [[nodiscard]] std::vector<ModelEntry> legend() const {
    const layout::Color color = is_single() ? curves_.front().color : theme_.text;
    std::vector<ModelEntry> entries;
    if (!is_single()) {
      for (const ModelCurve& curve : curves_) {
        std::string text = fmt::format("{} = {}", base::printable(experiment_.parameters[1]),
                                       number_text(curve.at[1]));
        if (!curve.is_measured) {
          for (size_t i = 2; i < curve.at.size(); ++i) {
            text += fmt::format(", {} = {}", base::printable(experiment_.parameters[i]),
                                number_text(curve.at[i]));
          }
          text += " (not measured)";
        }
        entries.push_back({curve.is_measured ? ModelSwatch::kLine : ModelSwatch::kDashes,
                           curve.color, std::move(text)});
      }
    }
    const char* aggregate[] = {"mean", "median", "minimum", "maximum"};
    if (has_repetitions()) entries.push_back({ModelSwatch::kStroke, color, "repetition"});
    entries.push_back(
        {ModelSwatch::kCircle, color,
         has_repetitions() ? aggregate[static_cast<size_t>(options_.aggregate)] : "measured"});
    if (is_single()) entries.push_back({ModelSwatch::kLine, color, "model"});
    entries.push_back(
        {ModelSwatch::kBand, layout::with_alpha(color, kBandOpacity), "90 % range of the model"});
    if (is_extrapolated()) entries.push_back({ModelSwatch::kDashes, color, "extrapolated"});
    if (prediction_) entries.push_back({ModelSwatch::kDiamond, theme_.highlight, "prediction"});
    return entries;
  }
  [[nodiscard]] bool is_extrapolated() const {
    const ValueRange range = x_range(curves_, options_.target);
    return range.low == range.high ||
           std::any_of(curves_.begin(), curves_.end(), [&](const ModelCurve& curve) {
             return curve.measured.low > range.low || curve.measured.high < range.high;
           });
  }
  [[nodiscard]] bool has_repetitions() const {
    return std::any_of(curves_.begin(), curves_.end(), [](const ModelCurve& curve) {
      return std::any_of(curve.marks.begin(), curve.marks.end(),
                         [](const ModelMark& mark) { return mark.samples.size() > 1; });
    });
  }

  // --- Geometry ---

  void compute(const SearchAgain& again) {
    x_range_ = x_range(curves_, options_.target);
    x_ = make_x_scale(x_range_, options_.axes, plot_.x, plot_.right(), 14);
    std::vector<std::vector<double>> targets;
    for (ModelCurve& curve : curves_) {
      curve.x = x_along(curve, x_range_, x_, kCurveStepPx * (is_single() ? 1 : 2));
      for (const double x : curve.x) {
        targets.push_back(curve.at);
        targets.back()[0] = x;
      }
    }
    const uint32_t kernels[] = {fit_.kernel};
    const std::vector<scaling::Fit> found = again(kernels, std::move(targets));
    std::span<const scaling::Prediction> predictions;
    if (found.size() == 1) predictions = found[0].predictions;
    for (ModelCurve& curve : curves_) {
      const size_t count = std::min(curve.x.size(), predictions.size());
      evaluate_curve(curve, fit_.model, predictions.first(count));
      predictions = predictions.subspan(count);
    }
    ValueRange values = y_range(curves_, prediction_, false);
    const bool logarithmic = options_.axes == ModelAxes::kLog ||
                             (options_.axes == ModelAxes::kAuto && plain_range().spans(8));
    if (logarithmic) values = y_range(curves_, prediction_, true);
    y_ = make_y_scale(values, logarithmic, plot_.bottom(), plot_.y);
  }
  /// Without ranges of predictions.
  [[nodiscard]] ValueRange plain_range() const {
    ValueRange range;
    for (const ModelCurve& curve : curves_) {
      for (const ModelMark& mark : curve.marks) {
        for (const double sample : mark.samples) range.add(sample);
      }
      for (const double value : curve.value) range.add(value);
    }
    return range;
  }

  // --- Marks ---

  void add_axes() {
    add_ground(plot_);
    const std::string name = base::printable(experiment_.parameters[0]);
    layout::add_bottom_axis(scene_, theme_, plot_, straight(x_),
                            on_straight(x_ticks(curves_, options_.target, x_), x_),
                            x_.logarithmic ? name + " (log scale)" : name);
    const auto count = static_cast<size_t>(std::max(3.0, plot_.h / 34));
    int exponent = 0;
    layout::Ticks ticks = y_.logarithmic ? text_.log_ticks(y_.begin, y_.end, count)
                                         : text_.linear_ticks(y_.begin, y_.end, count, exponent);
    std::string title = text_.axis_title(metric_of(experiment_, fit_), exponent);
    if (y_.logarithmic) title += " (log scale)";
    layout::add_left_axis(scene_, theme_, plot_, straight(y_), on_straight(std::move(ticks), y_),
                          layout::fit_text_middle(title, 0.5 * plot_.w, theme_.small_size_px));
    add_border();
  }

  /// Where measurements end.
  void add_border() {
    ValueRange measured;
    for (const ModelCurve& curve : curves_) {
      for (const ModelMark& mark : curve.marks) measured.add(mark.x);
    }
    if (measured.empty() || measured.high >= x_range_.high) return;
    const double x = x_.px(measured.high);
    layout::Polylines rule;
    rule.lines.push_back(
        {.points = {{std::round(x) + 0.5, plot_.y}, {std::round(x) + 0.5, plot_.bottom()}},
         .stroke = theme_.axis,
         .dash_px = {2, 3}});
    scene_.layers.emplace_back(std::move(rule));
    layout::Labels labels;
    const auto add = [&](const char* text, double at, Anchor anchor) {
      labels.items.push_back({.text = text,
                              .at = {at, plot_.y - 10},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px,
                              .anchor = anchor});
    };
    const double width = layout::text_width_px("\u2190 measured", theme_.small_size_px);
    if (plot_.right() - x > width + 8) add("extrapolated \u2192", x + 6, Anchor::kStart);
    const double title_end = plot_.x + 0.6 * plot_.w;
    if (x - 6 - width > title_end) add("\u2190 measured", x - 6, Anchor::kEnd);
    scene_.layers.emplace_back(std::move(labels));
  }

  static constexpr double kBandOpacity = 0.28;

  void add_curves() {
    layout::Polylines bands;
    layout::Polylines lines;
    for (const ModelCurve& curve : curves_) {
      add_model_band(bands, curve, x_, y_, plot_, is_single() ? kBandOpacity : 0.16);
      add_model_line(lines, curve, x_, y_, plot_, 2);
    }
    scene_.layers.emplace_back(std::move(bands));
    scene_.layers.emplace_back(std::move(lines));
  }

  void add_marks() {
    layout::Polylines marks;
    for (const ModelCurve& curve : curves_) {
      for (const ModelMark& mark : curve.marks) {
        if (mark.samples.size() < 2) continue;
        // Strokes that reach out from below the larger mark.
        const double x = x_.px(mark.x);
        for (const double sample : mark.samples) {
          const double y = y_.px(sample);
          marks.lines.push_back({.points = {{x - 8, y}, {x + 8, y}},
                                 .stroke = layout::with_alpha(curve.color, 0.75)});
        }
      }
    }
    for (const ModelCurve& curve : curves_) {
      for (const ModelMark& mark : curve.marks) {
        marks.lines.push_back(circle({x_.px(mark.x), y_.px(mark.value)}, 4, curve.color,
                                     theme_.plot_background, 1.2));
      }
    }
    scene_.layers.emplace_back(std::move(marks));
  }

  /// With few points nothing is known but the value.
  [[nodiscard]] bool has_range() const {
    return !std::isnan(prediction_->low) && !std::isnan(prediction_->high);
  }

  void add_prediction() {
    const double x = x_.px(options_.target[0]);
    const double y = y_.px(prediction_->value);
    const double top = has_range() ? std::max(plot_.y, y_.px(prediction_->high)) : y;
    const double bottom = has_range() ? std::min(plot_.bottom(), y_.px(prediction_->low)) : y;
    layout::Polylines lines;
    if (top < bottom) {
      lines.add_rule({x, top}, {x, bottom}, theme_.highlight, 1.5);
      // An end that is cut off has no foot.
      if (top > plot_.y) lines.add_rule({x - 5, top}, {x + 5, top}, theme_.highlight, 1.5);
      if (bottom < plot_.bottom()) {
        lines.add_rule({x - 5, bottom}, {x + 5, bottom}, theme_.highlight, 1.5);
      }
    }
    if (y >= plot_.y && y <= plot_.bottom()) {
      lines.lines.push_back(diamond({x, y}, 7, theme_.highlight, theme_.plot_background));
    }
    scene_.layers.emplace_back(std::move(lines));
    add_prediction_text(std::clamp(top, plot_.y, plot_.bottom()),
                        std::clamp(bottom, plot_.y, plot_.bottom()), x);
  }

  /// The value and its range, where they cover least of curves and marks.
  void add_prediction_text(double top, double bottom, double x) {
    const std::string lines[] = {
        fmt::format("{} at {}", text_(prediction_->value),
                    point_text(experiment_, options_.target)),
        has_range()
            ? fmt::format("90 %: {} to {}", text_(prediction_->low), text_(prediction_->high))
            : "range unknown"};
    double width = 0;
    for (const std::string& line : lines) {
      width =
          std::max(width, layout::text_width_px(line, theme_.text_size_px, layout::Weight::kBold));
    }
    width = std::min(width, plot_.w - 16);
    constexpr double kHeight = 36;
    const Rect best = free_place(curves_, x_, y_, plot_,
                                 {.width_px = width,
                                  .height_px = kHeight,
                                  .to = {x, (top + bottom) / 2},
                                  .top = top,
                                  .bottom = bottom});
    layout::Boxes ground;
    ground.corner_radius_px = 4;
    ground.add({best.x - 4, best.y - 2, best.w + 8, best.h + 4},
               layout::with_alpha(theme_.plot_background, 0.82));
    scene_.layers.emplace_back(std::move(ground));
    layout::Labels labels;
    for (size_t i = 0; i < 2; ++i) {
      labels.items.push_back({.text = lines[i],
                              .at = {best.x, best.y + 9 + 18 * static_cast<double>(i)},
                              .color = i == 0 ? theme_.text : theme_.muted_text,
                              .size_px = theme_.text_size_px,
                              .baseline = layout::Baseline::kMiddle,
                              .weight = i == 0 ? layout::Weight::kBold : layout::Weight::kRegular,
                              .max_width_px = width + 2});
    }
    scene_.layers.emplace_back(std::move(labels));
  }
  const scaling::Experiment& experiment_;
  const scaling::Fit& fit_;
  const ModelOptions& options_;
  const ValueText text_;
  const std::optional<scaling::Prediction> prediction_;
  std::vector<ModelCurve> curves_;
  Rect plot_;
  ValueRange x_range_;
  ModelScale x_;
  ModelScale y_;
};

}  // namespace

base::Result<layout::Scene> model_kernel(const scaling::Experiment& experiment,
                                         const scaling::Fit& fit, const ModelOptions& options,
                                         const SearchAgain& again) {
  return KernelFigure(experiment, fit, options).draw(again);
}

}  // namespace pathline::figure

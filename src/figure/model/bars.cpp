// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/model/plot.hpp"
#include "figure/model/views.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Anchor;
using layout::Rect;

constexpr double kAxisHeight = 46;
constexpr double kHeading = 18;
constexpr double kSmallestRow = 17;
constexpr double kLargestRow = 34;
constexpr double kSmallestWidth = 480;
constexpr double kSmallestHeight = 240;
constexpr double kSmallestPlot = 110;
constexpr double kColumnGap = 14;
/// The axis is logarithmic when the largest is more times the median, also of what was measured.
constexpr double kLogarithmicFrom = 100;

/// What stands in a row behind its bar.
struct Cells {
  std::string value;
  std::string share;
  std::string factor;
  RichText order;
};

class BarsFigure : Frame {
 public:
  BarsFigure(const scaling::Experiment& experiment, std::span<const scaling::Fit> fits,
             const ModelOptions& options)
      : Frame(options),
        experiment_(experiment),
        fits_(fits),
        options_(options),
        text_(options.unit),
        largest_(largest_point(experiment)) {
    if (!options.adds_up) return;
    for (const scaling::Fit& fit : fits_) total_ += std::max(0.0, predicted(fit).value);
  }

  base::Result<layout::Scene> draw() {
    if (options_.width_px < kSmallestWidth || options_.height_px < kSmallestHeight) {
      return too_small("bars of models", kSmallestWidth, kSmallestHeight);
    }
    shown_ = fits_.size();  // Until it is clear how many find room.
    layout::Scene probe = scene_;
    const double top = layout::add_title(probe, theme_, "t", "s");
    const Rect legend_area{kMargin, top, inner_width(), 0};
    const double legend_height = add_model_legend(nullptr, theme_, legend(), legend_area);
    const double plot_top = std::round(top + legend_height + 4 + kHeading);
    const double height = options_.height_px - plot_top - kAxisHeight - 6;
    shown_ = std::min({fits_.size(), static_cast<size_t>(std::max(0.0, height) / kSmallestRow),
                       options_.top == 0 ? SIZE_MAX : options_.top});
    if (shown_ == 0) return too_small("bars of models", kSmallestWidth, kSmallestHeight);
    row_ = std::min(kLargestRow, std::floor(height / static_cast<double>(shown_)));
    layout::add_title(scene_, theme_, title(), subtitle());
    add_model_legend(&scene_, theme_, legend(), legend_area);
    place_columns(plot_top);
    add_axis();
    add_bars();
    add_names();
    add_columns();
    scene_.description = fmt::format("Predicted {} by kernel", metric_of(experiment_, fits_[0]));
    return std::move(scene_);
  }

 private:
  [[nodiscard]] scaling::Prediction predicted(const scaling::Fit& fit) const {
    return *prediction_of(fit, options_);
  }
  [[nodiscard]] double measured(const scaling::Fit& fit) const {
    return aggregated(experiment_, fit.kernel, largest_, options_.aggregate);
  }

  [[nodiscard]] std::string title() const {
    std::string title = options_.title.empty() ? "" : base::printable(options_.title) + ": ";
    const std::string metric = metric_of(experiment_, fits_[0]);
    title += fmt::format("{}predicted for {}", metric.empty() ? "" : metric + " ",
                         point_text(experiment_, options_.target));
    return title;
  }
  [[nodiscard]] std::string subtitle() const {
    const std::string all = base::counted(fits_.size(), "kernel", "kernels");
    std::string text = all;
    if (shown_ < fits_.size()) {
      double rest = 0;
      for (const scaling::Fit& fit : fits_.subspan(shown_)) {
        rest += std::max(0.0, predicted(fit).value);
      }
      text = fmt::format("{} of {}", base::human_count(shown_), all);
      if (total_ > 0) {
        text += fmt::format(", the others have {} of the total", percent_text(rest / total_));
      }
    }
    if (total_ > 0) text += fmt::format("; total {}", text_(total_));
    // The least important is left out where it does not fit.
    const std::string more =
        fmt::format("{}; {}", text, value_text(experiment_, options_.aggregate));
    const bool fits = layout::text_width_px(more, theme_.text_size_px) < inner_width();
    return fits ? more : text;
  }

  [[nodiscard]] std::vector<ModelEntry> legend() const {
    std::vector<ModelEntry> entries;
    for (size_t i = 0; i < kGrowthClassCount; ++i) {
      const auto growth = static_cast<GrowthClass>(i);
      const auto shown = fits_.first(shown_);
      const bool any = std::any_of(shown.begin(), shown.end(), [&](const scaling::Fit& fit) {
        return growth_class(fit.model) == growth;
      });
      if (any) {
        entries.push_back({ModelSwatch::kBox, growth_color(theme_, growth), growth_name(growth)});
      }
    }
    entries.push_back({ModelSwatch::kWhisker, theme_.text, "90 % range"});
    entries.push_back({ModelSwatch::kBox, theme_.muted_text,
                       "measured at " + point_text(experiment_, experiment_.point(largest_))});
    return entries;
  }

  // --- Geometry ---

  void place_columns(double plot_top) {
    double widths[4] = {heading_width("predicted"), heading_width("share"), heading_width("growth"),
                        heading_width("order")};
    for (size_t i = 0; i < shown_; ++i) {
      cells_.push_back(cells_of(fits_[i]));
      const double size = theme_.small_size_px;
      names_.push_back(fitted_call_path(call_path_of(experiment_, fits_[i]),
                                        options_.width_px * 0.28 - 2, size));
      widths[0] = std::max(widths[0], layout::text_width_px(cells_[i].value, size));
      widths[1] = std::max(widths[1], layout::text_width_px(cells_[i].share, size));
      widths[2] = std::max(widths[2], layout::text_width_px(cells_[i].factor, size));
      widths[3] = std::max(widths[3], rich_width_px(cells_[i].order, size));
    }
    widths[3] = std::min(widths[3], 0.25 * options_.width_px);
    name_width_ = layout::row_label_width_px(theme_, names_, options_.width_px * 0.28) + 1;
    const double left = std::round(kMargin + name_width_ + 8);
    // The first columns matter most.
    double right = options_.width_px - kMargin;
    double used = 0;
    for (column_count_ = 0; column_count_ < 4; ++column_count_) {
      const double more = widths[column_count_] + kColumnGap;
      if (right - used - more - left < (column_count_ < 2 ? kSmallestPlot : 2 * kSmallestPlot)) {
        break;
      }
      used += more;
    }
    plot_ = {left, plot_top, std::floor(right - used - left), row_ * static_cast<double>(shown_)};
    double x = plot_.right();
    for (size_t i = 0; i < column_count_; ++i) {
      x += kColumnGap + widths[i];
      column_right_[i] = x;
    }
    // Orders begin at the same x, numbers end there.
    column_right_[3] -= widths[3];
    order_width_ = widths[3];
    make_scale();
  }
  [[nodiscard]] double heading_width(const char* text) const {
    return layout::text_width_px(text, theme_.small_size_px);
  }
  [[nodiscard]] Cells cells_of(const scaling::Fit& fit) const {
    const double value = predicted(fit).value;
    const double now = measured(fit);
    Cells cells{.value = text_(value), .order = rich_order(fit.model, experiment_.parameters)};
    if (total_ > 0 && value >= 0) cells.share = percent_text(value / total_);
    if (cells.share.starts_with("less than ")) cells.share.replace(0, 9, "<");
    if (now > 0 && value > 0) {
      const double factor = value / now;
      cells.factor = "\u00d7 " + number_text(base::rounded(factor, 2));
    }
    return cells;
  }

  void make_scale() {
    ValueRange bars;
    ValueRange wide;
    std::vector<double> values;
    for (const scaling::Fit& fit : fits_.first(shown_)) {
      const scaling::Prediction prediction = predicted(fit);
      values.push_back(prediction.value);
      values.push_back(measured(fit));
      bars.add(prediction.value);
      bars.add(measured(fit));
      wide.add(prediction.low);
      wide.add(prediction.high);
    }
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    const double median = values[values.size() / 2];
    scale_.px_begin = plot_.x;
    scale_.px_end = plot_.right();
    scale_.logarithmic =
        options_.axes != ModelAxes::kLinear && bars.low > 0 &&
        (options_.axes == ModelAxes::kLog || bars.high > kLogarithmicFrom * median);
    // A range may be very long: it is cut off rather than the bars squeezed.
    if (scale_.logarithmic) {
      const double room = std::cbrt(ratio_of(bars.high, bars.low));
      const double low = wide.low > 0 ? wide.low : bars.low / room;
      scale_.begin = std::min(bars.low, std::max(low, bars.low / room)) / 1.5;
      scale_.end = std::max(bars.high, std::min(wide.high, bars.high * room)) * 1.2;
      return;
    }
    bars.add(0);
    const double room = 0.5 * (bars.high - bars.low);
    const double high = std::max(bars.high, std::min(wide.high, bars.high + room));
    const double low = std::min(bars.low, std::max(wide.low, bars.low < 0 ? bars.low - room : 0));
    scale_.begin = low * 1.02;
    scale_.end = high * 1.02;
    if (scale_.begin == scale_.end) scale_.end = 1;
  }

  // --- Marks ---

  void add_axis() {
    add_ground(plot_);
    int exponent = 0;
    const auto count = static_cast<size_t>(std::max(2.0, plot_.w / 80));
    layout::Ticks ticks = scale_.logarithmic
                              ? text_.log_ticks(scale_.begin, scale_.end, count)
                              : text_.linear_ticks(scale_.begin, scale_.end, count, exponent);
    std::string title = text_.axis_title(metric_of(experiment_, fits_[0]), exponent);
    if (scale_.logarithmic) {
      const std::string meaning = title + " (log scale: a bar runs from measured to predicted)";
      const bool fits = layout::text_width_px(meaning, theme_.small_size_px) < plot_.w;
      title = fits ? meaning
                   : layout::fit_text_middle(title, plot_.w - 70, theme_.small_size_px) +
                         " (log scale)";
    }
    layout::add_bottom_axis(scene_, theme_, plot_, straight(scale_),
                            on_straight(std::move(ticks), scale_), title);
    if (!scale_.logarithmic && scale_.begin < 0) {
      layout::Polylines zero;
      zero.add_rule({scale_.px(0), plot_.y}, {scale_.px(0), plot_.bottom()}, theme_.axis);
      scene_.layers.emplace_back(std::move(zero));
    }
  }

  void add_bars() {
    layout::Boxes bars;
    layout::Polylines ranges;
    const double bar = std::floor(row_ * 0.46);
    const double thin = std::max(3.0, std::floor(row_ * 0.18));
    const double gap = std::floor((row_ - bar - thin - 1) / 2);
    const auto add = [&](double value, double y, double height, layout::Color color) {
      const double zero = scale_.px(0);
      const double end = scale_.px(value);
      // What is not nothing is seen.
      const double width = value == 0 ? 0 : std::max(1.0, std::abs(end - zero));
      bars.add({value < 0 ? zero - width : zero, y, width, height}, color);
    };
    for (size_t i = 0; i < shown_; ++i) {
      const scaling::Fit& fit = fits_[i];
      const double y = plot_.y + row_ * static_cast<double>(i) + gap;
      const scaling::Prediction prediction = predicted(fit);
      if (scale_.logarithmic) {
        add_way(bars, measured(fit), prediction.value, y, bar + thin, growth_class(fit.model));
        add_range(ranges, prediction, y + (bar + thin) / 2);
        continue;
      }
      add(prediction.value, y, bar, growth_color(theme_, growth_class(fit.model)));
      add(measured(fit), y + bar + 1, thin, theme_.muted_text);
      add_range(ranges, prediction, y + bar / 2);
    }
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(ranges));
  }

  /// On a logarithmic axis, which has no 0 to begin at: its length is the factor of growth.
  void add_way(layout::Boxes& bars, double from, double to, double y, double height,
               GrowthClass growth) const {
    const double from_px = scale_.px(from);
    const double to_px = scale_.px(to);
    const layout::Color color = growth_color(theme_, growth);
    bars.add({std::min(from_px, to_px), y + 2, std::abs(to_px - from_px), height - 4},
             theme_.tint(color, 0.6));
    bars.add({std::round(from_px) - 1, y, 3, height}, theme_.muted_text);
    bars.add({std::round(to_px) - 2, y, 5, height}, color);
  }

  void add_range(layout::Polylines& lines, const scaling::Prediction& prediction, double y) {
    if (!(prediction.low < prediction.high)) return;
    const double from = std::max(plot_.x, scale_.px(prediction.low));
    const double to = std::min(plot_.right(), scale_.px(prediction.high));
    if (to - from < 1) return;
    const layout::Color color = theme_.text;
    lines.add_rule({from, y}, {to, y}, color, 1);
    const double foot = std::max(2.0, std::floor(row_ * 0.12));
    if (scale_.px(prediction.low) >= plot_.x) {
      lines.add_rule({from, y - foot}, {from, y + foot}, color, 1);
    } else {
      add_arrow(lines, from, y, 5);
    }
    if (scale_.px(prediction.high) <= plot_.right()) {
      lines.add_rule({to, y - foot}, {to, y + foot}, color, 1);
    } else {
      add_arrow(lines, to, y, -5);
    }
  }
  /// It goes on beyond the plot.
  void add_arrow(layout::Polylines& lines, double x, double y, double back) const {
    lines.lines.push_back({.points = {{x + back, y - 3}, {x, y}, {x + back, y + 3}},
                           .stroke = theme_.text,
                           .fill = theme_.text});
  }

  void add_names() { layout::add_row_labels(scene_, theme_, plot_, names_, name_width_, 1); }

  void add_columns() {
    layout::Labels labels;
    const double size = theme_.small_size_px;
    const auto add = [&](const std::string& text, double right, double y, layout::Color color) {
      labels.items.push_back({.text = text,
                              .at = {right, y},
                              .color = color,
                              .size_px = size,
                              .anchor = Anchor::kEnd,
                              .baseline = layout::Baseline::kMiddle});
    };
    const char* headings[] = {"predicted", "share", "growth", "order"};
    for (size_t c = 0; c < column_count_; ++c) {
      const double heading_right =
          c == 3 ? column_right_[3] + heading_width("order") : column_right_[c];
      add(headings[c], heading_right, plot_.y - 9, theme_.muted_text);
    }
    for (size_t i = 0; i < shown_; ++i) {
      const double y = plot_.y + row_ * (static_cast<double>(i) + 0.5);
      if (column_count_ > 0) add(cells_[i].value, column_right_[0], y, theme_.text);
      if (column_count_ > 1) add(cells_[i].share, column_right_[1], y, theme_.muted_text);
      if (column_count_ > 2) add(cells_[i].factor, column_right_[2], y, theme_.muted_text);
      if (column_count_ < 4) continue;
      RichText order = cells_[i].order;
      if (rich_width_px(order, size) > order_width_) {
        order = {{layout::fit_text_middle(plain(order), order_width_, size)}};
      }
      add_rich(labels, order, {column_right_[3], y}, size, theme_.muted_text);
    }
    scene_.layers.emplace_back(std::move(labels));
  }

  const scaling::Experiment& experiment_;
  const std::span<const scaling::Fit> fits_;
  const ModelOptions& options_;
  const ValueText text_;
  const size_t largest_;  // Point.
  double total_ = 0;
  size_t shown_ = 0;
  double row_ = 0;
  Rect plot_;
  ModelScale scale_;
  double name_width_ = 0;
  size_t column_count_ = 0;
  double column_right_[4] = {};
  double order_width_ = 0;
  std::vector<Cells> cells_;
  std::vector<std::string> names_;
};

}  // namespace

base::Result<layout::Scene> model_bars(const scaling::Experiment& experiment,
                                       std::span<const scaling::Fit> fits,
                                       const ModelOptions& options) {
  return BarsFigure(experiment, fits, options).draw();
}

}  // namespace pathline::figure

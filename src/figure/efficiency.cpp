// SPDX-License-Identifier: BSD-3-Clause
#include "findings/efficiency.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kLeft = 64;
constexpr double kRight = 52;  // for the values of the run
constexpr double kAxisHeight = 48;

/// Means over the steps of one column of the picture, by their length.
struct Column {
  double load_balance = 0;
  std::optional<double> communication;  ///< Of the steps of which it is known.
};

std::vector<Column> columns_of(const std::vector<findings::StepEfficiency>& steps, size_t count) {
  std::vector<Column> columns(count);
  for (size_t column = 0; column < count; ++column) {
    double all = 0;
    double known = 0;
    double balance = 0;
    double communication = 0;
    const size_t end = (column + 1) * steps.size() / count;
    for (size_t i = column * steps.size() / count; i < end; ++i) {
      const double ticks = std::max(1.0, static_cast<double>(steps[i].ticks));
      all += ticks;
      balance += ticks * steps[i].load_balance;
      if (!steps[i].complete || !steps[i].communication) continue;
      known += ticks;
      communication += ticks * *steps[i].communication;
    }
    columns[column].load_balance = balance / all;
    if (known > 0) columns[column].communication = communication / known;
  }
  return columns;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class EfficiencyFigure : Frame {
 public:
  EfficiencyFigure(const findings::Efficiency& efficiency, double seconds, const Options& options)
      : Frame(options), whole_(efficiency), seconds_(seconds), options_(options) {}

  base::Result<layout::Scene> draw() {
    const double top = add_title(options_.title, "Efficiency of each time step", subtitle());
    const double width = std::floor(options_.width_px - kLeft - kRight - kMargin);
    columns_ = columns_of(
        whole_.steps, std::clamp<size_t>(pixels_in(std::max(1.0, width)), 1, whole_.steps.size()));
    const std::vector<layout::LegendEntry> entries = legend();
    const double legend_height =
        layout::legend_row_height_px(theme_) *
        static_cast<double>(layout::legend_row_count(theme_, entries, width));
    plot_ = {kLeft, std::round(top + legend_height + 8), width, 0};
    plot_.h = std::floor(options_.height_px - plot_.y - kAxisHeight - kMargin);
    if (plot_.h < 32 || plot_.w < 64) return too_small("efficiencies");
    layout::add_legend(scene_, theme_, {kLeft, std::round(top + 2), width, legend_height}, entries);
    scale_ = {0, 102, plot_.bottom(), plot_.y};
    add_ground(plot_);
    layout::add_left_axis(scene_, theme_, plot_, scale_,
                          layout::count_ticks(0, 100, static_cast<size_t>(plot_.h / 32) + 1, "%"));
    add_lines();
    add_of_run();
    add_labels();
    scene_.description = fmt::format("Load balance and communication efficiency of each of {}",
                                     base::counted(whole_.steps.size(), "time step", "time steps"));
    return std::move(scene_);
  }

 private:
  [[nodiscard]] std::string subtitle() const {
    return fmt::format(
        "{} on {}, {}: parallel efficiency {} = load balance {} \u00d7 communication {}",
        base::counted(whole_.steps.size(), "time step", "time steps"),
        base::counted(whole_.ranks, "rank", "ranks"), base::human_seconds(seconds_),
        percent(whole_.parallel), percent(whole_.load_balance), percent(whole_.communication));
  }

  [[nodiscard]] double x_of(size_t column) const {
    return plot_.x + plot_.w * static_cast<double>(column) / static_cast<double>(columns_.size());
  }

  /// One line of stairs for each run of columns that have a value.
  template <class ValueOf, class Add>
  void for_stairs(ValueOf value_of, Add add) const {
    std::vector<layout::Point> points;
    for (size_t column = 0; column <= columns_.size(); ++column) {
      const std::optional<double> value =
          column < columns_.size() ? value_of(columns_[column]) : std::nullopt;
      if (value) {
        const double y = scale_.px(100 * std::clamp(*value, 0.0, 1.0));
        points.push_back({x_of(column), y});
        points.push_back({x_of(column + 1), y});
      } else if (!points.empty()) {
        add(std::move(points));
        points.clear();
      }
    }
  }

  void add_lines() {
    layout::Polylines lines;
    for_stairs(
        [](const Column& column) -> std::optional<double> {
          if (!column.communication) return std::nullopt;
          return column.load_balance * *column.communication;
        },
        [&](std::vector<layout::Point> points) {
          points.push_back({points.back().x, plot_.bottom()});
          points.push_back({points.front().x, plot_.bottom()});
          lines.lines.push_back(
              {.points = std::move(points), .fill = layout::with_alpha(theme_.muted_text, 0.25)});
        });
    const auto add_line = [&](layout::Color color) {
      return [&lines, color](std::vector<layout::Point> points) {
        lines.lines.push_back({.points = std::move(points), .stroke = color, .width_px = 1.5});
      };
    };
    for_stairs([](const Column& column) { return column.communication; },
               add_line(communication_color()));
    for_stairs([](const Column& column) -> std::optional<double> { return column.load_balance; },
               add_line(balance_color()));
    lines.add_rule({plot_.x, plot_.y}, {plot_.x, plot_.bottom()}, theme_.axis);
    lines.add_rule({plot_.x, plot_.bottom()}, {plot_.right(), plot_.bottom()}, theme_.axis);
    scene_.layers.emplace_back(std::move(lines));
  }

  [[nodiscard]] layout::Color balance_color() const { return theme_.series_color(0); }
  [[nodiscard]] layout::Color communication_color() const { return theme_.series_color(1); }

  /// The values of the run, named at the right where they do not touch.
  void add_of_run() {
    layout::Polylines lines;
    layout::Labels labels;
    const double balance = scale_.px(100 * whole_.load_balance);
    const double communication = scale_.px(100 * whole_.communication);
    const double apart = theme_.small_size_px + 2;
    const double more = std::max(0.0, apart - std::abs(balance - communication)) / 2;
    const bool is_lower = balance > communication;
    const auto add = [&](double share, double y, double shift, layout::Color color) {
      lines.lines.push_back({.points = {{plot_.x, y}, {plot_.right(), y}},
                             .stroke = layout::with_alpha(color, 0.8),
                             .dash_px = {5, 4}});
      labels.items.push_back({.text = percent(share),
                              .at = {plot_.right() + 6, y + shift},
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
    };
    add(whole_.load_balance, balance, is_lower ? more : -more, balance_color());
    add(whole_.communication, communication, is_lower ? -more : more, communication_color());
    scene_.layers.emplace_back(std::move(lines));
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_labels() {
    std::vector<std::string> steps;
    for (const findings::StepEfficiency& step : whole_.steps) {
      steps.push_back(fmt::format("{}", step.step));
    }
    layout::add_column_labels(scene_, theme_, plot_, steps);
    layout::Labels title;
    title.items.push_back({.text = "time step",
                           .at = {plot_.x + plot_.w / 2, plot_.bottom() + 40},
                           .color = theme_.text,
                           .size_px = theme_.text_size_px,
                           .anchor = layout::Anchor::kMiddle});
    scene_.layers.emplace_back(std::move(title));
  }

  [[nodiscard]] std::vector<layout::LegendEntry> legend() const {
    const bool any_known = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
      return column.communication.has_value();
    });
    layout::LegendEntry balance = {"load balance", balance_color(), layout::Swatch::kLine};
    // Ranks drift apart where a step does not end with all of them in one operation.
    if (!any_known) {
      return {
          balance,
          {"communication: of the whole only", communication_color(), layout::Swatch::kDashedLine}};
    }
    return {balance,
            {"communication", communication_color(), layout::Swatch::kLine},
            {"parallel efficiency", theme_.tint(theme_.muted_text, 0.25)},
            {"of the whole", theme_.muted_text, layout::Swatch::kDashedLine}};
  }

  const findings::Efficiency& whole_;
  const double seconds_;
  const Options& options_;
  layout::Rect plot_;
  layout::LinearScale scale_;
  std::vector<Column> columns_;
};

}  // namespace

base::Result<layout::Scene> efficiency(const findings::Efficiency& efficiency, double seconds,
                                       const Options& options) {
  if (efficiency.steps.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        "there is nothing to draw: the program marks no time steps, or none is whole in what "
        "is judged",
        "'pathline efficiency' has the factors of the whole run."};
  }
  return EfficiencyFigure(efficiency, seconds, options).draw();
}

}  // namespace pathline::figure

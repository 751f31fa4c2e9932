// SPDX-License-Identifier: BSD-3-Clause
#include "layout/axis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "layout/text.hpp"

namespace pathline::layout {
namespace {

constexpr double kMarginPx = 16;  // of the picture, as in the figures
constexpr double kMajorTickPx = 5;
constexpr double kMinorTickPx = 3;
constexpr double kLabelGapPx = 4;  // between a tick and its label
constexpr double kRowLabelGapPx = 8;
constexpr double kBetweenLabelsPx = 10;

/// Every how many items get a label when `fit_count` labels have room.
size_t thinning(size_t item_count, double fit_count) {
  for (size_t power = 1;; power *= 10) {
    for (const size_t factor : {1, 2, 5}) {
      const size_t every = factor * power;
      if (static_cast<double>(item_count) / static_cast<double>(every) <=
          std::max(1.0, fit_count)) {
        return every;
      }
    }
  }
}

}  // namespace

void add_bottom_axis(Scene& scene, const Theme& theme, const Rect& plot, const LinearScale& scale,
                     const Ticks& ticks, std::string_view title) {
  Polylines lines;
  Labels labels;
  const double base = plot.bottom();
  for (const double value : ticks.minor) {
    const double x = scale.px(value);
    lines.add_rule({x, base}, {x, base + kMinorTickPx}, theme.axis);
  }
  double free_from = 0;
  for (const Tick& tick : ticks.major) {
    const double x = scale.px(tick.value);
    lines.add_rule({x, plot.y}, {x, base}, theme.grid);
    lines.add_rule({x, base}, {x, base + kMajorTickPx}, theme.axis);
    const double width = text_width_px(tick.label, theme.small_size_px);
    const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, scene.width_px - width - 2));
    if (left < free_from) continue;
    free_from = left + width + kBetweenLabelsPx;
    labels.items.push_back({.text = tick.label,
                            .at = {left, base + kMajorTickPx + kLabelGapPx},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .baseline = Baseline::kTop});
  }
  lines.add_rule({plot.x, base}, {plot.right(), base}, theme.axis);
  if (!title.empty()) {
    labels.items.push_back({.text = std::string(title),
                            .at = {plot.x + plot.w / 2, base + 26},
                            .color = theme.muted_text,
                            .size_px = theme.small_size_px,
                            .anchor = Anchor::kMiddle,
                            .baseline = Baseline::kTop,
                            .max_width_px = plot.w});
  }
  scene.layers.emplace_back(std::move(lines));
  scene.layers.emplace_back(std::move(labels));
}

void add_left_axis(Scene& scene, const Theme& theme, const Rect& plot, const LinearScale& scale,
                   const Ticks& ticks, std::string_view title) {
  Polylines lines;
  Labels labels;
  for (const double value : ticks.minor) {
    const double y = scale.px(value);
    lines.add_rule({plot.x - kMinorTickPx, y}, {plot.x, y}, theme.axis);
  }
  double last_y = -HUGE_VAL;
  for (const Tick& tick : ticks.major) {
    const double y = scale.px(tick.value);
    lines.add_rule({plot.x, y}, {plot.right(), y}, theme.grid);
    lines.add_rule({plot.x - kMajorTickPx, y}, {plot.x, y}, theme.axis);
    if (std::abs(y - last_y) < theme.small_size_px * 1.2) continue;
    last_y = y;
    labels.items.push_back({.text = tick.label,
                            .at = {plot.x - kMajorTickPx - kLabelGapPx, y},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .anchor = Anchor::kEnd,
                            .baseline = Baseline::kMiddle,
                            .max_width_px = plot.x - kMajorTickPx - kLabelGapPx});
  }
  lines.add_rule({plot.x, plot.y}, {plot.x, plot.bottom()}, theme.axis);
  if (!title.empty()) {
    const double width = text_width_px(title, theme.small_size_px);
    labels.items.push_back({.text = std::string(title),
                            .at = {std::max(2.0, plot.x - width / 2), plot.y - 10},
                            .color = theme.muted_text,
                            .size_px = theme.small_size_px});
  }
  scene.layers.emplace_back(std::move(lines));
  scene.layers.emplace_back(std::move(labels));
}

size_t row_label_distance(const Theme& theme, const Rect& plot, size_t row_count) {
  return thinning(row_count, plot.h / (theme.small_size_px * 1.25));
}

size_t column_label_distance(const Theme& theme, const Rect& plot,
                             std::span<const std::string> names) {
  const double widest = row_label_width_px(theme, names, plot.w) + kBetweenLabelsPx;
  return thinning(names.size(), plot.w / widest);
}

void add_row_labels(Scene& scene, const Theme& theme, const Rect& plot,
                    std::span<const std::string> names, double max_width_px, size_t every) {
  if (names.empty()) return;
  const double row_height = plot.h / static_cast<double>(names.size());
  if (every == 0) every = row_label_distance(theme, plot, names.size());
  Labels labels;
  for (size_t row = 0; row < names.size(); row += every) {
    labels.items.push_back(
        {.text = fit_text_middle(names[row], max_width_px, theme.small_size_px),
         .at = {plot.x - kRowLabelGapPx, plot.y + (static_cast<double>(row) + 0.5) * row_height},
         .color = theme.text,
         .size_px = theme.small_size_px,
         .anchor = Anchor::kEnd,
         .baseline = Baseline::kMiddle});
  }
  scene.layers.emplace_back(std::move(labels));
}

double row_label_width_px(const Theme& theme, std::span<const std::string> names,
                          double max_width_px) {
  double width = 0;
  for (const std::string& name : names) {
    width = std::max(width, text_width_px(name, theme.small_size_px));
  }
  return std::min(width, max_width_px);
}

void add_column_labels(Scene& scene, const Theme& theme, const Rect& plot,
                       std::span<const std::string> names, size_t every) {
  if (names.empty()) return;
  const double column_width = plot.w / static_cast<double>(names.size());
  if (every == 0) every = column_label_distance(theme, plot, names);
  Labels labels;
  for (size_t column = 0; column < names.size(); column += every) {
    labels.items.push_back(
        {.text = names[column],
         .at = {plot.x + (static_cast<double>(column) + 0.5) * column_width, plot.bottom() + 6},
         .color = theme.text,
         .size_px = theme.small_size_px,
         .anchor = Anchor::kMiddle,
         .baseline = Baseline::kTop,
         .max_width_px = column_width * static_cast<double>(every)});
  }
  scene.layers.emplace_back(std::move(labels));
}

double add_title(Scene& scene, const Theme& theme, std::string_view title,
                 std::string_view subtitle) {
  scene.background = theme.background;
  scene.title = title;
  const double width = scene.width_px - 2 * kMarginPx;
  Labels labels;
  double y = kMarginPx;
  labels.items.push_back({.text = fit_text_middle(title, width, theme.title_size_px, Weight::kBold),
                          .at = {kMarginPx, y},
                          .color = theme.text,
                          .size_px = theme.title_size_px,
                          .baseline = Baseline::kTop,
                          .weight = Weight::kBold});
  y += theme.title_size_px + 6;
  if (!subtitle.empty()) {
    labels.items.push_back({.text = fit_text(subtitle, width, theme.text_size_px),
                            .at = {kMarginPx, y},
                            .color = theme.muted_text,
                            .size_px = theme.text_size_px,
                            .baseline = Baseline::kTop});
    y += theme.text_size_px + 6;
  }
  scene.layers.emplace_back(std::move(labels));
  return y + 4;
}

void add_remark(Scene& scene, const Theme& theme, const Rect& plot, std::string_view text) {
  Labels labels;
  labels.items.push_back({.text = std::string(text),
                          .at = {plot.x + plot.w / 2, plot.y + plot.h / 2},
                          .color = theme.muted_text,
                          .size_px = theme.title_size_px,
                          .anchor = Anchor::kMiddle,
                          .baseline = Baseline::kMiddle,
                          .max_width_px = plot.w});
  scene.layers.emplace_back(std::move(labels));
}

}  // namespace pathline::layout

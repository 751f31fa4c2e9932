// SPDX-License-Identifier: BSD-3-Clause
#include "layout/legend.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "layout/text.hpp"

namespace pathline::layout {
namespace {

constexpr double kSwatchPx = 12;
constexpr double kWideSwatchPx = 26;  // lines and gradients
constexpr double kSwatchGapPx = 7;
constexpr double kValueGapPx = 6;
constexpr double kColumnGapPx = 22;
constexpr double kMaxColumnPx = 260;  // longer names are cut in the middle
constexpr uint32_t kBarSteps = 256;
constexpr double kBarTickPx = 4;

double swatch_width(const LegendEntry& entry) {
  const bool is_wide = entry.swatch == Swatch::kLine || entry.swatch == Swatch::kDashedLine ||
                       entry.swatch == Swatch::kRimmedLine || entry.swatch == Swatch::kGradient;
  return is_wide ? kWideSwatchPx : kSwatchPx;
}

double value_width(const Theme& theme, const LegendEntry& entry) {
  if (entry.value.empty()) return 0;
  return kValueGapPx + text_width_px(entry.value, theme.small_size_px);
}

double entry_width(const Theme& theme, const LegendEntry& entry) {
  return swatch_width(entry) + kSwatchGapPx + text_width_px(entry.text, theme.small_size_px) +
         value_width(theme, entry) + 1;
}

/// Where an entry of a legend is.
struct Place {
  double x = 0;
  size_t row = 0;
  double width = 0;
};

/// Below each other in columns of equal width; where there is no room for three of those, one
/// behind the other.
std::vector<Place> places(const Theme& theme, std::span<const LegendEntry> entries,
                          double width_px) {
  constexpr size_t kFewColumns = 3;
  const double most = std::min(kMaxColumnPx, std::max(width_px, 1.0));
  double widest = 1;
  for (const LegendEntry& entry : entries) widest = std::max(widest, entry_width(theme, entry));
  widest = std::min(widest, most);
  const auto fit = static_cast<size_t>(
      std::max(1.0, std::floor((width_px + kColumnGapPx) / (widest + kColumnGapPx))));
  const bool in_columns = fit >= std::min(kFewColumns, entries.size());
  std::vector<Place> found;
  double x = 0;
  size_t row = 0;
  for (const LegendEntry& entry : entries) {
    const double width = in_columns ? widest : std::min(most, entry_width(theme, entry));
    if (x > 0 && x + width > width_px + 1e-6) {
      x = 0;
      ++row;
    }
    found.push_back({x, row, width});
    x += width + kColumnGapPx;
  }
  return found;
}

/// A rim in grid colour, so that a bar's end near the background stays visible.
Polyline rim(const Theme& theme, const Rect& bar) {
  const double x = std::round(bar.x) - 0.5;
  const double y = std::round(bar.y) - 0.5;
  const double right = std::round(bar.right()) + 0.5;
  const double bottom = std::round(bar.bottom()) + 0.5;
  return {.points = {{x, y}, {right, y}, {right, bottom}, {x, bottom}, {x, y}},
          .stroke = theme.axis};
}

void add_swatch(const LegendEntry& entry, double x, double middle, Boxes& boxes, Polylines& lines) {
  switch (entry.swatch) {
    case Swatch::kBox:
      boxes.add({x, std::round(middle - kSwatchPx / 2), kSwatchPx, kSwatchPx}, entry.color);
      break;
    case Swatch::kLine:
      lines.add_rule({x, middle}, {x + kWideSwatchPx, middle}, entry.color, 2);
      break;
    case Swatch::kRimmedLine:
      lines.lines.push_back({.points = {{x, middle}, {x + kWideSwatchPx, middle}},
                             .stroke = entry.end_color,
                             .width_px = 5.5});
      lines.lines.push_back({.points = {{x + 1, middle}, {x + kWideSwatchPx - 1, middle}},
                             .stroke = entry.color,
                             .width_px = 3});
      break;
    case Swatch::kRimmedBox:
      for (const auto& [color, width] : {std::pair{entry.end_color, 4.0}, {entry.color, 1.5}}) {
        lines.lines.push_back({.points = {{x + 2, middle - 4},
                                          {x + 10, middle - 4},
                                          {x + 10, middle + 4},
                                          {x + 2, middle + 4},
                                          {x + 2, middle - 4},
                                          {x + 3, middle - 4}},
                               .stroke = color,
                               .width_px = width});
      }
      break;
    case Swatch::kDashedLine:
      for (double i = 0; i < kWideSwatchPx; i += 7) {
        const double end = std::min(i + 4, kWideSwatchPx);
        lines.add_rule({x + i, middle}, {x + end, middle}, entry.color, 2);
      }
      break;
    case Swatch::kTriangle:
      lines.lines.push_back(
          {.points = {{x + 9, middle}, {x + 3, middle - 4}, {x + 3, middle + 4}, {x + 9, middle}},
           .stroke = entry.color,
           .fill = entry.end_color});
      break;
    case Swatch::kCircle: {
      Polyline circle{.points = {}, .stroke = entry.color, .fill = entry.end_color};
      for (int i = 0; i <= 16; ++i) {
        const double angle = i * std::numbers::pi / 8;
        circle.points.push_back({x + 6 + 4 * std::cos(angle), middle + 4 * std::sin(angle)});
      }
      lines.lines.push_back(std::move(circle));
      break;
    }
    case Swatch::kGradient:
      for (double i = 0; i < kWideSwatchPx; ++i) {
        boxes.add({x + i, std::round(middle) - 2, 1, 4},
                  mix(entry.color, entry.end_color, i / (kWideSwatchPx - 1)));
      }
      break;
  }
}

}  // namespace

double legend_row_height_px(const Theme& theme) { return std::round(theme.small_size_px * 1.65); }

size_t legend_row_count(const Theme& theme, std::span<const LegendEntry> entries, double width_px) {
  return entries.empty() ? 0 : places(theme, entries, width_px).back().row + 1;
}

Rect add_legend(Scene& scene, const Theme& theme, const Rect& area,
                std::span<const LegendEntry> entries) {
  const std::vector<Place> grid = places(theme, entries, area.w);
  const double row_height = legend_row_height_px(theme);
  const auto row_limit = static_cast<size_t>(std::max(0.0, std::floor(area.h / row_height + 1e-6)));
  if (row_limit == 0 || entries.empty()) return {area.x, area.y, 0, 0};
  size_t shown = 0;
  while (shown < grid.size() && grid[shown].row < row_limit) ++shown;
  // Where the last row ends, or in the place of its last entries, stands how many are missing.
  const auto rest_text = [&] { return fmt::format("+ {} more", entries.size() - shown); };
  Place rest;
  while (shown < entries.size()) {
    rest = {.row = row_limit - 1};
    if (shown > 0 && grid[shown - 1].row == rest.row) {
      rest.x = grid[shown - 1].x + grid[shown - 1].width + kColumnGapPx;
    }
    rest.width = text_width_px(rest_text(), theme.small_size_px);
    if (rest.x == 0 || rest.x + rest.width <= area.w) break;
    --shown;
  }

  Boxes boxes;
  Polylines lines;
  Labels labels;
  const auto point = [&](const Place& place) {
    return Point{area.x + place.x, area.y + (static_cast<double>(place.row) + 0.5) * row_height};
  };
  const auto add_text = [&](const std::string& text, Point at, Color color) {
    labels.items.push_back({.text = text,
                            .at = at,
                            .color = color,
                            .size_px = theme.small_size_px,
                            .baseline = Baseline::kMiddle});
  };
  for (size_t i = 0; i < shown; ++i) {
    const LegendEntry& entry = entries[i];
    const Point at = point(grid[i]);
    add_swatch(entry, at.x, at.y, boxes, lines);
    const double text_x = at.x + swatch_width(entry) + kSwatchGapPx;
    const double room = at.x + grid[i].width - text_x - value_width(theme, entry);
    const std::string text = fit_text_middle(entry.text, room, theme.small_size_px);
    add_text(text, {text_x, at.y}, theme.text);
    if (!entry.value.empty()) {
      const double value_x = text_x + text_width_px(text, theme.small_size_px) + kValueGapPx;
      add_text(entry.value, {value_x, at.y}, theme.muted_text);
    }
  }
  if (shown < entries.size()) add_text(rest_text(), point(rest), theme.muted_text);

  scene.layers.emplace_back(std::move(boxes));
  scene.layers.emplace_back(std::move(lines));
  scene.layers.emplace_back(std::move(labels));
  double right = rest.x + rest.width;
  for (size_t i = 0; i < shown; ++i) right = std::max(right, grid[i].x + grid[i].width);
  const size_t rows = shown < entries.size() ? row_limit : grid.back().row + 1;
  return {area.x, area.y, right, static_cast<double>(rows) * row_height};
}

std::vector<BarTick> bar_ticks(const Ticks& ticks, double begin, double end, bool logarithmic) {
  const auto map = [&](double value) { return logarithmic ? std::log(value) : value; };
  const double span = map(end) - map(begin);
  std::vector<BarTick> result;
  for (const Tick& tick : ticks.major) {
    const double position = (map(tick.value) - map(begin)) / span;
    if (std::isfinite(position)) result.push_back({std::clamp(position, 0.0, 1.0), tick.label});
  }
  return result;
}

void add_color_bar(Scene& scene, const Theme& theme, const Rect& bar, const Ramp& ramp,
                   std::span<const BarTick> ticks, std::string_view title, double ramp_begin) {
  CellGrid grid{.area = bar, .column_count = 1, .row_count = kBarSteps, .cells = {}};
  for (uint32_t i = 0; i < kBarSteps; ++i) {
    const double position = 1.0 - static_cast<double>(i) / (kBarSteps - 1);
    grid.cells.push_back(ramp.at(ramp_begin + (1 - ramp_begin) * position));
  }
  Polylines lines;
  lines.lines.push_back(rim(theme, bar));
  Labels labels;
  std::vector<double> taken;
  for (const BarTick& tick : ticks) {  // The first ones matter most.
    const double y = bar.bottom() - tick.position * bar.h;
    const bool too_close = std::any_of(taken.begin(), taken.end(), [&](double other) {
      return std::abs(other - y) < theme.small_size_px * 1.3;
    });
    if (too_close) continue;
    taken.push_back(y);
    lines.add_rule({bar.right(), y}, {bar.right() + kBarTickPx, y}, theme.axis);
    labels.items.push_back({.text = tick.label,
                            .at = {bar.right() + kBarTickPx + 4, y},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .baseline = Baseline::kMiddle,
                            .max_width_px = scene.width_px - bar.right() - kBarTickPx - 4});
  }
  if (!title.empty()) {
    // A title that is wider than what is right of the bar's left edge ends at the scene's.
    const double right = scene.width_px - 4;
    const double width = std::ceil(text_width_px(title, theme.small_size_px)) + 1;
    const double left = std::max(0.0, std::min(bar.x, right - width));
    labels.items.push_back({.text = std::string(title),
                            .at = {left, bar.y - 9},
                            .color = theme.muted_text,
                            .size_px = theme.small_size_px,
                            .max_width_px = right - left});
  }
  scene.layers.emplace_back(std::move(grid));
  scene.layers.emplace_back(std::move(lines));
  scene.layers.emplace_back(std::move(labels));
}

void add_wide_color_bar(Scene& scene, const Theme& theme, const Rect& bar, const Ramp& ramp,
                        std::span<const BarTick> ticks, std::string_view title) {
  CellGrid grid{.area = bar, .column_count = kBarSteps, .row_count = 1, .cells = {}};
  for (uint32_t i = 0; i < kBarSteps; ++i) {
    grid.cells.push_back(ramp.at(static_cast<double>(i) / (kBarSteps - 1)));
  }
  Polylines lines;
  lines.lines.push_back(rim(theme, bar));
  Labels labels;
  double free_from = 0;
  for (const BarTick& tick : ticks) {
    const double x = bar.x + tick.position * bar.w;
    lines.add_rule({x, bar.bottom()}, {x, bar.bottom() + kBarTickPx}, theme.axis);
    const double width = text_width_px(tick.label, theme.small_size_px);
    const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, scene.width_px - width - 2));
    if (left < free_from) continue;
    free_from = left + width + 8;
    labels.items.push_back({.text = tick.label,
                            .at = {left, bar.bottom() + kBarTickPx + 2},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .baseline = Baseline::kTop});
  }
  if (!title.empty()) {
    labels.items.push_back({.text = std::string(title),
                            .at = {bar.x, bar.y - 6},
                            .color = theme.muted_text,
                            .size_px = theme.small_size_px});
  }
  scene.layers.emplace_back(std::move(grid));
  scene.layers.emplace_back(std::move(lines));
  scene.layers.emplace_back(std::move(labels));
}

}  // namespace pathline::layout

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/step_lane.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/id_map.hpp"
#include "base/text.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kToldApartPx = 4;
constexpr double kBetweenNumbersPx = 10;

std::vector<trace::StepWindow> steps_in(std::span<const trace::StepWindow> steps, TimeRange range) {
  std::vector<trace::StepWindow> found;
  for (const trace::StepWindow& step : steps) {
    if (step.end_ticks > range.from && step.begin_ticks < range.until) found.push_back(step);
  }
  return found;
}

/// Every 1, 2, 5, 10 ... numbers, so that `width_px` is enough for each.
uint32_t number_distance(double step_px, double width_px) {
  for (uint32_t power = 1;; power *= 10) {
    for (const uint32_t factor : {1U, 2U, 5U}) {
      if (power * factor * step_px >= width_px || power >= 100'000'000) return power * factor;
    }
  }
}

}  // namespace

std::span<const trace::StepWindow> steps_of_picture(const StepMarks& steps, const Rows& rows) {
  for (uint32_t rank = 0; rank < steps.windows.size(); ++rank) {
    const bool has_row = rank < rows.of_rank.size() && rows.of_rank[rank] != base::IdMap::kNone;
    if (has_row && !steps.windows[rank].empty()) return steps.windows[rank];
  }
  return {};
}

std::string add_step_lane(layout::Scene& scene, const layout::Theme& theme,
                          const layout::Rect& area, const trace::Trace& trace, TimeRange range,
                          std::span<const trace::StepWindow> steps, const std::string& word) {
  const std::vector<trace::StepWindow> shown = steps_in(steps, range);
  if (shown.empty()) return "";
  const double scale = area.w / static_cast<double>(range.until - range.from);
  const auto x_of = [&](uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<int64_t>(ticks - range.from));
    return std::clamp(area.x + since * scale, area.x, area.right());
  };
  double sum_ticks = 0;
  for (const trace::StepWindow& step : shown) {
    sum_ticks += static_cast<double>(step.end_ticks - step.begin_ticks);
  }
  const double mean_ticks = sum_ticks / static_cast<double>(shown.size());
  const std::string text = fmt::format(
      "{}, {}{}", base::counted(shown.size(), word, word + "s"), shown.size() > 1 ? "mean " : "",
      base::human_seconds(mean_ticks /
                          static_cast<double>(trace.definitions.clock.ticks_per_second)));

  layout::Boxes boxes;
  layout::Labels labels;
  const double step_px = mean_ticks * scale;
  const layout::Color shade = mix(theme.plot_background, theme.axis, 0.32);
  const layout::Color light = mix(theme.plot_background, theme.axis, 0.14);
  const double widest =
      layout::text_width_px(std::to_string(shown.back().step), theme.small_size_px);
  if (step_px >= kToldApartPx) {
    const uint32_t every = number_distance(step_px, widest + kBetweenNumbersPx);
    double free_from = area.x;
    for (const trace::StepWindow& step : shown) {
      const double left = x_of(step.begin_ticks);
      const double right = x_of(step.end_ticks);
      boxes.add({left, area.y + 2, std::max(1.0, right - left), area.h - 4},
                step.step % 2 == 0 ? shade : light);
      const std::string number = std::to_string(step.step);
      const double width = layout::text_width_px(number, theme.small_size_px);
      if (step.step % every != 0 || left + 2 < free_from || left + 2 + width > area.right())
        continue;
      free_from = left + 2 + width + 4;
      labels.items.push_back({.text = number,
                              .at = {left + 2, area.y + area.h / 2},
                              .color = theme.text,
                              .size_px = theme.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
    }
  } else {
    const double left = x_of(shown.front().begin_ticks);
    const double right = x_of(shown.back().end_ticks);
    boxes.add({left, area.y + 2, std::max(1.0, right - left), area.h - 4}, light);
    labels.items.push_back(
        {.text = fmt::format("{} {} to {}", word, shown.front().step, shown.back().step),
         .at = {(left + right) / 2, area.y + area.h / 2},
         .color = theme.text,
         .size_px = theme.small_size_px,
         .anchor = layout::Anchor::kMiddle,
         .baseline = layout::Baseline::kMiddle,
         .max_width_px = std::max(1.0, right - left)});
  }
  labels.items.push_back({.text = word,
                          .at = {area.x - 8, area.y + area.h / 2},
                          .color = theme.muted_text,
                          .size_px = theme.small_size_px,
                          .anchor = layout::Anchor::kEnd,
                          .baseline = layout::Baseline::kMiddle,
                          .max_width_px = area.x - 10});
  scene.layers.emplace_back(std::move(boxes));
  scene.layers.emplace_back(std::move(labels));
  return text;
}

}  // namespace pathline::figure

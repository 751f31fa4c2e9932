// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {

std::string ranks_text(const trace::Trace& trace, const trace::Selection& selection) {
  const std::string all = base::counted(trace.rank_count, "rank", "ranks");
  if (selection.ranks.empty()) return all;
  const auto chosen = std::count(selection.ranks.begin(), selection.ranks.end(), true);
  return fmt::format("{} of {}", base::human_count(static_cast<uint64_t>(chosen)), all);
}

base::Result<layout::Scene> profile(const trace::Trace& trace, const trace::Selection& selection,
                                    const profile::Profile& profile, const Options& options) {
  const layout::Theme& theme = layout::theme(options.theme);
  std::vector<profile::FlatRow> rows = profile::by_region(trace, selection, profile);
  std::erase_if(rows, [](const auto& row) { return row.exclusive_ticks == 0; });
  if (rows.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "there is nothing to draw: no calls were recorded in the selection"};
  }
  const double total = std::accumulate(rows.begin(), rows.end(), 0.0, [](double sum, auto& row) {
    return sum + static_cast<double>(row.exclusive_ticks);
  });
  uint32_t rank_count = 0;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    rank_count += selection.has_rank(rank) ? 1 : 0;
  }
  const double ranks = std::max(1U, rank_count);

  layout::Scene scene;
  scene.width_px = options.width_px;
  scene.height_px = options.height_px;
  const double top = layout::add_title(
      scene, theme, options.title.empty() ? "Profile" : options.title,
      fmt::format("exclusive time per rank, summed over its threads and streams: mean over {}, "
                  "line from the smallest to the largest rank",
                  ranks_text(trace, selection)));
  constexpr double kMargin = 16;
  constexpr double kAxisHeight = 44;
  constexpr double kRowHeight = 26;
  constexpr double kValueWidth = 170;
  constexpr double kLegendHeight = 24;
  const double height = options.height_px - top - 8 - kAxisHeight - kLegendHeight - kMargin;
  const size_t shown = std::min(rows.size(), static_cast<size_t>(std::max(0.0, height) / 18));
  std::vector<std::string> names;
  for (size_t i = 0; i < shown; ++i) {
    names.push_back(base::printable(trace.definitions.regions[rows[i].region].name));
  }
  const double label_width =
      layout::row_label_width_px(theme, names, std::min(320.0, options.width_px / 3));
  const double row_height =
      shown == 0 ? 0 : std::min(kRowHeight, std::floor(height / static_cast<double>(shown)));
  const layout::Rect plot{std::round(kMargin + label_width + 8), std::round(top + 8),
                          std::floor(options.width_px - 3 * kMargin - label_width - kValueWidth),
                          row_height * static_cast<double>(shown)};
  if (shown == 0 || plot.w < 64) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("a picture of {}x{} pixels is too small for a profile",
                                   options.width_px, options.height_px)};
  }
  const auto to_ns = [&](double ticks) {
    return 1e9 * ticks / static_cast<double>(trace.definitions.clock.ticks_per_second);
  };
  double largest = 0;
  for (size_t i = 0; i < shown; ++i) {
    largest = std::max({largest, static_cast<double>(rows[i].exclusive_max_ticks),
                        static_cast<double>(rows[i].exclusive_ticks) / ranks});
  }
  const layout::LinearScale scale{0, to_ns(largest) * 1.02, plot.x, plot.right()};
  layout::Boxes background;
  background.add(plot, theme.plot_background);
  scene.layers.emplace_back(std::move(background));
  layout::add_bottom_axis(scene, theme, plot, scale,
                          layout::time_ticks(0, scale.value_end, static_cast<size_t>(plot.w / 90)),
                          "exclusive time of a rank");

  layout::Boxes bars;
  layout::Polylines spread;
  layout::Labels values;
  for (size_t i = 0; i < shown; ++i) {
    const profile::FlatRow& row = rows[i];
    const double y = plot.y + row_height * static_cast<double>(i);
    const double middle = y + row_height / 2;
    const double mean = to_ns(static_cast<double>(row.exclusive_ticks)) / ranks;
    const bool mpi = trace.definitions.regions[row.region].paradigm == trace::kParadigmMpi;
    bars.add({plot.x, y + 3, std::max(1.0, scale.px(mean) - plot.x), row_height - 6},
             theme.tint(theme.series_color(mpi ? 1 : 0), 0.85));
    if (rank_count > 1) {
      const double low = scale.px(to_ns(static_cast<double>(row.exclusive_min_ticks)));
      const double high = scale.px(to_ns(static_cast<double>(row.exclusive_max_ticks)));
      spread.add_rule({low, middle}, {high, middle}, theme.text, 1.5);
      spread.add_rule({low, middle - 4}, {low, middle + 4}, theme.text, 1.5);
      spread.add_rule({high, middle - 4}, {high, middle + 4}, theme.text, 1.5);
    }
    values.items.push_back(
        {.text = fmt::format("{:.1f} %  {}", 100 * static_cast<double>(row.exclusive_ticks) / total,
                             base::human_seconds(mean / 1e9)),
         .at = {plot.right() + 10, middle},
         .color = theme.muted_text,
         .size_px = theme.text_size_px,
         .baseline = layout::Baseline::kMiddle});
  }
  scene.layers.emplace_back(std::move(bars));
  scene.layers.emplace_back(std::move(spread));
  scene.layers.emplace_back(std::move(values));
  layout::add_row_labels(scene, theme, plot, names, label_width, 1);
  std::vector<layout::LegendEntry> legend = {
      {.text = "region of the program", .color = theme.tint(theme.series_color(0), 0.85)},
      {.text = "MPI", .color = theme.tint(theme.series_color(1), 0.85)}};
  if (shown < rows.size()) {
    double rest = 0;
    for (size_t i = shown; i < rows.size(); ++i)
      rest += static_cast<double>(rows[i].exclusive_ticks);
    legend.push_back({.text = fmt::format("not shown: {} with {:.1f} % together",
                                          base::counted(rows.size() - shown, "region", "regions"),
                                          100 * rest / total),
                      .color = layout::kTransparent});
  }
  layout::add_legend(scene, theme,
                     {kMargin, options.height_px - kMargin - kLegendHeight + 4,
                      options.width_px - 2 * kMargin, kLegendHeight},
                     legend);
  scene.description = "Exclusive time by region";
  return scene;
}

}  // namespace pathline::figure

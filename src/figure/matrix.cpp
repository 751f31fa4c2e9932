// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "figure/figure.hpp"
#include "figure/pairs.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {
namespace {

const char* title_of(Metric metric) {
  switch (metric) {
    case Metric::kMessages: return "messages";
    case Metric::kBytes: return "bytes";
    case Metric::kTime: return "mean time";
    case Metric::kBandwidth: return "bandwidth";
  }
  return "";
}

/// From values to colours: linear from 0, or logarithmic when the values differ by much.
struct Scale {
  double low = 0;
  double high = 1;
  bool logarithmic = false;

  Scale(double smallest, double largest)
      : low(smallest), high(largest), logarithmic(largest > kLogarithmicFrom * smallest) {
    if (!logarithmic) low = 0;
  }
  double share(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low) : value / high;
  }
  static constexpr double kLogarithmicFrom = 20;
};

/// Both ends of the scale, and round values between them.
std::vector<layout::BarTick> ticks_of(Metric metric, const Scale& scale) {
  constexpr size_t kTicks = 7;
  layout::Ticks round = scale.logarithmic ? layout::log_ticks(scale.low, scale.high, kTicks, false)
                                          : layout::count_ticks(0, scale.high, kTicks);
  for (layout::Tick& tick : round.major) tick.label = value_text(metric, tick.value);
  std::vector<layout::BarTick> ticks = {
      {0, scale.logarithmic ? value_text(metric, scale.low) : "0"},
      {1, value_text(metric, scale.high)}};
  for (layout::BarTick& tick : layout::bar_ticks(round, scale.low, scale.high, scale.logarithmic)) {
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

/// Rules between the blocks of an order.
void add_block_rules(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& plot,
                     const comm::ProcessOrder& order) {
  constexpr size_t kMaxBlocks = 64;  // More would hide the cells.
  if (order.block_begin.size() < 2 || order.block_begin.size() > kMaxBlocks) return;
  layout::Polylines rules;
  for (size_t block = 1; block < order.block_begin.size(); ++block) {
    const double share = static_cast<double>(order.block_begin[block]) / order.size();
    const double x = std::round(plot.x + share * plot.w);
    const double y = std::round(plot.y + share * plot.h);
    rules.add_rule({x, plot.y}, {x, plot.bottom()}, theme.axis);
    rules.add_rule({plot.x, y}, {plot.right(), y}, theme.axis);
  }
  scene.layers.emplace_back(std::move(rules));
}

constexpr double kHeatBegin = 0.12;  // The smallest value must differ from no value.

}  // namespace

base::Result<layout::Scene> matrix(const trace::Trace& trace, const trace::Selection& selection,
                                   const comm::Matrix& matrix, const Options& options) {
  const layout::Theme& theme = layout::theme(options.theme);
  const comm::ProcessOrder order = process_order(trace, selection, matrix, options);
  if (order.size() == 0) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no rank to draw"};
  }

  layout::Scene scene;
  scene.width_px = options.width_px;
  scene.height_px = options.height_px;
  const PairsText text = pairs_text(trace, selection, matrix, order);
  scene.message_count = text.message_count;
  const double top = layout::add_title(
      scene, theme, options.title.empty() ? "Communication matrix" : options.title, text.subtitle);
  constexpr double kMargin = 16;
  constexpr double kLeft = 72;
  constexpr double kBarSpace = 150;
  constexpr double kAxisHeight = 48;
  const double room = std::min(options.width_px - kLeft - kBarSpace - kMargin,
                               options.height_px - top - 26 - kAxisHeight - kMargin);
  const double side = std::floor(room);
  if (side < 32) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("a picture of {}x{} pixels is too small for a matrix",
                                   options.width_px, options.height_px)};
  }
  const double left = std::round(std::max(kLeft, (options.width_px - side - kBarSpace) / 2));
  const layout::Rect plot{left, std::round(top + 26), side, side};

  layout::CellGrid grid;
  grid.area = plot;
  const auto cells = static_cast<uint32_t>(std::min<size_t>(order.size(), size_t(side)));
  grid.column_count = cells;
  grid.row_count = cells;
  std::vector<Exchange> sums(size_t{cells} * cells);
  const auto cell_of = [&](uint32_t position) {
    return static_cast<size_t>(uint64_t{position} * cells / order.size());
  };
  const double seconds_per_tick = 1 / static_cast<double>(trace.definitions.clock.ticks_per_second);
  for_each_pair(matrix, order, [&](uint32_t from, uint32_t to, size_t i) {
    sums[cell_of(from) * cells + cell_of(to)].add(matrix, i, seconds_per_tick);
  });
  double low = HUGE_VAL;
  double high = 0;
  bool any_below = false;
  for (const Exchange& cell : sums) {
    const double value = cell.mean(options.metric);
    any_below = any_below || (value <= 0 && cell.messages > 0);
    if (value <= 0) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const bool any = high > 0;
  const Scale scale(low, high);
  grid.cells.assign(sums.size(), theme.plot_background);
  for (size_t i = 0; i < sums.size(); ++i) {
    const double value = sums[i].mean(options.metric);
    // Clocks that disagree make times below zero.
    if (sums[i].messages > 0) grid.cells[i] = theme.other;
    if (value <= 0) continue;
    grid.cells[i] = theme.heat.at(kHeatBegin + (1 - kHeatBegin) * scale.share(value));
  }
  scene.layers.emplace_back(std::move(grid));
  add_block_rules(scene, theme, plot, order);

  std::vector<std::string> names;
  for (const uint32_t rank : order.rank_at_position) names.push_back(fmt::format("{}", rank));
  const size_t every = std::max(layout::row_label_distance(theme, plot, names.size()),
                                layout::column_label_distance(theme, plot, names));
  layout::add_row_labels(scene, theme, plot, names, 48, every);
  layout::add_column_labels(scene, theme, plot, names, every);
  layout::Polylines frame;
  frame.add_rule({plot.x, plot.y}, {plot.right(), plot.y}, theme.axis);
  frame.add_rule({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, theme.axis);
  frame.add_rule({plot.x, plot.y}, {plot.x, plot.bottom()}, theme.axis);
  frame.add_rule({plot.right(), plot.y}, {plot.right(), plot.bottom()}, theme.axis);
  scene.layers.emplace_back(std::move(frame));
  layout::Labels titles;
  titles.items.push_back({.text = "receiver (rank)",
                          .at = {plot.x + plot.w / 2, plot.bottom() + 40},
                          .color = theme.text,
                          .size_px = theme.text_size_px,
                          .anchor = layout::Anchor::kMiddle});
  titles.items.push_back({.text = "sender (rank)",
                          .at = {plot.x - 52, plot.y + plot.h / 2},
                          .color = theme.text,
                          .size_px = theme.text_size_px,
                          .anchor = layout::Anchor::kMiddle,
                          .rotation_deg = -90});
  if (!any) {
    layout::add_remark(
        scene, theme, plot,
        text.message_count == 0 ? "no point-to-point messages" : "no value above zero");
  }
  scene.layers.emplace_back(std::move(titles));
  if (any) {
    const double height = std::min(320.0, plot.h - (any_below ? 40 : 0));
    const layout::Rect bar{plot.right() + 40, plot.y, 16, height};
    const double ranks = static_cast<double>(order.size()) / cells;
    const std::string cell_text =
        cells < order.size() ? fmt::format("cell of {0:.3g} x {0:.3g} ranks", ranks) : "pair";
    layout::add_color_bar(scene, theme, bar, theme.heat, ticks_of(options.metric, scale),
                          fmt::format("{} of a {}, {} scale", title_of(options.metric), cell_text,
                                      scale.logarithmic ? "log" : "linear"),
                          kHeatBegin);
    if (any_below) {
      const std::vector<layout::LegendEntry> entry = {{.text = "0 or less", .color = theme.other}};
      layout::add_legend(scene, theme, {bar.x - 2, bar.bottom() + 16, 110, 20}, entry);
    }
  }
  scene.description = fmt::format("{} by sender and receiver", title_of(options.metric));
  return scene;
}

}  // namespace pathline::figure

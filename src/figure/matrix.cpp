// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {
namespace {

struct Cell {
  double messages = 0;
  double bytes = 0;
  double seconds = 0;  // Summed over messages.
};

double value_of(const Cell& cell, Metric metric) {
  switch (metric) {
    case Metric::kMessages: return cell.messages;
    case Metric::kBytes: return cell.bytes;
    case Metric::kTime: return cell.messages > 0 ? cell.seconds / cell.messages : 0;
    case Metric::kBandwidth: return cell.seconds > 0 ? cell.bytes / cell.seconds : 0;
  }
  return 0;
}

const char* title_of(Metric metric) {
  switch (metric) {
    case Metric::kMessages: return "messages";
    case Metric::kBytes: return "bytes";
    case Metric::kTime: return "mean time";
    case Metric::kBandwidth: return "bandwidth";
  }
  return "";
}

std::string text_of(Metric metric, double value) {
  switch (metric) {
    case Metric::kMessages: return base::human_count(static_cast<uint64_t>(value));
    case Metric::kBytes: return base::human_bytes(value);
    case Metric::kTime: return base::human_seconds(value);
    case Metric::kBandwidth: return base::human_bytes(value) + "/s";
  }
  return "";
}

/// Both ends of the scale, and round values between them.
std::vector<layout::BarTick> ticks_of(Metric metric, double low, double high) {
  constexpr size_t kTicks = 7;
  layout::Ticks round = layout::log_ticks(low, high, kTicks, false);
  for (layout::Tick& tick : round.major) tick.label = text_of(metric, tick.value);
  std::vector<layout::BarTick> ticks = {{0, text_of(metric, low)}, {1, text_of(metric, high)}};
  for (layout::BarTick& tick : layout::bar_ticks(round, low, high, true)) {
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

constexpr double kHeatBegin = 0.12;  // The smallest value must differ from no value.

}  // namespace

base::Result<layout::Scene> matrix(const trace::Trace& trace, const trace::Selection& selection,
                                   const comm::Matrix& matrix, const Options& options) {
  const layout::Theme& theme = layout::theme(options.theme);
  std::vector<uint32_t> ranks;
  std::vector<uint32_t> place(trace.rank_count, UINT32_MAX);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    if (!selection.has_rank(rank)) continue;
    place[rank] = static_cast<uint32_t>(ranks.size());
    ranks.push_back(rank);
  }
  if (ranks.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no rank to draw"};
  }

  layout::Scene scene;
  scene.width_px = options.width_px;
  scene.height_px = options.height_px;
  uint64_t pairs = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;
  uint64_t hidden = 0;
  const auto for_each_shown = [&](auto use) {
    for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
      for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
        const uint32_t receiver = matrix.traffic.receiver[i];
        if (place[sender] != UINT32_MAX && place[receiver] != UINT32_MAX) use(sender, receiver, i);
      }
    }
  };
  for_each_shown([&](uint32_t /*sender*/, uint32_t /*receiver*/, size_t i) {
    ++pairs;
    messages += matrix.traffic.messages[i];
    bytes += matrix.traffic.bytes[i];
  });
  for (const uint64_t count : matrix.traffic.messages) hidden += count;
  hidden -= messages;
  scene.message_count = messages;
  std::string subtitle = fmt::format("{}, {}, {}, {}", ranks_text(trace, selection),
                                     base::counted(pairs, "pair", "pairs"),
                                     base::counted(messages, "message", "messages"),
                                     base::human_bytes(static_cast<double>(bytes)));
  if (hidden > 0) {
    subtitle += fmt::format(" (and {} from or to other ranks)",
                            base::counted(hidden, "message", "messages"));
  }
  const double top = layout::add_title(
      scene, theme, options.title.empty() ? "Communication matrix" : options.title, subtitle);
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
  const auto cells = static_cast<uint32_t>(std::min<size_t>(ranks.size(), size_t(side)));
  grid.column_count = cells;
  grid.row_count = cells;
  std::vector<Cell> sums(size_t{cells} * cells);
  const auto cell_of = [&](uint32_t rank) {
    return static_cast<uint32_t>(uint64_t{place[rank]} * cells / ranks.size());
  };
  for_each_shown([&](uint32_t sender, uint32_t receiver, size_t i) {
    Cell& cell = sums[size_t{cell_of(sender)} * cells + cell_of(receiver)];
    const auto count = static_cast<double>(matrix.traffic.messages[i]);
    cell.messages += count;
    cell.bytes += static_cast<double>(matrix.traffic.bytes[i]);
    cell.seconds += matrix.mean_ticks[i] * count /
                    static_cast<double>(trace.definitions.clock.ticks_per_second);
  });
  double low = HUGE_VAL;
  double high = 0;
  bool any_below = false;
  for (const Cell& cell : sums) {
    const double value = value_of(cell, options.metric);
    any_below = any_below || (value <= 0 && cell.messages > 0);
    if (value <= 0) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const bool any = high > 0;
  // Values that hardly differ must not look as if they did.
  if (any && high < 2 * low) low = high / 2;
  grid.cells.assign(sums.size(), theme.plot_background);
  for (size_t i = 0; i < sums.size(); ++i) {
    const double value = value_of(sums[i], options.metric);
    // A logarithmic scale has no zero, and clocks that disagree make times below it.
    if (sums[i].messages > 0) grid.cells[i] = theme.other;
    if (value <= 0) continue;
    grid.cells[i] =
        theme.heat.at(kHeatBegin + (1 - kHeatBegin) * std::log(value / low) / std::log(high / low));
  }
  scene.layers.emplace_back(std::move(grid));

  std::vector<std::string> names;
  for (const uint32_t rank : ranks) names.push_back(fmt::format("{}", rank));
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
    layout::add_remark(scene, theme, plot, messages == 0 ? "no messages" : "no value above zero");
  }
  scene.layers.emplace_back(std::move(titles));
  if (any) {
    const double height = std::min(320.0, plot.h - (any_below ? 40 : 0));
    const layout::Rect bar{plot.right() + 40, plot.y, 16, height};
    layout::add_color_bar(scene, theme, bar, theme.heat, ticks_of(options.metric, low, high),
                          fmt::format("{} of a {}, log scale", title_of(options.metric),
                                      cells < ranks.size() ? "cell" : "pair"),
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

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "figure/timeline_states.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {
namespace {

/// Rows that a message goes from and to.
struct RowPair {
  uint32_t from;
  uint32_t to;
};

/// A message is seen from its sending to the end of its receive.
bool in_range(const trace::Messages& messages, size_t i, TimeRange range) {
  return std::max(messages.send_ticks[i], messages.recv_ticks[i]) >= range.from &&
         std::min(messages.send_ticks[i], messages.recv_ticks[i]) <= range.until;
}

/// Nothing for a message that is not in the picture.
std::optional<RowPair> rows_of_message(const trace::Messages& messages, size_t i, const Rows& rows,
                                       TimeRange range) {
  if (!in_range(messages, i, range)) return {};
  const auto row_of = [&](uint32_t location, uint32_t rank) {
    const uint32_t row =
        location == base::IdMap::kNone ? base::IdMap::kNone : rows.of_location[location];
    return row == base::IdMap::kNone ? rows.of_rank[rank] : row;
  };
  const uint32_t from = row_of(messages.send_location[i], messages.sender[i]);
  const uint32_t to = row_of(messages.recv_location[i], messages.receiver[i]);
  if (from == base::IdMap::kNone || to == base::IdMap::kNone) return {};
  return RowPair{from, to};
}

/// The messages in the picture, x as a share of the range and y in rows, until the plot is known.
layout::Segments message_lines(const trace::Trace& trace, const Rows& rows, TimeRange range) {
  layout::Segments segments;
  const trace::Messages& messages = trace.messages;
  const double scale = 1 / static_cast<double>(range.until - range.from);
  const auto x = [&](uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<int64_t>(ticks - range.from));
    return static_cast<float>(since * scale);
  };
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto pair = rows_of_message(messages, i, rows, range);
    if (!pair) continue;
    if (segments.size() == 0) segments.reserve(messages.size() - i);
    segments.add(x(messages.send_ticks[i]), static_cast<float>(pair->from) + 0.5F,
                 x(messages.recv_ticks[i]), static_cast<float>(pair->to) + 0.5F);
  }
  return segments;
}

/// Moves lines of message_lines into the plot.
void place(layout::Segments& lines, const layout::Rect& plot, size_t row_count) {
  const auto move = [](std::vector<float>& values, double origin, double scale) {
    for (float& value : values) value = static_cast<float>(origin + value * scale);
  };
  const double row_px = plot.h / static_cast<double>(row_count);
  move(lines.x1, plot.x, plot.w);
  move(lines.x2, plot.x, plot.w);
  move(lines.y1, plot.y, row_px);
  move(lines.y2, plot.y, row_px);
  lines.clip = plot;
}

}  // namespace

namespace {

std::string rows_text(const trace::Trace& trace, const Rows& rows) {
  const size_t all = std::max<size_t>(trace.locations.size(), rows.rows.size());
  if (all == rows.rows.size()) return base::counted(all, "location", "locations");
  return fmt::format("{} of {} locations", base::human_count(rows.rows.size()),
                     base::human_count(all));
}

/// Says what the picture leaves out: tables count a message of a chosen rank wherever it goes.
std::string messages_text(const trace::Messages& messages, const Rows& rows, TimeRange range,
                          const trace::Selection& selection, size_t count) {
  std::string text = base::counted(count, "message", "messages");
  if (selection.ranks.empty()) return text;
  size_t hidden = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    const bool chosen =
        selection.has_rank(messages.sender[i]) || selection.has_rank(messages.receiver[i]);
    if (chosen && in_range(messages, i, range) && !rows_of_message(messages, i, rows, range)) {
      ++hidden;
    }
  }
  if (hidden > 0)
    text += fmt::format(" (and {} from or to other ranks)", base::human_count(hidden));
  return text;
}

std::string time_text(const trace::Trace& trace, TimeRange range,
                      const trace::Selection& selection) {
  std::string text = base::human_seconds(trace.span_seconds(range.until - range.from));
  if (selection.from_ticks > trace.start_ticks || selection.until_ticks <= trace.end_ticks) {
    text += fmt::format(" of {}", base::human_seconds(trace.duration_seconds()));
  }
  return text;
}

}  // namespace

base::Result<layout::Scene> timeline(const trace::Trace& trace, const trace::Selection& selection,
                                     const Options& options, base::ThreadPool& pool) {
  const layout::Theme& theme = layout::theme(options.theme);
  const auto gradient = layout::message_gradient(options.palette, options.theme);
  if (!gradient) return gradient.error();
  const TimeRange range = visible_range(trace, selection);
  const Rows rows = choose_rows(trace, selection);
  if (rows.rows.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "there is nothing to draw: no location of the selection recorded calls or "
                       "messages"};
  }

  layout::Scene scene;
  scene.width_px = options.width_px;
  scene.height_px = options.height_px;
  // Under message lines the rows are only tinted, so that the lines stand out.
  layout::Segments lines = message_lines(trace, rows, range);
  const size_t message_count = lines.size();
  const bool has_messages = message_count > 0 && options.opacity != 0.0;
  const std::vector<uint64_t> ticks = region_ticks(trace, rows, range, pool);
  const Palette palette = make_palette(
      trace, ticks,
      selection.everything()
          ? ticks
          : region_ticks(trace, choose_rows(trace, {}), visible_range(trace, {}), pool),
      theme, has_messages ? 0.4 : 0.85);
  const double top = layout::add_title(
      scene, theme, options.title.empty() ? "Timeline" : options.title,
      fmt::format("{}, {}, {}, {}", ranks_text(trace, selection), rows_text(trace, rows),
                  messages_text(trace.messages, rows, range, selection, message_count),
                  time_text(trace, range, selection)));

  std::vector<std::string> names;
  for (const Row& row : rows.rows) names.push_back(row.name);
  std::vector<layout::LegendEntry> legend = palette.legend;
  if (has_messages) {
    legend.push_back({.text = "message",
                      .color = gradient.value().begin,
                      .swatch = layout::Swatch::kGradient,
                      .end_color = gradient.value().end,
                      .value = "from send to receive"});
  }
  constexpr double kMargin = 16;
  constexpr double kAxisHeight = 44;
  const double label_width = layout::row_label_width_px(theme, names, 160);
  const double left = kMargin + label_width + 8;
  const double legend_width = options.width_px - 2 * kMargin;
  const double legend_height =
      std::min(4.0, static_cast<double>(layout::legend_row_count(theme, legend, legend_width))) *
      layout::legend_row_height_px(theme);
  const double bottom = options.height_px - kAxisHeight - legend_height - kMargin;
  const layout::Rect plot{std::round(left), std::round(top + 8),
                          std::floor(options.width_px - kMargin - std::round(left)),
                          std::floor(bottom - std::round(top + 8))};
  if (plot.w < 32 || plot.h < 16) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("a picture of {}x{} pixels is too small for this timeline",
                                   options.width_px, options.height_px)};
  }

  layout::Boxes background;
  background.add(plot, theme.plot_background);
  scene.layers.emplace_back(std::move(background));
  const double to_ns = 1e9;
  const double begin_ns = trace.seconds(range.from) * to_ns;
  const double end_ns = trace.seconds(range.until) * to_ns;
  layout::add_bottom_axis(scene, theme, plot, {begin_ns, end_ns, plot.x, plot.right()},
                          layout::time_ticks(begin_ns, end_ns, static_cast<size_t>(plot.w / 90)),
                          "time since the start of the run");
  scene.layers.emplace_back(state_cells(trace, rows, range, plot, palette, theme, pool));
  if (!has_messages) lines = {};
  place(lines, plot, rows.rows.size());
  lines.style = {.begin = gradient.value().begin,
                 .end = gradient.value().end,
                 .opacity = options.opacity,
                 .blend = options.blend};
  scene.layers.emplace_back(std::move(lines));
  layout::add_row_labels(scene, theme, plot, names, label_width);
  if (palette.legend.empty() && message_count == 0) {
    layout::add_remark(scene, theme, plot, "no calls and no messages in this part of the run");
  }
  layout::add_legend(
      scene, theme,
      {kMargin, options.height_px - kMargin - legend_height, legend_width, legend_height}, legend);
  scene.message_count = message_count;
  scene.description = fmt::format("Calls of {} over {}, with {}",
                                  base::counted(rows.rows.size(), "location", "locations"),
                                  base::human_seconds(trace.span_seconds(range.until - range.from)),
                                  base::counted(message_count, "message", "messages"));
  return scene;
}

}  // namespace pathline::figure

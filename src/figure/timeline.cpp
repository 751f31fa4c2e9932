// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "comm/matrix.hpp"
#include "figure/figure.hpp"
#include "figure/timeline_bursts.hpp"
#include "figure/timeline_messages.hpp"
#include "figure/timeline_states.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "render/pick.hpp"

namespace pathline::figure {
namespace {

std::string rows_text(const trace::Trace& trace, const Rows& rows) {
  const size_t all = std::max<size_t>(trace.locations.size(), rows.rows.size());
  if (all == rows.rows.size()) return base::counted(all, "location", "locations");
  return fmt::format("{} of {} locations", base::human_count(rows.rows.size()),
                     base::human_count(all));
}

/// Says what the picture leaves out: tables count a message of a chosen rank wherever it goes.
std::string messages_text(const trace::Trace& trace, const Rows& rows, TimeRange range,
                          const trace::Selection& selection, size_t count) {
  std::string text = base::counted(count, "message", "messages");
  if (selection.ranks.empty()) return text;
  const size_t hidden = hidden_messages(trace, rows, range, selection);
  if (hidden > 0)
    text += fmt::format(" (and {} from or to other ranks)", base::human_count(hidden));
  return text;
}

constexpr double kBurstGapPx = 6;

/// How the lines are drawn, for the legend.
std::string lines_text(const Bundled& bundled, size_t row_count) {
  const std::string& mode = bundled.mode;
  if (mode == "none") return "from send to receive";
  if (mode == "density") return "send to receive, density";
  if (mode == "bursts") return "bursts, dots: receivers";
  if (mode == "phases") {
    const size_t ranks = bundled.rows == 0 ? 1 : row_count / bundled.rows;
    return ranks < 2 ? "send to receive, by phase"
                     : fmt::format("by phase, {} rows a trunk", ranks);
  }
  return fmt::format("send to receive, {}", mode);
}

/// The legend's size must be known before the lines are.
constexpr const char* kLongestLinesText = "send to receive, hierarchy";

std::string time_text(const trace::Trace& trace, TimeRange range,
                      const trace::Selection& selection) {
  std::string text = base::human_seconds(trace.span_seconds(range.until - range.from));
  if (selection.from_ticks > trace.start_ticks || selection.until_ticks <= trace.end_ticks) {
    text += fmt::format(" of {}", base::human_seconds(trace.duration_seconds()));
  }
  return text;
}

}  // namespace

namespace {

/// Those behind a pixel of the picture.
std::vector<uint32_t> messages_at(Pixel pixel, const base::Column<uint32_t>& messages,
                                  const layout::Segments& lines, const Bundled& bundled,
                                  const Options& options) {
  const double x = pixel.x - std::floor(lines.clip.x);
  const double y = pixel.y - std::floor(lines.clip.y);
  if (x < 0 || y < 0 || x >= lines.clip.w || y >= lines.clip.h) return {};
  std::vector<uint32_t> found =
      render::lines_at_pixel(lines, bundled.router.get(), {options.bundling.degree, bundled.beta},
                             static_cast<uint32_t>(x), static_cast<uint32_t>(y));
  for (uint32_t& line : found) line = messages[line];
  return found;
}

/// The lines, or what they became, and what they are led along. returns how they are drawn.
Bundled add_messages(layout::Scene& scene, layout::Segments lines, const layout::RowBands& rows,
                     const BundleOptions& options, const layout::Theme& theme,
                     base::ThreadPool& pool) {
  const layout::Rect plot = lines.clip;
  const layout::SegmentStyle style = lines.style;
  Bundled bundled = bundle(std::move(lines), rows, options, pool);
  if (bundled.segments) {
    scene.layers.emplace_back(std::move(*bundled.segments));
    bundled.segments.reset();
  } else {
    scene.layers.emplace_back(
        layout::DensityField{std::floor(plot.x), std::floor(plot.y), bundled.density, style});
  }
  if (options.show_nodes && bundled.router != nullptr) {
    layout::Boxes marks;
    marks.snap = false;
    for (const layout::Router::Node& node : bundled.router->nodes()) {
      const double half = 1.5 + node.level;
      const layout::Rect mark{node.at.x - half, node.at.y - half, 2 * half, 2 * half};
      const bool is_inside = mark.x >= plot.x && mark.right() <= plot.right() && mark.y >= plot.y &&
                             mark.bottom() <= plot.bottom();
      if (is_inside) marks.add(mark, theme.series_color(node.level));
    }
    scene.layers.emplace_back(std::move(marks));
  }
  return bundled;
}

}  // namespace

base::Result<layout::Scene> timeline(const trace::Trace& trace, const trace::Selection& selection,
                                     const Options& options, base::ThreadPool& pool,
                                     Bundled* report) {
  const layout::Theme& theme = layout::theme(options.theme);
  const auto gradient = layout::message_gradient(options.palette, options.theme);
  if (!gradient) return gradient.error();
  if (options.line_weight == Metric::kBandwidth) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "the bandwidths of messages cannot be added up in a timeline",
                       "Weigh them by messages, bytes or time."};
  }
  const TimeRange range = visible_range(trace, selection);
  std::optional<comm::ProcessOrder> order;
  if (options.order != comm::Order::kRank) {
    order = process_order(trace, selection, comm::matrix(trace, selection, {}, pool), options);
  }
  const Rows rows = choose_rows(trace, selection, order ? &*order : nullptr);
  if (rows.rows.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "there is nothing to draw: no location of the selection recorded calls or "
                       "messages"};
  }

  layout::Scene scene;
  scene.width_px = options.width_px;
  scene.height_px = options.height_px;
  // Under message lines the rows are only tinted, so that the lines stand out.
  const base::Column<uint32_t> messages = visible_messages(trace, rows, range, pool);
  const size_t message_count = messages.size();
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
      fmt::format("{}, {}, {}, {}{}", ranks_text(trace, selection), rows_text(trace, rows),
                  messages_text(trace, rows, range, selection, message_count),
                  time_text(trace, range, selection), order ? " — " + order_text(*order) : ""));

  std::vector<std::string> names;
  for (const Row& row : rows.rows) names.push_back(row.name);
  std::vector<layout::LegendEntry> legend = palette.legend;
  if (has_messages) {
    // First, because what does not fit into the legend is left out at its end.
    legend.insert(legend.begin(),
                  {.text = options.line_weight == Metric::kBytes  ? "bytes"
                           : options.line_weight == Metric::kTime ? "time of messages"
                                                                  : "message",
                   .color = gradient.value().begin,
                   .swatch = options.bursts ? layout::Swatch::kBox : layout::Swatch::kGradient,
                   .end_color = gradient.value().end,
                   .value = kLongestLinesText});
    if (options.bundling.show_nodes && options.bundling.mode != Bundling::kNone) {
      legend.insert(legend.begin() + 1, {.text = "node of bundles",
                                         .color = theme.series_color(0),
                                         .value = "larger: higher level"});
    }
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
  if (has_messages) {
    layout::Segments lines =
        message_lines(trace, messages, rows, range, plot, options.line_weight, pool);
    lines.style = {.begin = gradient.value().begin,
                   .end = gradient.value().end,
                   .opacity = options.opacity,
                   .blend = options.blend};
    Bundled bundled;
    if (options.bursts) {
      add_bursts(scene, find_bursts(lines, line_rows(trace, messages, rows), kBurstGapPx), plot,
                 rows.rows.size(), gradient.value(), theme);
      bundled.mode = "bursts";
    } else {
      const layout::RowBands bands{rows.rows.size(), rows.block_begin};
      bundled = options.pick
                    ? add_messages(scene, lines, bands, options.bundling, theme, pool)
                    : add_messages(scene, std::move(lines), bands, options.bundling, theme, pool);
      if (options.pick)
        bundled.picked = messages_at(*options.pick, messages, lines, bundled, options);
    }
    legend.front().value = lines_text(bundled, rows.rows.size());
    if (report != nullptr) *report = std::move(bundled);
  }
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

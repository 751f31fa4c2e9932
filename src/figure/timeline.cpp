// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "trace/calls.hpp"

namespace pathline::figure {
namespace {

using layout::Color;

constexpr size_t kNamedRegions = layout::Theme::kSeriesCount - 1;
constexpr size_t kOther = kNamedRegions;  // The class of all regions without a colour of their own.
constexpr size_t kClasses = kNamedRegions + 1;

struct TimeRange {
  uint64_t from;
  uint64_t until;
};

TimeRange visible_range(const trace::Trace& trace, const trace::Selection& selection) {
  const uint64_t from = std::max(trace.start_ticks, selection.from_ticks);
  const uint64_t until = std::min(trace.end_ticks, selection.until_ticks);
  return {from, std::max(until, from + 1)};
}

/// One row of the picture: a location with calls, or a rank of a source of messages only.
struct Row {
  uint32_t location;  // IdMap::kNone for none.
  std::string name;
};

struct Rows {
  std::vector<Row> rows;
  std::vector<uint32_t> of_location;  // Row of each location, kNone if it has none.
  std::vector<uint32_t> of_rank;      // Row of each rank's first thread.
};

Rows choose_rows(const trace::Trace& trace, const trace::Selection& selection) {
  Rows result;
  result.of_location.assign(trace.locations.size(), base::IdMap::kNone);
  result.of_rank.assign(trace.rank_count, base::IdMap::kNone);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    const bool chosen =
        selection.ranks.empty() || (location.rank.valid() && selection.has_rank(location.rank));
    const auto& kinds = location.events.kind;
    const bool has_calls = std::any_of(kinds.begin(), kinds.end(), [](trace::EventKind kind) {
      return kind == trace::EventKind::kEnter || kind == trace::EventKind::kCallingContextEnter;
    });
    if (chosen && has_calls) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return trace.locations[a].rank < trace.locations[b].rank;  // none() is the largest number.
  });
  for (const uint32_t i : order) {
    const trace::Location& location = trace.locations[i];
    const auto row = static_cast<uint32_t>(result.rows.size());
    result.of_location[i] = row;
    const bool first = location.rank.valid() && result.of_rank[location.rank] == base::IdMap::kNone;
    if (first) result.of_rank[location.rank] = row;
    std::string name = first                   ? fmt::format("rank {}", uint32_t{location.rank})
                       : location.rank.valid() ? fmt::format("{}: {}", uint32_t{location.rank},
                                                             base::printable(location.name))
                                               : base::printable(location.name);
    result.rows.push_back({i, std::move(name)});
  }
  if (trace.locations.empty()) {
    for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
      if (!selection.has_rank(rank)) continue;
      result.of_rank[rank] = static_cast<uint32_t>(result.rows.size());
      result.rows.push_back({base::IdMap::kNone, fmt::format("rank {}", rank)});
    }
  }
  return result;
}

/// Calls `charge(region, from, until)` for the time that each call is the innermost one.
template <class Charge>
void walk_innermost(const trace::Trace& trace, const trace::Events& events, TimeRange range,
                    Charge charge) {
  std::vector<trace::Region> open;
  uint64_t since = 0;
  const auto step = [&](uint64_t ticks) {
    if (!open.empty() && ticks > range.from && since < range.until) {
      const uint64_t from = std::max(since, range.from);
      const uint64_t until = std::min(ticks, range.until);
      if (from < until) charge(open.back(), from, until);
    }
    since = ticks;
  };
  trace::walk_calls(
      trace.definitions, events,
      [&](trace::Region region, uint64_t ticks) {
        step(ticks);
        open.push_back(region);
      },
      [&](uint64_t ticks) {
        step(ticks);
        open.pop_back();
      });
}

/// Time that each region is the innermost call, in ticks, over all rows.
std::vector<uint64_t> region_ticks(const trace::Trace& trace, const Rows& rows, TimeRange range,
                                   base::ThreadPool& pool) {
  const size_t region_count = trace.definitions.regions.size();
  constexpr size_t kPieces = 16;
  std::vector<std::vector<uint64_t>> pieces(kPieces, std::vector<uint64_t>(region_count));
  pool.for_each(kPieces, [&](size_t piece) {
    for (size_t row = piece; row < rows.rows.size(); row += kPieces) {
      if (rows.rows[row].location == base::IdMap::kNone) continue;
      walk_innermost(trace, trace.locations[rows.rows[row].location].events, range,
                     [&](trace::Region region, uint64_t from, uint64_t until) {
                       if (region.valid()) pieces[piece][region] += until - from;
                     });
    }
  });
  std::vector<uint64_t> sum(region_count);
  for (const auto& piece : pieces) {
    for (size_t region = 0; region < region_count; ++region) sum[region] += piece[region];
  }
  return sum;
}

/// Which regions have a colour of their own, and the legend that says so.
struct Palette {
  std::vector<uint8_t> class_of_region;
  std::vector<layout::LegendEntry> legend;
  std::array<Color, kClasses> colors{};
};

/// Regions with time, the one with most first, as many as can have a colour.
std::vector<uint32_t> named_regions(const std::vector<uint64_t>& ticks) {
  std::vector<uint32_t> order;
  for (uint32_t region = 0; region < ticks.size(); ++region) {
    if (ticks[region] > 0) order.push_back(region);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ticks[a] > ticks[b]; });
  order.resize(std::min(order.size(), kNamedRegions));
  return order;
}

/// ticks      per region in the picture.
/// run_ticks  per region in the whole run, which decides on the colours, so that pictures of parts
/// of
///            a run can be compared; regions that only matter in this part take what is left.
Palette make_palette(const trace::Trace& trace, const std::vector<uint64_t>& ticks,
                     const std::vector<uint64_t>& run_ticks, const layout::Theme& theme,
                     double strength) {
  const std::vector<uint32_t> named = named_regions(ticks);
  const double sum = std::max(1.0, std::accumulate(ticks.begin(), ticks.end(), 0.0));
  const auto share = [&](double part) { return fmt::format("{:.1f} %", 100 * part / sum); };

  Palette palette;
  palette.class_of_region.assign(ticks.size(), kOther);
  for (size_t i = 0; i < kNamedRegions; ++i) {
    palette.colors[i] = theme.tint(theme.series_color(i), strength);
  }
  palette.colors[kOther] = theme.tint(theme.other, strength);
  std::array<bool, kNamedRegions> taken{};
  const std::vector<uint32_t> named_in_run = named_regions(run_ticks);
  for (size_t i = 0; i < named_in_run.size(); ++i) {
    if (std::find(named.begin(), named.end(), named_in_run[i]) == named.end()) continue;
    palette.class_of_region[named_in_run[i]] = static_cast<uint8_t>(i);
    taken[i] = true;
  }
  double rest = std::accumulate(ticks.begin(), ticks.end(), 0.0);
  for (const uint32_t region : named) {
    uint8_t& kind = palette.class_of_region[region];
    if (kind == kOther) {
      kind = static_cast<uint8_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
      taken[kind] = true;
    }
    rest -= static_cast<double>(ticks[region]);
    palette.legend.push_back({.text = base::printable(trace.definitions.regions[region].name),
                              .color = palette.colors[kind],
                              .value = share(static_cast<double>(ticks[region]))});
  }
  if (rest > 0) {
    palette.legend.push_back(
        {.text = "other regions", .color = palette.colors[kOther], .value = share(rest)});
  }
  return palette;
}

/// Mean colours in linear light, as a lens would blur them.
class ColorMean {
 public:
  explicit ColorMean(const std::array<Color, kClasses>& colors, Color background)
      : background_(linear(background)) {
    for (size_t i = 0; i < kClasses; ++i) colors_[i] = linear(colors[i]);
    for (size_t i = 0; i < encode_.size(); ++i) {
      const double value = static_cast<double>(i) / static_cast<double>(encode_.size() - 1);
      const double srgb =
          value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
      encode_[i] = static_cast<uint8_t>(std::lround(255 * srgb));
    }
  }
  /// shares  of the cell's time, by class; what is missing to 1 is background.
  [[nodiscard]] Color of(const float* shares) const {
    std::array<double, 3> sum{};
    double covered = 0;
    for (size_t i = 0; i < kClasses; ++i) {
      if (shares[i] == 0) continue;
      covered += shares[i];
      for (size_t c = 0; c < 3; ++c) sum[c] += shares[i] * colors_[i][c];
    }
    const double open = std::max(0.0, 1 - covered);
    const double scale = 1 / std::max(1.0, covered);
    for (size_t c = 0; c < 3; ++c) sum[c] = sum[c] * scale + open * background_[c];
    return {encode(sum[0]), encode(sum[1]), encode(sum[2])};
  }

 private:
  using Linear = std::array<double, 3>;
  static Linear linear(Color color) {
    const auto decode = [](uint8_t byte) {
      const double value = byte / 255.0;
      return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return {decode(color.r), decode(color.g), decode(color.b)};
  }
  [[nodiscard]] uint8_t encode(double value) const {
    const double last = static_cast<double>(encode_.size() - 1);
    return encode_[static_cast<size_t>(std::clamp(value, 0.0, 1.0) * last + 0.5)];
  }
  std::array<Linear, kClasses> colors_{};
  Linear background_;
  std::array<uint8_t, 4096> encode_{};
};

/// How a row is cut into cells from top to bottom: tall ones into lines of about a pixel, so that
/// calls which share a column can be stacked.
struct Lanes {
  uint32_t count = 1;
  uint32_t gap = 0;  ///< The last ones, left free.

  explicit Lanes(double row_px) {
    constexpr double kTall = 6;
    if (row_px < kTall) return;
    count = static_cast<uint32_t>(row_px);
    gap = std::min(4U, count / 5);
  }
  [[nodiscard]] uint32_t used() const { return count - gap; }
};

/// Stacks the classes of one column from the bottom upwards, each as tall as its share.
void stack(const float* shares, const Palette& palette, const Lanes& lanes, uint32_t column,
           uint32_t first_line, layout::CellGrid& grid) {
  const double covered = std::accumulate(shares, shares + kClasses, 0.0);
  const double scale = lanes.used() / std::max(1.0, covered);
  double sum = 0;
  uint32_t filled = 0;
  for (size_t i = 0; i < kClasses; ++i) {
    sum += shares[i];
    const auto until = std::min(lanes.used(), static_cast<uint32_t>(std::lround(sum * scale)));
    for (; filled < until; ++filled) {
      grid.at(column, first_line + lanes.used() - 1 - filled) = palette.colors[i];
    }
  }
}

/// The rows as cells of about a pixel. Calls that share a column are stacked where rows are tall
/// enough; in thin rows, and where several rows share a pixel, their colours are averaged.
layout::CellGrid state_cells(const trace::Trace& trace, const Rows& rows, TimeRange range,
                             const layout::Rect& plot, const Palette& palette,
                             const layout::Theme& theme, base::ThreadPool& pool) {
  layout::CellGrid grid;
  grid.area = plot;
  grid.column_count = static_cast<uint32_t>(plot.w);
  grid.row_count =
      static_cast<uint32_t>(std::min<size_t>(rows.rows.size(), static_cast<size_t>(plot.h)));
  const uint32_t cell_rows = grid.row_count;
  const Lanes lanes(plot.h / cell_rows);
  grid.row_count *= lanes.count;
  grid.cells.assign(size_t{grid.column_count} * grid.row_count, theme.plot_background);

  const ColorMean mean(palette.colors, theme.plot_background);
  const auto span = static_cast<double>(range.until - range.from);
  const double ticks_per_column = span / grid.column_count;
  pool.for_each(cell_rows, [&](size_t cell_row) {
    const size_t first = cell_row * rows.rows.size() / cell_rows;
    const size_t last = std::max(first + 1, (cell_row + 1) * rows.rows.size() / cell_rows);
    std::vector<float> shares(size_t{grid.column_count} * kClasses);
    const double weight = 1 / (ticks_per_column * static_cast<double>(last - first));
    for (size_t row = first; row < last; ++row) {
      if (rows.rows[row].location == base::IdMap::kNone) continue;
      // Time only moves on, so the column does too: no division per event.
      size_t column = 0;
      double column_end = ticks_per_column;
      walk_innermost(
          trace, trace.locations[rows.rows[row].location].events, range,
          [&](trace::Region region, uint64_t from, uint64_t until) {
            const uint8_t kind = region.valid() ? palette.class_of_region[region] : kOther;
            auto at = static_cast<double>(from - range.from);
            const auto end = static_cast<double>(until - range.from);
            while (at >= column_end && column + 1 < grid.column_count) {
              ++column;
              column_end = ticks_per_column * static_cast<double>(column + 1);
            }
            while (end > column_end && column + 1 < grid.column_count) {
              shares[column * kClasses + kind] += static_cast<float>((column_end - at) * weight);
              at = column_end;
              ++column;
              column_end = ticks_per_column * static_cast<double>(column + 1);
            }
            shares[column * kClasses + kind] += static_cast<float>((end - at) * weight);
          });
    }
    for (uint32_t column = 0; column < grid.column_count; ++column) {
      const float* const of_column = &shares[column * kClasses];
      const auto line = static_cast<uint32_t>(cell_row) * lanes.count;
      if (lanes.count > 1) {
        stack(of_column, palette, lanes, column, line, grid);
      } else {
        grid.at(column, line) = mean.of(of_column);
      }
    }
  });
  return grid;
}

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

size_t count_messages(const trace::Messages& messages, const Rows& rows, TimeRange range) {
  size_t count = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    count += rows_of_message(messages, i, rows, range).has_value() ? 1 : 0;
  }
  return count;
}

layout::Segments message_lines(const trace::Trace& trace, const Rows& rows, TimeRange range,
                               const layout::Rect& plot, size_t count) {
  layout::Segments segments;
  segments.clip = plot;
  const trace::Messages& messages = trace.messages;
  const double scale = plot.w / static_cast<double>(range.until - range.from);
  const double row_px = plot.h / static_cast<double>(rows.rows.size());
  const auto x = [&](uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<int64_t>(ticks - range.from));
    return static_cast<float>(plot.x + since * scale);
  };
  segments.reserve(count);
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto pair = rows_of_message(messages, i, rows, range);
    if (!pair) continue;
    segments.add(x(messages.send_ticks[i]),
                 static_cast<float>(plot.y + (pair->from + 0.5) * row_px),
                 x(messages.recv_ticks[i]), static_cast<float>(plot.y + (pair->to + 0.5) * row_px));
  }
  return segments;
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
  const size_t message_count = count_messages(trace.messages, rows, range);
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
  layout::Segments lines;
  if (has_messages) lines = message_lines(trace, rows, range, plot, message_count);
  lines.clip = plot;
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

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/states.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/id_map.hpp"
#include "base/text.hpp"
#include "figure/timeline/smoothing.hpp"
#include "figure/timeline/walk_row.hpp"

namespace pathline::figure {
namespace {

using layout::Color;

constexpr size_t kClasses = Palette::kClasses;
constexpr size_t kOther = Palette::kOther;
constexpr size_t kNamedRegions = kOther;

/// Regions with time, the one with most first.
std::vector<uint32_t> by_time(const std::vector<uint64_t>& ticks) {
  std::vector<uint32_t> order;
  for (uint32_t region = 0; region < ticks.size(); ++region) {
    if (ticks[region] > 0) order.push_back(region);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ticks[a] > ticks[b]; });
  return order;
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

/// Rows that share cells of the picture.
struct SharedCells {
  size_t first_row;
  size_t last_row;  ///< After the last one.
  uint32_t begin;   ///< Cells.
  uint32_t end;
};

std::vector<SharedCells> equal_cells(size_t row_count, uint32_t cell_rows) {
  std::vector<SharedCells> shared;
  for (uint32_t cell = 0; cell < cell_rows; ++cell) {
    const size_t first = cell * row_count / cell_rows;
    shared.push_back(
        {first, std::max(first + 1, (cell + 1) * row_count / cell_rows), cell, cell + 1});
  }
  return shared;
}

/// Rows that begin in the same pixel share it.
std::vector<SharedCells> cells_of(const RowPlaces& places) {
  std::vector<SharedCells> shared;
  const size_t row_count = places.tops.size() - 1;
  for (size_t first = 0; first < row_count;) {
    size_t last = first + 1;
    while (last < row_count && places.tops[last] == places.tops[first]) ++last;
    shared.push_back({first, last, places.tops[first], places.tops[last]});
    first = last;
  }
  return shared;
}

}  // namespace

TimeRange visible_range(const trace::Trace& trace, const trace::Selection& selection) {
  const uint64_t from = std::max(trace.start_ticks, selection.from_ticks);
  const uint64_t until = std::min(trace.end_ticks, selection.until_ticks);
  return {from, std::max(until, from + 1)};
}

Rows choose_rows(const trace::Trace& trace, const trace::Selection& selection,
                 const comm::ProcessOrder* process_order, const trace::CallSource* calls) {
  Rows result;
  result.calls = calls;
  result.of_location.assign(trace.locations.size(), base::IdMap::kNone);
  result.of_rank.assign(trace.rank_count, base::IdMap::kNone);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    const bool chosen =
        selection.ranks.empty() || (location.rank.valid() && selection.has_rank(location.rank));
    const auto& kinds = location.events.kind;
    const auto enters = [](trace::EventKind kind) {
      return kind == trace::EventKind::kEnter || kind == trace::EventKind::kCallingContextEnter;
    };
    const bool has_calls = calls != nullptr ? calls->ends(i).has_calls
                                            : std::any_of(kinds.begin(), kinds.end(), enters);
    if (chosen && has_calls) order.push_back(i);
  }
  // A location of no rank comes last: none() is the largest number.
  const auto position = [&](uint32_t i) {
    const trace::Rank rank = trace.locations[i].rank;
    const bool is_ordered = process_order != nullptr && rank.valid();
    return is_ordered ? process_order->position_of_rank[rank] : uint32_t{rank};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return position(a) < position(b); });
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
    for (uint32_t i = 0; i < trace.rank_count; ++i) {
      if (process_order != nullptr && i >= process_order->size()) break;
      const uint32_t rank = process_order != nullptr ? process_order->rank_at_position[i] : i;
      if (!selection.has_rank(rank)) continue;
      result.of_rank[rank] = static_cast<uint32_t>(result.rows.size());
      result.rows.push_back({base::IdMap::kNone, fmt::format("rank {}", rank)});
    }
  }
  if (process_order == nullptr) return result;
  for (size_t block = 0; block < process_order->block_begin.size(); ++block) {
    for (uint32_t at = process_order->block_begin[block]; at < process_order->block_end(block);
         ++at) {
      const uint32_t row = result.of_rank[process_order->rank_at_position[at]];
      if (row == base::IdMap::kNone) continue;
      result.block_begin.push_back(row);
      break;
    }
  }
  if (!result.block_begin.empty()) result.block_begin.front() = 0;
  return result;
}

std::vector<uint64_t> region_ticks(const trace::Trace& trace, const Rows& rows, TimeRange range,
                                   base::ThreadPool& pool, std::vector<RowSignature>* signatures) {
  const size_t region_count = trace.definitions.regions.size();
  constexpr size_t kPieces = 16;
  std::vector<std::vector<uint64_t>> pieces(kPieces, std::vector<uint64_t>(region_count));
  if (signatures != nullptr) signatures->assign(rows.rows.size(), {});
  const float per_tick = 1 / static_cast<float>(range.until - range.from);
  pool.for_each(kPieces, [&](size_t piece) {
    for (size_t row = piece; row < rows.rows.size(); row += kPieces) {
      if (rows.rows[row].location == base::IdMap::kNone) continue;
      std::array<uint64_t, std::tuple_size_v<RowSignature>> of_row{};
      walk_row(trace, rows, rows.rows[row].location, range,
               [&](trace::Region region, uint64_t from, uint64_t until) {
                 if (!region.valid()) return;
                 pieces[piece][region] += until - from;
                 of_row[region % of_row.size()] += until - from;
               });
      if (signatures == nullptr) continue;
      for (size_t i = 0; i < of_row.size(); ++i) {
        (*signatures)[row][i] = static_cast<float>(of_row[i]) * per_tick;
      }
    }
  });
  std::vector<uint64_t> sum(region_count);
  for (const auto& piece : pieces) {
    for (size_t region = 0; region < region_count; ++region) sum[region] += piece[region];
  }
  return sum;
}

std::vector<uint64_t> run_ticks(const trace::Trace& trace, const trace::CallSource* calls,
                                base::ThreadPool& pool) {
  if (calls != nullptr) return calls->run_ticks();
  return region_ticks(trace, choose_rows(trace, {}), visible_range(trace, {}), pool);
}

void take_run_ticks(const trace::Trace& trace, const trace::CallSource& calls,
                    std::vector<uint64_t>& ticks) {
  if (!calls.has_stretches()) return;
  const std::vector<uint64_t> all = calls.run_ticks();
  for (size_t region = 0; region < ticks.size(); ++region) {
    const std::string_view name = trace.definitions.regions[region].name;
    const bool is_cut = name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Finalize";
    if (!is_cut) ticks[region] = all[region];
  }
}

Palette make_palette(const trace::Trace& trace, std::vector<uint64_t> ticks,
                     const RegionColors& region_colors, const layout::Theme& theme) {
  constexpr double kNegligible = 0.001;  // of the time
  trace.definitions.join_functions(ticks);
  std::vector<uint32_t> named = by_time(ticks);
  named.resize(std::min(named.size(), kNamedRegions));
  const auto height = [&](uint32_t region) {  // in a stack
    constexpr std::array<int, 3> kHeights = {0, 2, 1};
    return kHeights[static_cast<size_t>(region_colors.family_of(region))];
  };
  std::stable_sort(named.begin(), named.end(),
                   [&](uint32_t a, uint32_t b) { return height(a) < height(b); });
  const auto all = std::accumulate(ticks.begin(), ticks.end(), uint64_t{0});
  const double sum = std::max(1.0, static_cast<double>(all));

  Palette palette;
  palette.class_of_region.assign(ticks.size(), kOther);
  palette.colors.fill(theme.other);
  uint64_t rest = all;
  const auto add_entry = [&](std::string name, Color color, uint64_t part) {
    const double share = static_cast<double>(part) / sum;
    if (share < kNegligible) return false;
    palette.legend.push_back(
        {.text = std::move(name), .color = color, .value = fmt::format("{:.1f} %", 100 * share)});
    return true;
  };
  for (size_t i = 0; i < named.size(); ++i) {
    const uint32_t region = named[i];
    palette.class_of_region[region] = static_cast<uint8_t>(i);
    palette.colors[i] = region_colors.of(region);
    const bool is_shown = add_entry(base::printable(trace.definitions.regions[region].name),
                                    palette.colors[i], ticks[region]);
    if (is_shown) rest -= ticks[region];
  }
  const auto& regions = trace.definitions.regions;
  for (size_t i = 0; i < regions.size(); ++i) {
    palette.class_of_region[i] = palette.class_of_region[regions[i].function];
  }
  add_entry("other regions", palette.colors[kOther], rest);
  return palette;
}

layout::CellGrid state_cells(const trace::Trace& trace, const Rows& rows, TimeRange range,
                             const layout::Rect& plot, double scale, const RowPlaces* places,
                             const Palette& palette, const comm::StepWindows& steps,
                             const layout::Theme& theme, base::ThreadPool& pool) {
  layout::CellGrid grid;
  grid.area = plot;
  grid.column_count = static_cast<uint32_t>(plot.w * scale + 1e-6);
  const auto height_px = static_cast<size_t>(plot.h * scale + 1e-6);
  const size_t row_count = rows.rows.size();
  const auto cell_rows =
      static_cast<uint32_t>(places != nullptr ? height_px : std::min<size_t>(row_count, height_px));
  const Lanes lanes(places != nullptr ? 1 : plot.h * scale / cell_rows);
  const std::vector<SharedCells> shared =
      places != nullptr ? cells_of(*places) : equal_cells(row_count, cell_rows);
  grid.row_count = cell_rows * lanes.count;
  grid.cells.assign(size_t{grid.column_count} * grid.row_count, theme.plot_background);

  const ColorMean mean(palette.colors, theme.plot_background);
  const auto span = static_cast<double>(range.until - range.from);
  const double ticks_per_column = span / grid.column_count;
  pool.for_each(shared.size(), [&](size_t part) {
    const auto [first, last, begin, end_cell] = shared[part];
    std::vector<float> shares(size_t{grid.column_count} * kClasses);
    std::vector<uint8_t> is_changing(grid.column_count);
    const double weight = 1 / (ticks_per_column * static_cast<double>(last - first));
    for (size_t row = first; row < last; ++row) {
      if (rows.rows[row].location == base::IdMap::kNone) continue;
      const trace::Location& location = trace.locations[rows.rows[row].location];
      const bool has_steps = location.rank.valid() && location.rank < steps.size();
      StepMeans means(
          has_steps ? std::span(steps[location.rank]) : std::span<const trace::StepWindow>{}, range,
          grid.column_count, kClasses);
      const std::vector<uint8_t>& in_steps = means.columns();
      // Time only moves on, so the column does too: no division per event.
      size_t column = 0;
      double column_end = ticks_per_column;
      walk_row(trace, rows, rows.rows[row].location, range,
               [&](trace::Region region, uint64_t from, uint64_t until) {
                 const uint8_t kind = region.valid() ? palette.class_of_region[region] : kOther;
                 if (means.any()) means.add(from, until, kind);
                 const auto charge = [&](double ticks) {
                   if (in_steps[column] != 0) return;
                   shares[column * kClasses + kind] += static_cast<float>(ticks * weight);
                 };
                 auto at = static_cast<double>(from - range.from);
                 const auto end = static_cast<double>(until - range.from);
                 while (at >= column_end && column + 1 < grid.column_count) {
                   ++column;
                   column_end = ticks_per_column * static_cast<double>(column + 1);
                 }
                 if (in_steps[column] == 0) is_changing[column] = 1;
                 while (end > column_end && column + 1 < grid.column_count) {
                   charge(column_end - at);
                   at = column_end;
                   ++column;
                   column_end = ticks_per_column * static_cast<double>(column + 1);
                 }
                 charge(end - at);
               });
      if (means.any()) means.add_means(1 / static_cast<double>(last - first), shares);
    }
    smooth(fast_zones(is_changing), kClasses, shares);
    for (uint32_t column = 0; column < grid.column_count; ++column) {
      const float* const of_column = &shares[column * kClasses];
      if (lanes.count > 1) {
        stack(of_column, palette, lanes, column, begin * lanes.count, grid);
        continue;
      }
      const Color color = mean.of(of_column);
      for (uint32_t cell = begin; cell < end_cell; ++cell) grid.at(column, cell) = color;
    }
  });
  return grid;
}

}  // namespace pathline::figure

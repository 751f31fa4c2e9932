// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/change.hpp"
#include "figure/compare/compare.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

constexpr double kLeft = 76;
constexpr double kBarSpace = 118;
constexpr double kAxisHeight = 48;

/// Time of some ranks in some steps.
struct Cell {
  double seconds = 0;
  double mpi_seconds = 0;
  bool recorded = false;
};

/// The table as a matrix of the chosen ranks and the steps that there are. A program may count from
/// the beginning again: steps of one number stand behind all that came before them.
struct Grid {
  std::vector<uint32_t> ranks;
  std::vector<uint32_t> steps;  // Their numbers.
  std::vector<Cell> cells;      // Row by row, a row per rank.

  Grid(const trace::Trace& trace, const trace::Selection& selection, const steps::Table& table) {
    std::vector<size_t> row_of(trace.rank_count);
    for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
      row_of[rank] = ranks.size();
      if (selection.has_rank(rank)) ranks.push_back(rank);
    }
    const std::vector<std::vector<size_t>> columns = choose_columns(table);
    cells.resize(ranks.size() * steps.size());
    steps::for_each_row(table, [&](const steps::Row& row, size_t number, size_t again) {
      Cell& cell = cells[row_of[row.rank] * steps.size() + columns[number][again]];
      cell.seconds += trace.span_seconds(row.end_ticks - row.begin_ticks);
      cell.mpi_seconds += trace.span_seconds(row.counters.mpi_ticks);
      cell.recorded = cell.recorded || row.recorded;
    });
  }
  [[nodiscard]] const Cell& at(size_t row, size_t column) const {
    return cells[row * steps.size() + column];
  }

 private:
  /// returns  per number and repetition the column.
  std::vector<std::vector<size_t>> choose_columns(const steps::Table& table) {
    std::vector<std::vector<size_t>> columns;
    std::vector<uint32_t> numbers;
    size_t most = 0;
    steps::for_each_row(table, [&](const steps::Row& row, size_t number, size_t again) {
      if (number == columns.size()) {
        columns.emplace_back();
        numbers.push_back(row.step);
      }
      columns[number].resize(std::max(columns[number].size(), again + 1));
      most = std::max(most, again + 1);
    });
    for (size_t again = 0; again < most; ++again) {
      for (size_t number = 0; number < numbers.size(); ++number) {
        if (again >= columns[number].size()) continue;
        columns[number][again] = steps.size();
        steps.push_back(numbers[number]);
      }
    }
    return columns;
  }
};

/// Time per rank in the steps of one column of the picture: of the fastest, the middle and the
/// slowest rank, and of MPI on the middle one by that.
struct Spread {
  double low = 0;
  double middle = 0;
  double high = 0;
  double mpi = 0;
  bool recorded = false;  // Otherwise nothing is known of MPI.
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Ranks without a step do not count. Where several steps share a column the extremes are those of
/// all of them.
///
/// step_count  that the columns are for; those behind the last have none.
std::vector<Spread> spreads_of(const Grid& grid, size_t column_count, size_t step_count) {
  std::vector<Spread> spreads(column_count);
  std::vector<std::vector<double>> seconds(column_count);
  std::vector<std::vector<double>> mpi(column_count);
  for (size_t step = 0; step < grid.steps.size(); ++step) {
    const size_t column = step * column_count / step_count;
    for (size_t row = 0; row < grid.ranks.size(); ++row) {
      const Cell& cell = grid.at(row, step);
      if (cell.seconds <= 0) continue;
      seconds[column].push_back(cell.seconds);
      if (cell.recorded) mpi[column].push_back(cell.mpi_seconds);
    }
  }
  for (size_t column = 0; column < column_count; ++column) {
    auto& list = seconds[column];
    if (list.empty()) continue;
    const auto [low, high] = std::minmax_element(list.begin(), list.end());
    spreads[column] = {.low = *low, .high = *high, .recorded = !mpi[column].empty()};
    if (!mpi[column].empty()) spreads[column].mpi = median(mpi[column]);
    spreads[column].middle = median(list);
  }
  return spreads;
}

class StepsFigure : Frame {
 public:
  /// before  of a comparison, and what its heading says of the time; nullptr and "" without.
  StepsFigure(const Grid& grid, const Grid* before, const StepsText& text, std::string ranks,
              std::string time, const Options& options)
      : Frame(options),
        grid_(grid),
        before_(before),
        text_(text),
        ranks_(std::move(ranks)),
        time_(std::move(time)),
        options_(options) {}

  base::Result<layout::Scene> draw() {
    const double top = add_title();
    const double height = options_.height_px - top - 24 - 40 - kAxisHeight - kMargin;
    const double width = options_.width_px - kLeft - kBarSpace - kMargin;
    curves_ = {kLeft, std::round(top + 24), std::floor(width), std::floor(0.32 * height)};
    heat_ = {kLeft, curves_.bottom() + 40, curves_.w, std::floor(height - curves_.h)};
    if (curves_.h < 24 || curves_.w < 64) {
      return too_small("steps");
    }
    step_count_ = std::max(grid_.steps.size(), before_ != nullptr ? before_->steps.size() : 0);
    column_count_ = std::min(step_count_, size_t{pixels_in(curves_.w)});
    add_curves();
    add_heats();
    scene_.description = fmt::format("Time of each {} on each rank", text_.word);
    return std::move(scene_);
  }

 private:
  struct Times {
    double middle = 0;
    double longest = 0;
  };
  static Times times_of(const Grid& grid) {
    std::vector<double> seconds;
    for (const Cell& cell : grid.cells) {
      if (cell.seconds > 0) seconds.push_back(cell.seconds);
    }
    const double longest = *std::max_element(seconds.begin(), seconds.end());
    return {median(seconds), longest};
  }

  double add_title() {
    const Times after = times_of(grid_);
    std::string subtitle;
    if (before_ != nullptr) {
      const Times was = times_of(*before_);
      subtitle = fmt::format(
          "{}; {}s: {} \u2192 {}, median {}, longest {}", time_, text_.word,
          base::human_count(before_->steps.size()), base::human_count(grid_.steps.size()),
          time_change_text(was.middle, after.middle), time_change_text(was.longest, after.longest));
    } else {
      subtitle = fmt::format("{} {}s on {}, median {}, longest {}",
                             base::human_count(grid_.steps.size()), text_.word, ranks_,
                             base::human_seconds(after.middle), base::human_seconds(after.longest));
    }
    if (!text_.remark.empty()) subtitle += "; " + text_.remark;
    return Frame::add_title(options_.title, text_.title, subtitle);
  }

  /// How many columns the steps of one run take.
  [[nodiscard]] size_t columns_of(const Grid& grid) const {
    return (grid.steps.size() - 1) * column_count_ / step_count_ + 1;
  }

  /// A value for each column as a line of stairs, from left to right.
  template <class ValueOf>
  std::vector<layout::Point> stairs(const std::vector<Spread>& spreads,
                                    const layout::LinearScale& scale, ValueOf value_of,
                                    size_t first, size_t end) const {
    std::vector<layout::Point> points;
    const double width = curves_.w / static_cast<double>(column_count_);
    for (size_t column = first; column < end; ++column) {
      const double y = scale.px(1e9 * value_of(spreads[column]));
      points.push_back({curves_.x + width * static_cast<double>(column), y});
      points.push_back({curves_.x + width * static_cast<double>(column + 1), y});
    }
    return points;
  }

  void add_curves() {
    const std::vector<Spread> spreads = spreads_of(grid_, column_count_, step_count_);
    const std::vector<Spread> before = before_ != nullptr
                                           ? spreads_of(*before_, column_count_, step_count_)
                                           : std::vector<Spread>();
    double highest = 0;
    for (const std::vector<Spread>* both : {&spreads, &before}) {
      for (const Spread& spread : *both) highest = std::max(highest, spread.high);
    }
    const layout::LinearScale scale{0, 1.05e9 * highest, curves_.bottom(), curves_.y};
    add_ground(curves_);
    layout::add_left_axis(
        scene_, theme_, curves_, scale,
        layout::time_ticks(0, scale.value_end, static_cast<size_t>(curves_.h / 28) + 1),
        "time of a rank");
    const layout::Color time = theme_.series_color(0);
    const layout::Color mpi = theme_.series_color(1);
    layout::Polylines lines;
    const auto add_times = [&](const std::vector<Spread>& of, const Grid& grid,
                               layout::Color color) {
      const size_t end = columns_of(grid);
      auto band = stairs(
          of, scale, [](const Spread& spread) { return spread.high; }, 0, end);
      const auto low = stairs(
          of, scale, [](const Spread& spread) { return spread.low; }, 0, end);
      band.insert(band.end(), low.rbegin(), low.rend());
      lines.lines.push_back({.points = std::move(band), .fill = layout::with_alpha(color, 0.3)});
      lines.lines.push_back(
          {.points = stairs(
               of, scale, [](const Spread& spread) { return spread.middle; }, 0, end),
           .stroke = color,
           .width_px = 1.5});
    };
    if (before_ != nullptr) add_times(before, *before_, theme_.muted_text);
    add_times(spreads, grid_, time);
    for (size_t column = 0; column < column_count_;) {
      size_t end = column;
      while (end < column_count_ && spreads[end].recorded == spreads[column].recorded) ++end;
      if (spreads[column].recorded) {
        lines.lines.push_back(
            {.points = stairs(
                 spreads, scale, [](const Spread& spread) { return spread.mpi; }, column, end),
             .stroke = mpi,
             .width_px = 1.5});
      }
      column = end;
    }
    lines.add_rule({curves_.x, curves_.bottom()}, {curves_.right(), curves_.bottom()}, theme_.axis);
    scene_.layers.emplace_back(std::move(lines));
    const std::string ranks = "fastest to slowest rank";
    std::vector<layout::LegendEntry> entries = {
        {before_ != nullptr ? ranks + " after" : ranks, theme_.tint(time, 0.3)},
        {fmt::format("median {}", text_.word), time, layout::Swatch::kLine},
        {"median time in MPI", mpi, layout::Swatch::kLine}};
    if (before_ != nullptr) {
      entries.insert(entries.begin(), {"before", theme_.tint(theme_.muted_text, 0.3)});
    }
    const double left = curves_.x + std::min(110.0, curves_.w / 4);
    layout::add_legend(
        scene_, theme_,
        {left, curves_.y - 22, curves_.right() - left, layout::legend_row_height_px(theme_)},
        entries);
  }

  /// The share of MPI, of both runs with one scale.
  void add_heats() {
    constexpr double kBetween = 34;
    layout::Rect below = heat_;
    layout::Rect above = heat_;
    if (before_ != nullptr) {
      above.h = std::floor((heat_.h - kBetween) / 2);
      below = {heat_.x, above.bottom() + kBetween, heat_.w, above.h};
    }
    const std::vector<Cell> after = sums_of(grid_, below);
    const std::vector<Cell> before = before_ != nullptr ? sums_of(*before_, above) : after;
    double highest = 0;
    for (const auto* sums : {&after, &before}) {
      for (const Cell& sum : *sums) highest = std::max(highest, share_of(sum));
    }
    if (highest <= 0) highest = 1;
    if (before_ != nullptr) add_heat(*before_, before, above, highest, "rank, before");
    add_heat(grid_, after, below, highest, before_ != nullptr ? "rank, after" : "rank");
    layout::add_color_bar(scene_, theme_,
                          {heat_.right() + 28, heat_.y, 16, std::min(280.0, heat_.h)}, theme_.heat,
                          share_ticks(highest), "time in MPI");
    layout::Labels title;
    title.items.push_back({.text = text_.axis,
                           .at = {heat_.x + heat_.w / 2, heat_.bottom() + 40},
                           .color = theme_.text,
                           .size_px = theme_.text_size_px,
                           .anchor = layout::Anchor::kMiddle});
    scene_.layers.emplace_back(std::move(title));
  }

  [[nodiscard]] uint32_t rows_of(const Grid& grid, const layout::Rect& area) const {
    return static_cast<uint32_t>(std::min(grid.ranks.size(), size_t{pixels_in(area.h)}));
  }

  /// What falls into each cell of a heat map.
  [[nodiscard]] std::vector<Cell> sums_of(const Grid& grid, const layout::Rect& area) const {
    const uint32_t row_count = rows_of(grid, area);
    std::vector<Cell> sums(column_count_ * row_count);
    for (size_t row = 0; row < grid.ranks.size(); ++row) {
      for (size_t step = 0; step < grid.steps.size(); ++step) {
        const Cell& cell = grid.at(row, step);
        if (!cell.recorded) continue;
        Cell& sum = sums[row * row_count / grid.ranks.size() * column_count_ +
                         step * column_count_ / step_count_];
        sum.seconds += cell.seconds;
        sum.mpi_seconds += cell.mpi_seconds;
      }
    }
    return sums;
  }

  void add_heat(const Grid& grid, const std::vector<Cell>& sums, const layout::Rect& area,
                double highest, const char* title) {
    layout::CellGrid cells;
    cells.area = area;
    cells.column_count = static_cast<uint32_t>(column_count_);
    cells.row_count = rows_of(grid, area);
    for (const Cell& sum : sums) {
      cells.cells.push_back(sum.seconds > 0 ? theme_.heat.at(share_of(sum) / highest)
                                            : theme_.plot_background);
    }
    scene_.layers.emplace_back(std::move(cells));
    add_labels(grid, area, title);
  }

  static double share_of(const Cell& cell) {
    return cell.seconds > 0 ? cell.mpi_seconds / cell.seconds : 0;
  }

  static std::vector<layout::BarTick> share_ticks(double highest) {
    constexpr double kMostTicks = 6;
    constexpr std::array kFactors = {2.0, 2.5, 2.0};
    double step = 0.001;  // Of 1: a tenth of a per cent. Threads of a rank add up to more than 1.
    for (size_t i = 0; highest / step > kMostTicks; ++i) step *= kFactors[i % kFactors.size()];
    std::vector<layout::BarTick> ticks;
    for (int i = 0; i * step <= highest * 1.0001; ++i) {
      ticks.push_back({i * step / highest, fmt::format("{:.6g} %", 100 * i * step)});
    }
    return ticks;
  }

  void add_labels(const Grid& grid, const layout::Rect& area, const char* title) {
    std::vector<std::string> ranks;
    std::vector<std::string> steps;
    for (const uint32_t rank : grid.ranks) ranks.push_back(fmt::format("{}", rank));
    for (const uint32_t step : grid.steps) steps.push_back(fmt::format("{}", step));
    steps.resize(step_count_);  // Columns behind the last have no name.
    layout::add_row_labels(scene_, theme_, area, ranks, kLeft - 30);
    layout::add_column_labels(scene_, theme_, area, steps);
    layout::Polylines frame;
    frame.add_rule({area.x, area.y}, {area.x, area.bottom()}, theme_.axis);
    frame.add_rule({area.x, area.bottom()}, {area.right(), area.bottom()}, theme_.axis);
    scene_.layers.emplace_back(std::move(frame));
    layout::Labels titles;
    // Two below each other must not run into each other.
    const bool fits =
        before_ == nullptr || layout::text_width_px(title, theme_.text_size_px) < area.h + 24;
    if (!fits) title = &grid == before_ ? "before" : "after";
    titles.items.push_back({.text = title,
                            .at = {area.x - 56, area.y + area.h / 2},
                            .color = theme_.text,
                            .size_px = theme_.text_size_px,
                            .anchor = layout::Anchor::kMiddle,
                            .rotation_deg = -90});
    scene_.layers.emplace_back(std::move(titles));
  }

  const Grid& grid_;
  const Grid* before_;
  const StepsText& text_;
  const std::string ranks_;
  const std::string time_;
  const Options& options_;
  layout::Rect curves_;
  layout::Rect heat_;
  size_t step_count_ = 0;  // Of the longer run.
  size_t column_count_ = 0;
};

base::Status check(const Grid& grid, const StepsText& text) {
  const bool any = std::any_of(grid.cells.begin(), grid.cells.end(),
                               [](const Cell& cell) { return cell.seconds > 0; });
  if (any) return {};
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("there is nothing to draw: no {} in the selection", text.axis)};
}

}  // namespace

base::Result<layout::Scene> steps(const trace::Trace& trace, const trace::Selection& selection,
                                  const steps::Table& table, const StepsText& text,
                                  const Options& options) {
  const Grid grid(trace, selection, table);
  if (auto status = check(grid, text); !status) return status.error();
  return StepsFigure(grid, nullptr, text, ranks_text(trace, selection), "", options).draw();
}

base::Result<layout::Scene> steps_comparison(const ComparedRun& before,
                                             const steps::Table& table_before,
                                             const ComparedRun& after,
                                             const steps::Table& table_after, const StepsText& text,
                                             const Options& options) {
  const Grid was(before.trace, before.selection, table_before);
  const Grid is(after.trace, after.selection, table_after);
  for (const Grid* grid : {&was, &is}) {
    if (auto status = check(*grid, text); !status) return status.error();
  }
  return StepsFigure(is, &was, text, ranks_text(after.trace, after.selection),
                     comparison_time(before, after), options)
      .draw();
}

}  // namespace pathline::figure

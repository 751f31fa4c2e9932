// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "figure/change.hpp"
#include "figure/compare/compare.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/pairs/pairs.hpp"
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

constexpr double kHeatBegin = 0.12;  // The smallest value must differ from no value.
constexpr double kLeft = 72;
constexpr double kBarSpace = 150;
constexpr double kAxisHeight = 48;

class MatrixFigure : Frame {
 public:
  MatrixFigure(const comm::ProcessOrder& order, const Options& options)
      : Frame(options), order_(order), options_(options) {}

  /// after  the other run of a comparison; nullptr without.
  base::Result<layout::Scene> draw(const PairsText& text, const comm::Matrix& matrix,
                                   double seconds_per_tick, const comm::Matrix* after = nullptr,
                                   double seconds_per_tick_after = 0) {
    scene_.message_count = text.message_count;
    const double top = add_title(options_.title, "Communication matrix", text.subtitle);
    const double room = std::min(scene_.width_px - kLeft - kBarSpace - kMargin,
                                 scene_.height_px - top - 26 - kAxisHeight - kMargin);
    const double side = std::floor(room);
    if (side < 32) return too_small("a matrix");
    const double left = std::round(std::max(kLeft, (scene_.width_px - side - kBarSpace) / 2));
    plot_ = {left, std::round(top + 26), side, side};
    cell_count_ = static_cast<uint32_t>(std::min<size_t>(order_.size(), pixels_in(side)));
    sums_ = sum_up(matrix, seconds_per_tick);
    if (after != nullptr) return draw_change(sum_up(*after, seconds_per_tick_after));
    find_range();
    const Scale scale(low_, high_);
    add_cells(scale);
    add_block_rules();
    add_names();
    add_border();
    if (high_ == 0) {
      layout::add_remark(
          scene_, theme_, plot_,
          text.message_count == 0 ? "no point-to-point messages" : "no value above zero");
    }
    add_axis_titles();
    if (high_ > 0) add_legend(scale);
    scene_.description = fmt::format("{} by sender and receiver", title_of(options_.metric));
    return std::move(scene_);
  }

 private:
  /// What falls into each cell.
  [[nodiscard]] std::vector<Exchange> sum_up(const comm::Matrix& matrix,
                                             double seconds_per_tick) const {
    std::vector<Exchange> sums(size_t{cell_count_} * cell_count_);
    const auto cell_of = [&](uint32_t position) {
      return static_cast<size_t>(uint64_t{position} * cell_count_ / order_.size());
    };
    for_each_pair(matrix, order_, [&](uint32_t from, uint32_t to, size_t i) {
      sums[cell_of(from) * cell_count_ + cell_of(to)].add(matrix, i, seconds_per_tick);
    });
    return sums;
  }

  /// Of what is above zero.
  void find_range() {
    for (const Exchange& cell : sums_) {
      const double value = cell.mean(options_.metric);
      any_below_ = any_below_ || (value <= 0 && cell.messages > 0);
      if (value <= 0) continue;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
  }

  /// Cells by how they differ; those that are alike are the ground of the scale.
  base::Result<layout::Scene> draw_change(const std::vector<Exchange>& after) {
    std::vector<double> differences(sums_.size(), 0);
    double largest = 0;
    bool any = false;
    for (size_t i = 0; i < sums_.size(); ++i) {
      any = any || sums_[i].messages > 0 || after[i].messages > 0;
      differences[i] = after[i].mean(options_.metric) - sums_[i].mean(options_.metric);
      largest = std::max(largest, std::abs(differences[i]));
    }
    layout::CellGrid grid;
    grid.area = plot_;
    grid.column_count = cell_count_;
    grid.row_count = cell_count_;
    grid.cells.assign(sums_.size(), theme_.plot_background);
    const layout::Color alike = layout::mix(theme_.plot_background, theme_.other, 0.4);
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].messages == 0 && after[i].messages == 0) continue;
      const double share = largest > 0 ? differences[i] / largest : 0;
      // What differs hardly must not look like no traffic.
      grid.cells[i] = std::abs(share) < 0.02 ? alike : theme_.diverging.at(0.5 + 0.5 * share);
    }
    scene_.layers.emplace_back(std::move(grid));
    add_block_rules();
    add_names();
    add_border();
    if (!any) layout::add_remark(scene_, theme_, plot_, "no point-to-point messages");
    add_axis_titles();
    add_change_legend(largest, alike);
    scene_.description =
        fmt::format("{} by sender and receiver, after less before", title_of(options_.metric));
    return std::move(scene_);
  }

  void add_change_legend(double largest, layout::Color alike) {
    const layout::Rect bar{plot_.right() + 40, plot_.y, 16, std::min(320.0, plot_.h - 40)};
    std::vector<layout::BarTick> ticks;
    for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      if (share != 0 && !(largest > 0)) continue;
      const std::string value = value_text(options_.metric, std::abs(share) * largest);
      ticks.push_back({0.5 + 0.5 * share, share == 0 ? "0" : (share > 0 ? "+" : "\u2212") + value});
    }
    layout::add_color_bar(scene_, theme_, bar, theme_.diverging, ticks,
                          fmt::format("{} after, less before", title_of(options_.metric)));
    const std::vector<layout::LegendEntry> entry = {{.text = "as before", .color = alike}};
    layout::add_legend(scene_, theme_, {bar.x - 2, bar.bottom() + 16, 110, 20}, entry);
  }

  void add_cells(const Scale& scale) {
    layout::CellGrid grid;
    grid.area = plot_;
    grid.column_count = cell_count_;
    grid.row_count = cell_count_;
    grid.cells.assign(sums_.size(), theme_.plot_background);
    for (size_t i = 0; i < sums_.size(); ++i) {
      const double value = sums_[i].mean(options_.metric);
      // Clocks that disagree make times below zero.
      if (sums_[i].messages > 0) grid.cells[i] = theme_.other;
      if (value <= 0) continue;
      grid.cells[i] = theme_.heat.at(kHeatBegin + (1 - kHeatBegin) * scale.share(value));
    }
    scene_.layers.emplace_back(std::move(grid));
  }

  /// Rules between the blocks of the order.
  void add_block_rules() {
    constexpr size_t kMaxBlocks = 64;  // More would hide the cells.
    if (order_.block_begin.size() < 2 || order_.block_begin.size() > kMaxBlocks) return;
    layout::Polylines rules;
    for (size_t block = 1; block < order_.block_begin.size(); ++block) {
      const double share = static_cast<double>(order_.block_begin[block]) / order_.size();
      const double x = std::round(plot_.x + share * plot_.w);
      const double y = std::round(plot_.y + share * plot_.h);
      rules.add_rule({x, plot_.y}, {x, plot_.bottom()}, theme_.axis);
      rules.add_rule({plot_.x, y}, {plot_.right(), y}, theme_.axis);
    }
    scene_.layers.emplace_back(std::move(rules));
  }

  void add_names() {
    std::vector<std::string> names;
    for (const uint32_t rank : order_.rank_at_position) names.push_back(fmt::format("{}", rank));
    const size_t every = std::max(layout::row_label_distance(theme_, plot_, names.size()),
                                  layout::column_label_distance(theme_, plot_, names));
    layout::add_row_labels(scene_, theme_, plot_, names, 48, every);
    layout::add_column_labels(scene_, theme_, plot_, names, every);
  }

  void add_border() {
    const auto& [x, y, w, h] = plot_;
    layout::Polylines border;
    border.add_rule({x, y}, {plot_.right(), y}, theme_.axis);
    border.add_rule({x, plot_.bottom()}, {plot_.right(), plot_.bottom()}, theme_.axis);
    border.add_rule({x, y}, {x, plot_.bottom()}, theme_.axis);
    border.add_rule({plot_.right(), y}, {plot_.right(), plot_.bottom()}, theme_.axis);
    scene_.layers.emplace_back(std::move(border));
  }

  void add_axis_titles() {
    layout::Labels titles;
    titles.items.push_back({.text = "receiver (rank)",
                            .at = {plot_.x + plot_.w / 2, plot_.bottom() + 40},
                            .color = theme_.text,
                            .size_px = theme_.text_size_px,
                            .anchor = layout::Anchor::kMiddle});
    titles.items.push_back({.text = "sender (rank)",
                            .at = {plot_.x - 52, plot_.y + plot_.h / 2},
                            .color = theme_.text,
                            .size_px = theme_.text_size_px,
                            .anchor = layout::Anchor::kMiddle,
                            .rotation_deg = -90});
    scene_.layers.emplace_back(std::move(titles));
  }

  void add_legend(const Scale& scale) {
    const double height = std::min(320.0, plot_.h - (any_below_ ? 40 : 0));
    const layout::Rect bar{plot_.right() + 40, plot_.y, 16, height};
    const double ranks = static_cast<double>(order_.size()) / cell_count_;
    const std::string cell_text = cell_count_ < order_.size()
                                      ? fmt::format("cell of {0:.3g} x {0:.3g} ranks", ranks)
                                      : "pair";
    layout::add_color_bar(scene_, theme_, bar, theme_.heat, ticks_of(options_.metric, scale),
                          fmt::format("{} of a {}, {} scale", title_of(options_.metric), cell_text,
                                      scale.logarithmic ? "log" : "linear"),
                          kHeatBegin);
    if (!any_below_) return;
    const std::vector<layout::LegendEntry> entry = {{.text = "0 or less", .color = theme_.other}};
    layout::add_legend(scene_, theme_, {bar.x - 2, bar.bottom() + 16, 110, 20}, entry);
  }

  const comm::ProcessOrder& order_;
  const Options& options_;
  layout::Rect plot_;
  uint32_t cell_count_ = 0;     // In each row.
  std::vector<Exchange> sums_;  // Per cell.
  double low_ = HUGE_VAL;
  double high_ = 0;
  bool any_below_ = false;
};

}  // namespace

base::Result<layout::Scene> matrix(const trace::Trace& trace, const trace::Selection& selection,
                                   const comm::Matrix& matrix, const Options& options) {
  const comm::ProcessOrder order = process_order(trace, selection, matrix, options);
  if (order.size() == 0) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no rank to draw"};
  }
  return MatrixFigure(order, options)
      .draw(pairs_text(trace, selection, matrix, order), matrix,
            1 / static_cast<double>(trace.definitions.clock.ticks_per_second));
}

base::Result<layout::Scene> matrix_comparison(const ComparedRun& before,
                                              const comm::Matrix& matrix_before,
                                              const ComparedRun& after,
                                              const comm::Matrix& matrix_after,
                                              const Options& options) {
  if (before.trace.rank_count != after.trace.rank_count) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} has {} ranks and {} has {}: matrices of as many ranks can be compared",
                    before.name, before.trace.rank_count, after.name, after.trace.rank_count),
        "Compare their profiles or time steps, or select the same ranks of runs of one size."};
  }
  const comm::ProcessOrder order =
      process_order(before.trace, before.selection, matrix_before, options);
  if (order.size() == 0) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no rank to draw"};
  }
  const auto sums = [&](const ComparedRun& run, const comm::Matrix& matrix) {
    Exchange all;
    const double tick = run.trace.span_seconds(1);
    for_each_pair(matrix, order, [&](uint32_t, uint32_t, size_t i) { all.add(matrix, i, tick); });
    return all;
  };
  const Exchange was = sums(before, matrix_before);
  const Exchange is = sums(after, matrix_after);
  const auto change = [&](Metric metric) {
    return change_text(value_text(metric, was.sum(metric)), value_text(metric, is.sum(metric)),
                       was.sum(metric), is.sum(metric));
  };
  PairsText text;
  text.message_count = static_cast<uint64_t>(was.messages + is.messages);
  text.subtitle = fmt::format("{}; {}, messages {}, bytes {}", comparison_time(before, after),
                              ranks_text(before.trace, before.selection), change(Metric::kMessages),
                              change(Metric::kBytes));
  return MatrixFigure(order, options)
      .draw(text, matrix_before, before.trace.span_seconds(1), &matrix_after,
            after.trace.span_seconds(1));
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/strip.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/id_map.hpp"
#include "base/text.hpp"
#include "figure/timeline/smoothing.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kMostGroups = 12;
constexpr double kChartPx = 44;
constexpr double kGroupPx = 7;

/// What nearly all values reach at most: a heat map of which one cell is the highest shows nothing
/// else.
double usual_of(std::vector<float> values) {
  std::erase_if(values, [](float value) { return value <= 0; });
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 99 / 100);
  std::nth_element(values.begin(), at, values.end());
  return double{*at};
}

}  // namespace

MessageStrip::MessageStrip(const trace::Trace& trace, const base::Column<uint32_t>& messages,
                           const Rows& rows, TimeRange range, Metric metric,
                           std::span<const trace::StepWindow> steps)
    : trace_(trace),
      messages_(messages),
      rows_(rows),
      range_(range),
      metric_(metric),
      steps_(steps) {
  choose_groups();
}

void MessageStrip::choose_groups() {
  const auto row_count = static_cast<uint32_t>(rows_.rows.size());
  if (row_count <= kMostSenders) {
    groups_ = {{0, row_count}};
    return;
  }
  const std::vector<uint32_t>& blocks = rows_.block_begin;
  const bool has_blocks = blocks.size() > 1 && blocks.size() <= kMostGroups;
  const size_t count = has_blocks ? blocks.size() : kMostGroups;
  const auto begin_of = [&](size_t group) {
    if (group == count) return row_count;
    return has_blocks ? blocks[group] : static_cast<uint32_t>(row_count * group / count);
  };
  for (size_t group = 0; group < count; ++group) {
    groups_.push_back({begin_of(group), begin_of(group + 1)});
  }
}

size_t MessageStrip::group_of_row(uint32_t row) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), row,
                       [](uint32_t at, const Group& group) { return at < group.begin; });
  return static_cast<size_t>(after - groups_.begin()) - 1;
}

uint32_t MessageStrip::sender_row(uint32_t message) const {
  const uint32_t location = trace_.messages.send_location[message];
  const uint32_t row =
      location == base::IdMap::kNone ? base::IdMap::kNone : rows_.of_location[location];
  return row != base::IdMap::kNone ? row : rows_.of_rank[trace_.messages.sender[message]];
}

double MessageStrip::height_px(const layout::Theme& theme, double rows_height_px) const {
  const double wanted =
      groups_.size() == 1
          ? kChartPx
          : std::max(kGroupPx * static_cast<double>(groups_.size()), 2.5 * theme.small_size_px);
  return std::floor(std::min(wanted, rows_height_px / 4));
}

std::vector<float> MessageStrip::rates(uint32_t column_count) const {
  const trace::Messages& all = trace_.messages;
  const double columns_per_tick = column_count / static_cast<double>(range_.until - range_.from);
  const size_t group_count = groups_.size();
  std::vector<uint8_t> group_of(rows_.rows.size());
  for (uint32_t row = 0; row < group_of.size(); ++row) {
    group_of[row] = static_cast<uint8_t>(group_of_row(row));
  }
  const auto column_of = [&](uint64_t ticks) {
    const auto column = static_cast<double>(ticks - range_.from) * columns_per_tick;
    return std::min<size_t>(static_cast<size_t>(column), column_count - 1);
  };
  // What is sent is counted at its send; what is under way, by the ticks it is.
  const bool is_sent = metric_ != Metric::kTime;
  StepMeans means(is_sent ? steps_ : std::span<const trace::StepWindow>{}, range_, column_count,
                  group_count);
  std::vector<double> sums(group_count * column_count);  // column by column
  for (const uint32_t i : messages_) {
    const size_t group = group_of[sender_row(i)];
    const uint64_t sent = all.send_ticks[i];
    if (is_sent) {
      if (sent < range_.from || sent >= range_.until) continue;
      const double amount = metric_ == Metric::kBytes ? static_cast<double>(all.bytes[i]) : 1;
      const size_t column = column_of(sent);
      if (means.any()) means.add_at(sent, amount, group);
      if (means.columns()[column] == 0) sums[column * group_count + group] += amount;
      continue;
    }
    const uint64_t until = std::min(all.recv_ticks[i], range_.until);
    for (uint64_t at = std::max(sent, range_.from); at < until;) {
      const size_t column = column_of(at);
      const double column_end = std::ceil(static_cast<double>(column + 1) / columns_per_tick);
      const uint64_t next =
          std::clamp(range_.from + static_cast<uint64_t>(column_end), at + 1, until);
      sums[column * group_count + group] += static_cast<double>(next - at);
      at = next;
    }
  }
  std::vector<float> rates(sums.begin(), sums.end());
  std::vector<uint8_t> is_changing(column_count);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] > 0) is_changing[i / group_count] = 1;
  }
  smooth(fast_zones(is_changing), group_count, rates);
  if (means.any()) means.add_means(1 / columns_per_tick, rates);
  // Ticks per column are how many; numbers per column become numbers per second.
  const double per_column =
      is_sent ? columns_per_tick * static_cast<double>(trace_.definitions.clock.ticks_per_second)
              : columns_per_tick;
  for (float& rate : rates) rate = static_cast<float>(double{rate} * per_column);
  return rates;
}

void MessageStrip::add_to(layout::Scene& scene, const layout::Theme& theme,
                          const layout::Rect& area, layout::Color color) {
  const auto column_count = static_cast<uint32_t>(std::max(1.0, area.w));
  const std::vector<float> values = rates(column_count);
  largest_ = values.empty() ? 0 : double{*std::max_element(values.begin(), values.end())};
  usual_ = usual_of(values);
  layout::Boxes ground;
  ground.add(area, theme.plot_background);
  scene.layers.emplace_back(std::move(ground));
  layout::Labels labels;
  const auto add_label = [&](std::string text, double y) {
    labels.items.push_back({.text = std::move(text),
                            .at = {area.x - 8, y},
                            .color = theme.muted_text,
                            .size_px = theme.small_size_px,
                            .anchor = layout::Anchor::kEnd,
                            .baseline = layout::Baseline::kMiddle,
                            .max_width_px = area.x - 10});
  };
  if (groups_.size() == 1) {
    layout::Boxes bars;
    const double scale = largest_ > 0 ? (area.h - 2) / largest_ : 0;
    for (uint32_t column = 0; column < column_count; ++column) {
      const double height = double{values[column]} * scale;
      if (height <= 0) continue;
      const double shown = std::max(1.0, std::round(height));
      bars.add({area.x + column, area.bottom() - shown, 1, shown}, color);
    }
    scene.layers.emplace_back(std::move(bars));
    add_label(rate_text(largest_), area.y + theme.small_size_px * 0.7);
    if (area.h >= 2.4 * theme.small_size_px) {
      add_label("messages", area.y + area.h / 2 + theme.small_size_px * 0.4);
    }
  } else {
    layout::CellGrid grid{
        .area = area,
        .column_count = column_count,
        .row_count = static_cast<uint32_t>(groups_.size()),
        .cells = {},
        .row_gap_px = area.h / static_cast<double>(groups_.size()) >= 5 ? 1.0 : 0};
    for (size_t group = 0; group < groups_.size(); ++group) {
      for (size_t column = 0; column < column_count; ++column) {
        const double value = double{values[column * groups_.size() + group]};
        grid.cells.push_back(value > 0 ? theme.heat.at(value / usual_) : theme.plot_background);
      }
    }
    scene.layers.emplace_back(std::move(grid));
    add_label("messages", area.y + area.h / 2 - theme.small_size_px * 0.65);
    add_label(fmt::format("of {} rows", groups_[1].begin - groups_[0].begin),
              area.y + area.h / 2 + theme.small_size_px * 0.65);
  }
  scene.layers.emplace_back(std::move(labels));
}

/// "of 85 rows": what a band stands for.
std::string MessageStrip::group_text() const {
  const auto size = [](const Group& group) { return group.end - group.begin; };
  const auto [least, most] =
      std::minmax_element(groups_.begin(), groups_.end(),
                          [&](const Group& a, const Group& b) { return size(a) < size(b); });
  if (size(*most) - size(*least) > 1) return "by sender";
  return fmt::format("of {} rows", size(groups_.front()));
}

layout::LegendEntry MessageStrip::legend_entry(const layout::Theme& theme,
                                               layout::Color color) const {
  const char* const what = metric_ == Metric::kTime    ? "messages under way"
                           : metric_ == Metric::kBytes ? "bytes sent"
                                                       : "messages sent";
  if (groups_.size() == 1) return {.text = what, .color = color};
  return {
      .text = what,
      .color = theme.heat.at(0),
      .swatch = layout::Swatch::kGradient,
      .end_color = theme.heat.at(1),
      .value = fmt::format("0 to {}{}", rate_text(usual_), usual_ < largest_ ? " and more" : "")};
}

std::string MessageStrip::rate_text(double rate) const {
  if (metric_ == Metric::kTime) return fmt::format("{} at once", base::human_number(rate));
  if (metric_ == Metric::kBytes) {
    return fmt::format("{}/s", base::human_bytes(rate));
  }
  return fmt::format("{}/s", base::human_number(rate));
}

std::vector<uint32_t> MessageStrip::messages_at(const layout::Rect& area, double x,
                                                double y) const {
  std::vector<uint32_t> found;
  if (x < area.x || x >= area.right() || y < area.y || y >= area.bottom()) return found;
  const double columns = std::max(1.0, std::floor(area.w));
  const auto column = std::floor(x - area.x);
  const auto group =
      static_cast<size_t>((y - area.y) / area.h * static_cast<double>(groups_.size()));
  const auto span = static_cast<double>(range_.until - range_.from);
  for (const uint32_t i : messages_) {
    const uint64_t sent = trace_.messages.send_ticks[i];
    if (sent < range_.from || sent >= range_.until) continue;
    const double at = std::floor(static_cast<double>(sent - range_.from) * (columns / span));
    if (std::min(at, columns - 1) == column && group_of_row(sender_row(i)) == group) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/network/ranked_items.hpp"
#include "figure/network/ranking_comparison.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kRowHeight = 18;
constexpr double kLeastRowHeight = 14;
constexpr double kListWidth = 430;     // Of the first ones, beside the bars of all.
constexpr double kWithListFrom = 860;  // px of the picture's width.
constexpr double kDefaultShare = 0.05;
constexpr double kLogarithmicFrom = 100;  // Largest value over the median.

class RankingFigure : Frame {
 public:
  RankingFigure(const NetworkView& view, const NetworkOptions& options)
      : Frame(options),
        view_(view),
        options_(options),
        subject_(ranked_subject(options.ranking, options.unit)) {}

  base::Result<layout::Scene> draw() {
    collect();
    std::string title = subject_.title;
    if (!options_.title.empty()) title = fmt::format("{}: {}", options_.title, title);
    const double top = layout::add_title(scene_, theme_, title, subtitle());
    const Rect area{kMargin, top + 4, inner_width(), options_.height_px - top - 4 - kMargin};
    if (area.w < 160 || area.h < 90) {
      return too_small("a ranking");
    }
    scene_.description = fmt::format("{}, in falling order", subject_.title);
    if (items_.empty()) {
      layout::add_remark(scene_, theme_, area, "no routes between nodes");
      return std::move(scene_);
    }
    if (view_.after) {
      add_ranking_comparison(scene_, theme_, area, view_, options_);
      return std::move(scene_);
    }
    const bool all_named = static_cast<double>(items_.size()) * kLeastRowHeight <= area.h - 20;
    if (all_named) {
      add_list(area, items_.size(), false);
      return std::move(scene_);
    }
    const double list = options_.width_px < kWithListFrom ? 0 : kListWidth;
    add_bars({area.x, area.y, area.w - (list > 0 ? list + 24 : 0), area.h});
    if (list > 0) {
      const Rect place{area.right() - list, area.y, list, area.h};
      add_list(place, static_cast<size_t>((place.h - 20) / kRowHeight), true);
    }
    return std::move(scene_);
  }

 private:
  void collect() {
    items_ = ranked_items(view_, options_.ranking);
    std::stable_sort(items_.begin(), items_.end(),
                     [](const RankedItem& a, const RankedItem& b) { return a.value > b.value; });
    sums_.push_back(0);
    for (const RankedItem& item : items_) sums_.push_back(sums_.back() + item.value);
    share_ = options_.top_links_share < 1 ? std::max(0.0, options_.top_links_share) : kDefaultShare;
    if (items_.empty()) return;
    const double wanted = std::round(share_ * static_cast<double>(items_.size()));
    top_count_ = std::clamp<size_t>(static_cast<size_t>(wanted), 1, items_.size());
    while (top_count_ < items_.size() && items_[top_count_].value == items_[top_count_ - 1].value)
      ++top_count_;
    const double median = items_[items_.size() / 2].value;
    const double lowest = smallest();
    logarithmic_ = median > 0 && items_[0].value > kLogarithmicFrom * median && lowest > 0;
  }
  [[nodiscard]] double smallest() const {
    for (size_t i = items_.size(); i-- > 0;) {
      if (items_[i].value > 0) return items_[i].value;
    }
    return 0;
  }
  [[nodiscard]] double mean() const { return sums_.back() / static_cast<double>(items_.size()); }
  [[nodiscard]] std::string text(double value) const { return ranked_text(options_, value); }
  [[nodiscard]] bool is_partners() const {
    return options_.ranking == RankingMetric::kNodeOutPairs ||
           options_.ranking == RankingMetric::kNodeInPairs;
  }
  [[nodiscard]] double share_of_sum(size_t count) const {
    return sums_.back() > 0 ? sums_[count] / sums_.back() : 0;
  }

  [[nodiscard]] std::string subtitle() const {
    if (items_.empty() || view_.after) return network_subtitle(view_, options_);
    std::string line = base::counted(items_.size(), subject_.one, subject_.many);
    line += fmt::format(" — largest {}, median {}, mean {}", text(items_[0].value),
                        text(items_[items_.size() / 2].value), mean_text());
    if (!options_.state.empty()) line += ", " + options_.state;
    if (!subject_.has_sum) return line;
    return line + fmt::format("; {}", top_text());
  }
  [[nodiscard]] std::string mean_text() const {
    const bool counts = is_partners() || subject_.text == RouteMetric::kRoutes ||
                        options_.unit == LoadUnit::kRoutes;
    return counts && subject_.text != RouteMetric::kLength ? fmt::format("{:.3g}", mean())
                                                           : text(mean());
  }
  [[nodiscard]] std::string top_text() const {
    return fmt::format("the top {:.3g} % ({}) have {:.3g} % of the sum", 100 * share_,
                       base::human_count(top_count_), 100 * share_of_sum(top_count_));
  }

  [[nodiscard]] std::string name(const RankedItem& item) const {
    return ranked_name(view_, options_.ranking, item);
  }
  [[nodiscard]] Color color_of(size_t rank) const {
    const Color full = theme_.series_color(0);
    return rank < top_count_ ? full : theme_.tint(full, 0.5);
  }

  /// A row for each of the first.
  void add_list(const Rect& area, size_t count, bool has_heading) {
    count = std::min(count, items_.size());
    std::vector<std::string> names;
    double value_width = 0;
    for (size_t i = 0; i < count; ++i) {
      names.push_back(name(items_[i]));
      value_width = std::max(value_width, layout::text_width_px(row_text(i), theme_.small_size_px));
    }
    const double name_width = layout::row_label_width_px(theme_, names, area.w * 0.55);
    const double heading = has_heading ? 20 : 0;
    if (has_heading) {
      layout::Labels title;
      title.items.push_back({.text = fmt::format("The first {}", base::human_count(count)),
                             .at = {area.x, area.y + 8},
                             .color = theme_.text,
                             .size_px = theme_.text_size_px,
                             .baseline = layout::Baseline::kMiddle,
                             .weight = layout::Weight::kBold});
      scene_.layers.emplace_back(std::move(title));
    }
    const double row = std::min(
        has_heading ? kRowHeight : 28.0,
        std::floor((area.h - heading - (has_heading ? 0 : 16)) / static_cast<double>(count)));
    const Rect plot{area.x + name_width + 8, std::round(area.y + heading),
                    std::max(20.0, area.w - name_width - 8 - value_width - 8),
                    row * static_cast<double>(count)};
    layout::add_row_labels(scene_, theme_, plot, names, name_width, 1);
    layout::Boxes bars;
    layout::Labels values;
    const double largest = std::max(items_[0].value, 1e-300);
    for (size_t i = 0; i < count; ++i) {
      const double y = plot.y + row * static_cast<double>(i);
      const double width = items_[i].value / largest * plot.w;
      bars.add({plot.x, y + 2, std::max(items_[i].value > 0 ? 1.0 : 0.0, width), row - 4},
               color_of(i));
      values.items.push_back({.text = row_text(i),
                              .at = {plot.x + width + 6, y + row / 2},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
    }
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(values));
    if (!has_heading && subject_.has_sum) add_list_note(plot);
  }
  [[nodiscard]] std::string row_text(size_t rank) const {
    if (!subject_.has_sum) return text(items_[rank].value);
    const double percent = 100 * share_of_sum(rank + 1);
    return fmt::format("{} ({:.{}f} %)", text(items_[rank].value), percent, percent < 1 ? 2 : 1);
  }
  void add_list_note(const Rect& plot) {
    layout::Labels labels;
    labels.items.push_back({.text = "in brackets: share of the sum up to and including this bar",
                            .at = {plot.x, plot.bottom() + 8},
                            .color = theme_.muted_text,
                            .size_px = theme_.small_size_px,
                            .baseline = layout::Baseline::kMiddle});
    scene_.layers.emplace_back(std::move(labels));
  }

  /// Of a value, 0 to 1 from the bottom of the plot to its top.
  [[nodiscard]] double height_of(double value) const {
    if (!logarithmic_) return value / axis_high_;
    return value <= axis_low_ ? 0 : std::log(value / axis_low_) / std::log(axis_high_ / axis_low_);
  }

  void add_bars(const Rect& area) {
    constexpr double kLeft = 76;
    const double right = subject_.has_sum ? 48 : 8;
    const Rect plot{area.x + kLeft, std::round(area.y + 40), std::floor(area.w - kLeft - right),
                    std::floor(area.h - 40 - 46)};
    axis_high_ = items_[0].value > 0 ? items_[0].value * (logarithmic_ ? 1.3 : 1.04) : 1;
    axis_low_ = logarithmic_ ? smallest() * 0.8 : 0;
    add_ground(plot);
    add_axes(plot);
    layout::Boxes bars;
    const auto columns = static_cast<size_t>(std::min(plot.w, static_cast<double>(items_.size())));
    const double column_px = plot.w / static_cast<double>(columns);
    for (size_t column = 0; column < columns; ++column) {
      // The first of those that share a column is the largest.
      const size_t rank = column * items_.size() / columns;
      const double height =
          std::max(items_[rank].value > 0 ? 1.0 : 0.0, height_of(items_[rank].value) * plot.h);
      const double gap = column_px >= 4 ? 1 : 0;
      bars.add({plot.x + static_cast<double>(column) * column_px, plot.bottom() - height,
                column_px - gap, height},
               color_of(rank));
    }
    scene_.layers.emplace_back(std::move(bars));
    add_mean(plot);
    if (subject_.has_sum) add_shares(plot);
    add_top_mark(plot);
  }

  void add_axes(const Rect& plot) {
    const double count = static_cast<double>(items_.size());
    layout::add_bottom_axis(
        scene_, theme_, plot, {0, count, plot.x, plot.right()},
        layout::count_ticks(0, count, static_cast<size_t>(plot.w / 90)),
        fmt::format(
            "rank of the {} ({})",
            std::string_view(subject_.one).substr(0, std::string_view(subject_.one).find(' ')),
            count > plot.w ? "a column of pixels is the largest of those in it" : "a bar each"));
    layout::Ticks ticks = logarithmic_ ? layout::log_ticks(axis_low_, axis_high_, 7, false)
                                       : layout::count_ticks(0, axis_high_, 7);
    for (layout::Tick& tick : ticks.major) {
      tick.label = tick.value == 0 ? "0" : text(tick.value);
      tick.value = height_of(tick.value);
    }
    std::erase_if(ticks.major, [&](const layout::Tick& tick) {
      return !logarithmic_ && subject_.text != RouteMetric::kBytes &&
             std::abs(tick.value * axis_high_ - std::round(tick.value * axis_high_)) > 1e-6;
    });
    for (double& value : ticks.minor) value = height_of(value);
    layout::add_left_axis(scene_, theme_, plot, {0, 1, plot.bottom(), plot.y}, ticks,
                          fmt::format("{}{}", subject_.value, logarithmic_ ? " (log scale)" : ""));
  }

  void add_mean(const Rect& plot) {
    const double y = plot.bottom() - height_of(mean()) * plot.h;
    layout::Polylines lines;
    lines.lines.push_back({.points = {{plot.x, y}, {plot.right(), y}},
                           .stroke = theme_.muted_text,
                           .dash_px = {5, 4}});
    scene_.layers.emplace_back(std::move(lines));
    add_text(fmt::format("mean {}", mean_text()), {plot.right() - 4, y - 10}, layout::Anchor::kEnd,
             theme_.muted_text);
  }

  void add_text(const std::string& text, Point at, layout::Anchor anchor, Color color) {
    const double width = layout::text_width_px(text, theme_.small_size_px);
    const double left = anchor == layout::Anchor::kEnd ? at.x - width : at.x;
    layout::Boxes ground;
    ground.corner_radius_px = 3;
    ground.add({left - 3, at.y - 8, width + 6, 16}, layout::with_alpha(theme_.background, 0.75));
    layout::Labels labels;
    labels.items.push_back({.text = text,
                            .at = at,
                            .color = color,
                            .size_px = theme_.small_size_px,
                            .anchor = anchor,
                            .baseline = layout::Baseline::kMiddle});
    scene_.layers.emplace_back(std::move(ground));
    scene_.layers.emplace_back(std::move(labels));
  }

  /// Share of the sum, with an axis at the right.
  void add_shares(const Rect& plot) {
    const Color color = theme_.series_color(1);
    layout::Polyline line{.stroke = color, .width_px = 2};
    const auto points = static_cast<size_t>(std::min(plot.w, static_cast<double>(items_.size())));
    for (size_t i = 0; i <= points; ++i) {
      const size_t count = i * items_.size() / points;
      line.points.push_back(
          {plot.x + plot.w * static_cast<double>(count) / static_cast<double>(items_.size()),
           plot.bottom() - plot.h * share_of_sum(count)});
    }
    layout::Polylines lines;
    lines.lines.push_back(std::move(line));
    layout::Labels labels;
    for (int percent = 0; percent <= 100; percent += 25) {
      const double y = plot.bottom() - plot.h * percent / 100;
      lines.add_rule({plot.right(), y}, {plot.right() + 5, y}, color);
      labels.items.push_back({.text = fmt::format("{} %", percent),
                              .at = {plot.right() + 9, y},
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle});
    }
    labels.items.push_back({.text = "share of the sum up to here",
                            .at = {plot.right() + 36, plot.y - 10},
                            .color = color,
                            .size_px = theme_.small_size_px,
                            .anchor = layout::Anchor::kEnd});
    scene_.layers.emplace_back(std::move(lines));
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_top_mark(const Rect& plot) {
    const double x =
        plot.x + plot.w * static_cast<double>(top_count_) / static_cast<double>(items_.size());
    layout::Polylines rule;
    rule.add_rule({x, plot.y}, {x, plot.bottom()}, theme_.highlight);
    if (subject_.has_sum) {
      rule.lines.push_back(circle({x, plot.bottom() - plot.h * share_of_sum(top_count_)}, 4,
                                  theme_.highlight, theme_.background, 1));
    }
    scene_.layers.emplace_back(std::move(rule));
    std::string label = fmt::format("top {:.3g} %: {}, each at least {}", 100 * share_,
                                    base::counted(top_count_, subject_.one, subject_.many),
                                    text(items_[top_count_ - 1].value));
    if (subject_.has_sum) {
      label += fmt::format(", together {:.3g} %", 100 * share_of_sum(top_count_));
    }
    const bool fits = x + layout::text_width_px(label, theme_.small_size_px) < plot.right();
    add_text(label, {fits ? x : x + 4, plot.y - 28},
             fits ? layout::Anchor::kStart : layout::Anchor::kEnd, theme_.text);
  }

  const NetworkView& view_;
  const NetworkOptions& options_;
  const RankedSubject subject_;
  std::vector<RankedItem> items_;  // Falling.
  std::vector<double> sums_;       // Of the first 0, 1, ... items.
  double share_ = kDefaultShare;
  size_t top_count_ = 0;
  bool logarithmic_ = false;
  double axis_low_ = 0;
  double axis_high_ = 1;
};

}  // namespace

base::Result<layout::Scene> ranking(const network::Network& network, const network::Routes& routes,
                                    const NetworkOptions& options) {
  NetworkOptions all = options;
  all.top_links_share = 1;  // Marked, not left out.
  const auto view = network_view(network, routes, all);
  if (!view) return view.error();
  return RankingFigure(view.value(), options).draw();
}

}  // namespace pathline::figure

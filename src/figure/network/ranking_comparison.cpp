// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/ranking_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "figure/network/ranked_items.hpp"
#include "layout/axis.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Rect;

constexpr double kListWidth = 430;     // Of the first ones, beside the bars of all.
constexpr double kWithListFrom = 830;  // px of the area's width.
constexpr double kRowHeight = 27;
constexpr double kBarHeight = 4;  // In the list.

/// What one subject has in both states.
struct Change {
  RankedItem before;
  double after = 0;

  [[nodiscard]] double largest() const { return std::max(before.value, after); }
};

class Comparison {
 public:
  Comparison(layout::Scene& scene, const layout::Theme& theme, const NetworkView& view,
             const NetworkOptions& options)
      : scene_(scene), theme_(theme), view_(view), options_(options) {
    before_ = falling_items(view);
    NetworkView other = view;
    other.routes = view.after->routes;
    other.loads = view.after->loads;
    other.drawn.resize(other.routes->size());
    std::iota(other.drawn.begin(), other.drawn.end(), 0U);
    after_ = falling_items(other);
    const double largest =
        std::max(before_.empty() ? 0 : before_[0].value, after_.empty() ? 0 : after_[0].value);
    largest_ = largest > 0 ? largest : 1;
  }

  void add_bars(const Rect& area) {
    constexpr double kLeft = 76;
    const Rect plot{area.x + kLeft, std::round(area.y + 40), std::floor(area.w - kLeft - 8),
                    std::floor(area.h - 40 - 46)};
    layout::Boxes ground;
    ground.add(plot, theme_.plot_background);
    scene_.layers.emplace_back(std::move(ground));
    const size_t count = std::max(before_.size(), after_.size());
    const RankedSubject subject = ranked_subject(options_.ranking, options_.unit);
    const auto x_count = static_cast<double>(count);
    layout::add_bottom_axis(scene_, theme_, plot, {0, x_count, plot.x, plot.right()},
                            layout::count_ticks(0, x_count, static_cast<size_t>(plot.w / 90)),
                            fmt::format("{}, in falling order of each state", subject.many));
    layout::Ticks ticks = layout::count_ticks(0, largest_ * kHeadroom, 7);
    for (layout::Tick& tick : ticks.major) {
      tick.label = tick.value == 0 ? "0" : ranked_text(options_, tick.value);
    }
    layout::add_left_axis(scene_, theme_, plot, {0, largest_ * kHeadroom, plot.bottom(), plot.y},
                          ticks, subject.value);
    add_state(plot, before_, count, before_color());
    add_state(plot, after_, count, layout::with_alpha(after_color(), 0.75));
    add_key({plot.right() - 8, plot.y + 12}, "before", before_color());
    add_key({plot.right() - 8, plot.y + 30}, "after", after_color());
  }

  void add_list(const Rect& area) {
    const std::vector<Change> all = changes();
    const auto room = static_cast<size_t>(std::max(0.0, area.h - 20) / kRowHeight);
    const size_t count = std::min(all.size(), room);
    layout::Labels labels;
    labels.items.push_back({.text = fmt::format("The first {} of either state", count),
                            .at = {area.x, area.y + 8},
                            .color = theme_.text,
                            .size_px = theme_.text_size_px,
                            .baseline = layout::Baseline::kMiddle,
                            .weight = layout::Weight::kBold});
    layout::Boxes bars;
    for (size_t i = 0; i < count; ++i) {
      const Change& change = all[i];
      const double y = area.y + 20 + kRowHeight * static_cast<double>(i);
      labels.items.push_back(
          {.text = fmt::format("{}   {} → {}", ranked_name(view_, options_.ranking, change.before),
                               ranked_text(options_, change.before.value),
                               ranked_text(options_, change.after)),
           .at = {area.x, y + 7},
           .color = theme_.text,
           .size_px = theme_.small_size_px,
           .baseline = layout::Baseline::kMiddle,
           .max_width_px = area.w});
      const auto bar = [&](double value, double top, Color color) {
        const double width = value / largest_ * area.w;
        if (value > 0) bars.add({area.x, top, std::max(1.0, width), kBarHeight}, color);
      };
      bar(change.before.value, y + 15, before_color());
      bar(change.after, y + 15 + kBarHeight, after_color());
    }
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(labels));
  }

 private:
  static constexpr double kHeadroom = 1.04;

  [[nodiscard]] Color before_color() const {
    return layout::mix(theme_.plot_background, theme_.other, 0.6);
  }
  [[nodiscard]] Color after_color() const { return theme_.series_color(0); }

  [[nodiscard]] std::vector<RankedItem> falling_items(const NetworkView& view) const {
    std::vector<RankedItem> items = ranked_items(view, options_.ranking);
    std::stable_sort(items.begin(), items.end(),
                     [](const RankedItem& a, const RankedItem& b) { return a.value > b.value; });
    return items;
  }

  /// Both states of each, the one with the largest value in either first.
  [[nodiscard]] std::vector<Change> changes() const {
    std::map<std::pair<uint32_t, uint32_t>, Change> by_name;
    for (const RankedItem& item : before_) by_name[{item.from, item.to}].before = item;
    for (const RankedItem& item : after_) {
      Change& change = by_name[{item.from, item.to}];
      change.before.from = item.from;
      change.before.to = item.to;
      change.after = item.value;
    }
    std::vector<Change> all;
    for (const auto& [key, change] : by_name) all.push_back(change);
    std::stable_sort(all.begin(), all.end(),
                     [](const Change& a, const Change& b) { return a.largest() > b.largest(); });
    return all;
  }

  void add_state(const Rect& plot, const std::vector<RankedItem>& items, size_t count,
                 Color color) {
    layout::Boxes bars;
    const auto columns = static_cast<size_t>(std::min(plot.w, static_cast<double>(count)));
    const double column_px = plot.w / static_cast<double>(columns);
    for (size_t column = 0; column < columns; ++column) {
      // The first of those that share a column is the largest.
      const size_t rank = column * count / columns;
      if (rank >= items.size()) break;
      const double value = items[rank].value;
      const double height = value / (largest_ * kHeadroom) * plot.h;
      const double shown = std::max(value > 0 ? 1.0 : 0.0, height);
      bars.add({plot.x + static_cast<double>(column) * column_px, plot.bottom() - shown,
                column_px - (column_px >= 4 ? 1 : 0), shown},
               color);
    }
    scene_.layers.emplace_back(std::move(bars));
  }

  /// A swatch with a word left of it.
  void add_key(layout::Point right, const char* word, Color color) {
    layout::Boxes box;
    box.add({right.x - 12, right.y - 6, 12, 12}, color);
    layout::Labels label;
    label.items.push_back({.text = word,
                           .at = {right.x - 18, right.y},
                           .color = theme_.text,
                           .size_px = theme_.small_size_px,
                           .anchor = layout::Anchor::kEnd,
                           .baseline = layout::Baseline::kMiddle});
    scene_.layers.emplace_back(std::move(box));
    scene_.layers.emplace_back(std::move(label));
  }

  layout::Scene& scene_;
  const layout::Theme& theme_;
  const NetworkView& view_;
  const NetworkOptions& options_;
  std::vector<RankedItem> before_;
  std::vector<RankedItem> after_;
  double largest_ = 1;
};

}  // namespace

void add_ranking_comparison(layout::Scene& scene, const layout::Theme& theme,
                            const layout::Rect& area, const NetworkView& view,
                            const NetworkOptions& options) {
  Comparison comparison(scene, theme, view, options);
  const double list = area.w < kWithListFrom ? 0 : kListWidth;
  comparison.add_bars({area.x, area.y, area.w - (list > 0 ? list + 24 : 0), area.h});
  if (list > 0) comparison.add_list({area.right() - list, area.y, list, area.h});
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/change.hpp"
#include "figure/compare/compare.hpp"
#include "figure/frame.hpp"
#include "figure/region_colors.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {
namespace {

constexpr double kAxisHeight = 44;
constexpr double kLegendHeight = 24;
constexpr double kLargestRow = 36;
constexpr double kSmallestRow = 22;
constexpr double kValueWidth = 210;

/// Exclusive seconds of a rank in a region.
struct RegionTime {
  double mean = 0;
  double least = 0;
  double most = 0;
};

struct RegionRow {
  std::string name;
  layout::Color color;
  RegionTime before;
  RegionTime after;

  [[nodiscard]] double largest() const { return std::max(before.mean, after.mean); }
};

uint32_t selected_ranks(const ComparedRun& run) {
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < run.trace.rank_count; ++rank) {
    count += run.selection.has_rank(rank) ? 1 : 0;
  }
  return count;
}

class ProfileComparison : Frame {
 public:
  ProfileComparison(const ComparedRun& before, const ComparedRun& after, const Options& options)
      : Frame(options), before_(before), after_(after), options_(options) {}

  base::Result<layout::Scene> draw(const profile::Profile& profile_before,
                                   const profile::Profile& profile_after) {
    std::map<std::string, RegionRow> by_name;
    // Colours are those of the run after, of what it lacks those of the run before.
    add_rows(before_, profile_before, &RegionRow::before, by_name);
    add_rows(after_, profile_after, &RegionRow::after, by_name);
    for (auto& [name, row] : by_name) rows_.push_back(std::move(row));
    if (rows_.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "there is nothing to draw: no calls were recorded in the selections"};
    }
    std::stable_sort(rows_.begin(), rows_.end(), [](const RegionRow& a, const RegionRow& b) {
      return a.largest() > b.largest();
    });
    const double top = add_title(
        options_.title, "Profile of two runs",
        fmt::format("{}; exclusive time per rank: mean over {} before and "
                    "{} after, lines from the smallest to the largest rank",
                    comparison_time(before_, after_), ranks_text(before_.trace, before_.selection),
                    ranks_text(after_.trace, after_.selection)));
    place(top);
    if (shown_ == 0 || plot_.w < 64) return too_small("a profile");
    double largest = 0;
    for (size_t i = 0; i < shown_; ++i) {
      largest = std::max({largest, rows_[i].before.most, rows_[i].after.most, rows_[i].largest()});
    }
    const layout::LinearScale scale{0, std::max(1e-9, largest) * 1.02e9, plot_.x, plot_.right()};
    add_ground(plot_);
    layout::add_bottom_axis(
        scene_, theme_, plot_, scale,
        layout::time_ticks(0, scale.value_end, static_cast<size_t>(plot_.w / 90)),
        "exclusive time of a rank");
    add_bars(scale);
    layout::add_row_labels(scene_, theme_, plot_, names_, name_width_, 1);
    add_legend();
    scene_.description = "Exclusive time by region before and after";
    return std::move(scene_);
  }

 private:
  void add_rows(const ComparedRun& run, const profile::Profile& profile,
                RegionTime RegionRow::*side, std::map<std::string, RegionRow>& by_name) {
    const trace::Trace& trace = run.trace;
    std::vector<profile::FlatRow> rows = profile::by_region(trace, run.selection, profile);
    std::vector<uint64_t> ticks(trace.definitions.regions.size());
    for (const profile::FlatRow& row : rows) ticks[row.region] = row.exclusive_ticks;
    const RegionColors colors(trace.definitions, ticks, theme_);
    const std::vector<std::string> labels = profile::region_labels(trace, profile);
    const double ranks = std::max(1U, selected_ranks(run));
    for (const profile::FlatRow& row : rows) {
      if (row.exclusive_ticks == 0) continue;
      RegionRow& of = by_name[labels[row.region]];
      of.name = labels[row.region];
      of.color = colors.of(row.region);
      RegionTime& time = of.*side;
      time.mean += trace.span_seconds(row.exclusive_ticks) / ranks;
      time.least += trace.span_seconds(row.exclusive_min_ticks);
      time.most += trace.span_seconds(row.exclusive_max_ticks);
    }
  }

  /// As many rows as find room, and their names.
  void place(double top) {
    const double height = scene_.height_px - top - 8 - kAxisHeight - kLegendHeight - kMargin;
    shown_ = std::min(rows_.size(), static_cast<size_t>(std::max(0.0, height) / kSmallestRow));
    for (size_t i = 0; i < shown_; ++i) names_.push_back(rows_[i].name);
    name_width_ = layout::row_label_width_px(theme_, names_, std::min(320.0, scene_.width_px / 3));
    row_ =
        shown_ == 0 ? 0 : std::min(kLargestRow, std::floor(height / static_cast<double>(shown_)));
    plot_ = {std::round(kMargin + name_width_ + 8), std::round(top + 8),
             std::floor(scene_.width_px - 3 * kMargin - name_width_ - kValueWidth),
             row_ * static_cast<double>(shown_)};
  }

  [[nodiscard]] layout::Color color_before() const {
    return layout::mix(theme_.plot_background, theme_.muted_text, 0.45);
  }

  void add_bars(const layout::LinearScale& scale) {
    layout::Boxes bars;
    layout::Polylines spread;
    layout::Labels values;
    const auto add_bar = [&](const RegionTime& time, double y, double height, layout::Color color,
                             bool has_spread) {
      if (!(time.mean > 0)) return;
      bars.add({plot_.x, y, std::max(1.0, scale.px(1e9 * time.mean) - plot_.x), height}, color);
      if (!has_spread) return;
      const double low = scale.px(1e9 * time.least);
      const double high = scale.px(1e9 * time.most);
      const double middle = y + height / 2;
      const double end = height / 3;
      spread.add_rule({low, middle}, {high, middle}, theme_.text, 1);
      spread.add_rule({low, middle - end}, {low, middle + end}, theme_.text, 1);
      spread.add_rule({high, middle - end}, {high, middle + end}, theme_.text, 1);
    };
    for (size_t i = 0; i < shown_; ++i) {
      const RegionRow& row = rows_[i];
      const double y = plot_.y + row_ * static_cast<double>(i);
      const double height = std::floor((row_ - 6) / 2);
      add_bar(row.before, y + 3, height, color_before(), selected_ranks(before_) > 1);
      add_bar(row.after, y + 3 + height, height, row.color, selected_ranks(after_) > 1);
      const auto& [was, is] = std::pair{row.before.mean, row.after.mean};
      const std::string text = !(was > 0)  ? "new: " + base::human_seconds(is)
                               : !(is > 0) ? "gone: " + base::human_seconds(was)
                                           : time_change_text(was, is);
      values.items.push_back({.text = text,
                              .at = {plot_.right() + 10, y + row_ / 2},
                              .color = theme_.muted_text,
                              .size_px = theme_.text_size_px,
                              .baseline = layout::Baseline::kMiddle,
                              .max_width_px = kValueWidth});
    }
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(spread));
    scene_.layers.emplace_back(std::move(values));
  }

  void add_legend() {
    std::vector<layout::LegendEntry> legend = {
        {.text = "before: " + before_.name, .color = color_before()},
        {.text = "after: " + after_.name, .color = rows_.front().color}};
    if (shown_ < rows_.size()) {
      double was = 0;
      double is = 0;
      for (size_t i = shown_; i < rows_.size(); ++i) {
        was += rows_[i].before.mean;
        is += rows_[i].after.mean;
      }
      legend.push_back(
          {.text = fmt::format("not shown: {}, together {}",
                               base::counted(rows_.size() - shown_, "region", "regions"),
                               time_change_text(was, is)),
           .color = layout::kTransparent});
    }
    layout::add_legend(
        scene_, theme_,
        {kMargin, scene_.height_px - kMargin - kLegendHeight + 4, inner_width(), kLegendHeight},
        legend);
  }

  const ComparedRun& before_;
  const ComparedRun& after_;
  const Options& options_;
  std::vector<RegionRow> rows_;  // Falling.
  size_t shown_ = 0;
  std::vector<std::string> names_;
  double name_width_ = 0;
  double row_ = 0;  // Its height.
  layout::Rect plot_;
};

}  // namespace

base::Result<layout::Scene> profile_comparison(const ComparedRun& before,
                                               const profile::Profile& profile_before,
                                               const ComparedRun& after,
                                               const profile::Profile& profile_after,
                                               const Options& options) {
  return ProfileComparison(before, after, options).draw(profile_before, profile_after);
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "figure/frame.hpp"
#include "figure/region_colors.hpp"
#include "layout/axis.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {

std::string ranks_text(const trace::Trace& trace, const trace::Selection& selection) {
  const std::string all = base::counted(trace.rank_count, "rank", "ranks");
  if (selection.ranks.empty()) return all;
  const auto chosen = std::count(selection.ranks.begin(), selection.ranks.end(), true);
  return fmt::format("{} of {}", base::human_count(static_cast<uint64_t>(chosen)), all);
}

namespace {

constexpr double kAxisHeight = 44;
constexpr double kLegendHeight = 24;
constexpr double kLargestRow = 26;
constexpr double kSmallestRow = 18;
constexpr double kValueWidth = 170;

std::vector<uint64_t> exclusive_ticks(const trace::Trace& trace, const profile::Profile& whole) {
  std::vector<uint64_t> ticks(trace.definitions.regions.size());
  for (const profile::FlatRow& row : profile::by_region(trace, {}, whole)) {
    ticks[row.region] = row.exclusive_ticks;
  }
  return ticks;
}

class ProfileFigure : Frame {
 public:
  ProfileFigure(const trace::Trace& trace, const trace::Selection& selection,
                const profile::Profile& profile, const profile::Profile& whole,
                const Options& options)
      : Frame(options),
        trace_(trace),
        selection_(selection),
        profile_(profile),
        options_(options),
        colors_(trace.definitions, exclusive_ticks(trace, whole), theme_) {
    for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
      rank_count_ += selection.has_rank(rank) ? 1 : 0;
    }
    rows_ = profile::by_region(trace, selection, profile);
    std::erase_if(rows_, [](const auto& row) { return row.exclusive_ticks == 0; });
    for (const profile::FlatRow& row : rows_) total_ += static_cast<double>(row.exclusive_ticks);
  }

  base::Result<layout::Scene> draw() {
    if (rows_.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "there is nothing to draw: no calls were recorded in the selection"};
    }
    const double top = add_title(
        options_.title, "Profile",
        fmt::format("exclusive time per rank, summed over its threads and streams: mean over {}, "
                    "line from the smallest to the largest rank",
                    ranks_text(trace_, selection_)));
    place(top);
    if (shown_ == 0 || plot_.w < 64) return too_small("a profile");
    const layout::LinearScale scale{0, to_ns(largest_ticks()) * 1.02, plot_.x, plot_.right()};
    add_ground(plot_);
    layout::add_bottom_axis(
        scene_, theme_, plot_, scale,
        layout::time_ticks(0, scale.value_end, static_cast<size_t>(plot_.w / 90)),
        "exclusive time of a rank");
    add_bars(scale);
    layout::add_row_labels(scene_, theme_, plot_, names_, name_width_, 1);
    add_legend();
    scene_.description = "Exclusive time by region";
    return std::move(scene_);
  }

 private:
  /// As many rows as find room, and their names.
  void place(double top) {
    const double height = scene_.height_px - top - 8 - kAxisHeight - kLegendHeight - kMargin;
    shown_ = std::min(rows_.size(), static_cast<size_t>(std::max(0.0, height) / kSmallestRow));
    const std::vector<std::string> labels = profile::region_labels(trace_, profile_);
    for (size_t i = 0; i < shown_; ++i) names_.push_back(labels[rows_[i].region]);
    name_width_ = layout::row_label_width_px(theme_, names_, std::min(320.0, scene_.width_px / 3));
    row_ =
        shown_ == 0 ? 0 : std::min(kLargestRow, std::floor(height / static_cast<double>(shown_)));
    plot_ = {std::round(kMargin + name_width_ + 8), std::round(top + 8),
             std::floor(scene_.width_px - 3 * kMargin - name_width_ - kValueWidth),
             row_ * static_cast<double>(shown_)};
  }

  [[nodiscard]] double to_ns(double ticks) const {
    return 1e9 * ticks / static_cast<double>(trace_.definitions.clock.ticks_per_second);
  }
  [[nodiscard]] double ranks() const { return std::max(1U, rank_count_); }
  [[nodiscard]] double largest_ticks() const {
    double largest = 0;
    for (size_t i = 0; i < shown_; ++i) {
      largest = std::max({largest, static_cast<double>(rows_[i].exclusive_max_ticks),
                          static_cast<double>(rows_[i].exclusive_ticks) / ranks()});
    }
    return largest;
  }

  /// The mean of each region, its spread over the ranks, and the mean in words.
  void add_bars(const layout::LinearScale& scale) {
    layout::Boxes bars;
    layout::Polylines spread;
    layout::Labels values;
    for (size_t i = 0; i < shown_; ++i) {
      const profile::FlatRow& row = rows_[i];
      const double y = plot_.y + row_ * static_cast<double>(i);
      const double middle = y + row_ / 2;
      const double mean = to_ns(static_cast<double>(row.exclusive_ticks)) / ranks();
      bars.add({plot_.x, y + 3, std::max(1.0, scale.px(mean) - plot_.x), row_ - 6},
               colors_.of(row.region));
      if (rank_count_ > 1) {
        const double low = scale.px(to_ns(static_cast<double>(row.exclusive_min_ticks)));
        const double high = scale.px(to_ns(static_cast<double>(row.exclusive_max_ticks)));
        spread.add_rule({low, middle}, {high, middle}, theme_.text, 1.5);
        spread.add_rule({low, middle - 4}, {low, middle + 4}, theme_.text, 1.5);
        spread.add_rule({high, middle - 4}, {high, middle + 4}, theme_.text, 1.5);
      }
      values.items.push_back(
          {.text =
               fmt::format("{:.1f} %  {}", 100 * static_cast<double>(row.exclusive_ticks) / total_,
                           base::human_seconds(mean / 1e9)),
           .at = {plot_.right() + 10, middle},
           .color = theme_.muted_text,
           .size_px = theme_.text_size_px,
           .baseline = layout::Baseline::kMiddle});
    }
    scene_.layers.emplace_back(std::move(bars));
    scene_.layers.emplace_back(std::move(spread));
    scene_.layers.emplace_back(std::move(values));
  }

  void add_legend() {
    const layout::RegionShades& shades = theme_.regions;
    const auto family = [](const char* name, layout::Color from, layout::Color to) {
      return layout::LegendEntry{
          .text = name, .color = from, .swatch = layout::Swatch::kGradient, .end_color = to};
    };
    std::vector<layout::LegendEntry> legend = {
        family("the program", shades.program[0], shades.program[5]),
        family("MPI, the darkest waits", shades.mpi[layout::RegionShades::kStart],
               shades.mpi[layout::RegionShades::kWait])};
    const bool has_io = std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
      return colors_.family_of(row.region) == trace::CallClass::kFileIo;
    });
    if (has_io) legend.push_back(family("file I/O", shades.file_io[0], shades.file_io[2]));
    if (shown_ < rows_.size()) {
      double rest = 0;
      for (size_t i = shown_; i < rows_.size(); ++i)
        rest += static_cast<double>(rows_[i].exclusive_ticks);
      legend.push_back(
          {.text = fmt::format("not shown: {} with {:.1f} % together",
                               base::counted(rows_.size() - shown_, "region", "regions"),
                               100 * rest / total_),
           .color = layout::kTransparent});
    }
    layout::add_legend(
        scene_, theme_,
        {kMargin, scene_.height_px - kMargin - kLegendHeight + 4, inner_width(), kLegendHeight},
        legend);
  }

  const trace::Trace& trace_;
  const trace::Selection& selection_;
  const profile::Profile& profile_;
  const Options& options_;
  const RegionColors colors_;
  std::vector<profile::FlatRow> rows_;  // Falling.
  double total_ = 0;                    // Ticks of all of them.
  uint32_t rank_count_ = 0;             // Selected.
  size_t shown_ = 0;
  std::vector<std::string> names_;
  double name_width_ = 0;
  double row_ = 0;  // Its height.
  layout::Rect plot_;
};

}  // namespace

base::Result<layout::Scene> profile(const trace::Trace& trace, const trace::Selection& selection,
                                    const profile::Profile& profile, const profile::Profile& whole,
                                    const Options& options) {
  return ProfileFigure(trace, selection, profile, whole, options).draw();
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "figure/compare/compare.hpp"
#include "figure/frame.hpp"

namespace pathline::figure {
namespace {

class TimelineComparison : Frame {
 public:
  explicit TimelineComparison(const Options& options) : Frame(options), options_(options) {}

  base::Result<layout::Scene> draw(const ComparedRun& before, const StepMarks& steps_before,
                                   const ComparedRun& after, const StepMarks& steps_after,
                                   base::ThreadPool& pool) {
    const double top = std::round(
        add_title(options_.title, "Timelines of two runs", comparison_time(before, after)));
    Options half = options_;
    half.height_px = std::floor((options_.height_px - top) / 2);
    const auto draw = [&](const ComparedRun& run, const StepMarks& steps, const char* word,
                          TimelineReport& report) {
      half.title = std::string(word) + ": " + run.name;
      return timeline(run.trace, run.selection, half, steps, pool, &report);
    };
    // The first time to see how long they are.
    TimelineReport report_before;
    TimelineReport report_after;
    auto upper = draw(before, steps_before, "before", report_before);
    if (!upper) return of_whole(upper.error(), half);
    auto lower = draw(after, steps_after, "after", report_after);
    if (!lower) return of_whole(lower.error(), half);
    half.axis_s = std::max(report_before.axis_s, report_after.axis_s);
    half.least_name_px = std::max(report_before.name_px, report_after.name_px);
    // Lines would make another plot of one of them.
    if (report_before.mode != report_after.mode && half.messages == MessageMode::kAuto) {
      half.messages = MessageMode::kStrip;
    }
    const auto is_other = [&](const TimelineReport& report) {
      const bool has_mode = half.messages != MessageMode::kAuto && report.mode != half.messages;
      return report.axis_s != half.axis_s || report.name_px != half.least_name_px || has_mode;
    };
    if (is_other(report_before)) upper = draw(before, steps_before, "before", report_before);
    if (!upper) return upper.error();
    if (is_other(report_after)) lower = draw(after, steps_after, "after", report_after);
    if (!lower) return lower.error();
    add(std::move(upper).value(), top);
    add(std::move(lower).value(), top + half.height_px);
    scene_.description = "Timelines of two runs, a second as long in both";
    return std::move(scene_);
  }

 private:
  /// Who asked for one picture must not be told of the size of its halves.
  [[nodiscard]] base::Error of_whole(const base::Error& error, const Options& half) const {
    const std::string size =
        fmt::format("a picture of {}x{} pixels is too small", half.width_px, half.height_px);
    return error.message.starts_with(size) ? too_small("two timelines") : error;
  }

  void add(layout::Scene part, double y) {
    scene_.message_count += part.message_count;
    for (layout::Layer& layer : part.layers) {
      layout::move(layer, {0, y});
      scene_.layers.push_back(std::move(layer));
    }
  }

  const Options& options_;
};

}  // namespace

base::Result<layout::Scene> timeline_comparison(const ComparedRun& before,
                                                const StepMarks& steps_before,
                                                const ComparedRun& after,
                                                const StepMarks& steps_after,
                                                const Options& options, base::ThreadPool& pool) {
  return TimelineComparison(options).draw(before, steps_before, after, steps_after, pool);
}

}  // namespace pathline::figure

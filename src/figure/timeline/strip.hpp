// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/column.hpp"
#include "figure/figure.hpp"
#include "figure/timeline/states.hpp"
#include "layout/legend.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "trace/calls.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// Messages over time below the rows of a timeline, where lines between the rows would hide what
/// the rows show: how many (bytes) are sent per second, or with Metric::kTime how many are under
/// way at once. Up to kMostSenders rows it is one chart of all, beyond a heat map by groups of
/// senders.
class MessageStrip {
 public:
  static constexpr size_t kMostSenders = 64;

  /// steps  of one rank; where they are narrower than a few pixels, means over them are shown.
  MessageStrip(const trace::Trace& trace, const base::Column<uint32_t>& messages, const Rows& rows,
               TimeRange range, Metric metric, std::span<const trace::StepWindow> steps);

  /// What it wants below rows of this height; at most a quarter of that.
  [[nodiscard]] double height_px(const layout::Theme& theme, double rows_height_px) const;

  /// area  as wide as the plot.
  void add_to(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& area,
              layout::Color color);

  /// What the strip shows and its scale, after add_to().
  [[nodiscard]] layout::LegendEntry legend_entry(const layout::Theme& theme,
                                                 layout::Color color) const;

  /// The messages sent in a column of pixels of the area, those of one group of senders where the
  /// strip has groups.
  [[nodiscard]] std::vector<uint32_t> messages_at(const layout::Rect& area, double x,
                                                  double y) const;

 private:
  struct Group {
    uint32_t begin;  ///< Rows.
    uint32_t end;
  };
  void choose_groups();
  [[nodiscard]] size_t group_of_row(uint32_t row) const;
  [[nodiscard]] uint32_t sender_row(uint32_t message) const;
  /// Column by column, of each group.
  [[nodiscard]] std::vector<float> rates(uint32_t column_count) const;
  [[nodiscard]] std::string rate_text(double rate) const;
  [[nodiscard]] std::string group_text() const;

  const trace::Trace& trace_;
  const base::Column<uint32_t>& messages_;
  const Rows& rows_;
  const TimeRange range_;
  const Metric metric_;
  const std::span<const trace::StepWindow> steps_;
  std::vector<Group> groups_;
  double largest_ = 0;
  double usual_ = 0;  ///< Where the colours end.
};

}  // namespace pathline::figure

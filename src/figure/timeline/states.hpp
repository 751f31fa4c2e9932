// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "comm/process_order.hpp"
#include "comm/step_table.hpp"
#include "figure/region_colors.hpp"
#include "figure/timeline/row_places.hpp"
#include "layout/legend.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "trace/call_source.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

// The rows of a timeline and the calls in them; figure/timeline.cpp adds messages, axes and texts.
namespace pathline::figure {

struct TimeRange {
  uint64_t from;
  uint64_t until;  ///< After `from`.
};

/// The part of the run that a selection shows.
TimeRange visible_range(const trace::Trace& trace, const trace::Selection& selection);

/// One row of the picture: a location with calls, or a rank of a source of messages only.
struct Row {
  uint32_t location;  ///< base::IdMap::kNone for none.
  std::string name;
};

struct Rows {
  std::vector<Row> rows;
  std::vector<uint32_t> of_location;  ///< Row of each location, kNone if it has none.
  std::vector<uint32_t> of_rank;      ///< Row of each rank's first thread.
  std::vector<uint32_t> block_begin;  ///< First row of each block of the order; may be empty.
  /// What tells of the calls in them; nullptr for the events of the trace. Outlives this.
  const trace::CallSource* calls = nullptr;
};

/// Locations with calls, by rank; ranks, if there are no locations at all.
///
/// order  of the ranks; nullptr for that of their numbers.
/// calls  becomes Rows::calls.
Rows choose_rows(const trace::Trace& trace, const trace::Selection& selection,
                 const comm::ProcessOrder* order = nullptr,
                 const trace::CallSource* calls = nullptr);

/// Time that each region is the innermost call, in ticks, over all rows.
///
/// signatures  if given, one for each row.
/// cost        O(events), parallel over rows.
std::vector<uint64_t> region_ticks(const trace::Trace& trace, const Rows& rows, TimeRange range,
                                   base::ThreadPool& pool,
                                   std::vector<RowSignature>* signatures = nullptr);

/// The same of the whole run. `calls` may be null.
std::vector<uint64_t> run_ticks(const trace::Trace& trace, const trace::CallSource* calls,
                                base::ThreadPool& pool);
/// Of a whole run whose stretches are bins, which forget calls that are short beside them, the
/// times that are known all the same. But not of what a picture cuts off at its ends (trim_of()).
void take_run_ticks(const trace::Trace& trace, const trace::CallSource& calls,
                    std::vector<uint64_t>& ticks);

/// Which regions are named in a picture, and the legend that says so.
struct Palette {
  static constexpr size_t kClasses = layout::Theme::kSeriesCount;
  static constexpr size_t kOther = kClasses - 1;  ///< All regions without a place of their own.

  std::vector<uint8_t> class_of_region;  ///< Ascending from the bottom of a stack to its top.
  std::vector<layout::LegendEntry> legend;
  std::array<layout::Color, kClasses> colors{};
};

/// The regions with most time are classes, those of the program first, then file I/O, then MPI, in
/// each the one with most time first; the legend has them in this order, but for those with less
/// than 0.1 % of the time.
///
/// ticks  per region in the picture.
Palette make_palette(const trace::Trace& trace, std::vector<uint64_t> ticks,
                     const RegionColors& region_colors, const layout::Theme& theme);

/// The rows as cells of about a pixel. Calls that share a column are stacked where rows are tall
/// enough; in thin rows, and where several rows share a pixel, their colours are averaged.
///
/// scale  pixels of the finished picture for one of the plot.
/// places  nullptr for rows of equal height.
/// steps  where they are narrower than a few pixels, columns show the means of whole steps.
layout::CellGrid state_cells(const trace::Trace& trace, const Rows& rows, TimeRange range,
                             const layout::Rect& plot, double scale, const RowPlaces* places,
                             const Palette& palette, const comm::StepWindows& steps,
                             const layout::Theme& theme, base::ThreadPool& pool);

}  // namespace pathline::figure

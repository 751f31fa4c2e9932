// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "app/run_tables.hpp"

namespace pathline::app {

inline constexpr uint32_t kMostColumns = 65536;

/// The rows of a timeline as numbers: how much of each pixel each region has.
struct TimelineTable {
  /// row (from 0 at the top), location (its id), rank, begin_s, end_s of the pixel, region (its
  /// name), share of the time of the pixel. By row, time, and first occurrence in the pixel; times
  /// without a call have no row.
  DataTable table;
  double bin_s = 0;  ///< Of a summary: length of the bins it was made of; 0 for events.
};

/// columns  pixels that the time of the selection is cut into, all of it: nothing is trimmed.
/// errors   kInvalidArgument for no columns, or more than kMostColumns.
/// cost     O(events + rows x columns), parallel over rows.
base::Result<TimelineTable> timeline_table(const SharedTrace& trace,
                                           const trace::Selection& selection, uint32_t columns,
                                           base::ThreadPool& pool);
/// Of what timeline_source() chooses.
base::Result<TimelineTable> timeline_table(const SummaryFile& file,
                                           const trace::Selection& selection, uint32_t columns,
                                           base::ThreadPool& pool);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figure/timeline/critical_path.hpp"
#include "figure/timeline/row_places.hpp"
#include "figure/timeline/states.hpp"
#include "layout/legend.hpp"
#include "layout/scene.hpp"
#include "trace/trace.hpp"

// The critical path over the rows of a timeline.
namespace pathline::figure {

/// What the part of the path in a picture is made of. Shares of its time there.
struct CriticalShares {
  std::vector<std::pair<trace::Region, double>> regions;  ///< Innermost calls, most first.
  double hidden = 0;                                      ///< On locations without a row.
  bool any = false;                                       ///< Some of it is in the time shown.
};

/// cost  O(stretches + events of the locations with a row that it visits).
CriticalShares critical_shares(const trace::Trace& trace, const CriticalPath& path,
                               const Rows& rows, TimeRange range);

/// "critical path  solve 74 %, MPI_Send 9 %", and "12 % of it on ranks not shown" if there are any.
///
/// cost  that of critical_shares().
std::vector<layout::LegendEntry> critical_legend(const trace::Trace& trace,
                                                 const CriticalPath& path, const Rows& rows,
                                                 TimeRange range);

/// A line along the rows that the path visits, with connectors where it jumps, in a colour that no
/// region has, with a dark rim. Where it is on a location without a row there is nothing.
/// Connectors in one column of pixels are drawn as one.
///
/// places  nullptr for rows of equal height.
/// cost    O(stretches); what is drawn is bounded by the pixels of the plot.
void add_critical_line(layout::Scene& scene, const CriticalPath& path, const Rows& rows,
                       TimeRange range, const layout::Rect& plot, const RowPlaces* places);

}  // namespace pathline::figure

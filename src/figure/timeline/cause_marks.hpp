// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "figure/timeline/cause.hpp"
#include "figure/timeline/critical_path.hpp"
#include "figure/timeline/row_places.hpp"
#include "figure/timeline/states.hpp"
#include "layout/legend.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "trace/trace.hpp"

// Where in a timeline that stands which others wait for.
namespace pathline::figure {

/// A stretch of a row in which a cause is at work.
struct CauseSpan {
  uint32_t row;
  TimeRange time;
};

/// A cause that is in the picture.
struct VisibleCause {
  const Cause* cause;
  std::vector<CauseSpan> spans;  ///< By row, then time. None: it is everywhere.
};

/// At most the first four that are in the picture, or have no place of their own. A span is time in
/// the cause's call path itself, with the reading and writing of files in it and without other
/// calls; of a cause without ranks, the part on the critical path.
///
/// cost  O(events of the locations that may have one).
std::vector<VisibleCause> visible_causes(const trace::Trace& trace, const Causes& causes,
                                         const CriticalPath* critical, const Rows& rows,
                                         TimeRange range);

/// "1 slow_rank  20.9 %, rank 5", one each.
std::vector<layout::LegendEntry> cause_legend(const std::vector<VisibleCause>& causes);

/// Outlines, of spans nearer than a few pixels one for all, and behind them in the scene the names
/// beside the longest: where there is no room only the number, or nothing.
///
/// places  nullptr for rows of equal height.
void add_cause_outlines(layout::Scene& scene, const std::vector<VisibleCause>& causes,
                        const Rows& rows, TimeRange range, const layout::Rect& plot,
                        const RowPlaces* places);
void add_cause_names(layout::Scene& scene, const layout::Theme& theme,
                     const std::vector<VisibleCause>& causes, const Rows& rows, TimeRange range,
                     const layout::Rect& plot, const RowPlaces* places);

}  // namespace pathline::figure

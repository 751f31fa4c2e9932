// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure/timeline/states.hpp"
#include "layout/legend.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// Who keeps others waiting in collective operations: a triangle where the last rank comes, a
/// circle on the row of the root where that comes. Operations for which nobody in the picture waits
/// 3 px have no mark, and all go without where there are more than one in 24 px.
///
/// returns  what the marks are called; nothing if there are none.
/// cost     O(collective operations and their members).
std::vector<layout::LegendEntry> add_collective_marks(layout::Scene& scene,
                                                      const layout::Theme& theme,
                                                      const layout::Rect& plot,
                                                      const trace::Trace& trace, const Rows& rows,
                                                      TimeRange range);

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "figure/timeline_states.hpp"
#include "layout/scene.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

// The messages of a timeline as lines between its rows.
namespace pathline::figure {

/// Messages that are seen: sent, under way or received in the range, between two rows of the
/// picture. x is a share of the range and y is in rows, until the plot is known.
layout::Segments message_lines(const trace::Trace& trace, const Rows& rows, TimeRange range);

/// Moves lines of message_lines() into the plot. Upright ones, less than half a pixel wide, come to
/// stand on whole pixels, at most half a pixel from where they are: they are crisp, and quick to
/// draw by the million.
void place_lines(layout::Segments& lines, const layout::Rect& plot, size_t row_count);

/// Messages from or to chosen ranks that have no line, because their other end has no row.
size_t hidden_messages(const trace::Trace& trace, const Rows& rows, TimeRange range,
                       const trace::Selection& selection);

}  // namespace pathline::figure

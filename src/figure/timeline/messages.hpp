// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "figure/figure.hpp"
#include "figure/timeline/states.hpp"
#include "layout/scene.hpp"
#include "pyramid/pyramid.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

// The messages of a timeline as lines between its rows.
namespace pathline::figure {

/// Messages that are seen: sent, under way or received in the range, between two rows of the
/// picture. Indices into trace.messages, ascending.
///
/// cost  O(messages), parallel; the same for any number of threads.
base::Column<uint32_t> visible_messages(const trace::Trace& trace, const Rows& rows,
                                        TimeRange range, base::ThreadPool& pool);

/// These messages as straight lines in the plot, in their order. Upright ones, whose ends fall into
/// one column of pixels, come to stand on whole pixels, at most half a pixel from where they are:
/// they are crisp, and quick to draw by the million.
///
/// weight  kMessages: none, each counts once; kBytes; kTime: from send to receive, at least 0.
layout::Segments message_lines(const trace::Trace& trace, const base::Column<uint32_t>& messages,
                               const Rows& rows, TimeRange range, const layout::Rect& plot,
                               Metric weight, base::ThreadPool& pool);

/// Rows of a message's sender and receiver.
struct LineRows {
  uint32_t sender;
  uint32_t receiver;
};

/// Those of visible messages, in their order. They cannot be told from the lines, which may have
/// been moved to the next row where rows are lower than a pixel.
std::vector<LineRows> line_rows(const trace::Trace& trace, const base::Column<uint32_t>& messages,
                                const Rows& rows);

/// What a view of a pyramid has to draw as straight lines in a plot that shows `range` and rows
/// [first_row, first_row + row_count), as message_lines() does; each has the weight of its
/// messages.
layout::Segments record_lines(const pyramid::MessageRecords& records, TimeRange range,
                              uint32_t first_row, size_t row_count, const layout::Rect& plot);

/// Messages from or to chosen ranks that have no line, because their other end has no row.
size_t hidden_messages(const trace::Trace& trace, const Rows& rows, TimeRange range,
                       const trace::Selection& selection);

}  // namespace pathline::figure

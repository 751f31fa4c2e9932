// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figure/timeline/messages.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

// Message bursts: what Vampir's timeline shows in place of too many message lines, for comparison
// with bundles (Brendel et al., VPA 2016, III). Unlike there, a burst keeps its duration and
// targets.
namespace pathline::figure {

/// Messages that one row sends in quick succession.
struct Burst {
  uint32_t row = 0;
  double begin_px = 0;  ///< First send.
  double end_px = 0;    ///< Last receive.
  uint64_t count = 0;
  std::vector<uint32_t> targets;  ///< Rows, ascending, each once.
};

/// Messages of a row belong to one burst while their sends are less than `gap_px` apart.
///
/// lines    straight, from send to receive.
/// rows     of the ends of each line.
/// returns  bursts by row, then time. The order of the lines does not matter.
/// cost     O(messages log messages).
std::vector<Burst> find_bursts(const layout::Segments& lines, const std::vector<LineRows>& rows,
                               double gap_px);

/// One mark per burst: a bar on the sender's row from first send to last receive, the taller the
/// more messages (logarithmic), with their number where there is room for it; a hairline to the
/// rows of its targets, each with a dot, unless there are thousands of bursts or it began before
/// the plot.
///
/// colors  of senders (begin) and receivers (end).
void add_bursts(layout::Scene& scene, const std::vector<Burst>& bursts, const layout::Rect& plot,
                size_t row_count, const layout::Gradient& colors, const layout::Theme& theme);

}  // namespace pathline::figure

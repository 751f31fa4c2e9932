// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/scene.hpp"

namespace pathline::bundle {

/// A range of pixels with the place of its node, on one axis. Cells touch each other.
struct Band {
  double begin = 0;
  double end = 0;
  double node = 0;  ///< in [begin, end]

  double width() const { return end - begin; }
};

/// Ends of messages by pixel column of a plot, from which columns are chosen.
struct EndCounts {
  double left = 0;                ///< of the plot
  std::vector<int64_t> count;     ///< per pixel column
  std::vector<int64_t> position;  ///< sum of the places within the column, in 1/256 px
};

/// lines  straight from send to receive; `clip` is the plot. Sums are integers, so that the order
///        of the lines does not matter.
/// cost   O(lines + pixels).
EndCounts count_ends(const layout::Segments& lines);

/// Columns of time that follow the program's phases instead of a fixed raster of their own: a
/// uniform grid of time would show its own period where the program has another.
///
/// Ends of messages are counted per pixel column, smoothed (Gaussian, sigma 0.4 width_min), and cut
/// at the valleys, which is where one-dimensional mean shift would part them (Fukunaga &
/// Hostetler 1975). Columns narrower than 0.75 width_min join the neighbour behind the shallower
/// valley, columns wider than 5 width_min are cut into equal ones. A column's node is the mean of
/// its ends.
///
/// The columns cover the plot, and on either side as much again in equal ones for ends outside it.
///
/// cost  O(pixels x width_min_px + columns^2).
std::vector<Band> phase_columns(const EndCounts& ends, double width_min_px);

/// Rows of a timeline as the bundling sees them.
struct RowBands {
  size_t row_count = 1;
  /// First row of each group that should stay together (hosts, slices of a communicator),
  /// ascending, beginning with 0; empty for none.
  std::vector<uint32_t> block_begin;
};

/// Bands of at least `gap_px` for the rows of a plot from `top` to `top + height`; a single one if
/// there are no rows or the plot is lower than that. Rows that are lower share a band, which ends
/// where a block does or leaves enough of the block for another band; a block lower than `gap_px`
/// shares one with the next, the last with the one before. Rows twice as high and more get nodes
/// between them too, so that messages between neighbours can meet. The centre of a lone row is a
/// node.
///
/// gap_px  positive.
std::vector<Band> row_bands(const RowBands& rows, double top, double height, double gap_px);

/// From a coordinate to the band that holds it, in constant time; outside is the first or last.
class BandIndex {
 public:
  explicit BandIndex(const std::vector<Band>& bands);

  uint32_t at(double px) const {
    const double step = (px - origin_) * kStepsPerPixel;
    if (!(step > 0)) return band_.front();
    const auto last = static_cast<double>(band_.size() - 1);
    return band_[static_cast<size_t>(std::min(step, last))];
  }

 private:
  static constexpr double kStepsPerPixel = 4;

  double origin_ = 0;
  std::vector<uint32_t> band_;  // per step
};

}  // namespace pathline::bundle

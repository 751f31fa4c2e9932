// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "layout/density.hpp"
#include "layout/scene.hpp"

// Which lines each strip of a raster has to draw.
namespace pathline::render {

// px; what is further away is no upright line on whole pixels.
inline constexpr float kNear = 1e6F;

/// Whether a line can be drawn. Lines come first, then the pieces of curves, in one numbering.
inline bool usable(const layout::Segments& segments, size_t i) {
  // Zero times what is not finite is not a number.
  if (i < segments.size()) {
    const float zero =
        0 * segments.x1[i] + 0 * segments.y1[i] + 0 * segments.x2[i] + 0 * segments.y2[i];
    if (segments.weight.empty()) return zero == 0;
    return zero + 0 * segments.weight[i] == 0 && segments.weight[i] >= 0;
  }
  const layout::Curves& curves = segments.curves;
  i -= segments.size();
  const float zero = 0 * curves.x1[i] + 0 * curves.y1[i] + 0 * curves.cx[i] + 0 * curves.cy[i] +
                     0 * curves.x2[i] + 0 * curves.y2[i] + 0 * curves.s1[i] + 0 * curves.s2[i] +
                     0 * curves.weight[i];
  return zero == 0 && curves.weight[i] >= 0;
}

/// Lines in blocks, and which blocks need not be looked at again line by line: all their lines are
/// drawable and touch one strip only, and what is upright covers whole pixels. With millions of
/// messages in the order of time these are most.
class Blocks {
 public:
  static constexpr size_t kLines = 64;
  static constexpr uint16_t kMixed = UINT16_MAX;

  Blocks(const layout::Segments& segments, double origin_x, double origin_y,
         const layout::Density& raster);

  /// The only strip of a block; kMixed if it is none of these, and behind the last whole block.
  uint16_t strip(size_t block) const { return block < strip_.size() ? strip_[block] : kMixed; }

 private:
  [[nodiscard]] uint16_t strip_of(const layout::Segments& segments, size_t first) const;

  float left_, top_, width_;
  std::vector<uint16_t> strip_;
};

/// What each strip has to draw.
struct Buckets {
  /// Lines in the order of time mostly begin in strip after strip, and then need no list: strip k
  /// draws lines [run[k], run[k + 1]). Empty when they are in another order.
  std::vector<uint32_t> run;
  std::vector<uint64_t> begin;  // per strip, and one more: of `items`
  base::Column<uint32_t> items;
};

/// raster  of the size that is drawn; gets the number of lines that cannot be.
Buckets make_buckets(const layout::Segments& segments, const Blocks& blocks, double origin_x,
                     double origin_y, layout::Density& raster);

}  // namespace pathline::render

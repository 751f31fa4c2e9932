// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/density.hpp"
#include "render/path.hpp"
#include "render/steps.hpp"

namespace pathline::render {

/// Some columns of a density raster while they are drawn (render/raster.hpp tells the method):
/// small enough for the cache, used again and again by one thread. Two columns of margin on either
/// side and rows below and above take what falls just outside, so that the inner loops need not
/// ask.
class Strip {
 public:
  static constexpr uint32_t kWidth = 128;

  /// height  of the raster.
  explicit Strip(uint32_t height);

  /// From now on columns [first_column, first_column + width) are drawn.
  void begin(uint32_t first_column, uint32_t width);

  /// Coordinates in pixels, weights in units of the raster; what lies outside is cut off.
  void add_line(PathPoint from, PathPoint to, double weight);
  void add_curve(layout::Bezier piece, double s1, double s2, double weight);

  /// An upright line that covers whole pixels of one column of the strip, from row edge `from`,
  /// where s is 0, to row edge `to`, another one. The quickest there is, for lines by the million.
  /// step  weight / rows.
  void add_upright(uint32_t column, int32_t from, int32_t to, double weight, double step) {
    const int32_t top = std::max(std::min(from, to), 0);
    const int32_t bottom = std::min(std::max(from, to), static_cast<int32_t>(height_));
    if (top >= bottom) return;
    const Pair units = fixed(RealPair{weight, step});
    const uint64_t n = units[0];
    const uint64_t upward = to < from ? ~uint64_t{0} : 0;
    const uint64_t q_step = (units[1] ^ upward) - upward;
    // In the middle of the first row, and in that behind the last.
    const uint64_t q =
        q_step * static_cast<uint64_t>(int64_t{top} - from) + ((units[1] / 2 ^ upward) - upward);
    const uint64_t q_after = q + q_step * static_cast<uint64_t>(bottom - top);
    ramp_quads_ |= uint64_t{1} << column / kQuad;
    Ramp* ramps = cell(ramps_, column, 0);
    Ramp* begin = ramps + top;
    begin[0].n += n;
    begin[0].q += q;
    begin[1].q += q_step - q;
    Ramp* end = ramps + bottom;
    end[0].n -= n;
    end[0].q -= q_after;
    end[1].q += q_after - q_step;
  }

  /// Writes the columns into the raster and empties the strip.
  void resolve(double unit, layout::Density& raster, layout::LogHistogram& histogram);

 private:
  static constexpr int64_t kMargin = 2;
  static constexpr size_t kColumns = kWidth + 2 * kMargin;

  /// First differences of n and second differences of q down a column.
  struct Ramp {
    uint64_t n = 0;
    uint64_t q = 0;
  };

  /// Columns that are resolved side by side.
  static constexpr uint32_t kQuad = 4;

  /// Rows that are resolved together.
  static constexpr uint32_t kBlockRows = 32;

  /// Where differences and values are not empty. One bit for each quad of columns.
  struct Marks {
    std::vector<uint64_t> blocks;  // of rows
    uint64_t all = 0;
    bool in_margin = false;
  };
  static_assert(kWidth / kQuad <= 64);

  struct Walk;
  struct Prefix;

  /// x from -kMargin, y from -kMargin to a few rows below the raster.
  template <class Cell>
  Cell* cell(std::vector<Cell>& cells, int64_t x, int64_t y) {
    return &cells[static_cast<size_t>(x + kMargin) * stride_ + static_cast<size_t>(y + kMargin)];
  }
  /// Columns and rows up to the last ones named.
  void mark(int64_t first_column, int64_t last_column, int64_t first_row, int64_t last_row) {
    marks_.in_margin =
        marks_.in_margin || first_column < 0 || last_column >= static_cast<int64_t>(width_);
    const auto from = static_cast<uint64_t>(std::max<int64_t>(first_column, 0)) / kQuad;
    const auto to = static_cast<uint64_t>(std::clamp<int64_t>(last_column, 0, kWidth - 1)) / kQuad;
    const uint64_t quads = ~uint64_t{0} << from & ~uint64_t{0} >> (63 - to);
    marks_.all |= quads;
    const auto last_block = std::min(
        static_cast<size_t>(std::max<int64_t>(last_row, 0)) / kBlockRows, marks_.blocks.size() - 1);
    for (size_t block = static_cast<size_t>(std::max<int64_t>(first_row, 0)) / kBlockRows;
         block <= last_block; ++block) {
      marks_.blocks[block] |= quads;
    }
  }

  void add_path(double weight);
  template <bool kSteep>
  void add_stretch(const Stretch& stretch, double weight);
  template <bool kSteep>
  void add_single(const Chord& chord, double u, double weight, int64_t step);
  template <bool kSteep>
  void add_walk(Walk walk);
  void add_runs(const Walk& walk);
  static bool cut(Walk& walk, double v_limit);

  template <bool kHasRamps, bool kHasOthers>
  void resolve_rows(uint32_t x, Prefix* prefixes, uint32_t columns, uint32_t top, uint32_t rows,
                    double unit, layout::Density& raster, layout::LogHistogram& histogram);
  static bool is_within_run(const Prefix* prefixes);
  template <class Cell>
  void empty_outside(std::vector<Cell>& cells, uint64_t quads, bool is_margin_used);

  double origin_x_ = 0;
  double width_ = 0;
  double height_;
  size_t stride_;
  std::vector<Ramp> ramps_;
  std::vector<Pair> differences_;  // third differences
  std::vector<Pair> values_;
  uint64_t ramp_quads_ = 0;  // with ramps; they never lie in the margin
  Marks marks_;
  Path path_;  // of what is being added
};

}  // namespace pathline::render

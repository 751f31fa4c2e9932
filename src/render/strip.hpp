// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/density.hpp"
#include "render/chords.hpp"

namespace pathline::render {

/// A value for n (first) and one for q (second); one SSE2 register. Integers are unsigned because
/// intermediate sums wrap around; the resolved values do not.
using Pair = uint64_t __attribute__((vector_size(16)));
using RealPair = double __attribute__((vector_size(16)));

/// Nearest integers of values below 2^51: adding 1.5 x 2^52 leaves them in the low bits.
inline Pair fixed(RealPair values) {
  constexpr double kShift = 0x1.8p52;
  constexpr RealPair kShifts{kShift, kShift};
  return std::bit_cast<Pair>(values + kShifts) - std::bit_cast<Pair>(kShifts);
}

/// Some columns of a density raster while they are drawn (render/raster.hpp tells the method):
/// small enough for the cache, used again and again by one thread. One column of margin on either
/// side and rows below and above take what falls just outside, so that the inner loops need not
/// ask.
class Strip {
 public:
  static constexpr uint32_t kWidth = 64;

  /// height  of the raster.
  explicit Strip(uint32_t height);

  /// From now on columns [first_column, first_column + width) are drawn.
  void begin(uint32_t first_column, uint32_t width);

  /// y and weight in pixels and units of the raster; what lies outside is cut off.
  void add(const Chord& chord, double weight);

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
    has_ramps_[column + 1] = true;
    Ramp* ramps = &ramps_[(size_t{column} + 1) * stride_ + 1];
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
  /// First differences of n and second differences of q down a column.
  struct Ramp {
    uint64_t n = 0;
    uint64_t q = 0;
  };

  struct Prefix;
  struct Line;
  struct Single;

  Pair* difference(int64_t x, int64_t y) {
    has_differences_[static_cast<size_t>(x + 1)] = true;
    return &differences_[static_cast<size_t>(x + 1) * stride_ + static_cast<size_t>(y + 1)];
  }
  Pair* value(int64_t x, int64_t y) {
    has_values_[static_cast<size_t>(x + 1)] = true;
    return &values_[static_cast<size_t>(x + 1) * stride_ + static_cast<size_t>(y + 1)];
  }

  template <bool kHasRamps, bool kHasOthers>
  void resolve_rows(size_t cell, Prefix* prefixes, uint32_t columns, uint32_t rows, double unit,
                    size_t at, layout::Density& raster, layout::LogHistogram& histogram);
  static Single single(const Line& line, double u_from, double u_to, double v_end);
  void add_steep(const Line& line);
  void add_flat(const Line& line);
  void mark_values(double low, double high);
  void step_steep(const Line& line, double top, double bottom);
  void add_row(const Single& single, int64_t row);
  void add_column(const Single& single, int64_t column);
  void add_full_rows(const Line& line, int64_t row_begin, int64_t row_end);

  double origin_x_ = 0;
  double width_ = 0;
  double height_;
  size_t stride_;
  std::vector<Ramp> ramps_;
  std::vector<Pair> differences_;  // third differences
  std::vector<Pair> values_;
  std::array<bool, kWidth + 2> has_ramps_{};  // per column, with the margins
  std::array<bool, kWidth + 2> has_differences_{};
  std::array<bool, kWidth + 2> has_values_{};
};

}  // namespace pathline::render

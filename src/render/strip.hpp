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

  /// An upright line that covers whole pixels of one column of the strip: rows [top, bottom) with
  /// s running from s_top by s_step per row. The quickest there is, for lines by the million.
  void add_upright(uint32_t column, uint32_t top, uint32_t bottom, double s_top, double s_step,
                   double weight) {
    const Pair first = fixed(RealPair{weight, weight * s_top});
    const Pair step = fixed(RealPair{0, weight * s_step});
    has_ramps_[column + 1] = true;
    // Second differences of first + step i: at its first row and the next, and taken back behind.
    Pair* begin = &ramps_[(size_t{column} + 1) * stride_ + top + 1];
    begin[0] += first;
    begin[1] += step - first;
    const uint64_t rows = bottom - top;
    const Pair after = first + Pair{0, step[1] * rows};
    Pair* end = begin + rows;
    end[0] -= after;
    end[1] += after - step;
  }

  /// Writes the columns into the raster and empties the strip.
  void resolve(double unit, layout::Density& raster, layout::LogHistogram& histogram);

 private:
  struct Prefix;
  class RunCounter;
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
  void resolve_rows(size_t cell, Prefix& prefix, uint32_t rows, double unit, size_t at,
                    layout::Density& raster, layout::LogHistogram& histogram);
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
  std::vector<Pair> ramps_;        // second differences
  std::vector<Pair> differences_;  // third differences
  std::vector<Pair> values_;
  std::array<bool, kWidth + 2> has_ramps_{};  // per column, with the margins
  std::array<bool, kWidth + 2> has_differences_{};
  std::array<bool, kWidth + 2> has_values_{};
};

}  // namespace pathline::render

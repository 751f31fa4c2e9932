// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace pathline::render {

/// A value for n (first) and one for q (second); one SSE2 register. Integers are unsigned because
/// intermediate sums wrap around; the resolved values do not.
using Pair = uint64_t __attribute__((vector_size(16)));
using RealPair = double __attribute__((vector_size(16)));

/// Added to a value below 2^51, it leaves the nearest integer in the low bits.
inline constexpr double kToInteger = 0x1.8p52;

inline Pair fixed(RealPair values) {
  constexpr RealPair kShifts{kToInteger, kToInteger};
  return std::bit_cast<Pair>(values + kShifts) - std::bit_cast<Pair>(kShifts);
}

/// Pixel steps along the major axis of a chord.
struct Steps {
  Pair* cells;       ///< of the first step, where v is 0
  ptrdiff_t along;   ///< from one step's cells to the next one's
  ptrdiff_t across;  ///< from one pixel to the next across
  double v;          ///< of the first step; never negative, but for rounding at the ends
  double v_step;
  RealPair weight;  ///< n and q of the first step
  RealPair weight_step;
  int64_t count;  ///< at least 1
};

/// Splits the weight of every step linearly between the pixels at floor(v) and the next. May add
/// nothing to the cells of one step behind the last.
void add_steps(const Steps& steps);

/// The same with instructions that every machine has; add_steps() may use more of them.
void add_steps_anywhere(const Steps& steps);

}  // namespace pathline::render

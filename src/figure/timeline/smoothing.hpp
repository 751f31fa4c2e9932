// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "figure/timeline/states.hpp"
#include "trace/calls.hpp"

// What changes faster than pixels can show, averaged so that no pattern of the sampling is seen.
namespace pathline::figure {

/// Means over whole time steps, for columns of pixels that hold about a step: without them a column
/// would show which part of a step it happens to hold.
class StepMeans {
 public:
  /// steps         of the rank, by time; those narrower than 6 px are averaged, as long as there
  ///               are some of them in a row.
  /// value_count   numbers to be averaged.
  StepMeans(std::span<const trace::StepWindow> steps, TimeRange range, uint32_t column_count,
            size_t value_count);

  [[nodiscard]] bool any() const { return !bins_.empty(); }

  /// `ticks` of value `k`, from `from` to `until`, which lie in the range and never go back.
  void add(uint64_t from, uint64_t until, size_t k);

  /// `amount` of value `k` at an instant in the range, which never goes back.
  void add_at(uint64_t ticks, double amount, size_t k);

  /// Adds to the columns that lie in such steps as a whole the means of these, each as much as it
  /// is in the column: ticks of a value over the ticks of the step, times `weight`.
  ///
  /// values  value_count numbers for each column.
  void add_means(double weight, std::span<float> values) const;

  /// Per column, whether add_means() speaks for it.
  [[nodiscard]] const std::vector<uint8_t>& columns() const { return columns_; }

 private:
  struct Bin {
    double begin;  ///< Ticks since the begin of the range.
    double end;
    bool goes_on;  ///< The next bin follows at once.
  };
  TimeRange range_;
  double ticks_per_column_;
  size_t value_count_;
  std::vector<Bin> bins_;
  std::vector<double> ticks_;  ///< Of each value in each bin.
  std::vector<uint8_t> columns_;
  size_t at_ = 0;  ///< The bin that add() has come to.
};

/// Columns [begin, end) of a picture in which something changes at least every few pixels.
struct FastZone {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Columns over which smooth() averages, from end to end; half of it counts fully.
inline constexpr double kSmoothPx = 10;

/// Where the program repeats itself with a period of a few pixels, columns would show how the
/// period and the pixels interfere instead of what the program does. These are the runs of columns
/// without a gap of more than 4 that are at least as long as four averages.
///
/// is_changing  per column: something begins or ends in it.
std::vector<FastZone> fast_zones(std::span<const uint8_t> is_changing);

/// Replaces every value in the zones by the mean of its neighbourhood there, weighted by a triangle
/// of kSmoothPx (two running means of half of it): of periods up to 4 px less than 4 % remain. The
/// sum over a zone stays within the rounding, up to what its ends shift.
///
/// values  value_count columns of numbers: those of column c begin at c * value_count.
/// cost    O(columns x value_count) in the zones.
void smooth(std::span<const FastZone> zones, size_t value_count, std::span<float> values);

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/column.hpp"

namespace pathline::layout {

/// How often positive floats occur, in 32 bins per factor of two: the sign-less upper bits of the
/// number are the bin. Counts are integers, so that no order of adding matters.
class LogHistogram {
 public:
  LogHistogram() : counts_(kBins) {}

  /// value > 0. What is not finite counts in the last bin.
  void add(float value, uint64_t times = 1) { counts_[bin(value)] += times; }

  void add(const LogHistogram& other) {
    for (size_t i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
  }

  /// Values in bins that begin at `least` or above.
  uint64_t count_from(double least) const {
    uint64_t count = 0;
    for (size_t i = first_bin(least); i < kBins; ++i) count += counts_[i];
    return count;
  }

  /// Upper edge of the bin that holds the given share of the values counted by count_from(least);
  /// 0 without any.
  double quantile(double share, double least = 0) const {
    const uint64_t total = count_from(least);
    if (total == 0) return 0;
    const double limit = share * static_cast<double>(total);
    uint64_t below = 0;
    size_t i = first_bin(least);
    for (; i + 1 < kBins; ++i) {
      below += counts_[i];
      if (below > 0 && static_cast<double>(below) >= limit) break;
    }
    return lower_edge(i + 1);
  }

 private:
  static constexpr int kFractionBits = 5;
  static constexpr int kShift = 23 - kFractionBits;
  static constexpr size_t kBins = size_t{255} << kFractionBits;

  static size_t bin(float value) {
    return std::min<size_t>(std::bit_cast<uint32_t>(value) >> kShift, kBins - 1);
  }
  static double lower_edge(size_t i) {
    return double{std::bit_cast<float>(static_cast<uint32_t>(i) << kShift)};
  }
  static size_t first_bin(double least) {
    const auto value = static_cast<float>(least);
    return value > 0 ? bin(value) : 0;
  }

  std::vector<uint64_t> counts_;
};

/// Two numbers per pixel, from which every opacity, palette and blending of lines follows without
/// drawing them again:
///
///   n = sum of weight x coverage
///   q = sum of weight x coverage x s,   s = 0 at the sender's end to 1 at the receiver's
///
/// render/raster.hpp makes it from lines and curves.
struct Density {
  uint32_t width = 0;
  uint32_t height = 0;
  base::Column<float> n;        ///< row by row: pixel (x, y) is at y * width + x
  base::Column<float> q;        ///< 0 <= q <= n
  LogHistogram histogram;       ///< of the positive n
  uint64_t line_count = 0;      ///< lines and pieces of curves, also those outside the raster
  uint64_t rejected_count = 0;  ///< lines and pieces with a coordinate or weight that is not
                                ///< finite, or with a negative weight; they are left out
  double min_weight = 0;        ///< smallest positive weight entered; 0 without lines

  size_t index(uint32_t x, uint32_t y) const { return static_cast<size_t>(y) * width + x; }
};

}  // namespace pathline::layout

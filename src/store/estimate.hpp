// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pathline::store {

/// What stands for the samples of a launch. Disturbances only ever add time: of computation the
/// lower quartile is what the machine can do, of messages the median, as they have no floor of
/// their own.
enum class Statistic : uint8_t { kLowerQuartile, kMedian };

/// What samples of one thing say: its value, and where a repetition would find it.
struct Estimate {
  double value = 0;  ///< Median over launches of each launch's statistic.
  double low = 0;    ///< 90 % interval of the value.
  double high = 0;
  double minimum = 0;  ///< Of all samples; so are the next three.
  double lower_quartile = 0;
  double median = 0;
  double percentile_90 = 0;
  uint32_t launches = 0;
  uint64_t samples = 0;

  /// Half of the interval's width over the value; 0 for a value of 0.
  [[nodiscard]] double relative_half_width() const;
};

/// The interval is a bootstrap over launches, whose samples share what does not repeat (placement
/// of memory, neighbours on the machine); samples of one launch are no repetitions. Of fewer than
/// three launches it runs from the smallest 10 % to the largest 10 % of samples. The same for the
/// same samples, always. O(samples log samples).
///
/// launches  samples of each, none empty; the result of none at all is empty
Estimate estimate(std::span<const std::span<const double>> launches, Statistic statistic);

/// The value below which `share` of the sorted values lie, between two of them by interpolation.
double quantile(std::span<const double> sorted, double share);

}  // namespace pathline::store

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scaling/experiment.hpp"
#include "scaling/search/hypotheses.hpp"

namespace pathline::scaling {

/// What every pair of exponents makes of the coordinates of an experiment; the same for all its
/// kernels. Columns are scaled to 1 at their largest value, so that p^3 is as well-conditioned as
/// log p; those that are infinite or constant at the points are left out.
class Basis {
 public:
  Basis(const Experiment& experiment, std::span<const std::vector<double>> targets);

  [[nodiscard]] size_t point_count() const { return point_count_; }
  [[nodiscard]] size_t parameter_count() const { return parameter_count_; }
  [[nodiscard]] bool usable(size_t parameter, size_t pair) const {
    return scale_[parameter * kPairCount + pair] > 0;
  }
  /// Value at each point.
  [[nodiscard]] std::span<const double> column(size_t parameter, size_t pair) const {
    return std::span(columns_).subspan((parameter * kPairCount + pair) * point_count_,
                                       point_count_);
  }
  /// The value before it was scaled is that of the column times this.
  [[nodiscard]] double scale(size_t parameter, size_t pair) const {
    return scale_[parameter * kPairCount + pair];
  }
  /// Scaled as the column.
  [[nodiscard]] double at_target(size_t target, size_t parameter, size_t pair) const {
    return targets_[(target * parameter_count_ + parameter) * kPairCount + pair];
  }
  /// Points that differ in this parameter only, ascending in it; two at least.
  [[nodiscard]] std::span<const std::vector<uint32_t>> lines(size_t parameter) const {
    return lines_[parameter];
  }
  /// Some coordinates are below 1, where logarithms are negative.
  [[nodiscard]] bool without_logarithms() const { return without_logarithms_; }
  /// Distinct values of the parameter that has fewest.
  [[nodiscard]] size_t fewest_values() const { return fewest_values_; }

 private:
  size_t point_count_;
  size_t parameter_count_;
  std::vector<double> columns_;                            // Parameter x pair x point.
  std::vector<double> scale_;                              // Parameter x pair; 0: unusable.
  std::vector<double> targets_;                            // Target x parameter x pair.
  std::vector<std::vector<std::vector<uint32_t>>> lines_;  // Parameter x line x point.
  std::vector<bool> separable_;                            // Parameter x parameter.
  bool without_logarithms_ = false;
  size_t fewest_values_ = 0;
};

/// Whether the points of an experiment can tell a sum of these two parameters from their product:
/// whether x * y is more than c0 + c1 x + c2 y there.
bool are_separable(const Experiment& experiment, size_t x, size_t y);

}  // namespace pathline::scaling

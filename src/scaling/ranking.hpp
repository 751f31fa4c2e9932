// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "scaling/experiment.hpp"
#include "scaling/growth.hpp"
#include "scaling/search/search.hpp"

namespace pathline::scaling {

enum class RankBy : uint8_t {
  kValue,   ///< Predicted value.
  kGrowth,  ///< What is largest when the parameters have grown enough.
};

/// A fit among those of its metric. NaN stands for what cannot be told.
struct Ranked {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  uint32_t fit = 0;   ///< Into the fits that were ranked.
  uint32_t rank = 0;  ///< Within its metric, from 1 on.
  double growth_factor =
      kUnknown;                    ///< f(target) / f(largest measured); known where f was positive.
  double share = kUnknown;         ///< Of the sum of all predictions of the metric, 0 to 1.
  double share_gained = kUnknown;  ///< Share at the target less that at the largest measured.
};

/// The largest value of each parameter: where growth begins. It need not have been measured.
std::vector<double> largest_measured(const Experiment& experiment);

/// Which of two models is larger once all parameters are large enough: the faster growing, of
/// equals that with the larger coefficient; what falls without end is below constants.
std::partial_ordering compare_for_large(const Asymptote& a, const Asymptote& b);

/// Orders fits: metrics in the order of the experiment, the largest first in each. Equals are in
/// the order of kernels. Negative predictions count as 0 in sums; of an infinite sum there are no
/// shares.
///
/// target  into SearchOptions::targets that the fits were made with.
/// cost    O(fits log fits).
std::vector<Ranked> rank(const Experiment& experiment, std::span<const Fit> fits, RankBy by,
                         size_t target);

}  // namespace pathline::scaling

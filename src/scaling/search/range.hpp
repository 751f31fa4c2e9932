// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>

namespace pathline::scaling {

/// What one hypothesis predicts.
struct Belief {
  double mean = 0;
  double deviation = 0;
  double weight = 0;  ///< Any positive scale.
};

/// The value that a share of `share` (0 to 1) of a mixture of normal distributions lies below.
/// Beliefs must not be empty.
double quantile(std::span<const Belief> beliefs, double share);

/// An interval that holds a share of a mixture: of those that leave the rest below, above, or half
/// of it on either side, the one with the smallest ratio of its ends, where both are positive, or
/// else the shortest. So what is all but certain is not blurred by a few per cent that are far off.
std::pair<double, double> most_believed(std::span<const Belief> beliefs, double share);

/// Factor by which Student's t with so many degrees of freedom is wider than the normal
/// distribution at 5 and 95 %.
double student_widening(double freedom);

}  // namespace pathline::scaling

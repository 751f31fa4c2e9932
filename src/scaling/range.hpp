// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace pathline::scaling {

/// What one hypothesis predicts.
struct Belief {
  double mean = 0;
  double deviation = 0;
  double weight = 0;  ///< Any positive scale.
};

/// The value that a share of `share` (0 to 1) of a mixture of normal distributions lies below; to
/// a thousandth of the width of the mixture. Beliefs must not be empty.
double quantile(std::span<const Belief> beliefs, double share);

/// Factor by which Student's t with so many degrees of freedom is wider than the normal
/// distribution at 5 and 95 %.
double student_widening(double freedom);

}  // namespace pathline::scaling

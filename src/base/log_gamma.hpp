// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace pathline::base {

/// The logarithm of the absolute value of the gamma function. Several threads may ask at once, as
/// they must not of std::lgamma(), which tells the sign in a variable of the process.
inline double log_gamma(double value) {
  int sign = 0;
  return ::lgamma_r(value, &sign);
}

}  // namespace pathline::base

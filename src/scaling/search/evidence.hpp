// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "scaling/read/measured.hpp"

namespace pathline::scaling {

/// What is known about the variance of a weighted residual beside the residuals themselves.
struct Noise {
  double variance = 0;
  double freedom = 0;  ///< Degrees of freedom of `variance`; 0: nothing is known.
};

/// The noise of the repetitions, unless even the best hypothesis misses the values by far more
/// (`best` is its residual sum over its degrees of freedom): then it is not noise that limits it
/// but the form of the hypotheses, and only the residuals tell how much.
inline Noise noise_beside(const Measured& measured, double best) {
  constexpr double kFarMore = 6;
  if (best > kFarMore * measured.variance) return {};
  return {measured.variance, measured.freedom};
}

/// Logarithm of the likelihood of residuals of normal noise whose variance is integrated out with
/// Jeffreys' prior, up to what all hypotheses have in common.
///
/// freedom  points minus coefficients.
inline double log_likelihood(const Noise& noise, double rss, double freedom) {
  constexpr double kRounding = 1e-24;  // Squared: of doubles, after sums over many points.
  const double half = (noise.freedom + freedom) / 2;
  if (half <= 0) return 0;
  const double squares = noise.freedom * noise.variance + rss + kRounding * (2 * half);
  return -half * std::log(squares / 2);
}

}  // namespace pathline::scaling

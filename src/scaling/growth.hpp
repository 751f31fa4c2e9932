// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "scaling/model.hpp"

namespace pathline::scaling {

/// How something grows when all parameters grow by the same factor x: x^(numerator/denominator) *
/// log(x)^log. The exponents of several parameters add up.
struct Growth {
  int64_t numerator = 0;
  int64_t denominator = 1;  ///< Positive; the fraction is in lowest terms.
  int64_t log = 0;

  [[nodiscard]] double power() const { return double(numerator) / double(denominator); }
  friend bool operator==(const Growth&, const Growth&) = default;
  /// The power decides, then the log.
  friend std::strong_ordering operator<=>(const Growth& a, const Growth& b) {
    const auto powers = a.numerator * b.denominator <=> b.numerator * a.denominator;
    return std::is_neq(powers) ? powers : a.log <=> b.log;
  }
};

Growth growth(std::span<const Factor> factors);

/// What is left of a model for large parameters.
struct Asymptote {
  Growth growth;           ///< (0, 0) of a constant.
  double coefficient = 0;  ///< Sum over the terms of this growth.
};

/// All parameters grow by the same factor. A term counts only if its coefficient is not 0, and so
/// does the constant.
Asymptote asymptote(const Model& model);

/// The same where only `parameter` grows and the others stay at `x`, one positive value per
/// parameter.
Asymptote asymptote_of(const Model& model, uint32_t parameter, std::span<const double> x);

}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/growth.hpp"

#include <numeric>

namespace pathline::scaling {

Growth growth(std::span<const Factor> factors) {
  Growth sum;
  for (const auto& [parameter, exponents] : factors) {
    sum.numerator =
        sum.numerator * exponents.denominator + int64_t{exponents.numerator} * sum.denominator;
    sum.denominator *= exponents.denominator;
    const int64_t divisor = std::gcd(sum.numerator, sum.denominator);
    sum.numerator /= divisor;
    sum.denominator /= divisor;
    sum.log += exponents.log;
  }
  return sum;
}

Asymptote asymptote(const Model& model) {
  Asymptote result{.growth = {}, .coefficient = model.constant};
  bool any = model.constant != 0;
  for (const Term& term : model.terms) {
    if (term.coefficient == 0) continue;
    const Growth of_term = growth(term.factors);
    if (!any || of_term > result.growth) {
      result = {of_term, term.coefficient};
      any = true;
    } else if (of_term == result.growth) {
      result.coefficient += term.coefficient;
    }
  }
  return result;
}

}  // namespace pathline::scaling

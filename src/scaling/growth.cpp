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

namespace {

/// Adds up what grows fastest.
class Fastest {
 public:
  explicit Fastest(double constant) { add({}, constant); }
  void add(const Growth& growth, double coefficient) {
    if (coefficient == 0) return;
    if (!any_ || growth > sum_.growth) {
      sum_ = {growth, coefficient};
    } else if (growth == sum_.growth) {
      sum_.coefficient += coefficient;
    }
    any_ = true;
  }
  [[nodiscard]] const Asymptote& sum() const { return sum_; }

 private:
  Asymptote sum_;
  bool any_ = false;
};

}  // namespace

Asymptote asymptote(const Model& model) {
  Fastest fastest(model.constant);
  for (const Term& term : model.terms) fastest.add(growth(term.factors), term.coefficient);
  return fastest.sum();
}

Asymptote asymptote_of(const Model& model, uint32_t parameter, std::span<const double> x) {
  Fastest fastest(model.constant);
  for (const Term& term : model.terms) {
    Growth grown;
    double coefficient = term.coefficient;
    for (const Factor& factor : term.factors) {
      if (factor.parameter == parameter) {
        grown = growth({&factor, 1});
      } else {
        coefficient *= factor_value(factor.exponents, x[factor.parameter]);
      }
    }
    fastest.add(grown, coefficient);
  }
  return fastest.sum();
}

}  // namespace pathline::scaling

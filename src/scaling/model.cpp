// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/model.hpp"

#include <cmath>

namespace pathline::scaling {

int compare_growth(Exponents a, Exponents b) {
  const int left = a.numerator * b.denominator;
  const int right = b.numerator * a.denominator;
  if (left != right) return left < right ? -1 : 1;
  return a.log == b.log ? 0 : a.log < b.log ? -1 : 1;
}

double factor_value(Exponents exponents, double x) {
  double value = exponents.numerator == 0 ? 1 : std::pow(x, exponents.power());
  if (exponents.log != 0) value *= std::pow(std::log2(x), exponents.log);
  return value;
}

double evaluate(const Model& model, std::span<const double> x) {
  double sum = model.constant;
  for (const Term& term : model.terms) {
    double value = term.coefficient;
    for (const Factor& factor : term.factors) {
      value *= factor_value(factor.exponents, x[factor.parameter]);
    }
    sum += value;
  }
  return sum;
}

}  // namespace pathline::scaling

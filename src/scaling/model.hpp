// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pathline::scaling {

/// p^(numerator/denominator) * log2(p)^log.
struct Exponents {
  int8_t numerator = 0;
  int8_t denominator = 1;  ///< Positive; the fraction is in lowest terms.
  int8_t log = 0;

  [[nodiscard]] double power() const { return double(numerator) / double(denominator); }
  friend bool operator==(Exponents, Exponents) = default;
};

/// -1, 0, 1: which grows faster for large p; the power decides, then the log.
int compare_growth(Exponents a, Exponents b);

/// One parameter's part of a term.
struct Factor {
  uint32_t parameter = 0;  ///< Into Experiment::parameters.
  Exponents exponents;
  friend bool operator==(const Factor&, const Factor&) = default;
};

struct Term {
  double coefficient = 0;
  std::vector<Factor> factors;  ///< By parameter, none twice, none (0, 0), at least one.
  friend bool operator==(const Term&, const Term&) = default;
};

/// A function in performance model normal form: constant + sum of coefficient * product of p^i *
/// log2(p)^j (Calotoiu et al., SC13).
struct Model {
  double constant = 0;
  std::vector<Term> terms;  ///< The one that grows fastest first.
  friend bool operator==(const Model&, const Model&) = default;
};

/// x  one value per parameter, positive.
double factor_value(Exponents exponents, double x);
double evaluate(const Model& model, std::span<const double> x);

}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#include "base/outliers.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::base {
namespace {

/// The middle of `values`, which must not be empty; their order changes.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

}  // namespace

std::vector<bool> stand_out(std::span<const double> values, double least) {
  std::vector<bool> result(values.size());
  if (values.size() < 3) return result;
  std::vector<double> sorted(values.begin(), values.end());
  const double middle = median(sorted);
  for (double& value : sorted) value = std::abs(value - middle);
  constexpr double kNormal = 1.4826;
  const double most = std::max({0.05 * std::abs(middle), 3.5 * kNormal * median(sorted), least});
  for (size_t i = 0; i < values.size(); ++i) result[i] = std::abs(values[i] - middle) > most;
  return result;
}

}  // namespace pathline::base

// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pathline::bundle {

std::vector<double> gaussian_blur(const std::vector<double>& values, double sigma) {
  const auto reach = static_cast<int64_t>(std::ceil(3 * sigma));
  std::vector<double> kernel;
  double total = 0;
  for (int64_t i = -reach; i <= reach; ++i) {
    kernel.push_back(std::exp(-static_cast<double>(i * i) / (2 * sigma * sigma)));
    total += kernel.back();
  }
  for (double& weight : kernel) weight /= total;
  const auto size = static_cast<int64_t>(values.size());
  std::vector<double> result(values.size());
  for (int64_t x = 0; x < size; ++x) {
    const int64_t from = std::max<int64_t>(0, x - reach);
    const int64_t to = std::min(size - 1, x + reach);
    double sum = 0;
    for (int64_t i = from; i <= to; ++i) {
      sum += values[static_cast<size_t>(i)] * kernel[static_cast<size_t>(i - x + reach)];
    }
    result[static_cast<size_t>(x)] = sum;
  }
  return result;
}

}  // namespace pathline::bundle

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/basis.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scaling/search/stepwise_fit.hpp"

namespace pathline::scaling {
namespace {

/// 0 where the values are no basis: infinite, or the same at every point.
double largest_of(std::span<const double> values) {
  double largest = 0;
  double smallest = INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) return 0;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  return largest > smallest ? largest : 0;
}

std::vector<std::vector<uint32_t>> lines_along(const Experiment& experiment, size_t parameter) {
  std::map<std::vector<double>, std::vector<uint32_t>> by_others;
  for (uint32_t p = 0; p < experiment.point_count(); ++p) {
    const auto x = experiment.point(p);
    std::vector<double> others(x.begin(), x.end());
    others.erase(others.begin() + ptrdiff_t(parameter));
    by_others[std::move(others)].push_back(p);  // Points ascend, so do those of a line.
  }
  std::vector<std::vector<uint32_t>> lines;
  for (auto& [others, points] : by_others) {
    if (points.size() >= 2) lines.push_back(std::move(points));
  }
  return lines;
}

}  // namespace

Basis::Basis(const Experiment& experiment, std::span<const std::vector<double>> targets)
    : point_count_(experiment.point_count()),
      parameter_count_(experiment.parameters.size()),
      columns_(parameter_count_ * kPairCount * point_count_),
      scale_(parameter_count_ * kPairCount),
      targets_(targets.size() * parameter_count_ * kPairCount) {
  const auto pairs = exponent_pairs();
  fewest_values_ = point_count_;
  for (size_t d = 0; d < parameter_count_; ++d) {
    std::vector<double> x(point_count_);
    for (size_t p = 0; p < point_count_; ++p) x[p] = experiment.point(p)[d];
    std::vector<double> distinct = x;
    std::sort(distinct.begin(), distinct.end());
    const auto end = std::unique(distinct.begin(), distinct.end());
    fewest_values_ = std::min(fewest_values_, size_t(end - distinct.begin()));
    const bool below_one = distinct.front() < 1;
    without_logarithms_ |= below_one;
    for (size_t k = 0; k < kPairCount; ++k) {
      if (below_one && pairs[k].log != 0) continue;
      const auto column =
          std::span(columns_).subspan((d * kPairCount + k) * point_count_, point_count_);
      for (size_t p = 0; p < point_count_; ++p) column[p] = factor_value(pairs[k], x[p]);
      const double largest = largest_of(column);
      scale_[d * kPairCount + k] = largest;
      if (largest > 0) {
        for (double& value : column) value /= largest;
      }
    }
    lines_.push_back(lines_along(experiment, d));
    for (size_t t = 0; t < targets.size(); ++t) {
      for (size_t k = 0; k < kPairCount; ++k) {
        if (!usable(d, k)) continue;
        targets_[(t * parameter_count_ + d) * kPairCount + k] =
            factor_value(pairs[k], targets[t][d]) / scale(d, k);
      }
    }
  }
}

bool are_separable(const Experiment& experiment, size_t x, size_t y) {
  const size_t n = experiment.point_count();
  const std::vector<double> ones(n, 1);
  std::vector<double> columns[2] = {std::vector<double>(n), std::vector<double>(n)};
  for (size_t p = 0; p < n; ++p) {
    columns[0][p] = experiment.point(p)[x];
    columns[1][p] = experiment.point(p)[y];
  }
  StepwiseFit fit;
  fit.begin(ones);
  return fit.push(ones.data(), ones.data()) && fit.push(ones.data(), columns[0].data()) &&
         fit.push(ones.data(), columns[1].data()) && fit.push(columns[0].data(), columns[1].data());
}

}  // namespace pathline::scaling

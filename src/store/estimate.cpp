// SPDX-License-Identifier: BSD-3-Clause
#include "store/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace pathline::store {
namespace {

constexpr double kShare = 0.9;  // Of the interval.
constexpr size_t kResamples = 1000;
constexpr size_t kFewestLaunches = 3;

double of_sorted(std::span<const double> sorted, Statistic statistic) {
  return quantile(sorted, statistic == Statistic::kMedian ? 0.5 : 0.25);
}

}  // namespace

double Estimate::relative_half_width() const { return value == 0 ? 0 : (high - low) / 2 / value; }

double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

Estimate estimate(std::span<const std::span<const double>> launches, Statistic statistic) {
  Estimate result;
  if (launches.empty()) return result;
  std::vector<double> all;
  std::vector<double> values;
  for (const std::span<const double> samples : launches) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    values.push_back(of_sorted(sorted, statistic));
    all.insert(all.end(), sorted.begin(), sorted.end());
  }
  std::sort(all.begin(), all.end());
  std::sort(values.begin(), values.end());
  result.launches = static_cast<uint32_t>(launches.size());
  result.samples = all.size();
  result.minimum = all.front();
  result.lower_quartile = quantile(all, 0.25);
  result.median = quantile(all, 0.5);
  result.percentile_90 = quantile(all, 0.9);
  result.value = quantile(values, 0.5);
  if (values.size() < kFewestLaunches) {
    result.low = std::min(result.value, quantile(all, 0.1));
    result.high = std::max(result.value, result.percentile_90);
    return result;
  }
  std::mt19937_64 random(launches.size());
  std::vector<double> medians(kResamples);
  std::vector<double> drawn(values.size());
  for (double& median : medians) {
    for (double& value : drawn) value = values[random() % values.size()];
    std::sort(drawn.begin(), drawn.end());
    median = quantile(drawn, 0.5);
  }
  std::sort(medians.begin(), medians.end());
  result.low = quantile(medians, (1 - kShare) / 2);
  result.high = quantile(medians, (1 + kShare) / 2);
  return result;
}

}  // namespace pathline::store

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pathline::scaling {
namespace {

int sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/// What a fit adds to the sum of its metric.
double part(double value) { return value > 0 ? value : 0; }

/// NaN would leave nothing comparable: last. What is beyond all numbers is the largest.
double sortable(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace

std::vector<double> largest_measured(const Experiment& experiment) {
  std::vector<double> largest(experiment.parameters.size(), 0);
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    const std::span<const double> point = experiment.point(p);
    for (size_t i = 0; i < largest.size(); ++i) {
      largest[i] = p == 0 ? point[i] : std::max(largest[i], point[i]);
    }
  }
  return largest;
}

std::partial_ordering compare_for_large(const Asymptote& a, const Asymptote& b) {
  const int sign_a = sign(a.coefficient);
  const int sign_b = sign(b.coefficient);
  if (sign_a != sign_b) return sign_a <=> sign_b;
  if (a.growth != b.growth && sign_a != 0) {
    // Of two that fall without end, the faster is the smaller.
    return sign_a > 0 ? a.growth <=> b.growth : b.growth <=> a.growth;
  }
  return a.coefficient <=> b.coefficient;
}

std::vector<Ranked> rank(const Experiment& experiment, std::span<const Fit> fits, RankBy by,
                         size_t target) {
  const std::vector<double> largest = largest_measured(experiment);
  const auto metric = [&](size_t fit) { return experiment.kernels[fits[fit].kernel].metric; };
  const auto predicted = [&](size_t fit) { return fits[fit].predictions[target].value; };
  std::vector<double> sum(experiment.metrics.size(), 0);
  std::vector<double> measured_sum(experiment.metrics.size(), 0);
  std::vector<double> measured(fits.size());
  std::vector<Asymptote> limits(fits.size());
  for (size_t i = 0; i < fits.size(); ++i) {
    measured[i] = evaluate(fits[i].model, largest);
    limits[i] = asymptote(fits[i].model);
    sum[metric(i)] += part(predicted(i));
    measured_sum[metric(i)] += part(measured[i]);
  }

  std::vector<uint32_t> order(fits.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (metric(a) != metric(b)) return metric(a) < metric(b);
    if (by == RankBy::kValue) return sortable(predicted(a)) > sortable(predicted(b));
    return compare_for_large(limits[a], limits[b]) > 0;
  });

  std::vector<Ranked> ranking(fits.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t fit = order[i];
    Ranked& row = ranking[i];
    row.fit = fit;
    row.rank = i > 0 && metric(order[i - 1]) == metric(fit) ? ranking[i - 1].rank + 1 : 1;
    if (measured[fit] > 0) row.growth_factor = predicted(fit) / measured[fit];
    if (const double all = sum[metric(fit)]; all > 0 && std::isfinite(all)) {
      row.share = part(predicted(fit)) / all;
      if (const double before = measured_sum[metric(fit)]; before > 0 && std::isfinite(before)) {
        row.share_gained = row.share - part(measured[fit]) / before;
      }
    }
  }
  return ranking;
}

}  // namespace pathline::scaling

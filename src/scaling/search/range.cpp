// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace pathline::scaling {

namespace {

/// Weight of what the beliefs hold below `x`.
double below(std::span<const Belief> beliefs, double x) {
  constexpr double kCertain = 6;  // Deviations.
  double sum = 0;
  for (const Belief& belief : beliefs) {
    const double distance = x - belief.mean;
    if (std::abs(distance) >= kCertain * belief.deviation) {
      if (distance >= 0) sum += belief.weight;
    } else {
      sum += belief.weight * 0.5 * std::erfc(-distance / (belief.deviation * M_SQRT2));
    }
  }
  return sum;
}

}  // namespace

double quantile(std::span<const Belief> beliefs, double share) {
  constexpr double kReach = 8;  // Deviations, beyond which nothing is.
  double low = INFINITY;
  double high = -INFINITY;
  double total = 0;
  for (const Belief& belief : beliefs) {
    low = std::min(low, belief.mean - kReach * belief.deviation);
    high = std::max(high, belief.mean + kReach * belief.deviation);
    total += belief.weight;
  }
  const double width = high - low;
  const double wanted = share * total;
  constexpr double kPrecision = 1e-4;
  // Regula falsi with the Illinois rule: an end that stays twice counts half.
  double at_low = -wanted;
  double at_high = total - wanted;
  bool low_stayed = false;
  bool high_stayed = false;
  // A far belief must not blur what lies near zero, nor may the search go on for ever.
  const auto done = [&] {
    return high - low <= kPrecision * std::min(width, std::max(std::abs(low), std::abs(high)));
  };
  for (int step = 0; step < 200 && !done(); ++step) {
    double at = high - at_high * (high - low) / (at_high - at_low);
    const bool bisect = step % 3 == 2;  // Where one end is very far, the secant hardly moves.
    if (bisect || !(at > low && at < high)) at = low + (high - low) / 2;
    if (at <= low || at >= high) break;
    const double excess = below(beliefs, at) - wanted;
    if (std::abs(excess) < kPrecision * total * std::min(share, 1 - share)) return at;
    if (excess < 0) {
      low = at;
      at_low = excess;
      if (high_stayed) at_high /= 2;
      high_stayed = true;
      low_stayed = false;
    } else {
      high = at;
      at_high = excess;
      if (low_stayed) at_low /= 2;
      low_stayed = true;
      high_stayed = false;
    }
  }
  return low + (high - low) / 2;
}

std::pair<double, double> most_believed(std::span<const Belief> beliefs, double share) {
  const double rest = 1 - share;
  const auto width = [](std::pair<double, double> range) {
    return range.first > 0 ? std::log(range.second / range.first) : INFINITY;
  };
  std::pair best = {quantile(beliefs, rest / 2), quantile(beliefs, 1 - rest / 2)};
  constexpr double kNarrow = 0.02;  // Nothing to gain.
  if (width(best) < kNarrow) return best;
  constexpr double kAll = 0.05;  // Of the rest is left on the other side.
  for (const double below : {kAll * rest, (1 - kAll) * rest}) {
    const std::pair other = {quantile(beliefs, below), quantile(beliefs, below + share)};
    const bool shorter = std::isfinite(width(best)) || std::isfinite(width(other))
                             ? width(other) < width(best)
                             : other.second - other.first < best.second - best.first;
    if (shorter) best = other;
  }
  return best;
}

double student_widening(double freedom) {
  constexpr std::array<double, 11> kT95 = {6.314, 6.314, 2.920, 2.353, 2.132, 2.015,
                                           1.943, 1.895, 1.860, 1.833, 1.812};
  constexpr double kNormal = 1.6449;
  if (freedom < double(kT95.size())) return kT95[size_t(std::max(freedom, 0.0))] / kNormal;
  return 1 + (1.524 + 1.4 / freedom) / (kNormal * freedom);
}

}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/measured.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pathline::scaling {
namespace {

/// How a value is written: its first and last decimal place, as powers of ten.
struct Decimal {
  int first;
  int last;
};

Decimal decimal_of(double value) {
  char text[32];
  const char* end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const char* exponent_at = std::find<const char*>(text, end, 'e');
  const char* point = std::find<const char*>(text, exponent_at, '.');
  const ptrdiff_t decimals = point == exponent_at ? 0 : exponent_at - point - 1;
  int first = 0;
  std::from_chars(exponent_at + (exponent_at[1] == '+' ? 2 : 1), end, first);
  return {first, first - static_cast<int>(decimals)};
}

/// Variance of what rounding to the digits that values are written with adds to a residual; the
/// largest over points. A zero at the end is not written, so the digits are those of the longest
/// value, after the point or in all. None for whole numbers, which are counts.
double resolution_of(const Experiment& experiment, size_t kernel, std::span<const double> weight,
                     double largest) {
  int digits = 0;
  int finest = 0;
  for (size_t p = 0; p < weight.size(); ++p) {
    for (const double sample : experiment.samples_of(kernel, p)) {
      if (sample == 0) continue;
      const Decimal decimal = decimal_of(sample);
      digits = std::max(digits, decimal.first - decimal.last + 1);
      finest = std::min(finest, decimal.last);
    }
  }
  if (finest == 0) return 0;
  double coarsest = 0;
  for (size_t p = 0; p < weight.size(); ++p) {
    const double sample = experiment.samples_of(kernel, p).back();
    if (sample == 0) continue;
    const int last = std::max(decimal_of(sample).first - digits + 1, finest);
    const double half = 0.5 * std::pow(10, last);
    coarsest = std::max(coarsest, std::pow(half / largest * weight[p], 2) / 3);
  }
  return coarsest;
}

}  // namespace

void Measured::assign(const Experiment& experiment, size_t kernel, Aggregate how) {
  assign(experiment, kernel, how, false);
}

void Measured::assign_plain(const Experiment& experiment, size_t kernel, Aggregate how) {
  assign(experiment, kernel, how, true);
}

void Measured::assign(const Experiment& experiment, size_t kernel, Aggregate how, bool plain) {
  const size_t point_count = experiment.point_count();
  value.resize(point_count);
  weight.resize(point_count);
  has_negative = false;
  smallest = INFINITY;
  largest = 0;
  for (size_t p = 0; p < point_count; ++p) {
    const auto samples = experiment.samples_of(kernel, p);
    // The mean of equal values may differ from them in the last digit.
    value[p] = samples.front() == samples.back() ? samples.front() : aggregate(samples, how);
    has_negative |= value[p] < 0;
    if (value[p] != 0) smallest = std::min(smallest, std::abs(value[p]));
    largest = std::max(largest, std::abs(value[p]));
  }
  if (largest == 0) smallest = 0;
  is_constant = std::ranges::count(value, value[0]) == ptrdiff_t(point_count);

  double squares = 0;
  freedom = 0;
  for (size_t p = 0; p < point_count; ++p) {
    const auto samples = experiment.samples_of(kernel, p);
    // A value of 0 says nothing about its noise: it is taken to be as exact as the smallest one,
    // and nothing to be more exact than twelve digits of the largest.
    constexpr double kDigits = 1e-12;
    const double scale = has_negative || plain
                             ? largest
                             : std::max({std::abs(value[p]), smallest, kDigits * largest});
    const double inverse = scale > 0 ? 1 / scale : 1;
    weight[p] = scale > 0 ? largest / scale * std::sqrt(double(samples.size())) : 1;
    if (samples.size() < 2) continue;
    const double mean = aggregate(samples, Aggregate::kMean);
    for (const double sample : samples) squares += std::pow((sample - mean) * inverse, 2);
    freedom += double(samples.size()) - 1;
  }
  variance = freedom > 0 ? squares / freedom : 0;
  constexpr double kExact = 1e-14;  // Only what has next to no noise is limited by its digits.
  resolution =
      variance < kExact && largest > 0 ? resolution_of(experiment, kernel, weight, largest) : 0;
}

}  // namespace pathline::scaling

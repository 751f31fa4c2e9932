// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/value_scale.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "figure/network/view.hpp"
#include "layout/axis.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kTicks = 5;

double at_share(const ValueScale& scale, double share) {
  for (size_t i = 1; i < scale.knots.size(); ++i) {
    const ValueScale::Knot& a = scale.knots[i - 1];
    const ValueScale::Knot& b = scale.knots[i];
    if (share > b.share) continue;
    return a.value + (b.value - a.value) * (share - a.share) / (b.share - a.share);
  }
  return scale.high;
}

std::vector<layout::BarTick> quantile_ticks(const ValueScale& scale, RouteMetric metric,
                                            LoadUnit unit) {
  std::vector<layout::BarTick> ticks;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    std::string text = metric_text(metric, unit, at_share(scale, share));
    if (ticks.empty() || ticks.back().label != text) ticks.push_back({share, std::move(text)});
  }
  return ticks;
}

}  // namespace

ValueScale ValueScale::of(std::vector<double> values) {
  constexpr double kLogarithmicFrom = 50;  // Largest value over the median.
  std::erase_if(values, [](double value) { return !(value > 0); });
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double median = values[values.size() / 2];
  ValueScale scale{.low = 0,
                   .high = values.back(),
                   .logarithmic = values.back() > kLogarithmicFrom * median,
                   .count = values.size()};
  if (scale.logarithmic) scale.low = values.front();
  scale.spread(values);
  return scale;
}

/// By quantile, where more than half of the values, which rise, would have one colour.
void ValueScale::spread(const std::vector<double>& values) {
  constexpr double kOneColor = 0.05;  // Of the scale.
  constexpr double kForAlike = 0.1;
  constexpr size_t kFewest = 20;  // Others than those: fewer need no scale of their own.
  constexpr size_t kKnots = 64;
  size_t begin = 0;
  size_t end = 0;
  for (size_t first = 0, last = 0; last < values.size(); ++last) {
    while (plain_share(values[last]) - plain_share(values[first]) > kOneColor) ++first;
    if (last + 1 - first > end - begin) std::tie(begin, end) = std::pair{first, last + 1};
  }
  const size_t others = values.size() - (end - begin);
  if (2 * (end - begin) <= values.size() || others < kFewest) return;
  const double each = (1 - kForAlike) / static_cast<double>(others);
  const auto add = [&](size_t place, double share) {
    if (knots.empty() || (values[place] > knots.back().value && share > knots.back().share)) {
      knots.push_back({values[place], share});
    } else if (values[place] == knots.back().value) {
      knots.back().share = std::max(knots.back().share, share);
    }
  };
  const auto spread_over = [&](size_t from, size_t to, double share) {
    const size_t step = std::max<size_t>(1, (to - from) / kKnots);
    for (size_t i = from; i < to; i += step) {
      add(i, share + each * static_cast<double>(i - from));
    }
  };
  spread_over(0, begin, 0);
  const double before = each * static_cast<double>(begin);
  add(begin, before);
  add(end - 1, before + kForAlike);
  spread_over(end, values.size(), before + kForAlike);
  add(values.size() - 1, 1);
  knots.back().share = 1;
  alike = end - begin;
  alike_value = values[begin + (end - begin) / 2];
}

double ValueScale::plain_share(double value) const {
  if (!(value > low)) return 0;
  const double share =
      logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(share, 0.0, 1.0);
}

double ValueScale::share(double value) const {
  if (knots.empty()) return plain_share(value);
  const auto after = std::upper_bound(knots.begin(), knots.end(), value,
                                      [](double v, const Knot& knot) { return v < knot.value; });
  if (after == knots.begin()) return 0;
  if (after == knots.end()) return 1;
  const Knot& a = *(after - 1);
  return a.share + (after->share - a.share) * (value - a.value) / (after->value - a.value);
}

layout::Color ValueScale::color(const layout::Theme& theme, double value) const {
  return theme.heat.at(kRampBegin + (1 - kRampBegin) * share(value));
}

std::vector<layout::BarTick> ValueScale::ticks(RouteMetric metric, LoadUnit unit) const {
  if (!knots.empty()) return quantile_ticks(*this, metric, unit);
  layout::Ticks round = logarithmic ? layout::log_ticks(low, high, kTicks, false)
                                    : layout::count_ticks(low, high, kTicks);
  for (layout::Tick& tick : round.major) tick.label = metric_text(metric, unit, tick.value);
  std::vector<layout::BarTick> ticks = {
      {1, metric_text(metric, unit, high)},
      {0, logarithmic ? metric_text(metric, unit, low) : std::string("0")}};
  for (layout::BarTick& tick : layout::bar_ticks(round, low, high, logarithmic)) {
    const double value = round.major[0].value;
    const bool whole = metric == RouteMetric::kBytes || metric == RouteMetric::kHopBytes ||
                       std::round(value) == value;
    if (whole) ticks.push_back(std::move(tick));
  }
  return ticks;
}

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "layout/axis.hpp"

namespace pathline::layout {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kLongestInSeconds = 120;  // beyond it, minutes

/// Distance of labelled ticks, and how many parts the unlabelled ones cut it into.
struct Step {
  double size;
  int part_count;
};

bool usable_range(double begin, double end) {
  return std::isfinite(begin) && std::isfinite(end) && begin < end;
}

/// First and last multiple of `size` in the range; a hair outside still counts, because values
/// like 0.1 x 3 are not exact.
std::pair<double, double> multiples(double begin, double end, double size) {
  constexpr double kHair = 1e-9;
  return {std::ceil(begin / size - kHair), std::floor(end / size + kHair)};
}

bool fits(double begin, double end, double size, size_t max_count) {
  const auto [first, last] = multiples(begin, end, size);
  return last - first + 1 <= static_cast<double>(max_count);
}

/// The smallest of 1, 2, 5 x 10^k that gives at most max_count ticks.
Step decimal_step(double begin, double end, size_t max_count) {
  const double least = (end - begin) / static_cast<double>(max_count + 1);
  double power = std::pow(10, std::floor(std::log10(least)));
  for (;; power *= 10) {
    for (const auto& [factor, parts] : {std::pair{1.0, 5}, {2.0, 4}, {5.0, 5}}) {
      if (fits(begin, end, factor * power, max_count)) return {factor * power, parts};
    }
  }
}

/// Seconds that divide minutes and hours well.
Step clock_step(double begin_s, double end_s, size_t max_count) {
  constexpr std::array<Step, 16> kSteps{{{1, 5},
                                         {2, 4},
                                         {5, 5},
                                         {10, 5},
                                         {15, 3},
                                         {30, 3},
                                         {60, 4},
                                         {120, 4},
                                         {300, 5},
                                         {600, 5},
                                         {900, 3},
                                         {1800, 3},
                                         {3600, 4},
                                         {7200, 4},
                                         {18000, 5},
                                         {36000, 5}}};
  for (const Step& step : kSteps) {
    if (fits(begin_s, end_s, step.size, max_count)) return step;
  }
  Step hours = decimal_step(begin_s / 3600, end_s / 3600, max_count);
  hours.size *= 3600;
  return hours;
}

/// Decimals that multiples of `step` need.
int decimals_of(double step) {
  int decimals = 0;
  for (double scaled = step; decimals < 12; scaled *= 10, ++decimals) {
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) break;
  }
  return decimals;
}

std::string number(double value, int decimals, std::string_view unit) {
  if (std::abs(value) < 1e-12) value = 0;  // never "-0"
  const std::string digits = fmt::format("{:.{}f}", value, decimals);
  return unit.empty() ? digits : fmt::format("{} {}", digits, unit);
}

/// Calls body(i) for the whole numbers from `first` to `last`.
template <class Body>
void for_each_whole(double first, double last, const Body& body) {
  if (!(first <= last)) return;
  const auto count = static_cast<size_t>(last - first) + 1;
  for (size_t k = 0; k < count; ++k) body(first + static_cast<double>(k));
}

/// label(value) gives the text of a labelled tick.
template <class Label>
Ticks make_ticks(double begin, double end, const Step& step, const Label& label) {
  Ticks ticks;
  const auto [first, last] = multiples(begin, end, step.size);
  for_each_whole(first, last, [&](double i) {
    ticks.major.push_back({i * step.size, label(i * step.size)});
  });
  const auto [first_part, last_part] = multiples(begin, end, step.size / step.part_count);
  for_each_whole(first_part, last_part, [&](double i) {
    if (std::fmod(i, step.part_count) != 0) ticks.minor.push_back(i * step.size / step.part_count);
  });
  return ticks;
}

struct Multiple {
  double factor;
  const char* name;
};

/// The largest multiple not above `value`; the first one if all are.
Multiple multiple_for(double value, std::initializer_list<Multiple> ascending) {
  Multiple best = *ascending.begin();
  for (const Multiple& multiple : ascending) {
    if (value >= multiple.factor) best = multiple;
  }
  return best;
}

Multiple binary_multiple(double bytes) {
  return multiple_for(bytes, {{1, "B"},
                              {0x1p10, "KiB"},
                              {0x1p20, "MiB"},
                              {0x1p30, "GiB"},
                              {0x1p40, "TiB"},
                              {0x1p50, "PiB"},
                              {0x1p60, "EiB"}});
}

Multiple si_multiple(double value) {
  return multiple_for(
      value, {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}});
}

/// "30 s", "2:30 min", "1:15 h"; with steps of whole minutes or hours "5 min", "2 h".
std::string clock_label(double value_s, bool whole_minutes, bool whole_hours) {
  const auto total = static_cast<int64_t>(std::round(std::abs(value_s)));
  const char* sign = value_s < 0 && total != 0 ? "-" : "";
  if (total < 60) return whole_minutes && total == 0 ? "0" : fmt::format("{}{} s", sign, total);
  if (total < 3600) {
    return whole_minutes ? fmt::format("{}{} min", sign, total / 60)
                         : fmt::format("{}{}:{:02} min", sign, total / 60, total % 60);
  }
  if (whole_hours) return fmt::format("{}{} h", sign, total / 3600);
  if (whole_minutes) return fmt::format("{}{}:{:02} h", sign, total / 3600, total / 60 % 60);
  return fmt::format("{}{}:{:02}:{:02} h", sign, total / 3600, total / 60 % 60, total % 60);
}

}  // namespace

Ticks time_ticks(double begin_ns, double end_ns, size_t max_count) {
  if (!usable_range(begin_ns, end_ns) || max_count == 0) return {};
  const double largest_s = std::max(std::abs(begin_ns), std::abs(end_ns)) / kNsPerSecond;
  if (largest_s > kLongestInSeconds &&
      (end_ns - begin_ns) / static_cast<double>(max_count) >= kNsPerSecond) {
    Step step = clock_step(begin_ns / kNsPerSecond, end_ns / kNsPerSecond, max_count);
    const bool whole_minutes = std::fmod(step.size, 60) == 0;
    const bool whole_hours = std::fmod(step.size, 3600) == 0;
    step.size *= kNsPerSecond;
    return make_ticks(begin_ns, end_ns, step, [&](double value_ns) {
      return clock_label(value_ns / kNsPerSecond, whole_minutes, whole_hours);
    });
  }
  const Multiple unit =
      multiple_for(largest_s * kNsPerSecond * (1 + 1e-12),
                   {{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {kNsPerSecond, "s"}});
  const Step step = decimal_step(begin_ns, end_ns, max_count);
  const int decimals = decimals_of(step.size / unit.factor);
  return make_ticks(begin_ns, end_ns, step, [&](double value_ns) {
    return number(value_ns / unit.factor, decimals, unit.name);
  });
}

Ticks count_ticks(double begin, double end, size_t max_count, std::string_view unit) {
  if (!usable_range(begin, end) || max_count == 0) return {};
  const Step step = decimal_step(begin, end, max_count);
  const Multiple multiple = si_multiple(std::max(std::abs(begin), std::abs(end)));
  const int decimals = decimals_of(step.size / multiple.factor);
  const std::string suffix = fmt::format("{}{}", multiple.name, unit);
  return make_ticks(begin, end, step, [&](double value) {
    return number(value / multiple.factor, decimals, value == 0 ? unit : suffix);
  });
}

Ticks log_ticks(double begin, double end, size_t max_count, bool bytes) {
  if (!usable_range(begin, end) || begin <= 0 || max_count == 0) return {};
  // Bytes go by powers of two, everything else by powers of ten.
  const double base = bytes ? 2 : 10;
  const double first = std::ceil(std::log(begin) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(end) / std::log(base) + 1e-9);
  double every = 1;
  while (std::floor((last - first) / every) + 1 > static_cast<double>(max_count)) ++every;
  Ticks ticks;
  for_each_whole(first, last, [&](double power) {
    const double value = std::pow(base, power);
    if (std::fmod(power - first, every) != 0) {
      ticks.minor.push_back(value);
      return;
    }
    const Multiple multiple = bytes ? binary_multiple(value) : si_multiple(value);
    const double scaled = value / multiple.factor;
    ticks.major.push_back({value, number(scaled, decimals_of(scaled), multiple.name)});
  });
  return ticks;
}

}  // namespace pathline::layout

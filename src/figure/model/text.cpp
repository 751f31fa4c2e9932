// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "layout/text.hpp"
#include "scaling/growth.hpp"

namespace pathline::figure {
namespace {

using Level = Run::Level;

constexpr double kRaisedSize = 0.74;
constexpr double kRaise = 0.36;  // of the font size
constexpr double kLower = 0.18;
constexpr const char* kTimes = " \u00b7 ";
constexpr const char* kMinus = "\u2212";

double run_size(const Run& run, double size_px) {
  return run.level == Level::kBase ? size_px : kRaisedSize * size_px;
}

std::string superscript(int number) {
  constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                   "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[size_t(digit - '0')];
  return text;
}

/// "1.07·10⁹", "10⁻⁶", for a finite value.
std::string scientific(double value) {
  const std::string text = fmt::format("{:.2e}", std::abs(value));
  const size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  const std::string power = "10" + superscript(std::stoi(text.substr(e + 1)));
  const char* sign = value < 0 ? kMinus : "";
  return digits == "1" ? sign + power : fmt::format("{}{}·{}", sign, digits, power);
}

/// Joins pieces of the same level.
void append(RichText& text, std::string piece, Level level = Level::kBase) {
  if (piece.empty()) return;
  if (!text.empty() && text.back().level == level) {
    text.back().text += piece;
  } else {
    text.push_back({std::move(piece), level});
  }
}

void append_number(RichText& text, double value, int digits) {
  std::string number = fmt::format("{:.{}g}", std::abs(value), digits);
  if (std::signbit(value) && value != 0) number.insert(0, kMinus);
  const size_t e = number.find('e');
  append(text, number.substr(0, e));
  if (e == std::string::npos) return;
  const int exponent = std::stoi(number.substr(e + 1));
  append(text, "\u00b710");
  append(text, (exponent < 0 ? kMinus : "") + std::to_string(std::abs(exponent)), Level::kRaised);
}

std::string power_text(int numerator, int denominator) {
  std::string text = numerator < 0 ? kMinus : "";
  text += std::to_string(std::abs(numerator));
  if (denominator != 1) text += fmt::format("/{}", denominator);
  return text;
}

void append_factors(RichText& text, std::span<const scaling::Factor> factors,
                    std::span<const std::string> names) {
  bool first = true;
  const auto times = [&] {
    if (!first) append(text, kTimes);
    first = false;
  };
  for (const auto& [parameter, exponents] : factors) {
    const std::string name = base::printable(names[parameter]);
    if (exponents.numerator != 0) {
      times();
      append(text, name);
      if (exponents.numerator != exponents.denominator) {
        append(text, power_text(exponents.numerator, exponents.denominator), Level::kRaised);
      }
    }
    if (exponents.log == 0) continue;
    times();
    append(text, "log");
    append(text, "2", Level::kLowered);
    append(text, fmt::format("({})", name));
    if (exponents.log != 1) append(text, power_text(exponents.log, 1), Level::kRaised);
  }
}

}  // namespace

std::string plain(const RichText& text) {
  std::string all;
  for (const Run& run : text) {
    if (run.level == Level::kRaised) all += '^';
    all += run.text;
  }
  return all;
}

double rich_width_px(const RichText& text, double size_px) {
  double width = 0;
  for (const Run& run : text) width += layout::text_width_px(run.text, run_size(run, size_px));
  return width;
}

void add_rich(layout::Labels& labels, const RichText& text, layout::Point left_middle,
              double size_px, layout::Color color) {
  // Rounded, as runs of different sizes would be apart.
  const double baseline = std::round(left_middle.y + layout::kCapHeight * size_px / 2);
  double x = left_middle.x;
  for (const Run& run : text) {
    const double shift = run.level == Level::kRaised    ? -kRaise * size_px
                         : run.level == Level::kLowered ? kLower * size_px
                                                        : 0;
    labels.items.push_back({.text = run.text,
                            .at = {x, baseline + std::round(shift)},
                            .color = color,
                            .size_px = run_size(run, size_px)});
    x += layout::text_width_px(run.text, run_size(run, size_px));
  }
}

RichText rich_formula(const scaling::Model& model, std::span<const std::string> parameters,
                      int digits) {
  RichText text;
  if (model.constant != 0 || model.terms.empty()) append_number(text, model.constant, digits);
  for (const scaling::Term& term : model.terms) {
    const bool first = text.empty();
    if (!first) append(text, std::signbit(term.coefficient) ? " \u2212 " : " + ");
    append_number(text, first ? term.coefficient : std::abs(term.coefficient), digits);
    append(text, kTimes);
    append_factors(text, term.factors, parameters);
  }
  return text;
}

RichText fitted_formula(const scaling::Model& model, std::span<const std::string> parameters,
                        double width_px, double size_px) {
  RichText text;
  for (const int digits : {4, 3, 2}) {
    text = rich_formula(model, parameters, digits);
    if (rich_width_px(text, size_px) <= width_px) return text;
  }
  scaling::Model shorter = model;
  while (!shorter.terms.empty()) {
    shorter.terms.pop_back();
    if (shorter.terms.empty() && shorter.constant == 0) break;
    text = rich_formula(shorter, parameters, 2);
    append(text, " + \u2026");
    if (rich_width_px(text, size_px) <= width_px) return text;
  }
  return {{layout::fit_text(plain(rich_formula(model, parameters, 2)), width_px, size_px)}};
}

RichText rich_order(const scaling::Model& model, std::span<const std::string> parameters) {
  const scaling::Asymptote limit = scaling::asymptote(model);
  RichText text;
  append(text, "O(");
  bool first = true;
  for (const scaling::Term& term : model.terms) {
    if (term.coefficient == 0 || limit.growth == scaling::Growth{} ||
        scaling::growth(term.factors) != limit.growth) {
      continue;
    }
    if (!first) append(text, " + ");
    append_factors(text, term.factors, parameters);
    first = false;
  }
  append(text, first ? "1)" : ")");
  return text;
}

GrowthClass growth_class(const scaling::Model& model) {
  const auto [growth, coefficient] = scaling::asymptote(model);
  if (growth == scaling::Growth{}) {
    // What remains is a constant; is it reached from above?
    const auto falls = [](const scaling::Term& term) {
      return term.coefficient > 0 && scaling::growth(term.factors) < scaling::Growth{};
    };
    const bool any = std::any_of(model.terms.begin(), model.terms.end(), falls);
    return any ? GrowthClass::kDecreasing : GrowthClass::kConstant;
  }
  if ((coefficient < 0) != (growth < scaling::Growth{})) return GrowthClass::kDecreasing;
  if (growth.numerator <= 0) {
    return growth.numerator < 0 ? GrowthClass::kConstant : GrowthClass::kLogarithmic;
  }
  if (growth.numerator < growth.denominator) return GrowthClass::kSublinear;
  const bool is_linear = growth == scaling::Growth{1, 1, 0};
  return is_linear ? GrowthClass::kLinear : GrowthClass::kSuperlinear;
}

const char* growth_name(GrowthClass growth) {
  constexpr std::array<const char*, kGrowthClassCount> kNames = {
      "decreasing", "constant", "logarithmic", "sublinear", "linear", "superlinear"};
  return kNames[static_cast<size_t>(growth)];
}

layout::Color growth_color(const layout::Theme& theme, GrowthClass growth) {
  switch (growth) {
    case GrowthClass::kDecreasing: return theme.series[5];
    case GrowthClass::kConstant: return theme.other;
    case GrowthClass::kLogarithmic: return theme.series[2];
    case GrowthClass::kSublinear: return theme.series[0];
    case GrowthClass::kLinear: return theme.series[1];
    case GrowthClass::kSuperlinear: return theme.series[3];
  }
  return theme.other;
}

std::vector<RichText> flag_texts(const scaling::Fit& fit, std::span<const std::string> names) {
  using scaling::Flag;
  std::vector<RichText> texts;
  const auto add = [&](Flag flag, const char* text) {
    if (fit.flags.has(flag)) texts.push_back({{text}});
  };
  add(Flag::kPoorFit, "no model fits: values jump or follow something else");
  add(Flag::kNegativePrediction, "predicts less than 0");
  if (fit.flags.has(Flag::kAmbiguous)) {
    RichText text{{"ambiguous"}};
    for (size_t i = 0; i < std::min<size_t>(fit.rivals.size(), 3); ++i) {
      append(text, i == 0 ? ", may also be " : ", ");
      for (Run& run : rich_order(fit.rivals[i].model, names)) {
        append(text, std::move(run.text), run.level);
      }
      append(text, fmt::format(" ({:.0f} %)", 100 * fit.rivals[i].probability));
    }
    texts.push_back(std::move(text));
  }
  add(Flag::kConstantByNoise, "no growth beyond the noise");
  add(Flag::kDecreasing, "decreasing");
  add(Flag::kNegativeValues, "negative measurements");
  add(Flag::kFewPoints, "fewer than 5 points");
  add(Flag::kNoRepetitions, "noise guessed, no repetitions");
  add(Flag::kNotSeparable, "sum or product of parameters cannot be told");
  add(Flag::kNoLogarithms, "no logarithms tried");
  return texts;
}

bool is_doubtful(const scaling::Fit& fit) {
  scaling::Flags harmless;
  harmless.set(scaling::Flag::kConstantByNoise);
  harmless.set(scaling::Flag::kDecreasing);
  return (fit.flags.bits & ~harmless.bits) != 0;
}

std::string number_text(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "?" : value < 0 ? "\u2212∞" : "∞";
  const char* sign = value < 0 ? kMinus : "";
  if (size >= 1e3 && size < 1e8 && (size >= 1e5 || size == std::round(size))) {
    return sign + base::human_count(static_cast<uint64_t>(std::round(size)));
  }
  if (size >= 1e-3 && size < 1e5) return fmt::format("{}{:.4g}", sign, size);
  return scientific(value);
}

namespace {

/// What a prediction is good for: "4,130", "1.27·10⁶".
std::string three_digits(double value) {
  const double rounded = base::rounded(value, 3);
  return std::abs(rounded) < 1e6 || !std::isfinite(rounded) ? number_text(rounded)
                                                            : scientific(rounded);
}

/// "10 s" for "10.0 s".
std::string without_zeros(std::string text) {
  const size_t space = text.find(' ');
  const size_t point = text.find('.');
  if (space == std::string::npos || point > space) return text;
  size_t end = text.find_last_not_of('0', space - 1) + 1;
  if (end == point + 1) end = point;
  return text.erase(end, space - end);
}

}  // namespace

ValueText::ValueText(const std::string& unit) {
  if (unit == "s" || unit == "sec" || unit == "seconds") {
    kind_ = Kind::kSeconds;
  } else if (unit == "B" || unit == "bytes") {
    kind_ = Kind::kBytes;
  } else if (!unit.empty() && unit != "occ" && unit != "#") {
    suffix_ = " " + base::printable(unit);
  }
}

std::string ValueText::operator()(double value) const {
  const double size = std::abs(value);
  const char* sign = value < 0 ? kMinus : "";
  if (kind_ == Kind::kSeconds && (value == 0 || (size >= 1e-9 && size < 999.5))) {
    return sign + base::human_seconds(size);
  }
  if (kind_ == Kind::kBytes && size < 1e18) return sign + base::human_bytes(size);
  return three_digits(value) + (kind_ == Kind::kSeconds ? " s"
                                : kind_ == Kind::kBytes ? " B"
                                                        : suffix_);
}

std::string ValueText::axis_title(const std::string& metric, int exponent) const {
  const std::string power = exponent == 0 ? "" : "10" + superscript(exponent);
  const std::string unit = suffix_.empty() ? "" : suffix_.substr(1);
  if (power.empty() && unit.empty()) return metric;
  return fmt::format("{} ({}{}{})", metric, power, power.empty() || unit.empty() ? "" : " ", unit);
}

layout::Ticks ValueText::linear_ticks(double begin, double end, size_t max_count,
                                      int& exponent) const {
  exponent = 0;
  const double largest = std::max(std::abs(begin), std::abs(end));
  if (kind_ == Kind::kSeconds && largest >= 1e-8 && largest < 3.6e7) {
    layout::Ticks ticks = layout::time_ticks(1e9 * begin, 1e9 * end, max_count);
    for (layout::Tick& tick : ticks.major) tick.value *= 1e-9;
    for (double& value : ticks.minor) value *= 1e-9;
    return ticks;
  }
  if (kind_ == Kind::kBytes && largest >= 8 && largest < 1e18) {
    return layout::count_ticks(begin, end, max_count, "B");
  }
  if (std::isfinite(largest) && largest > 0) {
    const int power = static_cast<int>(std::floor(std::log10(largest)));
    if (power >= 5 || power < -2) exponent = 3 * static_cast<int>(std::floor(power / 3.0));
  }
  // In two steps: 10^320 and 10^-320 are no numbers.
  const double half = std::pow(10.0, exponent / 2);
  const double rest = std::pow(10.0, exponent - exponent / 2);
  layout::Ticks ticks = layout::count_ticks(begin / half / rest, end / half / rest, max_count);
  for (layout::Tick& tick : ticks.major) {
    tick.label = number_text(base::rounded(tick.value, 6));
    tick.value *= half * rest;
  }
  for (double& value : ticks.minor) value *= half * rest;
  return ticks;
}

std::string ValueText::tick_label(double value) const {
  const bool is_long = value >= 1e4 || value < 1e-3;
  if (kind_ == Kind::kNumber) return is_long ? scientific(value) : number_text(value);
  if (kind_ == Kind::kSeconds && value >= 1e4) return scientific(value) + " s";
  return without_zeros((*this)(value));
}

layout::Ticks ValueText::log_ticks(double begin, double end, size_t max_count) const {
  assert(begin > 0 && std::isfinite(begin) && end > 0 && std::isfinite(end));
  layout::Ticks ticks;
  const double most_value = std::min(end * (1 + 1e-9), std::numeric_limits<double>::max());
  const int first = static_cast<int>(std::floor(std::log10(begin)));
  const int last = static_cast<int>(std::ceil(std::log10(end)));
  const double decades = std::log10(end) - std::log10(begin);
  // With few decades 1, 2, 5 (or 1, 3) have labels too, with many only every n-th power.
  const auto most = static_cast<double>(max_count);
  const bool fives = 3 * decades <= most;
  const bool threes = !fives && 2 * decades <= most;
  const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1.0, most))));
  for (int power = first; power <= last; ++power) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = std::strtod(fmt::format("{}e{}", digit, power).c_str(), nullptr);
      if (!(value >= begin * (1 - 1e-9) && value <= most_value)) continue;
      const bool is_major = digit == 1
                                ? (power - first) % every == 0
                                : (fives && (digit == 2 || digit == 5)) || (threes && digit == 3);
      if (is_major) {
        ticks.major.push_back({value, tick_label(value)});
      } else if (digit == 1 || every == 1) {
        ticks.minor.push_back(value);
      }
    }
  }
  return ticks;
}

}  // namespace pathline::figure

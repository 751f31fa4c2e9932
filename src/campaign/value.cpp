// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/value.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/parse.hpp"

namespace pathline::campaign {

std::optional<double> number_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  while (!text.empty() && kBlanks.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto number = base::number_in<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::string reduced(const std::vector<std::string>& values, const std::string& how) {
  if (how == "count") return std::to_string(values.size());
  if (values.empty()) return "";
  if (how == "first") return values.front();
  if (how == "last") return values.back();
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const auto number = number_of(value);
    if (number) numbers.push_back(*number);
  }
  if (numbers.empty()) return "";
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  const double mean = sum / static_cast<double>(numbers.size());
  double result = sum;
  if (how == "min") result = *least;
  if (how == "max") result = *most;
  if (how == "mean") result = mean;
  if (how == "std") {
    double squares = 0;
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    result = numbers.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(numbers.size() - 1));
  }
  return fmt::format("{}", result);
}

}  // namespace pathline::campaign

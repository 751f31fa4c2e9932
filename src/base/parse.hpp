// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pathline::base {

/// Numbers that users type and that stand in text files. All of them are decimal whatever the
/// locale, without a plus sign, without any sign if they are unsigned, and finite; nothing may
/// stand in front of them. Inline, as readers of large files use them.

/// Takes the number at the front off the text; without one the text stays as it is.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

/// The number that fills the whole word.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  const auto value = take_number<Number>(word);
  return word.empty() ? value : std::nullopt;
}

/// 5 for "5%" and "5".
inline std::optional<double> percent_in(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  return number_in<double>(word);
}

/// "1280x720" with the separator 'x', "4,2,2" with ','.
template <class Number>
std::optional<std::vector<Number>> numbers_in(std::string_view text, char separator) {
  std::vector<Number> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    const auto number = number_in<Number>(text.substr(begin, end - begin));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

/// "0-31", or "64" for both ends.
struct Range {
  uint64_t first = 0;
  uint64_t last = 0;
};

/// Ranges that run backwards, too.
inline std::optional<Range> range_in(std::string_view word) {
  const auto first = take_number<uint64_t>(word);
  if (!first || word.empty()) return first ? std::optional(Range{*first, *first}) : std::nullopt;
  const auto last = word.front() == '-' ? number_in<uint64_t>(word.substr(1)) : std::nullopt;
  return last ? std::optional(Range{*first, *last}) : std::nullopt;
}

/// "0-31,64" in the order of the text.
/// wrong  if not nullptr, the part that is neither a number nor a range, or runs backwards.
inline std::optional<std::vector<Range>> ranges_in(std::string_view list,
                                                   std::string_view* wrong = nullptr) {
  std::vector<Range> ranges;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view part = list.substr(begin, end - begin);
    const auto range = range_in(part);
    if (!range || range->first > range->last) {
      if (wrong != nullptr) *wrong = part;
      return std::nullopt;
    }
    ranges.push_back(*range);
    begin = end + 1;
  }
  return ranges;
}

}  // namespace pathline::base

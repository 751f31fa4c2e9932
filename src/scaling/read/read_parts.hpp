// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of measurements share; no interface of the layer.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace pathline::scaling {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/// What a message shows of a word.
inline std::string shown(std::string_view word) {
  constexpr size_t kLongest = 40;
  if (word.size() <= kLongest) return base::printable(word);
  return base::printable(word.substr(0, kLongest)) + "...";
}

/// The number that is the whole word; a plus sign is allowed in files.
inline std::optional<double> number_in(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  return base::number_in<double>(word);
}

/// Why number_in() refuses a word.
inline std::string no_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = end == word.data() + word.size();
  if (whole && error == std::errc::result_out_of_range) {
    return fmt::format("'{}' is beyond what a double holds", shown(word));
  }
  if (whole && error == std::errc()) {
    return fmt::format("'{}' is no finite number", shown(word));
  }
  return fmt::format("'{}' is no number", shown(word));
}

/// "cannot read runs.txt: line 7: 'x' is no number"
inline base::Error cannot_read(const std::string& name, std::string_view place,
                               std::string_view fact, std::string advice = {}) {
  return {base::ErrorCode::kCorrupt,
          fmt::format("cannot read {}: {}: {}", base::printable(name), place, fact),
          std::move(advice)};
}

inline base::Error cannot_read(const std::string& name, size_t line, std::string_view fact,
                               std::string advice = {}) {
  return cannot_read(name, fmt::format("line {}", line), fact, std::move(advice));
}

/// Takes the first line off the text.
inline std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Takes the first word off the line; "" when only blanks are left.
inline std::string_view take_word(std::string_view& line) {
  size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace pathline::scaling

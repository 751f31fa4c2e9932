// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <muParser.h>

#include <fmt/format.h>

namespace pathline::campaign {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Calls take(text outside, name); the last one with an empty name.
template <class Take>
void split(std::string_view text, Take take) {
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || i + 1 >= text.size() || !begins_name(text[i + 1])) continue;
    size_t end = i + 1;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end >= text.size() || text[end] != '}') continue;
    take(text.substr(begin, i - begin), text.substr(i + 1, end - i - 1));
    begin = end + 1;
    i = end;
  }
  take(text.substr(begin), std::string_view());
}

/// Has it an operation, and nothing that arithmetic has not?
bool is_arithmetic(std::string_view text) {
  constexpr std::string_view kOperators = "+-*/^";
  bool has_operation = false;
  bool has_digit = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_blanks = i > 0 && i + 1 < text.size() && text[i - 1] == ' ' && text[i + 1] == ' ';
    has_operation =
        has_operation || c == '(' || (in_blanks && kOperators.find(c) != kOperators.npos);
    has_digit = has_digit || std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool is_known = is_of_name(c) || c == '.' || c == ' ' || c == '(' || c == ')' ||
                          c == ',' || kOperators.find(c) != kOperators.npos;
    if (!is_known) return false;
  }
  return has_operation && has_digit;
}

std::string number_text(double value) {
  constexpr double kWhole = 9007199254740992;  // 2^53
  if (std::abs(value) < kWhole && std::floor(value) == value) {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
  return fmt::format("{}", value);
}

}  // namespace

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  split(text, [&](std::string_view, std::string_view name) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    names.emplace_back(name);
  });
  return names;
}

std::string replaced(
    std::string_view text,
    const std::function<std::optional<std::string_view>(std::string_view name)>& value_of) {
  std::string result;
  split(text, [&](std::string_view outside, std::string_view name) {
    result += outside;
    if (name.empty()) return;
    const auto value = value_of(name);
    if (value) {
      result += *value;
    } else {
      result += fmt::format("{{{}}}", name);
    }
  });
  return result;
}

base::Result<std::string> calculated(const std::string& text) {
  if (!is_arithmetic(text)) return text;
  double value = 0;
  try {
    mu::Parser parser;
    parser.SetExpr(text);
    value = parser.Eval();
  } catch (const mu::ParserError&) {
    return text;  // Words that look like arithmetic.
  }
  if (!std::isfinite(value)) {
    return base::Error{base::ErrorCode::kInvalidArgument, fmt::format("'{}' has no value", text)};
  }
  return number_text(value);
}

}  // namespace pathline::campaign

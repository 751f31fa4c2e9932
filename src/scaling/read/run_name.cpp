// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/parse.hpp"
#include "scaling/read/from_profiles.hpp"
#include "scaling/read/read_parts.hpp"

namespace pathline::scaling {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '.' || c == ','; }

base::Error refused(std::string_view name, std::string_view fact) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("'{}' does not name a run: {}", shown(name), fact),
          "Expected names and values of parameters, and perhaps a repetition: prog.p64.n1000.r2"};
}

/// The name without what `pathline record` put behind it because the directory existed: "-2". Only
/// numbers of parameters and repetitions stand before it.
std::string_view without_copy_number(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const bool is_there =
      digits < name.size() && digits > 1 && name[digits - 1] == '-' && is_digit(name[digits - 2]);
  return is_there ? name.substr(0, digits - 1) : name;
}

/// Where ".r" and digits at the very end begin; the size of the name if they are not there.
size_t repetition_at(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const bool is_there = digits < name.size() && name.substr(0, digits).ends_with(".r");
  return is_there ? digits - 2 : name.size();
}

/// What stands before the first dot is no parameter unless it ends with the value of one.
std::string_view without_prefix(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return name;
  const bool has_value = dot > 0 && is_digit(name[dot - 1]) && !is_digit(name.front());
  if (!has_value) name.remove_prefix(dot + 1);
  return name;
}

base::Result<double> value_of(std::string_view name, std::string_view word) {
  std::string digits(word);
  std::ranges::replace(digits, ',', '.');
  const auto value = number_in(digits);
  if (!value) return refused(name, no_number(word));
  return *value;
}

/// What has no prefix and no repetition.
base::Result<std::vector<std::pair<std::string, double>>> parameters_of(std::string_view name,
                                                                        std::string_view rest) {
  std::vector<std::pair<std::string, double>> parameters;
  while (!rest.empty()) {
    const size_t begin =
        size_t(std::ranges::find_if(rest, [](char c) { return is_digit(c) || is_separator(c); }) -
               rest.begin());
    const std::string_view key = rest.substr(0, begin);
    rest.remove_prefix(begin);
    const size_t end =
        size_t(std::ranges::find_if(rest, [](char c) { return !is_digit(c) && !is_separator(c); }) -
               rest.begin());
    std::string_view value = rest.substr(0, end);
    rest.remove_prefix(end);
    while (!value.empty() && is_separator(value.back())) value.remove_suffix(1);
    if (key.empty()) return refused(name, fmt::format("'{}' has no name", shown(value)));
    if (value.empty()) return refused(name, fmt::format("'{}' has no value", shown(key)));
    const auto number = value_of(name, value);
    if (!number) return number.error();
    if (std::ranges::any_of(parameters, [&](const auto& other) { return other.first == key; })) {
      return refused(name, fmt::format("parameter '{}' is there twice", shown(key)));
    }
    parameters.emplace_back(key, number.value());
  }
  if (parameters.empty()) return refused(name, "there is no parameter");
  return parameters;
}

}  // namespace

base::Result<RunName> parse_run_name(std::string_view name) {
  name = without_copy_number(name);
  const size_t at = repetition_at(name);
  RunName run;
  if (at < name.size()) {
    auto parameters = parameters_of(name, without_prefix(name.substr(0, at)));
    if (parameters) {
      const auto repetition = base::number_in<uint32_t>(name.substr(at + 2));
      if (!repetition) {
        return refused(name, fmt::format("'{}' is no repetition", shown(name.substr(at + 2))));
      }
      run.parameters = std::move(parameters).value();
      run.repetition = *repetition;
      return run;
    }
    // A parameter called r may be all there is.
    const std::string_view before = name.substr(0, at);
    if (std::ranges::any_of(before, is_digit)) return parameters.error();
  }
  auto parameters = parameters_of(name, without_prefix(name));
  if (!parameters) return parameters.error();
  run.parameters = std::move(parameters).value();
  return run;
}

}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Values of the part of Python that jube_python.hpp reads, and what is done with them.
namespace pathline::campaign::python {

struct Value;
using List = std::vector<Value>;

struct None {};

struct Value {
  std::variant<None, bool, int64_t, double, std::string, List> is;
};

/// Ends an evaluation; it does not leave python_value().
struct Failed {
  std::string what;
};

inline constexpr size_t kMostBytes = size_t{1} << 20;
inline constexpr size_t kMostItems = 100'000;

/// How much memory it takes: 1 for each value, and for eight letters.
[[nodiscard]] size_t weight(const Value& value);
[[nodiscard]] bool is_true(const Value& value);
/// str() and, within lists, repr().
[[nodiscard]] std::string text(const Value& value, bool quoted = false);
/// op  "+", "-", "*", "/", "//", "%", "**". Throws Failed.
[[nodiscard]] Value calculate(std::string_view op, const Value& a, const Value& b);
/// op  "==", "!=", "<", "<=", ">", ">=", "in", "not in". Throws Failed.
[[nodiscard]] bool compare(std::string_view op, const Value& a, const Value& b);
/// a[index]. Throws Failed.
[[nodiscard]] Value item(const Value& a, const Value& index);
/// name(arguments). Throws Failed.
[[nodiscard]] Value call(std::string_view name, const std::vector<Value>& arguments);
/// of.name(arguments). Throws Failed.
[[nodiscard]] Value call_method(const Value& of, std::string_view name,
                                const std::vector<Value>& arguments);
/// What `for` goes through. Throws Failed.
[[nodiscard]] List items(const Value& value);

}  // namespace pathline::campaign::python

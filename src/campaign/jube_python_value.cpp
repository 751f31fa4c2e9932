// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_python_value.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "campaign/jube_python.hpp"
#include "campaign/jube_tree.hpp"

namespace pathline::campaign::python {
namespace {

[[noreturn]] void fail(std::string what) { throw Failed{std::move(what)}; }

const char* kind(const Value& value) {
  static constexpr const char* kNames[] = {"None",     "a truth value", "a whole number",
                                           "a number", "a text",        "a list"};
  return kNames[value.is.index()];
}

std::optional<int64_t> whole(const Value& value) {
  if (const auto* is = std::get_if<int64_t>(&value.is)) return *is;
  if (const auto* is = std::get_if<bool>(&value.is)) return *is ? 1 : 0;
  return std::nullopt;
}

std::optional<double> number(const Value& value) {
  if (const auto is = whole(value)) return static_cast<double>(*is);
  if (const auto* is = std::get_if<double>(&value.is)) return *is;
  return std::nullopt;
}

Value real(double value) {
  if (!std::isfinite(value)) fail("it has no value");
  return {value};
}

Value power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) {
      fail("it has more than 18 digits");
    }
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) {
      fail("it has more than 18 digits");
    }
  }
  return {result};
}

Value of_whole(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool too_large = false;
  if (op == "+") too_large = __builtin_add_overflow(a, b, &result);
  if (op == "-") too_large = __builtin_sub_overflow(a, b, &result);
  if (op == "*") too_large = __builtin_mul_overflow(a, b, &result);
  if (op == "**" && b >= 0) return power(a, b);
  if (op == "**") return real(std::pow(static_cast<double>(a), static_cast<double>(b)));
  if (op == "/" || op == "//" || op == "%") {
    if (b == 0) fail("a division by 0");
    if (op == "/") return real(static_cast<double>(a) / static_cast<double>(b));
    if (b == -1) return op == "%" ? Value{int64_t{0}} : of_whole("-", 0, a);
    // Towards minus infinity, as Python.
    const bool is_off = a % b != 0 && (a < 0) != (b < 0);
    result = op == "//" ? a / b - (is_off ? 1 : 0) : a % b + (is_off ? b : 0);
  }
  if (too_large) fail("it has more than 18 digits");
  return {result};
}

Value of_real(std::string_view op, double a, double b) {
  if (op == "+") return real(a + b);
  if (op == "-") return real(a - b);
  if (op == "*") return real(a * b);
  if (op == "**") return real(std::pow(a, b));
  if (b == 0) fail("a division by 0");
  if (op == "/") return real(a / b);
  if (op == "//") return real(std::floor(a / b));
  return real(a - b * std::floor(a / b));
}

std::optional<Value> of_sequences(std::string_view op, const Value& a, const Value& b) {
  const auto* text_a = std::get_if<std::string>(&a.is);
  const auto* list_a = std::get_if<List>(&a.is);
  if (op == "+") {
    const auto* text_b = std::get_if<std::string>(&b.is);
    const auto* list_b = std::get_if<List>(&b.is);
    if (text_a != nullptr && text_b != nullptr) {
      if (text_a->size() + text_b->size() > kMostBytes) fail("a text is too long");
      return Value{*text_a + *text_b};
    }
    if (list_a == nullptr || list_b == nullptr) return std::nullopt;
    if (list_a->size() + list_b->size() > kMostItems) fail("a list is too long");
    List all = *list_a;
    all.insert(all.end(), list_b->begin(), list_b->end());
    return Value{std::move(all)};
  }
  if (op != "*") return std::nullopt;
  if (text_a == nullptr && list_a == nullptr) {
    const bool turned = b.is.index() > 3 && whole(a);
    return turned ? of_sequences(op, b, a) : std::nullopt;
  }
  const auto times = whole(b);
  if (!times) return std::nullopt;
  const auto count = static_cast<size_t>(std::clamp<int64_t>(*times, 0, kMostBytes + 1));
  if (text_a != nullptr) {
    if (count * text_a->size() > kMostBytes) fail("a text is too long");
    std::string all;
    for (size_t i = 0; i < count && !text_a->empty(); ++i) all += *text_a;
    return Value{std::move(all)};
  }
  if (count * weight(a) > kMostItems) fail("a list is too long");
  List all;
  for (size_t i = 0; i < count && !list_a->empty(); ++i) {
    all.insert(all.end(), list_a->begin(), list_a->end());
  }
  return Value{std::move(all)};
}

/// -1, 0, 1; nullopt for values that have no order.
std::optional<int> order(const Value& a, const Value& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (whole(a) && whole(b)) return sign(*whole(a), *whole(b));
  if (number(a) && number(b)) return sign(*number(a), *number(b));
  if (a.is.index() != b.is.index()) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&a.is)) {
    return sign(*text, std::get<std::string>(b.is));
  }
  if (const auto* list = std::get_if<List>(&a.is)) {
    const List& other = std::get<List>(b.is);
    for (size_t i = 0; i < std::min(list->size(), other.size()); ++i) {
      const auto first = order((*list)[i], other[i]);
      if (!first || *first != 0) return first;
    }
    return sign(list->size(), other.size());
  }
  return 0;  // None
}

Value to_int(const Value& value) {
  if (const auto is = whole(value)) return {*is};
  if (const auto is = number(value)) {
    if (std::abs(*is) > 9e18) fail("it has more than 18 digits");
    return {static_cast<int64_t>(*is)};
  }
  if (const auto* is = std::get_if<std::string>(&value.is)) {
    std::string_view word = stripped(*is);
    if (word.starts_with('+')) word.remove_prefix(1);
    if (const auto parsed = base::number_in<int64_t>(word)) return {*parsed};
    fail(fmt::format("int('{}')", *is));
  }
  fail(fmt::format("int() of {}", kind(value)));
}

Value to_float(const Value& value) {
  if (const auto is = number(value)) return {*is};
  if (const auto* is = std::get_if<std::string>(&value.is)) {
    std::string_view word = stripped(*is);
    if (word.starts_with('+')) word.remove_prefix(1);
    if (const auto parsed = base::number_in<double>(word)) return {*parsed};
    fail(fmt::format("float('{}')", *is));
  }
  fail(fmt::format("float() of {}", kind(value)));
}

Value range(const std::vector<Value>& arguments) {
  int64_t numbers[3] = {0, 0, 1};
  if (arguments.empty() || arguments.size() > 3) fail("range() needs 1 to 3 numbers");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto is = whole(arguments[i]);
    if (!is || std::abs(*is) > (int64_t{1} << 53)) fail("range() needs whole numbers");
    numbers[arguments.size() == 1 ? 1 : i] = *is;
  }
  const auto [from, to, by] = numbers;
  if (by == 0) fail("range() in steps of 0");
  List list;
  for (int64_t i = from; by > 0 ? i < to : i > to; i += by) {
    if (list.size() >= kMostItems) fail("a list is too long");
    list.push_back({i});
  }
  return {std::move(list)};
}

Value extreme(const std::vector<Value>& arguments, int wanted) {
  const List list = arguments.size() == 1 ? items(arguments[0]) : arguments;
  if (list.empty()) fail("the least or most of nothing");
  const Value* best = &list.front();
  for (const Value& value : list) {
    const auto is = order(value, *best);
    if (!is) fail("values of different kinds are compared");
    if (*is == wanted) best = &value;
  }
  return *best;
}

Value rounded(const std::vector<Value>& arguments) {
  const auto value = number(arguments[0]);
  if (!value) fail(fmt::format("round() of {}", kind(arguments[0])));
  if (arguments.size() == 1) {
    if (std::abs(*value) > 9e18) fail("it has more than 18 digits");
    return {static_cast<int64_t>(std::nearbyint(*value))};  // Halves to even, as Python.
  }
  const auto digits = whole(arguments[1]);
  if (!digits || *digits < 0 || *digits > 15) fail("round() to digits other than 0 to 15");
  if (whole(arguments[0])) return arguments[0];
  return to_float({fmt::format("{:.{}f}", *value, *digits)});
}

Value sum(const Value& of) {
  Value total{int64_t{0}};
  for (const Value& value : items(of)) total = calculate("+", total, value);
  return total;
}

}  // namespace

size_t weight(const Value& value) {
  if (const auto* is = std::get_if<std::string>(&value.is)) return 1 + is->size() / 8;
  size_t sum = 1;
  if (const auto* is = std::get_if<List>(&value.is)) {
    for (const Value& item : *is) sum += weight(item);
  }
  return sum;
}

bool is_true(const Value& value) {
  if (const auto is = number(value)) return *is != 0;
  if (const auto* is = std::get_if<std::string>(&value.is)) return !is->empty();
  if (const auto* is = std::get_if<List>(&value.is)) return !is->empty();
  return false;
}

std::string text(const Value& value, bool quoted) {
  if (const auto* is = std::get_if<bool>(&value.is)) return *is ? "True" : "False";
  if (const auto* is = std::get_if<int64_t>(&value.is)) return fmt::format("{}", *is);
  if (const auto* is = std::get_if<double>(&value.is)) return python_text(*is);
  if (const auto* is = std::get_if<std::string>(&value.is)) {
    return quoted ? fmt::format("'{}'", *is) : *is;
  }
  if (const auto* is = std::get_if<List>(&value.is)) {
    std::string all = "[";
    for (const Value& item : *is) {
      if (all.size() > 1) all += ", ";
      all += text(item, true);
      if (all.size() > kMostBytes) fail("a text is too long");
    }
    return all + "]";
  }
  return "None";
}

Value calculate(std::string_view op, const Value& a, const Value& b) {
  if (whole(a) && whole(b)) return of_whole(op, *whole(a), *whole(b));
  if (number(a) && number(b)) return of_real(op, *number(a), *number(b));
  if (auto made = of_sequences(op, a, b)) return std::move(*made);
  fail(fmt::format("'{}' between {} and {}", op, kind(a), kind(b)));
}

bool compare(std::string_view op, const Value& a, const Value& b) {
  if (op == "in" || op == "not in") {
    bool found = false;
    if (const auto* whole_text = std::get_if<std::string>(&b.is)) {
      const auto* part = std::get_if<std::string>(&a.is);
      if (part == nullptr) fail("'in' a text is to have a text");
      found = whole_text->find(*part) != std::string::npos;
    } else {
      const List list = items(b);
      found = std::any_of(list.begin(), list.end(),
                          [&](const Value& value) { return order(a, value) == 0; });
    }
    return found == (op == "in");
  }
  const auto is = order(a, b);
  if (op == "==") return is == 0;
  if (op == "!=") return is != 0;
  if (!is) fail(fmt::format("'{}' between {} and {}", op, kind(a), kind(b)));
  if (op == "<") return *is < 0;
  if (op == "<=") return *is <= 0;
  if (op == ">") return *is > 0;
  return *is >= 0;
}

Value item(const Value& a, const Value& index) {
  const auto place = whole(index);
  if (!place) fail(fmt::format("an index that is {}", kind(index)));
  const List list = items(a);
  const int64_t at = *place < 0 ? *place + static_cast<int64_t>(list.size()) : *place;
  if (at < 0 || at >= static_cast<int64_t>(list.size())) {
    fail(fmt::format("index {} of {} values", *place, list.size()));
  }
  return list[static_cast<size_t>(at)];
}

List items(const Value& value) {
  if (const auto* is = std::get_if<List>(&value.is)) return *is;
  if (const auto* is = std::get_if<std::string>(&value.is)) {
    if (is->size() > kMostItems) fail("a text is too long");
    List letters;
    for (const char c : *is) letters.push_back({std::string(1, c)});
    return letters;
  }
  fail(fmt::format("the items of {}", kind(value)));
}

Value call(std::string_view name, const std::vector<Value>& arguments) {
  if (name == "range") return range(arguments);
  if ((name == "min" || name == "max") && !arguments.empty()) {
    return extreme(arguments, name == "min" ? -1 : 1);
  }
  if (name == "round" && (arguments.size() == 1 || arguments.size() == 2)) {
    return rounded(arguments);
  }
  if (arguments.size() != 1) fail(fmt::format("{}() with {} values", name, arguments.size()));
  const Value& value = arguments[0];
  if (name == "str") return {text(value)};
  if (name == "repr") return {text(value, true)};
  if (name == "int") return to_int(value);
  if (name == "float") return to_float(value);
  if (name == "bool") return {is_true(value)};
  if (name == "len") return {static_cast<int64_t>(items(value).size())};
  if (name == "list" || name == "tuple") return {items(value)};
  if (name == "sum") return sum(value);
  if (name == "abs")
    return compare("<", value, {int64_t{0}}) ? calculate("-", {int64_t{0}}, value) : value;
  if (name == "sorted" || name == "reversed") {
    List list = items(value);
    if (name == "reversed") {
      std::reverse(list.begin(), list.end());
    } else {
      for (const Value& one : list) (void)compare("<", one, list.front());
      std::stable_sort(list.begin(), list.end(),
                       [](const Value& a, const Value& b) { return order(a, b) == -1; });
    }
    return {std::move(list)};
  }
  fail(fmt::format("the function {}()", name));
}

Value call_method(const Value& of, std::string_view name, const std::vector<Value>& arguments) {
  const auto* text_of = std::get_if<std::string>(&of.is);
  if (text_of == nullptr) fail(fmt::format(".{}() of {}", name, kind(of)));
  const auto argument = [&](size_t i) {
    const auto* is = i < arguments.size() ? std::get_if<std::string>(&arguments[i].is) : nullptr;
    if (is == nullptr || is->empty()) fail(fmt::format(".{}() needs texts", name));
    return *is;
  };
  if (name == "join" && arguments.size() == 1) {
    std::string all;
    bool is_first = true;
    for (const Value& value : items(arguments[0])) {
      const auto* part = std::get_if<std::string>(&value.is);
      if (part == nullptr) fail(fmt::format(".join() of {}; str() makes a text", kind(value)));
      if (!std::exchange(is_first, false)) all += *text_of;
      all += *part;
      if (all.size() > kMostBytes) fail("a text is too long");
    }
    return {std::move(all)};
  }
  if (name == "strip" && arguments.empty()) return {std::string(stripped(*text_of))};
  if ((name == "lower" || name == "upper") && arguments.empty()) {
    std::string all = *text_of;
    for (char& c : all) {
      const auto letter = static_cast<unsigned char>(c);
      c = static_cast<char>(name == "lower" ? std::tolower(letter) : std::toupper(letter));
    }
    return {std::move(all)};
  }
  if (name == "split" && arguments.size() == 1) {
    List list;
    for (size_t begin = 0;;) {
      const size_t end = text_of->find(argument(0), begin);
      list.push_back({text_of->substr(begin, end == std::string::npos ? end : end - begin)});
      if (end == std::string::npos) return {std::move(list)};
      begin = end + argument(0).size();
    }
  }
  fail(fmt::format("the function .{}()", name));
}

}  // namespace pathline::campaign::python

// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_python.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "campaign/jube_python_parse.hpp"
#include "campaign/jube_tree.hpp"

namespace pathline::campaign {
namespace {

using python::Expression;
using python::Failed;
using python::Kind;
using python::List;
using python::Value;

constexpr size_t kMostWork = 4'000'000;

[[noreturn]] void fail(std::string what) { throw Failed{std::move(what)}; }

class Evaluator {
 public:
  /// Time and memory follow from what all the values weigh.
  Value of(const Expression& e) {
    Value value = made(e);
    work_ += python::weight(value);
    if (work_ > kMostWork) fail("so much work");
    return value;
  }

 private:
  Value made(const Expression& e) {
    switch (e.kind) {
      case Kind::kConstant: return e.value;
      case Kind::kName: {
        const auto found = names_.find(e.word);
        if (found == names_.end()) fail(fmt::format("the name '{}'", e.word));
        return found->second;
      }
      case Kind::kList: return {all_of(e, 0)};
      case Kind::kBinary: return python::calculate(e.word, of(e.parts[0]), of(e.parts[1]));
      case Kind::kCompare: return {python::compare(e.word, of(e.parts[0]), of(e.parts[1]))};
      case Kind::kNegative: return python::calculate("*", {int64_t{-1}}, number(e.parts[0]));
      case Kind::kNot: return {!python::is_true(of(e.parts[0]))};
      case Kind::kAnd: {
        Value a = of(e.parts[0]);
        return python::is_true(a) ? of(e.parts[1]) : a;
      }
      case Kind::kOr: {
        Value a = of(e.parts[0]);
        return python::is_true(a) ? a : of(e.parts[1]);
      }
      case Kind::kIf: return of(e.parts[python::is_true(of(e.parts[1])) ? 0 : 2]);
      case Kind::kIndex: return python::item(of(e.parts[0]), of(e.parts[1]));
      case Kind::kCall: return python::call(e.word, all_of(e, 0));
      case Kind::kMethod: return python::call_method(of(e.parts[0]), e.word, all_of(e, 1));
      case Kind::kFor: return each(e);
    }
    return {};
  }

  Value number(const Expression& e) {
    Value value = of(e);
    if (value.is.index() == 0 || value.is.index() > 3) fail("'-' before what is no number");
    return value;
  }

  List all_of(const Expression& e, size_t first) {
    List list;
    for (size_t i = first; i < e.parts.size(); ++i) list.push_back(of(e.parts[i]));
    return list;
  }

  Value each(const Expression& e) {
    const List list = python::items(of(e.parts[1]));
    const auto before = names_.find(e.word);
    const std::optional<Value> shadowed =
        before == names_.end() ? std::nullopt : std::optional(before->second);
    List result;
    for (const Value& value : list) {
      names_[e.word] = value;
      const bool is_in =
          std::all_of(e.parts.begin() + 2, e.parts.end(),
                      [&](const Expression& condition) { return python::is_true(of(condition)); });
      if (!is_in) continue;
      result.push_back(of(e.parts[0]));
    }
    if (shadowed) {
      names_[e.word] = *shadowed;
    } else {
      names_.erase(e.word);
    }
    return {std::move(result)};
  }

  std::map<std::string, Value> names_;
  size_t work_ = 0;
};

base::Result<Value> evaluated(std::string_view text) {
  try {
    const Expression expression = python::parsed(text);
    return Evaluator().of(expression);
  } catch (const Failed& failed) {
    return base::Error{base::ErrorCode::kUnsupported, failed.what};
  }
}

}  // namespace

std::string python_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

base::Result<std::string> python_value(std::string_view expression) {
  auto value = evaluated(expression);
  if (!value) return value.error();
  try {
    return python::text(value.value());
  } catch (const Failed& failed) {
    return base::Error{base::ErrorCode::kUnsupported, failed.what};
  }
}

base::Result<bool> python_is_true(std::string_view expression) {
  std::string word(stripped(expression));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "true" || word == "false") return word == "true";
  auto value = evaluated(expression);
  if (!value) return value.error();
  return python::is_true(value.value());
}

}  // namespace pathline::campaign

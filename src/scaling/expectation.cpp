// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/expectation.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "scaling/growth.hpp"

namespace pathline::scaling {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// An exponent before it is known to fit.
struct Fraction {
  int64_t numerator = 1;
  int64_t denominator = 1;
};

/// Reads from left to right. What is not understood leaves a complaint and makes everything after
/// it fail.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> parameters)
      : text_(text), parameters_(parameters) {}

  base::Result<Model> parse() {
    const bool landau = take_function("O");
    sum();
    if (landau) expect(')');
    skip_blanks();
    if (complaint_.empty() && at_ != text_.size()) complain("expected +, -, *, / or the end");
    if (complaint_.empty() && asymptote(model_).coefficient <= 0) {
      complaint_ = "it falls below 0; expected something that a cost can grow like";
    }
    if (complaint_.empty()) return std::move(model_);
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("cannot read the expectation '{}': {}", base::printable(text_), complaint_),
        "Write it like log2(p), p^(1/2) * log2(p)^2, sqrt(p) + 1, n^3/p, or 1 for what "
        "does not grow."};
  }

 private:
  void sum() {
    bool negative = take('-');
    do {
      term(negative);
      negative = false;
      if (take('-')) {
        negative = true;
      } else if (!take('+')) {
        return;
      }
    } while (complaint_.empty());
  }

  void term(bool negative) {
    Term term{negative ? -1.0 : 1.0, {}};
    bool divides = false;
    do {
      factor(term, divides);
      divides = take('/');
    } while (complaint_.empty() && (divides || take('*')));
    if (!std::isfinite(term.coefficient + model_.constant)) complain("the numbers are too large");
    std::erase_if(term.factors, [](const Factor& f) { return f.exponents == Exponents{}; });
    if (term.factors.empty()) {
      model_.constant += term.coefficient;
    } else {
      model_.terms.push_back(std::move(term));
    }
  }

  void factor(Term& term, bool divides) {
    skip_blanks();
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      const auto value = number();
      if (value && divides && *value == 0) complain("nothing can be divided by 0");
      if (value) term.coefficient = divides ? term.coefficient / *value : term.coefficient * *value;
      return;
    }
    for (const std::string_view log : {"log2", "log", "ln"}) {
      if (!take_function(log)) continue;
      const auto parameter = name();
      expect(')');
      const Fraction power = exponent();
      if (power.denominator != 1) complain("the power of a logarithm must be a whole number");
      multiply(term, parameter, {0, 1}, divides ? -power.numerator : power.numerator);
      return;
    }
    const bool root = take_function("sqrt");
    const auto parameter = name();
    if (root) expect(')');
    Fraction power = exponent();
    if (root) power.denominator *= 2;
    if (divides) power.numerator = -power.numerator;
    multiply(term, parameter, power, 0);
  }

  void multiply(Term& term, std::optional<uint32_t> parameter, Fraction power, int64_t log) {
    if (!parameter || !complaint_.empty()) return;
    const auto after = std::find_if(term.factors.begin(), term.factors.end(),
                                    [&](const Factor& f) { return f.parameter >= *parameter; });
    Factor& factor = after != term.factors.end() && after->parameter == *parameter
                         ? *after
                         : *term.factors.insert(after, Factor{*parameter, {}});
    Exponents& e = factor.exponents;
    const int64_t numerator = e.numerator * power.denominator + power.numerator * e.denominator;
    const int64_t denominator = e.denominator * power.denominator;
    const int64_t divisor = std::gcd(numerator, denominator);
    constexpr int64_t kMost = std::numeric_limits<int8_t>::max();
    constexpr int64_t kFinest = 12;  // Sums over any number of parameters stay exact.
    if (std::abs(numerator / divisor) > kMost || denominator / divisor > kFinest ||
        std::abs(e.log + log) > kMost) {
      complain("the exponent is too large or too fine; write a third as (1/3)");
      return;
    }
    e = {static_cast<int8_t>(numerator / divisor), static_cast<int8_t>(denominator / divisor),
         static_cast<int8_t>(e.log + log)};
  }

  /// "^2", "^-1", "^0.5", "^(3/2)", "^(-1/2)" or nothing, which is 1.
  Fraction exponent() {
    if (!take('^')) return {};
    const bool bracket = take('(');
    const bool negative = take('-');
    Fraction result = decimal();
    if (bracket) {
      if (take('/')) {
        const Fraction divisor = decimal();
        result = {result.numerator * divisor.denominator, result.denominator * divisor.numerator};
        if (result.denominator == 0) complain("an exponent cannot be divided by 0");
      }
      expect(')');
    }
    if (negative) result.numerator = -result.numerator;
    return complaint_.empty() ? result : Fraction{};
  }

  /// At most four digits before and behind the point: nothing overflows.
  Fraction decimal() {
    skip_blanks();
    Fraction result{0, 1};
    size_t digits = 0;
    bool behind = false;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '.' && !behind) {
        behind = true;
        continue;
      }
      if (!is_digit(text_[at_]) || ++digits > 4) break;
      result.numerator = 10 * result.numerator + (text_[at_] - '0');
      if (behind) result.denominator *= 10;
    }
    if (digits == 0 || digits > 4) complain("expected an exponent of at most four digits");
    return result;
  }

  std::optional<double> number() {
    std::string_view rest = std::string_view(text_).substr(at_);
    const auto value = base::take_number<double>(rest);
    if (!value) complain("expected a number");
    at_ = text_.size() - rest.size();
    return value;
  }

  /// The longest parameter that stands here: names are free text.
  std::optional<uint32_t> name() {
    skip_blanks();
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < parameters_.size(); ++i) {
      const std::string& name = parameters_[i];
      if (!text_.substr(at_).starts_with(name)) continue;
      const size_t end = at_ + name.size();
      if (end < text_.size() && is_word(text_[end]) && is_word(name.back())) continue;
      if (!found || name.size() > parameters_[*found].size()) found = i;
    }
    if (found) {
      at_ += parameters_[*found].size();
    } else {
      complain(fmt::format("expected a number or a parameter, which {} {}",
                           parameters_.size() == 1 ? "is" : "are", fmt::join(parameters_, ", ")));
    }
    return found;
  }

  bool take_function(std::string_view name) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(name)) return false;
    const size_t before = at_;
    at_ += name.size();
    if (take('(')) return true;
    at_ = before;
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) complain(fmt::format("expected '{}'", c));
  }

  void complain(std::string_view what) {
    if (!complaint_.empty()) return;
    const std::string_view rest = text_.substr(at_);
    complaint_ = rest.empty() ? fmt::format("{} at its end", what)
                              : fmt::format("{} at '{}'", what, base::printable(rest));
  }

  std::string_view text_;
  std::span<const std::string> parameters_;
  size_t at_ = 0;
  Model model_;
  std::string complaint_;
};

bool outgrows(const Asymptote& model, const Asymptote& expectation) {
  return model.coefficient > 0 && model.growth > expectation.growth;
}

}  // namespace

base::Result<Model> parse_expectation(std::string_view text,
                                      std::span<const std::string> parameters) {
  return Parser(text, parameters).parse();
}

bool outgrows(const Model& model, const Model& expectation, std::span<const double> x) {
  if (outgrows(asymptote(model), asymptote(expectation))) return true;
  for (uint32_t p = 0; p < x.size(); ++p) {
    if (outgrows(asymptote_of(model, p, x), asymptote_of(expectation, p, x))) return true;
  }
  return false;
}

}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "scaling/growth.hpp"

namespace pathline::scaling {
namespace {

/// "-1.5", "51234", "2e-05"; in LaTeX "2 \cdot 10^{-5}".
std::string number(double value, Notation notation, int digits) {
  if (!std::isfinite(value) && notation != Notation::kText) {
    const std::string_view sign = value < 0 ? "-" : "";
    const std::string_view name = std::isnan(value) ? "nan" : "inf";
    if (notation == Notation::kPython) return fmt::format("{}math.{}", sign, name);
    return std::isnan(value) ? "\\mathrm{NaN}" : fmt::format("{}\\infty", sign);
  }
  constexpr double kMillion = 1e6;
  std::string text =
      digits >= 17 ? fmt::format("{}", value) : fmt::format("{:.{}g}", value, digits);
  // Whole digits are easier to read than a power of ten that saves one or two of them.
  if (digits < 17 && std::abs(value) < kMillion && text.find("e+") != std::string::npos) {
    text = fmt::format("{:.0f}", value);
  }
  const size_t e = text.find('e');
  if (notation != Notation::kLatex || e == std::string::npos) return text;
  return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

/// "", "^2", "^(3/2)", "^(-1)" for an exponent of 1, 2, 3/2, -1.
std::string raised_to(int numerator, int denominator, Notation notation) {
  if (numerator == denominator) return "";
  std::string exponent = denominator == 1 ? fmt::format("{}", numerator)
                                          : fmt::format("{}/{}", numerator, denominator);
  if (notation == Notation::kLatex) return '^' + fmt::format("{{{}}}", exponent);
  if (denominator != 1 || numerator < 0) exponent = '(' + exponent + ')';
  return (notation == Notation::kPython ? "**" : "^") + exponent;
}

std::string_view times(Notation notation) {
  return notation == Notation::kLatex ? " \\cdot " : " * ";
}

/// "p^(3/2) * log2(p)".
std::string product(std::span<const Factor> factors, std::span<const std::string> names,
                    Notation notation) {
  std::vector<std::string> parts;
  for (const auto& [parameter, exponents] : factors) {
    const std::string& name = names[parameter];
    if (exponents.numerator != 0) {
      parts.push_back(name + raised_to(exponents.numerator, exponents.denominator, notation));
    }
    if (exponents.log == 0) continue;
    const std::string power = raised_to(exponents.log, 1, notation);
    if (notation == Notation::kLatex) {
      parts.push_back(fmt::format("\\log_2{} {}", power, name));
    } else {
      const std::string_view log2 = notation == Notation::kPython ? "math.log2" : "log2";
      parts.push_back(fmt::format("{}({}){}", log2, name, power));
    }
  }
  return fmt::format("{}", fmt::join(parts, times(notation)));
}

std::string latex_name(const std::string& name) {
  return name.size() == 1 && std::isalpha(static_cast<unsigned char>(name[0])) != 0
             ? name
             : fmt::format("\\mathrm{{{}}}", latex_escaped(name));
}

std::vector<std::string> names_in(Notation notation, std::span<const std::string> parameters) {
  if (notation == Notation::kPython) return python_names(parameters);
  std::vector<std::string> names;
  for (const std::string& parameter : parameters) {
    names.push_back(notation == Notation::kLatex ? latex_name(parameter)
                                                 : base::printable(parameter));
  }
  return names;
}

bool is_reserved(const std::string& word) {
  // The keywords of Python 3, and what the formulas themselves use.
  static const std::unordered_set<std::string> kWords = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "math"};
  return kWords.contains(word);
}

std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool fits = c == '_' || (static_cast<unsigned char>(c) < 0x80 &&
                                   std::isalnum(static_cast<unsigned char>(c)) != 0);
    // One underscore for whatever stands between two words: "main->solve" is main_solve.
    if (fits || !result.ends_with('_')) result += fits ? c : '_';
  }
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) {
    result.insert(0, "_");
  }
  return is_reserved(result) ? result + '_' : result;
}

/// Whether `a` grows at least as fast as `b` in every parameter.
bool outgrows(const Term& a, const Term& b, size_t parameter_count) {
  const auto of = [](const Term& term, uint32_t parameter) {
    for (const Factor& factor : term.factors) {
      if (factor.parameter == parameter) return factor.exponents;
    }
    return Exponents{};
  };
  for (uint32_t p = 0; p < parameter_count; ++p) {
    if (compare_growth(of(a, p), of(b, p)) < 0) return false;
  }
  return true;
}

}  // namespace

std::string formula(const Model& model, std::span<const std::string> parameters, Notation notation,
                    int digits) {
  const std::vector<std::string> names = names_in(notation, parameters);
  std::string text;
  if (model.constant != 0 || model.terms.empty()) text = number(model.constant, notation, digits);
  for (const Term& term : model.terms) {
    const bool first = text.empty();
    if (!first) text += std::signbit(term.coefficient) ? " - " : " + ";
    text += number(first ? term.coefficient : std::abs(term.coefficient), notation, digits);
    text += times(notation);
    text += product(term.factors, names, notation);
  }
  return text;
}

std::string leading_order(const Model& model, std::span<const std::string> parameters,
                          Notation notation) {
  const Asymptote limit = asymptote(model);
  if (limit.growth == Growth{}) return "1";
  const std::vector<std::string> names = names_in(notation, parameters);
  std::vector<std::string> leading;
  for (const Term& term : model.terms) {
    if (term.coefficient != 0 && growth(term.factors) == limit.growth) {
      leading.push_back(product(term.factors, names, notation));
    }
  }
  return fmt::format("{}", fmt::join(leading, " + "));
}

std::vector<std::string> maximal_terms(const Model& model,
                                       std::span<const std::string> parameters) {
  const std::vector<std::string> names = names_in(Notation::kText, parameters);
  std::vector<std::string> maximal;
  for (const Term& term : model.terms) {
    const bool outgrown =
        std::any_of(model.terms.begin(), model.terms.end(), [&](const Term& other) {
          return &other != &term && other.factors != term.factors &&
                 outgrows(other, term, parameters.size());
        });
    if (!outgrown) maximal.push_back(product(term.factors, names, Notation::kText));
  }
  return maximal;
}

std::vector<std::string> python_names(std::span<const std::string> names) {
  std::vector<std::string> result;
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, size_t> count;
  for (const std::string& name : names) {
    const std::string wanted = identifier(name);
    std::string unique = wanted;
    while (!used.insert(unique).second) unique = fmt::format("{}_{}", wanted, ++count[wanted] + 1);
    result.push_back(unique);
  }
  return result;
}

std::string latex_escaped(std::string_view text) {
  std::string result;
  for (const char c : base::printable(text)) {
    switch (c) {
      case '\\': result += "\\textbackslash{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '<': result += "\\textless{}"; break;
      case '>': result += "\\textgreater{}"; break;
      case '_':
      case '%':
      case '&':
      case '#':
      case '$':
      case '{':
      case '}': result += '\\'; [[fallthrough]];
      default: result += c;
    }
  }
  return result;
}

}  // namespace pathline::scaling

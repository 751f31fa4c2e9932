// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/formula.hpp"

#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::scaling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

Factor factor(uint32_t parameter, int8_t numerator, int8_t denominator, int8_t log) {
  return {parameter, {numerator, denominator, log}};
}

const Names kP = {"p"};

TEST(Formula, WritesATermInEveryNotation) {
  const Model model{1.5, {{0.02, {factor(0, 3, 2, 2)}}}};
  EXPECT_EQ(formula(model, kP, Notation::kText), "1.5 + 0.02 * p^(3/2) * log2(p)^2");
  EXPECT_EQ(formula(model, kP, Notation::kPython), "1.5 + 0.02 * p**(3/2) * math.log2(p)**2");
  EXPECT_EQ(formula(model, kP, Notation::kLatex), "1.5 + 0.02 \\cdot p^{3/2} \\cdot \\log_2^{2} p");
}

TEST(Formula, LeavesOutExponentsOfOneAndAConstantOfZero) {
  const Model model{0, {{2, {factor(0, 1, 1, 1)}}, {3, {factor(0, 0, 1, 1)}}}};
  EXPECT_EQ(formula(model, kP, Notation::kText), "2 * p * log2(p) + 3 * log2(p)");
  EXPECT_EQ(formula(Model{}, kP, Notation::kText), "0");
}

TEST(Formula, WritesNegativeCoefficientsAsDifferences) {
  const Model model{-1, {{-0.2, {factor(0, 2, 1, 0)}}, {4, {factor(0, -1, 2, -1)}}}};
  EXPECT_EQ(formula(model, kP, Notation::kText), "-1 - 0.2 * p^2 + 4 * p^(-1/2) * log2(p)^(-1)");
  const Model without_constant{0, {{-0.2, {factor(0, -1, 1, 0)}}}};
  EXPECT_EQ(formula(without_constant, kP, Notation::kText), "-0.2 * p^(-1)");
  EXPECT_EQ(formula(without_constant, kP, Notation::kPython), "-0.2 * p**(-1)");
}

TEST(Formula, SeventeenDigitsGiveEveryBitBack) {
  for (const double value : {0.1, 1.0 / 3, 2.5e-17, 1e300, 123456789.125, -0.7071067811865476}) {
    const std::string text = formula({value, {}}, kP, Notation::kText, 17);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
  EXPECT_EQ(formula({0.1, {}}, kP, Notation::kText, 17), "0.1");
  EXPECT_EQ(formula({1.0 / 3, {}}, kP, Notation::kText), "0.3333");
}

TEST(Formula, WritesNumbersBelowAMillionWithoutAPowerOfTen) {
  EXPECT_EQ(formula({51234.4, {}}, kP, Notation::kText), "51234");
  EXPECT_EQ(formula({-999999, {}}, kP, Notation::kText), "-999999");
  EXPECT_EQ(formula({1234567, {}}, kP, Notation::kText), "1.235e+06");
}

TEST(Formula, NamesWhatIsNoNumberAsEachLanguageDoes) {
  const Model model{1, {{-INFINITY, {factor(0, 1, 1, 0)}}}};
  EXPECT_EQ(formula(model, kP, Notation::kText), "1 - inf * p");
  EXPECT_EQ(formula(model, kP, Notation::kPython, 17), "1 - math.inf * p");
  EXPECT_EQ(formula(model, kP, Notation::kLatex), "1 - \\infty \\cdot p");
  EXPECT_EQ(formula({-INFINITY, {}}, kP, Notation::kLatex), "-\\infty");
  EXPECT_EQ(formula({NAN, {}}, kP, Notation::kPython), "math.nan");
}

TEST(Formula, LatexWritesPowersOfTen) {
  EXPECT_EQ(formula({2e-5, {}}, kP, Notation::kLatex), "2 \\cdot 10^{-5}");
  EXPECT_EQ(formula({1.5e20, {}}, kP, Notation::kLatex), "1.5 \\cdot 10^{20}");
}

TEST(Formula, NamesOfParametersBecomeWhatTheNotationAllows) {
  const Names names = {"n_x", "n-x", "class", "100%"};
  const Model model{
      0, {{1, {factor(0, 1, 1, 0), factor(1, 1, 1, 0), factor(2, 2, 1, 0), factor(3, 0, 1, 1)}}}};
  EXPECT_EQ(formula(model, names, Notation::kPython),
            "1 * n_x * n_x_2 * class_**2 * math.log2(_100_)");
  EXPECT_EQ(formula(model, names, Notation::kLatex),
            "1 \\cdot \\mathrm{n\\_x} \\cdot \\mathrm{n-x} \\cdot \\mathrm{class}^{2} \\cdot "
            "\\log_2 \\mathrm{100\\%}");
  EXPECT_EQ(formula(model, names, Notation::kText), "1 * n_x * n-x * class^2 * log2(100%)");
}

TEST(Formula, PythonNamesStayDifferent) {
  const Names names = {"a", "a", "a_2", "a", "", "math", "main->f<int>()", "3d"};
  EXPECT_THAT(python_names(names),
              ElementsAre("a", "a_2", "a_2_2", "a_3", "_", "math_", "main_f_int_", "_3d"));
}

TEST(LeadingOrder, IsTheFastestGrowingTerm) {
  EXPECT_EQ(leading_order({1, {}}, kP), "1");
  EXPECT_EQ(leading_order({1, {{2, {factor(0, 3, 2, 1)}}, {9, {factor(0, 1, 1, 0)}}}}, kP),
            "p^(3/2) * log2(p)");
  // In another order than the search gives.
  EXPECT_EQ(leading_order({1, {{9, {factor(0, 1, 1, 0)}}, {2, {factor(0, 3, 2, 1)}}}}, kP),
            "p^(3/2) * log2(p)");
}

TEST(LeadingOrder, OfWhatFallsTowardsAConstantIsTheConstant) {
  const Term falling{5, {factor(0, -1, 1, 0)}};
  EXPECT_EQ(leading_order({1, {falling}}, kP), "1");
  EXPECT_EQ(leading_order({0, {falling}}, kP), "p^(-1)");
}

TEST(LeadingOrder, JoinsTermsThatGrowAlike) {
  const Names names = {"p", "n"};
  const Model model{0,
                    {{1, {factor(0, 1, 1, 0)}},
                     {1, {factor(1, 1, 1, 0)}},
                     {1, {factor(0, 1, 3, 0), factor(1, 1, 2, 2)}}}};
  EXPECT_EQ(leading_order(model, names), "p + n");
  EXPECT_THAT(maximal_terms(model, names), ElementsAre("p", "n", "p^(1/3) * n^(1/2) * log2(n)^2"));
}

TEST(MaximalTerms, AreThoseThatNoOtherOutgrowsInEveryParameter) {
  const Names names = {"p", "n"};
  const Model model{0,
                    {{1, {factor(0, 2, 1, 0)}},
                     {1, {factor(1, 1, 1, 0)}},
                     {1, {factor(0, 1, 1, 0)}},
                     {1, {factor(1, 0, 1, 1)}}}};
  EXPECT_THAT(maximal_terms(model, names), ElementsAre("p^2", "n"));
  EXPECT_THAT(maximal_terms({3, {}}, names), IsEmpty());
}

TEST(LatexEscaped, KeepsWhatIsSpecialToLatex) {
  EXPECT_EQ(latex_escaped("a_b->f<int> 5% \\x"),
            "a\\_b-\\textgreater{}f\\textless{}int\\textgreater{} 5\\% \\textbackslash{}x");
}

}  // namespace
}  // namespace pathline::scaling

// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scaling/formula.hpp"

namespace pathline::scaling {
namespace {

const std::vector<std::string> kNames = {"p", "n"};

Model parsed(std::string_view text) {
  const auto model = parse_expectation(text, kNames);
  EXPECT_TRUE(model.ok()) << text << ": " << model.error().message;
  return model.ok() ? model.value() : Model{};
}

std::string read(std::string_view text) {
  return formula(parsed(text), kNames, Notation::kText, 17);
}

std::string complaint(std::string_view text) {
  const auto model = parse_expectation(text, kNames);
  return model.ok() ? "" : model.error().message;
}

TEST(Expectation, NeedsNoCoefficients) {
  EXPECT_EQ(read("1"), "1");
  EXPECT_EQ(read("p"), "1 * p");
  EXPECT_EQ(read("log2(p)"), "1 * log2(p)");
  EXPECT_EQ(read("p^(1/2)*log2(p)^2 + n"), "1 * p^(1/2) * log2(p)^2 + 1 * n");
  EXPECT_EQ(read(" n * p ^ 2 "), "1 * p^2 * n");
}

TEST(Expectation, KnowsOtherWaysToWriteTheSame) {
  EXPECT_EQ(read("sqrt(p)"), "1 * p^(1/2)");
  EXPECT_EQ(read("sqrt(p)^3"), "1 * p^(3/2)");
  EXPECT_EQ(read("O(log(p))"), "1 * log2(p)");
  EXPECT_EQ(read("p^1.5"), "1 * p^(3/2)");
  EXPECT_EQ(read("p^-1"), "1 * p^(-1)");
  EXPECT_EQ(read("p*p*sqrt(p)*log2(p)*log2(p)"), "1 * p^(5/2) * log2(p)^2");
  EXPECT_EQ(read("p * p^(-1)"), "1");
}

TEST(Expectation, ReadsQuotients) {
  EXPECT_EQ(read("n^3/p"), "1 * p^(-1) * n^3");
  EXPECT_EQ(read("3 / 2 * p / log2(p)"), "1.5 * p * log2(p)^(-1)");
  EXPECT_EQ(read("n / p / sqrt(p)"), "1 * p^(-3/2) * n");
  EXPECT_THAT(complaint("p/0"), testing::HasSubstr("divided by 0"));
  EXPECT_THAT(complaint("p/"), testing::HasSubstr("at its end"));
}

TEST(Expectation, ReadsWhatFormulaWrites) {
  for (const Model& model :
       {Model{1.5, {{0.02, {{0, {3, 2, 2}}}}}}, Model{0, {{2e-5, {{0, {-1, 3, -1}}}}}},
        Model{-1, {{4, {{0, {3, 1, 0}}, {1, {0, 1, 2}}}}, {-1.0 / 3, {{1, {11, 4, 1}}}}}}}) {
    const std::string text = formula(model, kNames, Notation::kText, 17);
    EXPECT_EQ(parsed(text), model) << text;
  }
}

TEST(Expectation, NamesOfParametersMayHoldAnything) {
  const std::vector<std::string> names = {"n", "n-x", "log2", "n_x", "p%"};
  const auto read_with = [&](std::string_view text) {
    const auto model = parse_expectation(text, names);
    return model ? formula(model.value(), names, Notation::kText) : model.error().message;
  };
  EXPECT_EQ(read_with("n-x * n_x + log2(log2) * p%"), "1 * n-x * n_x + 1 * log2(log2) * p%");
  EXPECT_EQ(read_with("n^2 + log2"), "1 * n^2 + 1 * log2");
}

TEST(Expectation, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(complaint("log2(q)"),
            "cannot read the expectation 'log2(q)': expected a number or a parameter, which are "
            "p, n at 'q)'");
  EXPECT_EQ(complaint("p +"),
            "cannot read the expectation 'p +': expected a number or a parameter, which are p, n "
            "at its end");
  EXPECT_EQ(complaint("p^(1/2"), "cannot read the expectation 'p^(1/2': expected ')' at its end");
  EXPECT_EQ(complaint("p n"),
            "cannot read the expectation 'p n': expected +, -, *, / or the end at 'n'");
  for (const char* text : {"",          "^",           "p^",      "p^(1/0)",       "p^99999",
                           "p^0.33333", "p^(1/13)",    "p^200",   "log2(p)^(1/2)", "-p",
                           "0",         "1e300*1e300", "p - p^2", "1e999",         "2p",
                           "pp",        "O(p",         "p)",      "((p))",         "sqrt(2)"}) {
    EXPECT_NE(complaint(text), "") << text;
  }
}

bool worse(std::string_view model, std::string_view expectation) {
  const double x[] = {64, 10};
  const auto parse = [](std::string_view text) {
    // A model may fall below 0, an expectation may not.
    return text == "5 - log2(p)" ? Model{5, {{-1, {{0, {0, 1, 1}}}}}} : parsed(text);
  };
  return outgrows(parse(model), parsed(expectation), x);
}

TEST(Outgrows, ComparesPowersThenLogarithms) {
  EXPECT_FALSE(worse("7 + 3 * log2(p)", "log2(p)"));
  EXPECT_TRUE(worse("7 + 3 * log2(p)^2", "log2(p)"));
  EXPECT_TRUE(worse("0.00001 * p^(1/4)", "log2(p)^2"));
  EXPECT_FALSE(worse("1000 * log2(p)^2", "p^(1/4)"));
  EXPECT_TRUE(worse("5 + log2(p)", "1"));
  EXPECT_FALSE(worse("5", "1"));
  EXPECT_FALSE(worse("5 - log2(p)", "1"));
}

TEST(Outgrows, WantsAStrongScalingKernelToFall) {
  EXPECT_TRUE(worse("2 + 9 * p^(-1)", "p^(-1)"));
  EXPECT_TRUE(worse("9 * p^(-1/2)", "p^(-1)"));
  EXPECT_FALSE(worse("9 * p^(-1)", "p^(-1)"));
}

TEST(Outgrows, LooksAtAllParametersTogetherAndAtEachAlone) {
  EXPECT_TRUE(worse("p * n", "p + n"));
  EXPECT_FALSE(worse("p + n", "p * n"));
  EXPECT_TRUE(worse("p", "n"));  // Together they grow alike, but n alone promises nothing of p.
  EXPECT_FALSE(worse("p + n", "p + n"));
}

}  // namespace
}  // namespace pathline::scaling

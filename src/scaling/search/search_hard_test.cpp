// SPDX-License-Identifier: BSD-3-Clause
//
// What the search is easily wrong about: several terms of several parameters, data that fall, jump
// or say next to nothing, very many parameters and very large values.
#include <cmath>

#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "scaling/search/range.hpp"
#include "scaling/search/search.hpp"
#include "scaling/search/test_fit.hpp"

namespace pathline::scaling {
namespace {

using test::grid;
using test::measure;
using test::only_fit;
using test::powers_of_two;

void expect_model(const Model& found, const Model& expected, double precision = 1e-6) {
  EXPECT_EQ(test::difference(found, expected, precision), "");
}

constexpr Exponents kLog = {0, 1, 1};

TEST(HardSearch, TermsOfTwoParametersMayHaveExponentsOfTheirOwn) {
  const auto points = grid({4, 8, 16, 32, 64}, {16, 32, 64, 128, 256});
  const Factor tree = {0, {1, 1, 1}};
  const Factor shared_out = {0, {-1, 1, 0}};
  const Model models[] = {
      // Work n^3 shared out, and messages of p log p: what a dense solver costs under strong
      // scaling.
      {1e-3, {{1e-7, {shared_out, {1, {3, 1, 0}}}}, {2e-5, {tree}}}},
      {1e-3, {{1e-6, {{0, {-2, 3, 0}}, {1, {2, 1, 0}}}}, {1e-3, {{0, kLog}}}}},
      {1, {{0.1, {{0, {1, 1, 0}}, {1, {2, 1, 0}}}}, {0.2, {{0, {2, 1, 0}}, {1, kLog}}}}},
  };
  for (const Model& truth : models) {
    const Fit fit =
        only_fit(measure({"p", "n"}, points, [&](auto x) { return evaluate(truth, x); }));
    expect_model(fit.model, truth);
    EXPECT_FALSE(fit.flags.has(Flag::kPoorFit));
  }
}

TEST(HardSearch, OneTermIsOneTermForSeveralParametersToo) {
  const auto points = grid({4, 8, 16, 32, 64}, {10, 20, 30, 40, 50});
  const auto sum = [](auto x) { return 1 + 2 * x[0] + 3 * x[1]; };
  EXPECT_EQ(only_fit(measure({"p", "n"}, points, sum)).model.terms.size(), 2);
  EXPECT_LE(only_fit(measure({"p", "n"}, points, sum), {.max_terms = 1}).model.terms.size(), 1);
}

TEST(HardSearch, WhatFallsByTheLogarithmIsFoundAmongNoise) {
  const auto falling = [](std::span<const double> x) {
    return (10 - 1.5 * std::log2(x[0])) * (1 + 0.02 * std::sin(1e3 * x[0]));
  };
  const Fit fit = only_fit(measure({"p"}, powers_of_two(2, 6), falling), {.targets = {{128}}});
  EXPECT_LT(fit.smape, 5);
  EXPECT_FALSE(fit.flags.has(Flag::kPoorFit));
  EXPECT_TRUE(fit.flags.has(Flag::kDecreasing));
}

TEST(HardSearch, DataThatJumpAreNoConstant) {
  const auto jump = [](std::span<const double> x) {
    return x[0] <= 20 ? std::log2(x[0]) : x[0] * x[0];
  };
  const Fit fit =
      only_fit(measure({"p"}, {{4}, {8}, {12}, {16}, {20}, {24}, {28}, {32}, {36}, {40}}, jump, 5));
  EXPECT_FALSE(fit.model.terms.empty());
  EXPECT_TRUE(fit.flags.has(Flag::kPoorFit));
  EXPECT_FALSE(fit.flags.has(Flag::kConstantByNoise));
}

TEST(HardSearch, AnExactModelThatIsZeroAtAPointIsNoPoorFit) {
  const Fit fit = only_fit(measure(
      {"p"}, powers_of_two(4, 5), [](auto x) { return 51200 * (std::log2(x[0]) - 2); }, 2));
  EXPECT_LT(fit.smape, 1e-6);
  EXPECT_FALSE(fit.flags.has(Flag::kPoorFit));
}

TEST(HardSearch, TwoPointsWithoutRepetitionsHaveNoRange) {
  const Fit fit =
      only_fit(measure({"p"}, {{4}, {8}}, [](auto x) { return x[0]; }), {.targets = {{64}}});
  EXPECT_TRUE(std::isnan(fit.predictions[0].low));
  EXPECT_TRUE(std::isnan(fit.predictions[0].high));
  EXPECT_FALSE(fit.flags.has(Flag::kConstantByNoise));
  EXPECT_TRUE(fit.flags.has(Flag::kFewPoints));
}

TEST(HardSearch, HundredsOfParametersAreSearchedByThoseThatExplainMost) {
  // More than fit into eight bits, where time allows.
  constexpr size_t kParameters = base::kIsSanitized ? 65 : 260;
  constexpr size_t kActive = 17;
  std::vector<std::string> names;
  std::vector<std::vector<double>> points;
  for (size_t d = 0; d < kParameters; ++d) {
    names.push_back("x" + std::to_string(d));
    // A cross: one line along each parameter.
    for (size_t i = 0; i < 5; ++i) {
      if (i == 0 && d > 0) continue;
      points.emplace_back(kParameters, 2.0);
      points.back()[d] = std::exp2(double(i + 1));
    }
  }
  const Fit fit = only_fit(measure(names, points, [](auto x) { return 1 + 3 * x[kActive]; }));
  expect_model(fit.model, {1, {{3, {{uint32_t{kActive}, {1, 1, 0}}}}}});
}

TEST(HardSearch, ValuesNearTheLargestDoubleAreModelled) {
  const Fit fit =
      only_fit(measure(
                   {"p"}, powers_of_two(4, 5), [](auto x) { return 1e305 * (1 + x[0]); }, 2),
               {.targets = {{128}}});
  expect_model(fit.model, {1e305, {{1e305, {{0, {1, 1, 0}}}}}});
  EXPECT_LT(fit.smape, 1e-6);
  EXPECT_NEAR(fit.predictions[0].value / 1e305, 129, 1e-3);
  EXPECT_NEAR(fit.predictions[0].low / 1e305, 129, 1);
}

TEST(HardSearch, ASeriesThatIsZeroButForOnePointIsNoCrash) {
  const Fit fit =
      only_fit(measure(
                   {"p"}, powers_of_two(4, 6), [](auto x) { return x[0] == 128 ? 3.0 : 0.0; }, 3),
               {.targets = {{1024}}});
  EXPECT_TRUE(std::isfinite(fit.predictions[0].value));
  EXPECT_LE(fit.predictions[0].low, fit.predictions[0].high);
}

TEST(Quantile, OfOneNormalIsThatOfTheTable) {
  const Belief belief[] = {{10, 2, 0.3}};
  EXPECT_NEAR(quantile(belief, 0.05), 10 - 2 * 1.6449, 1e-3);
  EXPECT_NEAR(quantile(belief, 0.95), 10 + 2 * 1.6449, 1e-3);
  EXPECT_NEAR(quantile(belief, 0.5), 10, 1e-3);
}

TEST(Quantile, NearZeroIsNotBlurredByWhatIsFarAway) {
  const Belief beliefs[] = {{1e-3, 1e-5, 0.9}, {1e9, 1e8, 0.1}};
  EXPECT_NEAR(quantile(beliefs, 0.45), 1e-3, 1e-6);
  EXPECT_GT(quantile(beliefs, 0.95), 1e8);
}

TEST(Quantile, TheMostBelievedRangeLeavesOutAFewPerCentThatAreFarOff) {
  const Belief beliefs[] = {{12, 0.01, 0.93}, {5000, 3000, 0.07}};
  const auto [low, high] = most_believed(beliefs, 0.9);
  EXPECT_GT(low, 11.9);
  EXPECT_LT(high, 12.2);
}

}  // namespace
}  // namespace pathline::scaling

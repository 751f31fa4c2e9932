// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/search.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "scaling/search/hypotheses.hpp"
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

class EveryPair : public testing::TestWithParam<size_t> {};

TEST_P(EveryPair, IsFoundWithoutNoiseFromFiveAndSevenPoints) {
  const auto pairs = exponent_pairs();
  for (const Exponents e : pairs.first(kGrowingPairCount)) {
    const Model truth = {2.5, {{0.75, {{0, e}}}}};
    const Experiment experiment =
        measure({"p"}, powers_of_two(4, GetParam()), [&](auto x) { return evaluate(truth, x); });
    const Fit fit = only_fit(experiment);
    SCOPED_TRACE(testing::Message()
                 << int(e.numerator) << '/' << int(e.denominator) << ", " << int(e.log));
    expect_model(fit.model, truth);
    EXPECT_GT(fit.probability, 0.99);
  }
}
INSTANTIATE_TEST_SUITE_P(Points, EveryPair, testing::Values(5, 7));

TEST(Search, FindsEveryMirroredPairByItselfWhereValuesFall) {
  const auto pairs = exponent_pairs();
  size_t falling = 0;
  for (const Exponents e : pairs.subspan(kGrowingPairCount)) {
    const Model truth = {2.5, {{75, {{0, e}}}}};
    const auto values = [&](std::span<const double> x) { return evaluate(truth, x); };
    const Experiment experiment = measure({"p"}, powers_of_two(16, 7), values, 3);
    SCOPED_TRACE(testing::Message()
                 << int(e.numerator) << '/' << int(e.denominator) << ", " << int(e.log));
    const Fit both = only_fit(experiment, {.exponents = Exponent::kBoth});
    expect_model(both.model, truth);
    const Fit positive = only_fit(experiment, {.exponents = Exponent::kPositive});
    for (const Term& term : positive.model.terms) {
      EXPECT_GE(term.factors[0].exponents.numerator, 0);
    }
    // p^(-1/4) log2(p)^2 rises up to p = e^8.
    if (factor_value(e, 1024) > factor_value(e, 16)) continue;
    ++falling;
    expect_model(only_fit(experiment).model, truth);
    EXPECT_TRUE(both.flags.has(Flag::kDecreasing));
  }
  EXPECT_GE(falling, 38);
}

TEST(Search, FindsTwoTermsWithoutNoiseFromFivePoints) {
  const Model truth = {3, {{1e-3, {{0, {2, 1, 0}}}}, {0.5, {{0, {0, 1, 1}}}}}};
  const auto values = [&](auto x) { return evaluate(truth, x); };
  const Experiment experiment = measure({"p"}, powers_of_two(4, 5), values, 5);
  expect_model(only_fit(experiment).model, truth);
  EXPECT_EQ(only_fit(experiment, {.max_terms = 1}).model.terms.size(), 1);
}

TEST(Search, StrongScalingWithAnOverheadHasItsMinimum) {
  // Work that is shared out, and a tree of messages: falls, then rises.
  const Model truth = {1, {{0.2, {{0, {1, 1, 0}}}}, {800, {{0, {-1, 1, 0}}}}}};
  const Experiment experiment = measure(
      {"p"}, powers_of_two(4, 8), [&](auto x) { return evaluate(truth, x); }, 3);
  expect_model(only_fit(experiment).model, truth);
}

TEST(Search, AConstantIsAConstant) {
  for (const double value : {0.0, 1.0, -3.0, 1e-300, 4.068}) {
    const Fit fit = only_fit(measure(
                                 {"p"}, powers_of_two(4, 5), [&](auto) { return value; }, 3),
                             {.targets = {{1024}}});
    EXPECT_EQ(fit.model.constant, value);
    EXPECT_TRUE(fit.model.terms.empty());
    EXPECT_EQ(fit.rss, 0);
    EXPECT_EQ(fit.smape, 0);
    EXPECT_EQ(fit.adjusted_r2, 1);
    EXPECT_EQ(fit.predictions[0].value, value);
    EXPECT_FALSE(fit.flags.has(Flag::kConstantByNoise));
  }
}

TEST(Search, OnePointGivesAConstant) {
  const Fit fit = only_fit(measure({"p"}, {{8}}, [](auto) { return 3.0; }), {.targets = {{64}}});
  EXPECT_EQ(fit.model, (Model{3, {}}));
  EXPECT_TRUE(fit.flags.has(Flag::kFewPoints));
  EXPECT_TRUE(std::isnan(fit.cv_error));
  EXPECT_TRUE(std::isnan(fit.noise));
}

TEST(Search, ThreePointsWithRepetitionsAreModelled) {
  const Fit fit = only_fit(measure(
      {"p"}, {{1}, {8}, {27}}, [](auto x) { return 160 * x[0] * x[0]; }, 3));
  EXPECT_FALSE(fit.model.terms.empty());
  EXPECT_TRUE(fit.flags.has(Flag::kFewPoints));
}

TEST(Search, ZerosAmongTheValuesAreKept) {
  // log2 p is 0 at p = 1.
  const Fit fit = only_fit(measure(
      {"p"}, powers_of_two(1, 7), [](auto x) { return 0.5 * std::log2(x[0]); }, 3));
  ASSERT_EQ(fit.model.terms.size(), 1);
  EXPECT_EQ(fit.model.terms[0].factors, (std::vector<Factor>{{0, {0, 1, 1}}}));
  EXPECT_NEAR(fit.model.terms[0].coefficient, 0.5, 1e-9);
  EXPECT_NEAR(fit.model.constant, 0, 1e-9);
}

TEST(Search, NegativeValuesAreFittedPlainlyAndFlagged) {
  const Model truth = {-40, {{3, {{0, {1, 1, 0}}}}}};
  const Fit fit = only_fit(measure(
      {"p"}, powers_of_two(4, 6), [&](auto x) { return evaluate(truth, x); }, 2));
  expect_model(fit.model, truth);
  EXPECT_TRUE(fit.flags.has(Flag::kNegativeValues));
}

TEST(Search, CoordinatesBelowOneHaveNoLogarithms) {
  const Fit fit = only_fit(measure({"h"}, {{0.125}, {0.25}, {0.5}, {1}, {2}, {4}},
                                   [](auto x) { return 1 + std::pow(x[0], 1.5); }));
  expect_model(fit.model, {1, {{1, {{0, {3, 2, 0}}}}}});
  EXPECT_TRUE(fit.flags.has(Flag::kNoLogarithms));
}

TEST(Search, ScalingAllValuesScalesOnlyTheCoefficients) {
  const auto noisy = [](std::span<const double> x) {
    return (3 + 0.1 * x[0]) * (1 + 0.03 * std::sin(1e3 * x[0]));
  };
  const Fit plain = only_fit(measure({"p"}, powers_of_two(4, 7), noisy, 3));
  for (const double factor : {1e9, 1e-9}) {
    const Fit scaled = only_fit(measure(
        {"p"}, powers_of_two(4, 7), [&](auto x) { return factor * noisy(x); }, 3));
    Model expected = plain.model;
    expected.constant *= factor;
    for (Term& term : expected.terms) term.coefficient *= factor;
    expect_model(scaled.model, expected, 1e-9);
    EXPECT_NEAR(scaled.smape, plain.smape, 1e-9);
  }
}

TEST(Search, DoesNotDependOnTheOrderOfPointsOrThreads) {
  const auto noisy = [](std::span<const double> x) {
    return (2 + 0.3 * std::sqrt(x[0])) * (1 + 0.05 * std::sin(1e3 * x[0]));
  };
  auto points = powers_of_two(4, 7);
  const Fit straight = only_fit(measure({"p"}, points, noisy, 2));
  std::swap(points[0], points[5]);
  std::reverse(points.begin(), points.end());
  const Fit shuffled = only_fit(measure({"p"}, points, noisy, 2));
  EXPECT_EQ(straight.model, shuffled.model);
  EXPECT_EQ(straight.probability, shuffled.probability);

  ExperimentBuilder builder({"p"});
  const uint32_t metric = builder.metric("time");
  for (size_t k = 0; k < 300; ++k) {
    const uint32_t call_path = builder.call_path("k" + std::to_string(k));
    for (const auto& x : points) {
      builder.add(call_path, metric, builder.point(x), noisy(x) + double(k));
    }
  }
  const Experiment many = std::move(builder).finish();
  base::ThreadPool one(1);
  base::ThreadPool four(4);
  const SearchOptions options = {.targets = {{4096}}};
  const auto a = fit_all(many, options, one);
  const auto b = fit_all(many, options, four);
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].model, b[k].model);
    EXPECT_EQ(a[k].predictions[0].low, b[k].predictions[0].low);
    EXPECT_EQ(a[k].predictions[0].high, b[k].predictions[0].high);
  }
}

TEST(Search, AFewKernelsGiveWhatAllOfThemGive) {
  ExperimentBuilder builder({"p"});
  const uint32_t metric = builder.metric("time");
  for (size_t k = 0; k < 5; ++k) {
    const uint32_t call_path = builder.call_path("k" + std::to_string(k));
    for (const auto& x : powers_of_two(4, 6)) {
      builder.add(call_path, metric, builder.point(x), double(k + 1) * std::sqrt(x[0]));
    }
  }
  const Experiment experiment = std::move(builder).finish();
  base::ThreadPool pool(1);
  const auto all = fit_all(experiment, {}, pool);
  const auto some = fit(experiment, std::vector<uint32_t>{3, 1}, {}, pool);
  ASSERT_EQ(some.size(), 2);
  EXPECT_EQ(some[0].kernel, 3);
  EXPECT_EQ(some[0].model, all[3].model);
  EXPECT_EQ(some[1].model, all[1].model);
}

TEST(Search, TellsSumsFromProductsOfTwoParameters) {
  const auto points = grid({4, 8, 16, 32, 64}, {10, 20, 30, 40, 50});
  const Factor x = {0, {0, 1, 1}};
  const Factor y = {1, {3, 2, 0}};
  const Model models[] = {
      {2, {{0.3, {x, y}}}},
      {2, {{0.3, {y}}, {4, {x}}}},
      {2, {{0.3, {x, y}}, {0.7, {y}}}},
      {2, {{0.3, {x, y}}, {7, {x}}}},
      {2, {{0.3, {x, y}}, {0.5, {y}}, {7, {x}}}},
      {2, {{0.3, {y}}}},
      {2, {{5, {x}}}},
  };
  for (const Model& truth : models) {
    const Fit fit = only_fit(measure(
        {"p", "s"}, points, [&](auto at) { return evaluate(truth, at); }, 2));
    expect_model(fit.model, truth);
    EXPECT_FALSE(fit.flags.has(Flag::kNotSeparable));
  }
}

TEST(Search, AModelOfThreeParametersIsFound) {
  std::vector<std::vector<double>> points;
  for (const double a : {4, 8, 16, 32, 64}) {
    for (const double b : {10, 20, 30, 40, 50}) {
      for (const double c : {1, 2, 3, 4, 5}) points.push_back({a, b, c});
    }
  }
  const Factor x = {0, {1, 2, 0}};
  const Factor y = {1, {1, 1, 0}};
  const Factor z = {2, {2, 1, 0}};
  const Model models[] = {
      {1, {{0.02, {x, y, z}}}},
      {1, {{0.5, {z}}, {0.1, {y}}, {2, {x}}}},
      {1, {{0.02, {x, y, z}}, {3, {x}}}},
      {1, {{0.02, {y, z}}, {3, {x}}}},
      {1, {{0.02, {y, z}}}},
  };
  for (const Model& truth : models) {
    const Fit fit =
        only_fit(measure({"a", "b", "c"}, points, [&](auto at) { return evaluate(truth, at); }));
    expect_model(fit.model, truth);
  }
}

TEST(Search, ASparseDesignIsEnoughWithOnePointOffItsLines) {
  // A cross: a line for each parameter, and one point off them.
  std::vector<std::vector<double>> points;
  for (const double p : {4, 8, 16, 32, 64}) points.push_back({p, 10});
  for (const double s : {20, 30, 40, 50}) points.push_back({4, s});
  const Model truth = {1, {{0.25, {{0, {1, 1, 0}}, {1, {1, 2, 0}}}}}};
  const auto values = [&](auto x) { return evaluate(truth, x); };
  const Fit crossed = only_fit(measure({"p", "s"}, points, values, 3));
  EXPECT_TRUE(crossed.flags.has(Flag::kNotSeparable));
  points.push_back({64, 50});
  const Fit fit = only_fit(measure({"p", "s"}, points, values, 3));
  expect_model(fit.model, truth);
  EXPECT_FALSE(fit.flags.has(Flag::kNotSeparable));
}

TEST(Search, AParameterThatDoesNotVaryIsNoPartOfAModel) {
  const Fit fit = only_fit(
      measure({"p", "n"}, grid({4, 8, 16, 32, 64}, {7}), [](auto x) { return 1 + 2 * x[0]; }));
  expect_model(fit.model, {1, {{2, {{0, {1, 1, 0}}}}}});
}

TEST(Search, ValuesOfAnySizeAreModelled) {
  // Nine orders of magnitude between the smallest and the largest value, and very small ones.
  for (const double unit : {1.0, 1e-200, 1e200}) {
    const Model truth = {0, {{unit, {{0, {3, 1, 0}}}}}};
    const Fit fit =
        only_fit(measure({"p"}, powers_of_two(1, 11), [&](auto x) { return evaluate(truth, x); }),
                 {.targets = {{1 << 14}}});
    ASSERT_EQ(fit.model.terms.size(), 1);
    EXPECT_EQ(fit.model.terms[0].factors, truth.terms[0].factors);
    EXPECT_NEAR(fit.predictions[0].value / unit, std::pow(2.0, 42), 1e5);
  }
}

TEST(Search, RangesHoldThePredictionAndWidenWithTheDistance) {
  const auto noisy = [](std::span<const double> x) {
    return (3 + 0.1 * x[0]) * (1 + 0.05 * std::sin(1e3 * x[0]));
  };
  const Fit fit =
      only_fit(measure({"p"}, powers_of_two(4, 7), noisy), {.targets = {{256}, {1024}, {65536}}});
  double before = 0;
  for (const Prediction& prediction : fit.predictions) {
    EXPECT_LE(prediction.low, prediction.value);
    EXPECT_GE(prediction.high, prediction.value);
    const double width = (prediction.high - prediction.low) / prediction.value;
    EXPECT_GT(width, before);
    before = width;
  }
  EXPECT_TRUE(fit.flags.has(Flag::kNoRepetitions));
}

TEST(Search, RivalsAreNamedWhereDataAreAmbiguous) {
  const auto noisy = [](std::span<const double> x) {
    return (3 + std::sqrt(x[0])) * (1 + 0.08 * std::sin(1e3 * x[0]));
  };
  const Fit fit = only_fit(measure({"p"}, powers_of_two(4, 5), noisy));
  ASSERT_FALSE(fit.rivals.empty());
  EXPECT_TRUE(fit.flags.has(Flag::kAmbiguous));
  double before = fit.probability;
  for (const Rival& rival : fit.rivals) {
    EXPECT_LE(rival.probability, before);
    before = rival.probability;
  }
}

TEST(Search, LeftOutPointsAreThoseOfRefitting) {
  // The leverage formula against fitting without each point.
  const auto points = powers_of_two(4, 6);
  const auto noisy = [](std::span<const double> x) {
    return (3 + 0.2 * x[0]) * (1 + 0.01 * std::sin(1e3 * x[0]));
  };
  const Fit fit = only_fit(measure({"p"}, points, noisy), {.max_terms = 1});
  ASSERT_EQ(fit.model.terms.size(), 1);
  const Exponents e = fit.model.terms[0].factors[0].exponents;
  double error = 0;
  for (size_t left_out = 0; left_out < points.size(); ++left_out) {
    double w = 0;
    double x1 = 0;
    double x2 = 0;
    double y1 = 0;
    double xy = 0;
    for (size_t p = 0; p < points.size(); ++p) {
      if (p == left_out) continue;
      const double y = noisy(points[p]);
      const double weight = 1 / (y * y);
      const double x = factor_value(e, points[p][0]);
      w += weight;
      x1 += weight * x;
      x2 += weight * x * x;
      y1 += weight * y;
      xy += weight * x * y;
    }
    const double slope = (w * xy - x1 * y1) / (w * x2 - x1 * x1);
    const double constant = (y1 - slope * x1) / w;
    const double y = noisy(points[left_out]);
    error += std::abs(constant + slope * factor_value(e, points[left_out][0]) - y) / y;
  }
  EXPECT_NEAR(fit.cv_error, 100 * error / double(points.size()), 1e-6);
}

}  // namespace
}  // namespace pathline::scaling

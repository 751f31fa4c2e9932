// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/ranking.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scaling/expectation.hpp"

namespace pathline::scaling {
namespace {

using testing::ElementsAre;

/// One kernel per model, measured at p = 4 and 16, predicted at 64.
struct Case {
  Experiment experiment;
  std::vector<Fit> fits;
};

Case case_of(const std::vector<Model>& models, std::vector<uint32_t> metrics = {}) {
  Case result;
  result.experiment.parameters = {"p"};
  result.experiment.coordinates = {4, 16};
  result.experiment.metrics = {"time", "visits"};
  metrics.resize(models.size());
  const double at[] = {64};
  for (uint32_t i = 0; i < models.size(); ++i) {
    result.experiment.call_paths.push_back(std::string(1, static_cast<char>('a' + i)));
    result.experiment.kernels.push_back({i, metrics[i]});
    Fit& fit = result.fits.emplace_back();
    fit.kernel = i;
    fit.model = models[i];
    const double value = evaluate(models[i], at);
    fit.predictions = {{value, value, value}};
  }
  return result;
}

std::vector<uint32_t> order(const std::vector<Ranked>& ranking) {
  std::vector<uint32_t> fits;
  for (const Ranked& row : ranking) fits.push_back(row.fit);
  return fits;
}

Term term(double coefficient, int8_t numerator, int8_t denominator, int8_t log) {
  return {coefficient, {{0, {numerator, denominator, log}}}};
}

TEST(Ranking, ByValueTakesThePredictionAtTheTarget) {
  // At 64: 100, 6.4, 60.
  const Case c = case_of({{100, {}}, {0, {term(0.1, 1, 1, 0)}}, {0, {term(10, 0, 1, 1)}}});
  const auto ranking = rank(c.experiment, c.fits, RankBy::kValue, 0);
  EXPECT_THAT(order(ranking), ElementsAre(0, 2, 1));
  EXPECT_DOUBLE_EQ(ranking[0].growth_factor, 1);
  EXPECT_DOUBLE_EQ(ranking[1].growth_factor, 1.5);
  EXPECT_DOUBLE_EQ(ranking[2].growth_factor, 4);
  EXPECT_DOUBLE_EQ(ranking[0].share, 100 / 166.4);
  EXPECT_DOUBLE_EQ(ranking[0].share_gained, 100 / 166.4 - 100 / 141.6);
}

TEST(Ranking, ByGrowthTakesPowersThenLogarithmsThenCoefficients) {
  const Case c = case_of({{1000, {}},
                          {0, {term(0.1, 1, 1, 0)}},
                          {0, {term(0.2, 1, 1, 0)}},
                          {0, {term(0.001, 1, 1, 1)}},
                          {0, {term(10, 0, 1, 2)}},
                          {5, {term(-1, 0, 1, 1)}},
                          {900, {term(-1, 2, 1, 0)}},
                          {0, {term(7, -1, 1, 0)}},
                          {2000, {term(-3, -1, 1, 0)}}});
  EXPECT_THAT(order(rank(c.experiment, c.fits, RankBy::kGrowth, 0)),
              ElementsAre(3, 2, 1, 4, 8, 0, 7, 5, 6));
}

TEST(Ranking, AddsTheExponentsOfSeveralParameters) {
  const std::string names[] = {"p", "n"};
  const auto limit = [&](const char* text) {
    return asymptote(parse_expectation(text, names).value());
  };
  EXPECT_TRUE(compare_for_large(limit("p * n"), limit("100 * p^(3/2)")) > 0);
  EXPECT_TRUE(compare_for_large(limit("p * log2(n)"), limit("9 * p")) > 0);
  EXPECT_TRUE(compare_for_large(limit("p + n"), limit("1.5 * p")) > 0);
  EXPECT_TRUE(compare_for_large(limit("p^(1/3) * n^(2/3)"), limit("p")) == 0);
}

TEST(Ranking, DoesNotAddUpDifferentMetrics) {
  const Case c = case_of({{1, {}}, {500, {}}, {3, {}}, {1500, {}}}, {0, 1, 0, 1});
  const auto ranking = rank(c.experiment, c.fits, RankBy::kValue, 0);
  EXPECT_THAT(order(ranking), ElementsAre(2, 0, 3, 1));
  EXPECT_EQ(ranking[2].rank, 1U);
  EXPECT_EQ(ranking[3].rank, 2U);
  EXPECT_DOUBLE_EQ(ranking[0].share, 0.75);
  EXPECT_DOUBLE_EQ(ranking[2].share, 0.75);
}

TEST(Ranking, NegativePredictionsTakeNoShare) {
  const Case c = case_of({{-5, {}}, {20, {}}, {0, {}}});
  const auto ranking = rank(c.experiment, c.fits, RankBy::kValue, 0);
  EXPECT_THAT(order(ranking), ElementsAre(1, 2, 0));
  EXPECT_DOUBLE_EQ(ranking[0].share, 1);
  EXPECT_DOUBLE_EQ(ranking[2].share, 0);
  EXPECT_TRUE(std::isnan(ranking[2].growth_factor));
}

TEST(Ranking, KeepsTheOrderOfEqualKernels) {
  const Case c = case_of({{2, {}}, {2, {}}, {2, {}}});
  EXPECT_THAT(order(rank(c.experiment, c.fits, RankBy::kValue, 0)), ElementsAre(0, 1, 2));
  EXPECT_THAT(order(rank(c.experiment, c.fits, RankBy::kGrowth, 0)), ElementsAre(0, 1, 2));
}

TEST(Ranking, ValuesThatAreNoNumbersComeLast) {
  Case c = case_of({{1, {}}, {2, {}}, {3, {}}});
  c.fits[0].predictions[0].value = NAN;
  c.fits[2].predictions[0].value = -INFINITY;
  EXPECT_THAT(order(rank(c.experiment, c.fits, RankBy::kValue, 0)), ElementsAre(1, 0, 2));
}

TEST(Ranking, WhatIsBeyondAllNumbersComesFirstAndLeavesNoShares) {
  Case c = case_of({{1, {}}, {2, {}}});
  c.fits[1].predictions[0].value = INFINITY;
  const auto ranking = rank(c.experiment, c.fits, RankBy::kValue, 0);
  EXPECT_THAT(order(ranking), ElementsAre(1, 0));
  for (const Ranked& row : ranking) {
    EXPECT_TRUE(std::isnan(row.share));
    EXPECT_TRUE(std::isnan(row.share_gained));
  }
}

TEST(LargestMeasured, TakesEachParameterAlone) {
  Experiment experiment;
  experiment.parameters = {"p", "n"};
  experiment.coordinates = {4, 100, 8, 10};
  EXPECT_THAT(largest_measured(experiment), ElementsAre(8, 100));
}

}  // namespace
}  // namespace pathline::scaling

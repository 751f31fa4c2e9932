// SPDX-License-Identifier: BSD-3-Clause
#include "store/estimate.hpp"

#include <random>

#include <gtest/gtest.h>

namespace pathline::store {
namespace {

TEST(Quantile, LiesBetweenNeighbours) {
  const std::vector<double> values = {1, 2, 4, 8};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 8);
  EXPECT_EQ(quantile(values, 0.5), 3);
  EXPECT_EQ(quantile(std::vector<double>{5}, 0.9), 5);
}

TEST(Estimate, OfNothingIsNothing) { EXPECT_EQ(estimate({}, Statistic::kMedian).samples, 0U); }

TEST(Estimate, IsTheMedianOfLaunches) {
  // One launch with many samples weighs as much as the others.
  const std::vector<double> many(1000, 9.0);
  const std::vector<double> a = {1, 1, 2, 10};
  const std::vector<double> b = {2, 2, 3, 11};
  const std::span<const double> launches[] = {many, a, b};
  const Estimate lower = estimate(launches, Statistic::kLowerQuartile);
  EXPECT_EQ(lower.value, 2);
  EXPECT_EQ(lower.minimum, 1);
  EXPECT_EQ(lower.median, 9);
  EXPECT_EQ(lower.launches, 3U);
  EXPECT_EQ(lower.samples, 1008U);
  EXPECT_EQ(estimate(launches, Statistic::kMedian).value, 2.5);
  EXPECT_LE(lower.low, lower.value);
  EXPECT_GE(lower.high, lower.value);
}

TEST(Estimate, WhatAlwaysTakesTheSameHasNoWidth) {
  const std::vector<double> same(5, 0.25);
  const std::span<const double> launches[] = {same, same, same};
  EXPECT_EQ(estimate(launches, Statistic::kMedian).relative_half_width(), 0);
}

TEST(Estimate, OfFewLaunchesTheSamplesGiveTheWidth) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::span<const double> launches[] = {samples};
  const Estimate found = estimate(launches, Statistic::kMedian);
  EXPECT_EQ(found.value, 6);
  EXPECT_EQ(found.low, 2);
  EXPECT_EQ(found.high, 10);
}

// The interval is to hold the truth about nine times out of ten, for launches that differ.
TEST(Estimate, IntervalsCoverTheMedianOfManyLaunches) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> launch_noise(1.0, 0.05);
  std::normal_distribution<double> sample_noise(0.0, 0.01);
  int covered = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> samples(9);
    std::vector<std::span<const double>> launches;
    for (auto& launch : samples) {
      const double centre = launch_noise(random);
      for (int i = 0; i < 21; ++i) launch.push_back(centre + sample_noise(random));
      launches.emplace_back(launch);
    }
    const Estimate found = estimate(launches, Statistic::kMedian);
    covered += found.low <= 1.0 && 1.0 <= found.high ? 1 : 0;
  }
  EXPECT_GT(covered, kTrials * 80 / 100);
  EXPECT_LT(covered, kTrials * 99 / 100);
}

}  // namespace
}  // namespace pathline::store

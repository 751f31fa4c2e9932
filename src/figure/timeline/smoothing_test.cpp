// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::figure {
namespace {

TEST(FastZones, AreLongRunsWithoutGaps) {
  std::vector<uint8_t> is_changing(200);
  for (size_t i = 10; i < 80; i += 3) is_changing[i] = 1;    // long and dense
  for (size_t i = 100; i < 120; i += 2) is_changing[i] = 1;  // too short
  for (size_t i = 130; i < 200; i += 6) is_changing[i] = 1;  // too far apart
  const auto zones = fast_zones(is_changing);
  ASSERT_EQ(zones.size(), 1U);
  EXPECT_EQ(zones[0].begin, 10U);
  EXPECT_EQ(zones[0].end, 80U);
}

TEST(Smooth, TakesOutShortPeriodsAndKeepsTheRest) {
  for (const double period : {1.7, 2.3, 3.1, 4.0}) {
    // What columns hold of a function that is 1 for half of each period.
    std::vector<float> values(400);
    for (size_t column = 0; column < values.size(); ++column) {
      double share = 0;
      for (int k = 0; k < 100; ++k) {
        const double at = static_cast<double>(column) + (k + 0.5) / 100;
        share += std::fmod(at, period) < period / 2 ? 0.01 : 0;
      }
      values[column] = static_cast<float>(share);
    }
    smooth(std::vector<FastZone>{{100, 300}}, 1, values);
    for (size_t column = 110; column < 290; ++column) {
      EXPECT_NEAR(values[column], 0.5, 0.03) << period << ' ' << column;
    }
    EXPECT_GT(*std::max_element(values.begin(), values.begin() + 100), 0.6F) << "outside";
  }
}

TEST(Smooth, KeepsValuesOfAColumnApart) {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) values.insert(values.end(), {1.0F, 0.25F});
  smooth(std::vector<FastZone>{{0, 60}}, 2, values);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_FLOAT_EQ(values[i], i % 2 == 0 ? 1.0F : 0.25F);
}

/// Steps of these lengths from 0 on, in which value 0 has the first half.
std::vector<trace::StepWindow> steps_of(const std::vector<uint64_t>& lengths) {
  std::vector<trace::StepWindow> steps;
  uint64_t now = 0;
  for (const uint64_t length : lengths) {
    steps.push_back({static_cast<uint32_t>(steps.size()), now, now + length});
    now += length;
  }
  return steps;
}

TEST(StepMeans, ShowTheSameForStepsThatAreAlikeAtAnyWidth) {
  const auto steps = steps_of(std::vector<uint64_t>(300, 1000));
  for (const uint32_t columns : {180U, 280U, 380U, 1000U}) {
    StepMeans means(steps, {0, 300'000}, columns, 2);
    ASSERT_TRUE(means.any());
    for (const trace::StepWindow& step : steps) {
      means.add(step.begin_ticks, step.begin_ticks + 300, 0);
      means.add(step.begin_ticks + 300, step.end_ticks, 1);
    }
    std::vector<float> values(2 * columns);
    means.add_means(1, values);
    for (uint32_t column = 0; column < columns; ++column) {
      ASSERT_EQ(means.columns()[column], 1) << column;
      EXPECT_NEAR(values[2 * column], 0.3, 1e-3) << columns << ' ' << column;
      EXPECT_NEAR(values[2 * column + 1], 0.7, 1e-3) << columns << ' ' << column;
    }
  }
}

TEST(StepMeans, KeepAStepThatIsUnlikeTheOthersInItsPlace) {
  const auto steps = steps_of(std::vector<uint64_t>(100, 1000));
  StepMeans means(steps, {0, 100'000}, 200, 1);
  means.add(50'000, 51'000, 0);
  std::vector<float> values(200);
  means.add_means(1, values);
  for (size_t column = 0; column < 200; ++column) {
    EXPECT_FLOAT_EQ(values[column], column / 2 == 50 ? 1 : 0) << column;
  }
}

TEST(StepMeans, LeaveWideStepsAlone) {
  std::vector<uint64_t> lengths(20, 10'000);
  lengths.insert(lengths.end(), 50, 500);
  const auto steps = steps_of(lengths);
  StepMeans means(steps, {0, 225'000}, 225, 1);  // 10 px each, then half a pixel
  for (size_t column = 0; column < 225; ++column) {
    EXPECT_EQ(means.columns()[column], column < 200 ? 0 : 1) << column;
  }
}

TEST(StepMeans, CountInstantsOfEachStep) {
  const auto steps = steps_of(std::vector<uint64_t>(100, 1000));
  StepMeans means(steps, {0, 100'000}, 100, 1);
  for (const trace::StepWindow& step : steps) means.add_at(step.begin_ticks + 999, 3, 0);
  std::vector<float> values(100);
  means.add_means(1000, values);
  for (const float value : values) EXPECT_NEAR(value, 3, 1e-4);
}

TEST(StepMeans, AreBoundedHoweverManyStepsThereAre) {
  const auto steps = steps_of(std::vector<uint64_t>(100'000, 7));
  StepMeans means(steps, {0, 700'000}, 100, 1);
  means.add(0, 700'000, 0);
  std::vector<float> values(100);
  means.add_means(1, values);
  for (const float value : values) EXPECT_NEAR(value, 1, 1e-4);
}

}  // namespace
}  // namespace pathline::figure

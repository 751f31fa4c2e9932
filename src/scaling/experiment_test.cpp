// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/experiment.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::scaling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

double of(Aggregate how, std::vector<double> ascending) { return aggregate(ascending, how); }

TEST(Aggregate, IsTheMeanMedianMinimumOrMaximum) {
  EXPECT_EQ(of(Aggregate::kMean, {1, 2, 6}), 3);
  EXPECT_EQ(of(Aggregate::kMedian, {1, 2, 6}), 2);
  EXPECT_EQ(of(Aggregate::kMedian, {1, 2, 6, 7}), 4);
  EXPECT_EQ(of(Aggregate::kMin, {1, 2, 6}), 1);
  EXPECT_EQ(of(Aggregate::kMax, {1, 2, 6}), 6);
  EXPECT_EQ(of(Aggregate::kMedian, {-3}), -3);
}

TEST(Aggregate, OfEqualValuesIsThatValueToTheLastBit) {
  for (const double value : {1.0, 0.1, 1.0 / 3, 5e-324, -0.7, 1.7e308}) {
    for (size_t count = 1; count < 50; ++count) {
      const std::vector<double> values(count, value);
      EXPECT_EQ(aggregate(values, Aggregate::kMean), value) << count;
      EXPECT_EQ(aggregate(values, Aggregate::kMedian), value) << count;
    }
  }
}

TEST(Aggregate, OfLargeValuesIsFinite) {
  const double large = std::numeric_limits<double>::max();
  EXPECT_EQ(of(Aggregate::kMean, {-large, large}), 0);
  EXPECT_NEAR(of(Aggregate::kMean, {large / 2, large, large}) / large, 5.0 / 6, 1e-15);
  EXPECT_EQ(of(Aggregate::kMedian, {large, large}), large);
}

TEST(ExperimentBuilder, SortsPointsAndRepetitionsAndKeepsTheOrderOfKernels) {
  ExperimentBuilder builder({"p", "n"});
  const uint32_t late = builder.point(std::vector<double>{8, 1});
  const uint32_t first = builder.point(std::vector<double>{2, 20});
  const uint32_t middle = builder.point(std::vector<double>{2, 100});
  const uint32_t time = builder.metric("time");
  const uint32_t unused = builder.call_path("unused");
  const uint32_t b = builder.call_path("b");
  const uint32_t a = builder.call_path("a");
  for (const uint32_t point : {late, first, middle}) {
    builder.add(b, time, point, 10.0 * point + 2);
    builder.add(a, time, point, point);
    builder.add(b, time, point, 10.0 * point + 1);
  }
  const Experiment experiment = std::move(builder).finish();
  EXPECT_EQ(unused, 0U);
  ASSERT_EQ(experiment.point_count(), 3U);
  EXPECT_THAT(experiment.point(0), ElementsAre(2, 20));
  EXPECT_THAT(experiment.point(1), ElementsAre(2, 100));
  EXPECT_THAT(experiment.point(2), ElementsAre(8, 1));
  ASSERT_EQ(experiment.kernels.size(), 2U);
  EXPECT_EQ(experiment.call_paths[experiment.kernels[0].call_path], "b");
  EXPECT_EQ(experiment.call_paths[experiment.kernels[1].call_path], "a");
  EXPECT_THAT(experiment.samples_of(0, 0), ElementsAre(11, 12));
  EXPECT_THAT(experiment.samples_of(0, 1), ElementsAre(21, 22));
  EXPECT_THAT(experiment.samples_of(0, 2), ElementsAre(1, 2));
  EXPECT_THAT(experiment.samples_of(1, 0), ElementsAre(1));
  EXPECT_THAT(experiment.samples_of(1, 2), ElementsAre(0));
  EXPECT_THAT(experiment.skipped, IsEmpty());
}

TEST(ExperimentBuilder, GivesEqualNamesAndPointsEqualIds) {
  ExperimentBuilder builder({"p"});
  EXPECT_EQ(builder.call_path("main"), builder.call_path("main"));
  EXPECT_NE(builder.call_path("main"), builder.call_path("Main"));
  EXPECT_EQ(builder.metric(""), builder.metric(""));
  EXPECT_EQ(builder.point(std::vector<double>{0.0}), builder.point(std::vector<double>{-0.0}));
  EXPECT_NE(builder.point(std::vector<double>{0.0}), builder.point(std::vector<double>{1.0}));
}

TEST(ExperimentBuilder, SkipsKernelsWithoutAllPointsAndSaysWhatTheyLack) {
  ExperimentBuilder builder({"p", "n"});
  const uint32_t metric = builder.metric("visits");
  const uint32_t whole = builder.call_path("whole");
  const uint32_t part = builder.call_path("part");
  for (const double p : {1, 2, 3}) {
    const uint32_t point = builder.point(std::vector<double>{p, 0.5});
    builder.add(whole, metric, point, p);
    if (p != 2) builder.add(part, metric, point, p);
    if (p != 2) builder.add(part, metric, point, p);
  }
  const Experiment experiment = std::move(builder).finish();
  ASSERT_EQ(experiment.kernels.size(), 1U);
  EXPECT_EQ(experiment.call_paths[experiment.kernels[0].call_path], "whole");
  EXPECT_EQ(experiment.samples.size(), 3U);
  ASSERT_EQ(experiment.skipped.size(), 1U);
  EXPECT_EQ(experiment.skipped[0].call_path, "part");
  EXPECT_EQ(experiment.skipped[0].metric, "visits");
  EXPECT_EQ(experiment.skipped[0].reason, "it has values at 2 of 3 points, none at (2, 0.5)");
}

TEST(ExperimentBuilder, SkipsKernelsWithoutAnyValue) {
  ExperimentBuilder builder({"p"});
  builder.declare(builder.call_path("empty"), builder.metric("time"));
  builder.declare(builder.call_path("main"), builder.metric("time"));
  builder.add(builder.call_path("main"), builder.metric("time"), builder.point(std::array{4.0}), 1);
  const Experiment experiment = std::move(builder).finish();
  ASSERT_EQ(experiment.kernels.size(), 1U);
  EXPECT_EQ(experiment.call_paths[experiment.kernels[0].call_path], "main");
  ASSERT_EQ(experiment.skipped.size(), 1U);
  EXPECT_EQ(experiment.skipped[0].call_path, "empty");
  EXPECT_EQ(experiment.skipped[0].reason, "it has no values");
}

TEST(ExperimentBuilder, KnowsNoNegativeZero) {
  ExperimentBuilder builder({"p"});
  builder.add(builder.call_path("main"), builder.metric("time"), builder.point(std::array{-0.0}),
              -0.0);
  const Experiment experiment = std::move(builder).finish();
  EXPECT_FALSE(std::signbit(experiment.samples[0]));
  EXPECT_FALSE(std::signbit(experiment.coordinates[0]));
}

TEST(ExperimentBuilder, WarnsOfFewerThanFiveValuesOfAParameter) {
  ExperimentBuilder builder({"p", "n\x1b"});
  const uint32_t kernel = builder.call_path("main");
  for (const double p : {1, 2, 4, 8, 16}) {
    builder.add(kernel, builder.metric("t"), builder.point(std::vector<double>{p, 3}), 1);
  }
  const Experiment experiment = std::move(builder).finish();
  EXPECT_THAT(experiment.warnings,
              ElementsAre("parameter n\xef\xbf\xbd has 1 value: with fewer than 5 a model is "
                          "little more than a guess"));
}

TEST(ExperimentBuilder, NeedsNoTableOfKernelsAndPointsWhenEveryKernelHasAPointOfItsOwn) {
  constexpr uint32_t kCount = 100'000;  // The table would have 80 GB.
  ExperimentBuilder builder({"p"});
  for (uint32_t i = 0; i < kCount; ++i) {
    const double p = i;
    builder.add(builder.call_path(std::to_string(i)), builder.metric("t"), builder.point({&p, 1}),
                1);
  }
  const Experiment experiment = std::move(builder).finish();
  EXPECT_THAT(experiment.kernels, IsEmpty());
  EXPECT_EQ(experiment.skipped.size(), kCount);
  EXPECT_EQ(experiment.skipped[0].reason, "it has values at 1 of 100000 points, none at (1)");
}

TEST(ExperimentBuilder, ListsNoMoreSkippedKernelsThanMemoryAllows) {
  ExperimentBuilder builder({"p"});
  const double one = 1;
  const double two = 2;
  builder.point({&two, 1});
  const uint32_t point = builder.point({&one, 1});
  const uint32_t call_path = builder.call_path(std::string(1U << 20, 'x'));
  for (int i = 0; i < 100; ++i) {
    builder.add(call_path, builder.metric(std::to_string(i)), point, i);
  }
  const Experiment experiment = std::move(builder).finish();
  EXPECT_EQ(experiment.skipped.size(), 63U);
  EXPECT_THAT(experiment.warnings.front(), HasSubstr("37 kernels more lack points"));
}

}  // namespace
}  // namespace pathline::scaling

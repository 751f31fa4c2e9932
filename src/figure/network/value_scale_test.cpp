// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/value_scale.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::figure {
namespace {

std::vector<double> rising(size_t count, double begin, double step) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(begin + step * static_cast<double>(i));
  return values;
}

TEST(ValueScale, IsLinearFromZeroUnlessMostValuesAreFarBelowTheLargest) {
  const ValueScale linear = ValueScale::of(rising(100, 1, 1));
  EXPECT_FALSE(linear.logarithmic);
  EXPECT_EQ(linear.alike, 0U);
  EXPECT_NEAR(linear.share(50), 0.5, 1e-12);
  std::vector<double> far = rising(100, 1, 1);
  far.push_back(1e6);
  EXPECT_TRUE(ValueScale::of(far).logarithmic);
}

TEST(ValueScale, GivesItsColorsToThoseThatDoNotCoincide) {
  // 300 links of about 3 MB, 10 below and 90 above, as of MiniMD on 2,048 nodes.
  std::vector<double> values = rising(300, 3.0, 0.0001);
  for (const double value : rising(10, 0.1, 0.1)) values.push_back(value);
  for (const double value : rising(90, 6, 0.25)) values.push_back(value);
  std::reverse(values.begin(), values.end());
  const ValueScale scale = ValueScale::of(values);
  EXPECT_EQ(scale.count, 400U);
  EXPECT_EQ(scale.alike, 300U);
  EXPECT_NEAR(scale.alike_value, 3.015, 0.01);
  // By quantile of the 100 others: 10 have 0.09 of the colours, the 300 have 0.1.
  EXPECT_NEAR(scale.share(3.0), 0.09, 0.01);
  EXPECT_NEAR(scale.share(3.0299), 0.19, 0.01);
  EXPECT_NEAR(scale.share(6 + 0.25 * 45), 0.19 + 0.9 * 0.45, 0.02);
  EXPECT_EQ(scale.share(6 + 0.25 * 89), 1);
  double last = -1;
  std::sort(values.begin(), values.end());
  for (const double value : values) {
    EXPECT_GE(scale.share(value), last) << value;
    last = scale.share(value);
  }
  const auto ticks = scale.ticks(RouteMetric::kBytes, LoadUnit::kBytes);
  ASSERT_EQ(ticks.size(), 5U);
  EXPECT_EQ(ticks.back().position, 1);
}

TEST(ValueScale, OfEqualValuesOrNoneHasOneColor) {
  EXPECT_EQ(ValueScale::of({}).share(1), 1);
  const ValueScale same = ValueScale::of(std::vector<double>(50, 7.0));
  EXPECT_EQ(same.alike, 0U) << "there are no others";
  EXPECT_EQ(same.share(7), 1);
}

}  // namespace
}  // namespace pathline::figure

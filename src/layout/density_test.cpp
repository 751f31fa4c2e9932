// SPDX-License-Identifier: BSD-3-Clause
#include "layout/density.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

TEST(LogHistogram, CountsFromABinUpwards) {
  LogHistogram histogram;
  histogram.add(1);
  histogram.add(2, 3);
  histogram.add(1024);
  EXPECT_EQ(histogram.count_from(0), 5U);
  EXPECT_EQ(histogram.count_from(1.5), 4U);
  EXPECT_EQ(histogram.count_from(2048), 0U);
  EXPECT_NEAR(histogram.quantile(0.5), 2, 2.0 / 32);
  EXPECT_EQ(histogram.quantile(0.5, 2048), 0);
}

TEST(LogHistogram, CountsWhatIsInfiniteInTheLastBin) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  LogHistogram histogram;
  histogram.add(kInfinity, 2);
  histogram.add(std::numeric_limits<float>::max());
  histogram.add(1);
  EXPECT_EQ(histogram.count_from(0), 4U);
  EXPECT_EQ(histogram.count_from(2), 3U);
  EXPECT_EQ(histogram.count_from(double{kInfinity}), 3U);
  EXPECT_EQ(histogram.quantile(1), double{kInfinity}) << "the upper edge of the last bin";
}

}  // namespace
}  // namespace pathline::layout

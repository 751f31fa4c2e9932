// SPDX-License-Identifier: BSD-3-Clause
#include "base/outliers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(StandOut, FindsTheOneThatIsUnlikeTheOthers) {
  const std::vector<double> slow = {1, 1.01, 0.99, 1.6, 1, 1.02};
  EXPECT_THAT(stand_out(slow, 0), ElementsAre(false, false, false, true, false, false));
  const std::vector<double> idle = {1, 1, 0.1, 1};
  EXPECT_THAT(stand_out(idle, 0), ElementsAre(false, false, true, false));
}

TEST(StandOut, FindsNobodyWhereAllDiffer) {
  const std::vector<double> ramp = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(stand_out(ramp, 0), Each(false));
  const std::vector<double> halves = {1, 1, 1, 1, 2, 2, 2, 2};
  EXPECT_THAT(stand_out(halves, 0), Each(false));
  const std::vector<double> two = {1, 100};
  EXPECT_THAT(stand_out(two, 0), Each(false));
  EXPECT_TRUE(stand_out({}, 0).empty());
}

TEST(StandOut, LeavesAloneWhatIsLittle) {
  const std::vector<double> values = {1, 1, 1, 1.04};
  EXPECT_THAT(stand_out(values, 0), Each(false)) << "less than a twentieth";
  const std::vector<double> times = {1e-6, 1e-6, 1e-6, 3e-6};
  EXPECT_THAT(stand_out(times, 0.01), Each(false)) << "less than somebody would notice";
}

}  // namespace
}  // namespace pathline::base

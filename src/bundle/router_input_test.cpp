// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/router_input.hpp"

#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/router_cases.hpp"

namespace pathline::bundle {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> units_of(const layout::Segments& lines, unsigned threads = 1) {
  base::ThreadPool pool(threads);
  const auto units = weight_units(lines, pool);
  return {units.begin(), units.end()};
}

TEST(WeightUnits, KeepTheRatiosOfIntegers) {
  layout::Segments lines;
  for (const float weight : {1.0F, 3.0F, 1000.0F}) {
    lines.add(0, 0, 1, 1);
    lines.weight.push_back(weight);
  }
  const auto units = units_of(lines);
  EXPECT_EQ(units[1], 3 * units[0]);
  EXPECT_EQ(units[2], 1000 * units[0]);
}

TEST(WeightUnits, AreEqualWithoutWeights) {
  layout::Segments lines;
  for (int i = 0; i < 3; ++i) lines.add(0, 0, 1, 1);
  const auto units = units_of(lines);
  EXPECT_GT(units[0], 0U);
  EXPECT_THAT(units, ElementsAre(units[0], units[0], units[0]));
}

TEST(WeightUnits, AreZeroForMessagesThatDoNotCount) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  layout::Segments lines;
  for (const float weight : {0.0F, -1.0F, kNan, kInfinity}) {
    lines.add(1, 2, 3, 4);
    lines.weight.push_back(weight);
  }
  lines.add(kNan, 2, 3, 4);
  lines.add(1, kInfinity, 3, 4);
  lines.add(1, 2, -kInfinity, 4);
  lines.add(1, 2, 3, kNan);
  lines.add(kInfinity, 2, -kInfinity, 4);
  lines.add(1, 2, 3, 4);
  lines.weight.resize(lines.size(), 5);
  const auto units = units_of(lines);
  for (size_t i = 0; i + 1 < units.size(); ++i) EXPECT_EQ(units[i], 0U) << "message " << i;
  EXPECT_GT(units.back(), 0U);
}

TEST(WeightUnits, NeitherOverflowNorVanish) {
  layout::Segments lines;
  for (int i = 0; i < 100000; ++i) {
    lines.add(0, 0, 1, 1);
    lines.weight.push_back(9007199254740992.0F);
  }
  lines.add(0, 0, 1, 1);
  lines.weight.push_back(1e-40F);
  const auto units = units_of(lines);
  EXPECT_LT(2 * std::accumulate(units.begin(), units.end(), uint64_t{0}), kMaxTotalUnits);
  EXPECT_EQ(units.back(), 1U);
  EXPECT_GT(units.front(), 1000000U);
}

TEST(WeightUnits, DoNotDependOnThreads) {
  const layout::Segments lines = cases::phases(140000, 1);
  const auto units = units_of(lines, 1);
  EXPECT_EQ(units, units_of(lines, 2));
  EXPECT_EQ(units, units_of(lines, 8));
}

TEST(PlotArea, IsNeverEmpty) {
  EXPECT_EQ(plot_area({1, 2, 30, 40}).w, 30);
  EXPECT_GT(plot_area({1, 2, 0, -40}).h, 0);
  EXPECT_EQ(plot_area({NAN, 2, 3, 4}).w, 1);
  EXPECT_EQ(plot_area({1, 2, HUGE_VAL, 4}).h, 1);
}

TEST(AddInner, AddsAPointOnceAndNeverTheEnds) {
  std::vector<layout::Point> control = {{0, 0}};
  for (const layout::Point p :
       {layout::Point{0, 0}, layout::Point{1, 1}, layout::Point{1, 1}, layout::Point{2, 2}})
    add_inner(p, control);
  add_last({2, 2}, control);
  ASSERT_EQ(control.size(), 3U);
  EXPECT_EQ(control[1].x, 1);
  EXPECT_EQ(control[2].x, 2);

  std::vector<layout::Point> still = {{5, 5}};
  add_last({5, 5}, still);
  EXPECT_EQ(still.size(), 2U);
}

}  // namespace
}  // namespace pathline::bundle

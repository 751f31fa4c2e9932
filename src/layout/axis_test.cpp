// SPDX-License-Identifier: BSD-3-Clause
#include "layout/axis.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/text.hpp"

namespace pathline::layout {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks.major) result.push_back(tick.label);
  return result;
}

TEST(TimeTicks, ChooseTheUnitByTheLargestTime) {
  EXPECT_THAT(labels(time_ticks(0, 400, 5)),
              ElementsAre("0 ns", "100 ns", "200 ns", "300 ns", "400 ns"));
  EXPECT_THAT(labels(time_ticks(0, 3e6, 4)), ElementsAre("0 ms", "1 ms", "2 ms", "3 ms"));
  EXPECT_THAT(labels(time_ticks(1e9, 2e9, 3)), ElementsAre("1.0 s", "1.5 s", "2.0 s"));
  EXPECT_THAT(labels(time_ticks(100e3, 320e3, 3)),
              ElementsAre("100 \u00b5s", "200 \u00b5s", "300 \u00b5s"));
}

TEST(TimeTicks, UseMinutesBeyondTwoOfThem) {
  EXPECT_THAT(labels(time_ticks(0, 240e9, 5)),
              ElementsAre("0", "1 min", "2 min", "3 min", "4 min"));
  EXPECT_THAT(labels(time_ticks(125e9, 160e9, 4)),
              ElementsAre("2:10 min", "2:20 min", "2:30 min", "2:40 min"));
  EXPECT_THAT(labels(time_ticks(0, 4 * 3600e9, 3)), ElementsAre("0", "2 h", "4 h"));
  EXPECT_THAT(labels(time_ticks(0, 150e9, 6)),
              ElementsAre("0 s", "30 s", "1:00 min", "1:30 min", "2:00 min", "2:30 min"));
  EXPECT_THAT(labels(time_ticks(0, 5400e9, 4)), ElementsAre("0", "30 min", "1:00 h", "1:30 h"));
}

TEST(TimeTicks, KeepEnoughDecimalsFarFromZero) {
  EXPECT_THAT(labels(time_ticks(200e9, 200.0003e9, 4)),
              ElementsAre("200.0000 s", "200.0001 s", "200.0002 s", "200.0003 s"));
}

TEST(TimeTicks, AreToldApartInAMicrosecond) {
  std::set<std::string> labels;
  const Ticks ticks = time_ticks(100e9, 100e9 + 1000, 12);
  for (const Tick& tick : ticks.major) labels.insert(tick.label);
  EXPECT_EQ(labels.size(), ticks.major.size());
  EXPECT_TRUE(labels.contains("100.0000005 s"));
}

TEST(TimeTicks, NeverExceedTheCountAndAscendInsideTheRange) {
  for (const double begin : {0.0, 1.0, 17.3, 9.99e8, 1.2e11, 7.3e12}) {
    for (int power = 0; power < 25; ++power) {
      const double span = std::pow(3.7, power);
      for (const size_t count : {2, 5, 12}) {
        const Ticks ticks = time_ticks(begin, begin + span, count);
        EXPECT_LE(ticks.major.size(), count) << begin << ' ' << span;
        double last = begin - span;
        for (const Tick& tick : ticks.major) {
          EXPECT_GT(tick.value, last);
          EXPECT_GE(tick.value, begin - 1e-6 * span);
          EXPECT_LE(tick.value, begin + span * (1 + 1e-6));
          last = tick.value;
        }
      }
    }
  }
}

TEST(TimeTicks, AreNoneForAnEmptyOrSenselessRange) {
  EXPECT_TRUE(time_ticks(5, 5, 4).major.empty());
  EXPECT_TRUE(time_ticks(5, 1, 4).major.empty());
  EXPECT_TRUE(time_ticks(0, std::numeric_limits<double>::infinity(), 4).major.empty());
  EXPECT_TRUE(time_ticks(NAN, 1, 4).major.empty());
  EXPECT_TRUE(time_ticks(0, 1, 0).major.empty());
}

TEST(CountTicks, UseSiMultiplesAndCutStepsIntoParts) {
  const Ticks ticks = count_ticks(0, 2e6, 5);
  EXPECT_THAT(labels(ticks), ElementsAre("0.0", "0.5 M", "1.0 M", "1.5 M", "2.0 M"));
  EXPECT_EQ(ticks.minor.size(), 16U);
  EXPECT_THAT(labels(count_ticks(-10, 10, 3, "%")), ElementsAre("-10 %", "0 %", "10 %"));
}

TEST(LogTicks, ThinOutButStayPowers) {
  EXPECT_THAT(labels(log_ticks(1, 1e6, 4, false)), ElementsAre("1", "100", "10 k", "1 M"));
  EXPECT_THAT(labels(log_ticks(8, 5000, 20, true)),
              ElementsAre("8 B", "16 B", "32 B", "64 B", "128 B", "256 B", "512 B", "1 KiB",
                          "2 KiB", "4 KiB"));
  EXPECT_TRUE(log_ticks(0, 10, 4, false).major.empty());
}

template <class T>
std::vector<T> all(const Scene& scene) {
  std::vector<T> result;
  for (const Layer& layer : scene.layers) {
    if (const T* part = std::get_if<T>(&layer)) result.push_back(*part);
  }
  return result;
}

TEST(BottomAxis, LeavesOutLabelsThatWouldTouchAndStaysInThePicture) {
  Scene scene;
  scene.width_px = 200;
  const Rect plot{10, 10, 185, 100};
  add_bottom_axis(scene, light_theme(), plot, {0, 1e9, plot.x, plot.right()},
                  time_ticks(0, 1e9, 50));
  const auto drawn = all<Labels>(scene).at(0).items;
  ASSERT_GE(drawn.size(), 2U);
  double free_from = 0;
  for (const Label& label : drawn) {
    EXPECT_GE(label.at.x, free_from);
    free_from = label.at.x + text_width_px(label.text, label.size_px);
    EXPECT_LE(free_from, scene.width_px);
  }
}

TEST(RowLabels, AreThinnedToRoundDistances) {
  Scene scene;
  std::vector<std::string> names;
  for (int i = 0; i < 1024; ++i) names.push_back(std::to_string(i));
  add_row_labels(scene, light_theme(), {60, 0, 500, 600}, names, 50);
  const auto drawn = all<Labels>(scene).at(0).items;
  ASSERT_GT(drawn.size(), 10U);
  EXPECT_EQ(drawn[1].text, "50");
  EXPECT_NEAR(drawn[0].at.y, 600 / 1024.0 / 2, 1e-9);
}

TEST(ColumnLabels, AreThinnedToWhatFitsSideBySide) {
  Scene scene;
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) names.push_back("node" + std::to_string(i));
  const Rect plot{0, 0, 640, 100};
  EXPECT_EQ(column_label_distance(light_theme(), plot, names), 10U);
  add_column_labels(scene, light_theme(), plot, names, 20);
  const auto drawn = all<Labels>(scene).at(0).items;
  ASSERT_EQ(drawn.size(), 4U);
  EXPECT_EQ(drawn[1].text, "node20");
  EXPECT_DOUBLE_EQ(drawn[1].at.x, 205);
}

TEST(Title, IsCutToThePictureAndReturnsTheFreeHeight) {
  Scene scene;
  scene.width_px = 300;
  const double y = add_title(scene, dark_theme(), std::string(200, 'x'), "below");
  EXPECT_EQ(scene.background, dark_theme().background);
  const auto drawn = all<Labels>(scene).at(0).items;
  EXPECT_LE(text_width_px(drawn[0].text, drawn[0].size_px, Weight::kBold), 300 - 32);
  EXPECT_GT(y, drawn[1].at.y + drawn[1].size_px);
}

TEST(Rule, LiesOnWholePixels) {
  Polylines lines;
  lines.add_rule({10.2, 0}, {10.2, 50}, rgb(0));
  lines.add_rule({0, 7.9}, {20, 7.9}, rgb(0), 2);
  EXPECT_EQ(lines.lines[0].points[0].x, 10.5);
  EXPECT_EQ(lines.lines[1].points[1].y, 8);
}

}  // namespace
}  // namespace pathline::layout

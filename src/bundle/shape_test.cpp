// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "bundle/test_messages.hpp"

namespace pathline::bundle {
namespace {

/// Every message over the same inner points.
class Over : public Router {
 public:
  explicit Over(std::vector<layout::Point> inner) : inner_(std::move(inner)) {}
  void route(layout::Point from, layout::Point to,
             std::vector<layout::Point>& control) const override {
    control = {from};
    control.insert(control.end(), inner_.begin(), inner_.end());
    control.push_back(to);
  }

 private:
  std::vector<layout::Point> inner_;
};

layout::Segments on(double width, double height) {
  layout::Segments lines;
  lines.clip = {0, 0, width, height};
  return lines;
}

TEST(MeasureShape, FindsNothingInStraightLines) {
  base::ThreadPool pool(1);
  const layout::Segments lines = phased_messages(500, 8, 300, 200, 30, 9, 25);
  const Shape shape = measure_shape(lines, Over({}), {}, pool);
  EXPECT_DOUBLE_EQ(shape.detour_mean, 1);
  EXPECT_DOUBLE_EQ(shape.detour_max, 1);
  EXPECT_EQ(shape.displacement_px, 0);
  EXPECT_EQ(shape.reversal, 0);
}

TEST(MeasureShape, MeasuresAPolygonOfDegreeOneByHand) {
  base::ThreadPool pool(1);
  layout::Segments lines = on(100, 100);
  lines.add(10, 50, 70, 50);
  // Up to (40, 10) and down again: two legs of 50 instead of 60.
  const Shape shape = measure_shape(lines, Over({{40, 10}}), {1, 1}, pool);
  EXPECT_NEAR(shape.detour_mean, 100.0 / 60, 1e-6);
  EXPECT_NEAR(shape.detour_p95, 100.0 / 60, 1e-6);
  // The distance grows from 0 to 40 px and shrinks again.
  EXPECT_NEAR(shape.displacement_px, 20, 1e-6);
  EXPECT_EQ(shape.reversal, 0);
}

TEST(MeasureShape, CountsWhatRunsAgainstTimeAlsoForClocksThatDisagree) {
  base::ThreadPool pool(1);
  for (const bool is_backwards : {false, true}) {
    layout::Segments lines = on(100, 100);
    is_backwards ? lines.add(70, 50, 40, 50) : lines.add(40, 50, 70, 50);
    // 30 px back (on beyond the end), then 60 forth.
    const layout::Point corner = is_backwards ? layout::Point{100, 50} : layout::Point{10, 50};
    const Shape shape = measure_shape(lines, Over({corner}), {1, 1}, pool);
    EXPECT_NEAR(shape.reversal, 30.0 / 90, 1e-6);
  }
}

TEST(MeasureShape, WeighsMessagesAndLooksAtTheWorst) {
  base::ThreadPool pool(1);
  layout::Segments lines = on(100, 100);
  lines.add(10, 50, 70, 50);  // detour 100/60
  lines.add(40, 10, 40, 11);  // shorter than 2 px: no detour of its own
  lines.weight = {3, 1};
  const Shape shape = measure_shape(lines, Over({{40, 10}}), {1, 1}, pool);
  EXPECT_NEAR(shape.detour_max, 100.0 / 60, 1e-6);
  EXPECT_NEAR(shape.detour_mean, (3 * 100 + 1) / (3 * 60 + 1.0), 1e-6);
}

TEST(MeasureShape, LeavesOutWhatBeginsOrEndsOutsideThePicture) {
  base::ThreadPool pool(1);
  layout::Segments lines = on(100, 100);
  lines.add(-1e6F, 50, 70, 50);
  lines.add(NAN, 50, 70, 50);
  const Shape shape = measure_shape(lines, Over({{40, 10}}), {1, 1}, pool);
  EXPECT_EQ(shape.detour_mean, 1);
  EXPECT_LT(shape.displacement_px, 1e6);
}

TEST(Ambiguity, IsNoneWhereEveryConnectionExistsAndHalfWhereOnlyHalfOfThemDo) {
  layout::Segments some = on(400, 400);
  some.add(20, 20, 380, 20);
  some.add(20, 380, 380, 380);
  layout::Segments all = some;
  all.add(20, 20, 380, 380);
  all.add(20, 380, 380, 20);
  const Over through_the_middle({{100, 200}, {300, 200}});
  // A third of the way is shared, where half of the connections exist; they meet a block before.
  EXPECT_NEAR(ambiguity(some, &through_the_middle, {1, 1}), 0.5 / 3, 0.02);
  EXPECT_LT(ambiguity(all, &through_the_middle, {1, 1}), 0.02);
  EXPECT_EQ(ambiguity(some, nullptr, {}), 0);
}

TEST(Ambiguity, DoesNotDependOnTheOrderOfTheMessages) {
  const layout::Segments lines = phased_messages(800, 8, 300, 200, 30, 9, 60);
  const Over middle({{150, 100}});
  EXPECT_DOUBLE_EQ(ambiguity(lines, &middle, {}), ambiguity(shuffled(lines), &middle, {}));
}

TEST(Ambiguity, CountsEachOfEqualMessagesInAnyOrder) {
  // Two in one block, each from and to a row of its own: 2 of 4 pairs exist. The third is alone.
  const std::array<float, 4> a = {9, 4, 14, 4};
  const std::array<float, 4> b = {10, 5, 14, 5};
  const std::array<float, 4> c = {100, 100, 105, 100};
  std::vector<std::array<float, 4>> messages = {a, a, a, b, c};
  std::sort(messages.begin(), messages.end());
  do {
    layout::Segments lines = on(200, 200);
    for (const auto& [x1, y1, x2, y2] : messages) lines.add(x1, y1, x2, y2);
    EXPECT_DOUBLE_EQ(ambiguity(lines, nullptr, {}), 1 - (4 * 0.5 + 1) / 5);
  } while (std::next_permutation(messages.begin(), messages.end()));
}

TEST(Ambiguity, CountsPairsOfRowsWheneverTheyExchangeMessages) {
  // The same two rows again and again are one pair: nothing wrong could be inferred.
  layout::Segments lines = on(200, 200);
  for (int i = 0; i < 40; ++i) {
    lines.add(static_cast<float>(10 + i), 20, static_cast<float>(60 + 3 * i), 180);
  }
  EXPECT_EQ(ambiguity(lines, nullptr, {}), 0);
  const Over middle({{100, 100}});
  EXPECT_EQ(ambiguity(lines, &middle, {1, 1}), 0);
}

TEST(Ambiguity, LeavesOutWhatIsOutsideThePicture) {
  layout::Segments lines = on(200, 200);
  lines.add(20, 20, 380, 180);
  lines.add(20, 180, 380, 20);
  const Over behind_the_border({{300, 90}, {300, 110}});
  EXPECT_EQ(ambiguity(lines, &behind_the_border, {1, 1}), 0);
}

TEST(Ambiguity, CountsAStretchOncePerCurve) {
  layout::Segments lines = on(200, 200);
  lines.add(20, 4, 180, 4);
  lines.add(20, 180, 180, 180);
  std::vector<layout::Point> way = {{20, 50}, {80, 50}, {20, 50}, {80, 50}};
  const Over twice(way);
  way.insert(way.end(), {{20, 50}, {80, 50}});
  const Over three_times(way);
  EXPECT_GT(ambiguity(lines, &twice, {1, 1}), 0.1);
  EXPECT_DOUBLE_EQ(ambiguity(lines, &twice, {1, 1}), ambiguity(lines, &three_times, {1, 1}));
}

}  // namespace
}  // namespace pathline::bundle

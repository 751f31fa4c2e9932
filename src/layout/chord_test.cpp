// SPDX-License-Identifier: BSD-3-Clause
#include "layout/chord.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/bspline.hpp"

namespace pathline::layout {
namespace {

const ChordOptions kCircle{.centre = {300, 200}, .radius_px = 100};

double radius(Point at) { return std::hypot(at.x - 300, at.y - 200); }

std::vector<Point> polygon(const ChordTree& tree, uint32_t from, uint32_t to) {
  std::vector<Point> control;
  chord_polygon(tree, kCircle, from, to, control);
  return control;
}

TEST(ChordTree, JoinsFourByFour) {
  const ChordTree tree(64, {});
  EXPECT_EQ(tree.height(), 3U);
  EXPECT_EQ(tree.node(5, 0), 5U);
  EXPECT_EQ(tree.node(5, 1), 1U);
  EXPECT_EQ(tree.node(17, 2), 1U);
  EXPECT_EQ(tree.node(63, 3), 0U);
  EXPECT_DOUBLE_EQ(tree.middle(1, 1), 5.5);
  EXPECT_DOUBLE_EQ(tree.middle(3, 0), 31.5);
  for (const uint32_t count : {1U, 2U, 3U, 4U}) EXPECT_EQ(ChordTree(count, {}).height(), 1U);
  EXPECT_EQ(ChordTree(5, {}).height(), 2U);
  EXPECT_EQ(ChordTree(7, {}).node(6, 1), 1U);
}

TEST(ChordTree, JoinsTheProcessesOfABlockFirst) {
  const std::vector<uint32_t> blocks = {0, 3, 9};
  const ChordTree tree(10, blocks);
  ASSERT_EQ(tree.height(), 3U);
  EXPECT_EQ(tree.node(2, 1), 0U);
  EXPECT_EQ(tree.node(3, 1), 1U);
  EXPECT_EQ(tree.node(8, 1), 2U) << "the fifth of the second block";
  EXPECT_EQ(tree.node(2, 2), 0U);
  EXPECT_EQ(tree.node(8, 2), 1U);
  EXPECT_EQ(tree.node(9, 2), 2U);
  EXPECT_EQ(tree.node(9, 3), 0U);
  EXPECT_DOUBLE_EQ(tree.middle(2, 1), 5.5);
}

TEST(ChordPolygon, StartsAtTheTopAndGoesClockwise) {
  const Point top = on_circle(kCircle, 0, 4, 100);
  EXPECT_NEAR(top.x, 300, 1e-9);
  EXPECT_NEAR(top.y, 100, 1e-9);
  const Point right = on_circle(kCircle, 1, 4, 100);
  EXPECT_NEAR(right.x, 400, 1e-9);
  EXPECT_NEAR(right.y, 200, 1e-9);
}

TEST(ChordPolygon, ClimbsToTheCommonAncestorAndDown) {
  const ChordTree tree(64, {});
  const std::vector<Point> near = polygon(tree, 0, 1);
  ASSERT_EQ(near.size(), 3U) << "of three points the ancestor stays";
  EXPECT_NEAR(radius(near[0]), 100, 1e-9);
  EXPECT_NEAR(radius(near[1]), 100 * (1 - 1.0 / 3), 1e-9);
  const std::vector<Point> far = polygon(tree, 0, 40);
  ASSERT_EQ(far.size(), 6U);
  const double expected[] = {100, 100 * 2 / 3.0, 100 / 3.0, 100 / 3.0, 100 * 2 / 3.0, 100};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(radius(far[i]), expected[i], 1e-9) << i;
  const std::vector<Point> back = polygon(tree, 40, 0);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(far[i].x, back[5 - i].x, 1e-9);
    EXPECT_NEAR(far[i].y, back[5 - i].y, 1e-9);
  }
}

TEST(ChordPolygon, TurnsWithTheProcesses) {
  // Turned by 16 of 64 positions, which the tree is symmetric under: a quarter of the circle.
  const ChordTree tree(64, {});
  const std::vector<Point> a = polygon(tree, 3, 22);
  const std::vector<Point> b = polygon(tree, 19, 38);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(b[i].x - 300, -(a[i].y - 200), 1e-9);
    EXPECT_NEAR(b[i].y - 200, a[i].x - 300, 1e-9);
  }
}

TEST(ChordPolygon, OfAMessageToOneselfIsALoop) {
  for (const uint32_t count : {1U, 2U, 1024U}) {
    const std::vector<Point> loop = polygon(ChordTree(count, {}), 0, 0);
    ASSERT_EQ(loop.size(), 4U);
    for (const Point& at : loop) EXPECT_LE(radius(at), 100 + 1e-9);
  }
}

TEST(AddChords, GivesEveryEdgeItsValueAndItsWay) {
  for (const uint32_t count : {1U, 2U, 7U, 16U, 1024U}) {
    const ChordTree tree(count, {});
    std::vector<PairValue> edges;
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      edges.push_back({i, (i * 7 + 3) % count, std::exp2(i % 24)});
      sum += edges.back().value;
    }
    Curves curves;
    add_chords(edges, tree, kCircle, curves);
    double weight = 0;
    for (size_t i = 0; i < curves.size(); ++i) {
      if (curves.s1[i] != 0) {
        EXPECT_EQ(curves.s1[i], curves.s2[i - 1]);
        EXPECT_EQ(curves.x1[i], curves.x2[i - 1]);
        EXPECT_EQ(curves.y1[i], curves.y2[i - 1]);
        EXPECT_EQ(curves.weight[i], curves.weight[i - 1]);
      } else {
        weight += curves.weight[i];
      }
      for (const Point at : {Point{curves.x1[i], curves.y1[i]}, Point{curves.cx[i], curves.cy[i]},
                             Point{curves.x2[i], curves.y2[i]}}) {
        EXPECT_LE(radius(at), 100.001);
      }
    }
    EXPECT_NEAR(weight, sum, 1e-6 * sum);
  }
}

TEST(AddChords, LeavesOutWhatHasNoValueAndStandsHugeOnes) {
  const ChordTree tree(8, {});
  const std::vector<PairValue> edges = {{0, 1, 0}, {1, 2, -1}, {2, 3, NAN}, {3, 4, std::exp2(53)}};
  Curves curves;
  add_chords(edges, tree, kCircle, curves);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves.weight[0], std::exp2(53));
}

TEST(AddChords, WithoutStrengthIsStraight) {
  const ChordTree tree(64, {});
  ChordOptions options = kCircle;
  options.beta = 0;
  Curves curves;
  add_chords(std::vector<PairValue>{{0, 32, 1}}, tree, options, curves);
  for (size_t i = 0; i < curves.size(); ++i) EXPECT_NEAR(curves.cx[i], 300, 1e-3);
}

TEST(AddChordRibbons, ShowBothDirectionsAndEndWithTheirColours) {
  const ChordTree tree(16, {});
  const Color blue = rgb(0x0000ff);
  const Color red = rgb(0xff0000);
  Ribbons there;
  Ribbons back;
  add_chord_ribbons({2, 9, 1}, tree, kCircle, 3, blue, red, there);
  add_chord_ribbons({9, 2, 1}, tree, kCircle, 3, blue, red, back);
  ASSERT_EQ(there.size(), back.size());
  EXPECT_LT(difference(there.color.front(), blue), 0.05);
  EXPECT_LT(difference(there.color.back(), red), 0.05);
  const size_t last = there.size() - 1;
  for (size_t i = 0; i <= last; ++i) {
    if (i > 0) {
      EXPECT_NEAR(there.x1[i], there.x2[i - 1], 1e-4);
      EXPECT_NEAR(there.y1[i], there.y2[i - 1], 1e-4);
    }
    // The other direction runs beside it, at least a width away.
    EXPECT_GT(std::hypot(there.x1[i] - back.x2[last - i], there.y1[i] - back.y2[last - i]), 5.9);
  }
}

}  // namespace
}  // namespace pathline::layout

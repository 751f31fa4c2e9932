// SPDX-License-Identifier: BSD-3-Clause
#include "layout/flow.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

using testing::ElementsAre;

constexpr Rect kArea{100, 50, 800, 600};

Flow draw(const std::vector<PairValue>& pairs, uint32_t count, double beta = 1) {
  return flow(
      pairs,
      {.area = kArea, .process_count = count, .group_begin = flow_groups(count, {}), .beta = beta});
}

/// Each process to some others, with values of many sizes.
std::vector<PairValue> some_pairs(uint32_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<PairValue> pairs;
  for (uint32_t sender = 0; sender < count; ++sender) {
    for (uint32_t i = 0; i < 5; ++i) {
      const auto receiver = static_cast<uint32_t>(random() % count);
      pairs.push_back({sender, receiver, std::exp2(random() % 20)});
    }
  }
  return pairs;
}

double sum_of(const std::vector<PairValue>& pairs) {
  double sum = 0;
  for (const PairValue& pair : pairs) sum += pair.value;
  return sum;
}

bool finite(const FlowPiece& piece) {
  const auto is = [](Point at) { return std::isfinite(at.x) && std::isfinite(at.y); };
  return is(piece.curve.begin) && is(piece.curve.control) && is(piece.curve.end) &&
         std::isfinite(piece.half_width_px) && piece.half_width_px > 0;
}

TEST(YxRoute, GoesDiagonallyToTheTargetRowAndThenStraightOn) {
  EXPECT_THAT(yx_route(1, 3, 5), ElementsAre(FlowNode{0, 1}, FlowNode{1, 2}, FlowNode{2, 3},
                                             FlowNode{3, 3}, FlowNode{4, 3}));
  EXPECT_THAT(yx_route(2, 0, 3), ElementsAre(FlowNode{0, 2}, FlowNode{1, 1}, FlowNode{2, 0}));
  EXPECT_THAT(yx_route(2, 2, 3), ElementsAre(FlowNode{0, 2}, FlowNode{1, 2}, FlowNode{2, 2}));
  EXPECT_THAT(yx_route(0, 0, 1), ElementsAre(FlowNode{0, 0}));
}

TEST(YxRoute, TakesVerticalStepsFirstWhenThereAreTooFewColumns) {
  EXPECT_THAT(yx_route(0, 4, 3), ElementsAre(FlowNode{0, 0}, FlowNode{0, 1}, FlowNode{0, 2},
                                             FlowNode{1, 3}, FlowNode{2, 4}));
  EXPECT_THAT(yx_route(2, 0, 1), ElementsAre(FlowNode{0, 2}, FlowNode{0, 1}, FlowNode{0, 0}));
}

TEST(YxRoute, IsAValidRouteForEveryPairOfRows) {
  for (const uint32_t columns : {1U, 2U, 5U, 16U}) {
    for (uint32_t from = 0; from < 16; ++from) {
      for (uint32_t to = 0; to < 16; ++to) {
        const std::vector<FlowNode> way = yx_route(from, to, columns);
        EXPECT_EQ(way.front(), (FlowNode{0, from}));
        EXPECT_EQ(way.back(), (FlowNode{columns - 1, to}));
        bool diagonal = false;
        bool horizontal = false;
        for (size_t i = 1; i < way.size(); ++i) {
          const auto dx = static_cast<int>(way[i].column) - static_cast<int>(way[i - 1].column);
          const auto dy = static_cast<int>(way[i].row) - static_cast<int>(way[i - 1].row);
          EXPECT_TRUE(dx == 1 ? std::abs(dy) <= 1 : dx == 0 && std::abs(dy) == 1);
          EXPECT_FALSE(dx == 0 && (diagonal || horizontal)) << "vertical steps come first";
          EXPECT_FALSE(dy != 0 && horizontal) << "horizontal steps come last";
          diagonal = diagonal || (dx == 1 && dy != 0);
          horizontal = horizontal || dy == 0;
        }
      }
    }
  }
}

TEST(FlowGroups, DivideTheProcesses) {
  EXPECT_THAT(flow_groups(1, {}), ElementsAre(0));
  EXPECT_THAT(flow_groups(3, {}), ElementsAre(0, 1, 2));
  EXPECT_EQ(flow_groups(7, {}).size(), 7U);
  EXPECT_EQ(flow_groups(8, {}).size(), 8U);
  EXPECT_EQ(flow_groups(16, {}).size(), 16U);
  EXPECT_EQ(flow_groups(24, {}).size(), 12U);
  EXPECT_EQ(flow_groups(1024, {}).size(), 16U);
  EXPECT_THAT(flow_groups(17, {}), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14)) << "a prime";
  const std::vector<uint32_t> blocks = {0, 10, 12, 20};
  EXPECT_EQ(flow_groups(64, blocks), blocks);
  const std::vector<uint32_t> few = {0, 32};
  EXPECT_EQ(flow_groups(64, few).size(), 16U);
}

TEST(Flow, LosesNothingOnTheWay) {
  for (const uint32_t count : {1U, 2U, 7U, 16U, 100U, 1024U, 3000U}) {
    const std::vector<PairValue> pairs = some_pairs(count, count);
    const Flow result = draw(pairs, count);
    const double total = sum_of(pairs);
    EXPECT_DOUBLE_EQ(result.total(), total) << count;
    double sent = 0;
    double received = 0;
    double lanes = 0;
    double trunks = 0;
    for (const FlowPiece& piece : result.pieces) {
      ASSERT_TRUE(finite(piece)) << count;
      if (piece.part == FlowPart::kSenderFan && piece.first) sent += piece.value;
      if (piece.part == FlowPart::kReceiverFan && piece.first) received += piece.value;
      if (piece.part == FlowPart::kLane) lanes += piece.value;
      if (piece.part == FlowPart::kTrunk) trunks += piece.value;
    }
    for (const double part : {sent, received, lanes, trunks}) {
      EXPECT_NEAR(part, total, 1e-9 * total) << count;
    }
  }
}

TEST(Flow, StaysInItsAreaAndRunsToTheRight) {
  for (const uint32_t count : {2U, 7U, 16U, 1024U}) {
    for (const double beta : {1.0, 0.8, 0.0}) {
      for (const FlowPiece& piece : draw(some_pairs(count, 3), count, beta).pieces) {
        ASSERT_LT(piece.curve.begin.x, piece.curve.end.x);
        for (const Point at : {piece.curve.begin, piece.curve.control, piece.curve.end}) {
          ASSERT_GE(at.x, kArea.x);
          ASSERT_LE(at.x, kArea.right());
          ASSERT_GE(at.y, kArea.y - 1);
          ASSERT_LE(at.y, kArea.bottom() + 1);
        }
        ASSERT_GE(piece.curve.control.x, piece.curve.begin.x);
        ASSERT_LE(piece.curve.control.x, piece.curve.end.x);
      }
    }
  }
}

TEST(Flow, RunsToTheRightInTallNarrowAreas) {
  for (const Rect& area : {Rect{100, 50, 159, 3324}, {100, 50, 120, 2210}, {100, 50, 140, 600}}) {
    for (const uint32_t count : {14U, 16U, 120U, 1024U}) {
      std::vector<PairValue> pairs = some_pairs(count, 5);
      for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t step = 1; step < 16; ++step) {
          pairs.push_back({a, (a + step * count / 16) % count, std::exp2(step)});
        }
      }
      const Flow result = flow(
          pairs, {.area = area, .process_count = count, .group_begin = flow_groups(count, {})});
      for (const FlowPiece& piece : result.pieces) {
        ASSERT_TRUE(finite(piece));
        ASSERT_LT(piece.curve.begin.x, piece.curve.end.x);
        ASSERT_GE(piece.curve.control.x, piece.curve.begin.x);
        ASSERT_LE(piece.curve.control.x, piece.curve.end.x);
        ASSERT_GE(piece.curve.begin.x, area.x);
        ASSERT_LE(piece.curve.end.x, area.right());
      }
    }
  }
}

TEST(Flow, JoinsThePiecesOfASuperEdge) {
  // One super-edge: fan, trunk, diagonal, turn, lane, fan, each beginning where one ended.
  const Flow result = draw({{0, 13, 5}}, 16);
  ASSERT_GT(result.pieces.size(), 12U);
  for (const FlowPiece& piece : result.pieces) {
    if (piece.curve.begin.x == kArea.x) continue;
    const bool joined =
        std::any_of(result.pieces.begin(), result.pieces.end(), [&](const FlowPiece& other) {
          return std::abs(other.curve.end.x - piece.curve.begin.x) < 1e-9 &&
                 std::abs(other.curve.end.y - piece.curve.begin.y) < 1e-9;
        });
    EXPECT_TRUE(joined) << piece.curve.begin.x << ' ' << piece.curve.begin.y;
  }
}

TEST(Flow, KeepsLanesOfARowApart) {
  std::vector<PairValue> pairs;
  for (uint32_t a = 0; a < 16; ++a) {
    for (uint32_t b = 0; b < 16; ++b) pairs.push_back({a, b, std::exp2((a * 7 + b * 3) % 20)});
  }
  const Flow result = draw(pairs, 16);
  std::map<uint32_t, std::vector<std::pair<double, double>>> lanes;  // Row to top and bottom.
  for (const FlowPiece& piece : result.pieces) {
    if (piece.part != FlowPart::kLane) continue;
    lanes[piece.receiver_group].emplace_back(piece.curve.end.y - piece.half_width_px,
                                             piece.curve.end.y + piece.half_width_px);
  }
  ASSERT_EQ(lanes.size(), 16U);
  for (auto& [row, list] : lanes) {
    ASSERT_EQ(list.size(), 16U);
    std::sort(list.begin(), list.end());
    for (size_t i = 1; i < list.size(); ++i) EXPECT_GT(list[i].first, list[i - 1].second);
    EXPECT_LT(list.back().second - list.front().first, kArea.h / 16);
  }
}

TEST(Flow, DrawsWidthsByTheLogarithmOfTheValue) {
  const Flow result = draw({{0, 1, 1}, {1, 2, 3}, {2, 3, 1023}}, 4);
  const Thickness& thickness = result.thickness;
  EXPECT_DOUBLE_EQ(thickness.smallest, 1);
  EXPECT_DOUBLE_EQ(thickness.base_px, 0.5);
  EXPECT_NEAR(thickness.half_width_px(1023), 6, 1e-9);
  EXPECT_NEAR(thickness.half_width_px(3), 0.5 + 5.5 * 2 / 10, 1e-9);
  EXPECT_NEAR(thickness.half_width_px(1), 0.5 + 5.5 * 1 / 10, 1e-9);
}

TEST(Flow, HasWorkByDistinctPiecesNotByPairs) {
  std::vector<PairValue> pairs;
  for (uint32_t a = 0; a < 1024; ++a) {
    for (uint32_t b = 0; b < 1024; b += 4) pairs.push_back({a, b, 1});
  }
  const Flow result = draw(pairs, 1024);
  size_t grid = 0;
  size_t fans = 0;
  for (const FlowPiece& piece : result.pieces) {
    const bool fan = piece.part == FlowPart::kSenderFan || piece.part == FlowPart::kReceiverFan;
    ++(fan ? fans : grid);
  }
  EXPECT_LT(grid, 16U * 16 * 16);
  EXPECT_LE(fans, 2 * (17 * 650U));
}

TEST(Flow, MovesWithTheNumbersOfTheProcesses) {
  // Top and bottom exchanged: the picture is mirrored.
  const uint32_t count = 12;
  const std::vector<PairValue> pairs = some_pairs(count, 8);
  std::vector<PairValue> mirrored = pairs;
  for (PairValue& pair : mirrored) {
    pair.sender = count - 1 - pair.sender;
    pair.receiver = count - 1 - pair.receiver;
  }
  using Key = std::array<long, 8>;
  const auto keys = [&](const Flow& result, bool mirror) {
    std::vector<Key> list;
    const auto y = [&](double at) {
      return std::lround(1e3 * (mirror ? 2 * kArea.y + kArea.h - at : at));
    };
    for (const FlowPiece& piece : result.pieces) {
      const Bezier& c = piece.curve;
      list.push_back({std::lround(1e3 * c.begin.x), y(c.begin.y), std::lround(1e3 * c.control.x),
                      y(c.control.y), std::lround(1e3 * c.end.x), y(c.end.y),
                      std::lround(1e3 * piece.half_width_px), std::lround(piece.value)});
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  EXPECT_EQ(keys(draw(pairs, count), false), keys(draw(mirrored, count), true));
}

TEST(Flow, StandsMessagesToOneselfHugeValuesAndNothing) {
  std::vector<PairValue> own;
  for (uint32_t i = 0; i < 20; ++i) own.push_back({i, i, i + 1.0});
  for (const FlowPiece& piece : draw(own, 20).pieces) EXPECT_TRUE(finite(piece));
  const double huge = std::exp2(53);
  for (const double beta : {1.0, 0.5}) {
    const Flow result = draw({{0, 1, huge}, {1, 0, 1}, {2, 2, huge - 1}}, 3, beta);
    EXPECT_EQ(result.total(), huge + 1 + (huge - 1));
    for (const FlowPiece& piece : result.pieces) EXPECT_TRUE(finite(piece));
  }
  EXPECT_TRUE(draw({}, 5).pieces.empty());
  EXPECT_TRUE(draw({{0, 1, 0}, {1, 2, -5}, {2, 3, NAN}}, 5).pieces.empty());
  EXPECT_TRUE(flow({}, {}).pieces.empty());
}

TEST(Thickness, GrowsAsTheValueOrAsItsLogarithm) {
  const Thickness linear{.smallest = 2, .base_px = 0.5, .k = 0.25, .linear = true};
  EXPECT_DOUBLE_EQ(linear.half_width_px(2), 0.75);
  EXPECT_DOUBLE_EQ(linear.half_width_px(20), 3);
  const Thickness logarithmic{.smallest = 2, .base_px = 0.5, .k = 0.25};
  EXPECT_DOUBLE_EQ(logarithmic.half_width_px(2), 0.75);
  EXPECT_DOUBLE_EQ(logarithmic.half_width_px(6), 1);
}

}  // namespace
}  // namespace pathline::layout

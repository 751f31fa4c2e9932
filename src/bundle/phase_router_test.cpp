// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/phase_router.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bundle/test_messages.hpp"
#include "layout/bspline.hpp"

namespace pathline::bundle {
namespace {

std::vector<Band> equal_bands(size_t count, double width) {
  std::vector<Band> bands;
  for (size_t i = 0; i < count; ++i) {
    const double begin = static_cast<double>(i) * width;
    bands.push_back({begin, begin + width, begin + width / 2});
  }
  return bands;
}

std::vector<layout::Point> route(const Router& router, layout::Point from, layout::Point to) {
  std::vector<layout::Point> control;
  router.route(from, to, control);
  return control;
}

TEST(PhaseRouter, TakesDiagonalsFirstThenTheTrunkOfTheReceiver) {
  const PhaseRouter router(equal_bands(10, 10), equal_bands(10, 20));
  // From column 1, row 0 to column 3, row 5: two diagonals, then down.
  const auto control = route(router, {12, 3}, {38, 118});
  ASSERT_EQ(control.size(), 6U);
  const layout::Point expected[] = {{12, 3}, {25, 30}, {35, 50}, {35, 70}, {35, 90}, {38, 118}};
  for (size_t i = 0; i < control.size(); ++i) {
    EXPECT_EQ(control[i].x, expected[i].x) << i;
    EXPECT_EQ(control[i].y, expected[i].y) << i;
  }
}

TEST(PhaseRouter, LeavesNeighboursStraight) {
  const PhaseRouter router(equal_bands(10, 10), equal_bands(10, 20));
  EXPECT_EQ(route(router, {12, 3}, {18, 39}).size(), 2U);
  EXPECT_EQ(route(router, {12, 3}, {12, 3}).size(), 2U) << "a message to itself";
  EXPECT_EQ(route(router, {12, 3}, {22, 41}).size(), 3U) << "two rows away";
}

TEST(PhaseRouter, NeverLeavesTheTimeOfAMessageByMoreThanHalfAColumn) {
  for (const double flight : {0.0, 4.0, 300.0}) {
    const layout::Segments lines = phased_messages(3000, 40, 900, 600, 70, 30, flight);
    for (const double width_min : {4.0, 12.0, 32.0}) {
      const PhaseRouter router(phase_columns(count_ends(lines), width_min),
                               row_bands({40, {}}, 0, 600, 12));
      const BandIndex index(router.columns());
      for (size_t i = 0; i < lines.size(); ++i) {
        // Some run backwards: clocks may disagree.
        layout::Point from{lines.x1[i], lines.y1[i]};
        layout::Point to{lines.x2[i], lines.y2[i]};
        if (i % 5 == 0) std::swap(from.x, to.x);
        double widest = 0;
        for (uint32_t c = index.at(std::min(from.x, to.x)); c <= index.at(std::max(from.x, to.x));
             ++c) {
          widest = std::max(widest, router.columns()[c].width());
        }
        const auto control = route(router, from, to);
        for (int k = 0; k <= 40; ++k) {
          const double x = layout::bspline_point(control, 2, k / 40.0).x;
          ASSERT_GE(x, std::min(from.x, to.x) - widest / 2 - 1e-6);
          ASSERT_LE(x, std::max(from.x, to.x) + widest / 2 + 1e-6);
        }
      }
    }
  }
}

TEST(PhaseRouter, IsMirroredWithTime) {
  auto columns = equal_bands(12, 10);
  columns[3].node = 31;  // not all in the middle
  columns[7].node = 78;
  std::vector<Band> mirrored;
  for (const Band& band : columns) {
    mirrored.insert(mirrored.begin(), {120 - band.end, 120 - band.begin, 120 - band.node});
  }
  const PhaseRouter forward(columns, equal_bands(10, 20));
  const PhaseRouter backward(mirrored, equal_bands(10, 20));
  for (int i = 0; i < 200; ++i) {
    const layout::Point from{i * 37 % 1200 / 10.0 + 0.03, i * 53 % 2000 / 10.0 + 0.03};
    const layout::Point to{i * 71 % 1200 / 10.0 + 0.03, i * 29 % 2000 / 10.0 + 0.03};
    const auto a = route(forward, from, to);
    const auto b = route(backward, {120 - from.x, from.y}, {120 - to.x, to.y});
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k].x, 120 - b[k].x, 1e-9);
      EXPECT_NEAR(a[k].y, b[k].y, 1e-9);
    }
  }
}

TEST(PhaseRouter, BearsAnyCoordinates) {
  const PhaseRouter router(equal_bands(10, 10), equal_bands(10, 20));
  for (const double x : {-1e30, -5.0, 0.0, 1e9, double{INFINITY}, double{NAN}}) {
    for (const double y : {-1e30, 199.0, double{NAN}}) {
      const auto control = route(router, {x, y}, {50, 50});
      EXPECT_GE(control.size(), 2U);
      EXPECT_LE(control.size(), 12U);
    }
  }
}

}  // namespace
}  // namespace pathline::bundle

// SPDX-License-Identifier: BSD-3-Clause
#include "render/ribbons.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/bspline.hpp"
#include "render/draw.hpp"

namespace pathline::render {
namespace {

using layout::Bezier;
using layout::Color;
using layout::Point;
using layout::rgb;
using layout::Ribbons;
using testing::HasSubstr;

Image paint(const Ribbons& ribbons, unsigned threads = 1) {
  base::ThreadPool pool(threads);
  return paint_ribbons(ribbons, pool);
}

Ribbons one(const Bezier& piece, double half_width, Color color = rgb(0x204080)) {
  Ribbons ribbons;
  ribbons.clip = {0, 0, 200, 150};
  ribbons.add(piece.begin, piece.control, piece.end, half_width, color);
  return ribbons;
}

double alpha(const Image& image, uint32_t x, uint32_t y) { return image.pixel(x, y)[3] / 255.0; }

/// Coverage by the distance to the nearest of many points of the curve.
double slow_coverage(const Bezier& piece, double half_width, Point at) {
  double nearest = 1e9;
  constexpr int kSamples = 700;
  int best = 0;
  for (int i = 0; i <= kSamples; ++i) {
    const Point on = piece.at(static_cast<double>(i) / kSamples);
    const double distance = std::hypot(on.x - at.x, on.y - at.y);
    if (distance < nearest) nearest = distance, best = i;
  }
  // Nearest to an end: beyond the cut, or at its edge.
  if (best < 4 || best > kSamples - 4) return -1;
  return std::clamp(std::min(2 * half_width, half_width + 0.5 - nearest), 0.0, 1.0);
}

TEST(Ribbons, CoverByDistance) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> x(10, 90);
  std::uniform_real_distribution<double> y(10, 70);
  double errors = 0;
  double covered = 0;
  for (const double half_width : {0.25, 0.5, 1.0, 3.3, 7.0}) {
    for (int round = 0; round < 9; ++round) {
      const Point from{x(random), y(random)};
      const Point to{x(random), y(random)};
      if (std::hypot(to.x - from.x, to.y - from.y) < 45) continue;
      // Bent, but not narrower than the ribbon is wide: there distance has two answers.
      const double bend = 7 * (round % 3);
      const Point control{(from.x + to.x) / 2 + bend, (from.y + to.y) / 2 - bend};
      const Bezier piece{from, control, to};
      Ribbons ribbons = one(piece, half_width);
      ribbons.clip = {0, 0, 100, 80};
      const Image image = paint(ribbons);
      for (uint32_t row = 0; row < image.height; ++row) {
        for (uint32_t column = 0; column < image.width; ++column) {
          const double expected = slow_coverage(piece, half_width, {column + 0.5, row + 0.5});
          if (expected < 0) continue;
          const double error = std::abs(alpha(image, column, row) - expected);
          ASSERT_LT(error, 0.25) << column << ' ' << row << " width " << half_width << " round "
                                 << round;
          errors += error;
          covered += expected;
        }
      }
    }
  }
  EXPECT_LT(errors / covered, 0.03);
}

TEST(Ribbons, OfAStraightLineAreExact) {
  const Image image = paint(one({{10, 50.25}, {50, 50.25}, {90, 50.25}}, 2));
  for (uint32_t column = 10; column < 90; ++column) {
    EXPECT_NEAR(alpha(image, column, 47), 0, 1e-9);
    EXPECT_NEAR(alpha(image, column, 48), 0.75, 0.005);
    EXPECT_EQ(alpha(image, column, 49), 1);
    EXPECT_EQ(alpha(image, column, 51), 1);
    EXPECT_NEAR(alpha(image, column, 52), 0.25, 0.005);
    EXPECT_NEAR(alpha(image, column, 53), 0, 1e-9);
  }
  EXPECT_EQ(alpha(image, 9, 50), 0);
  EXPECT_EQ(alpha(image, 90, 50), 0);
}

TEST(Ribbons, OfPiecesOfOneCurveShowNoSeam) {
  // A B-spline of many pieces, half transparent: neither gaps nor double cover inside it.
  std::vector<Point> control = {{10, 20}, {40, 20}, {70, 60}, {100, 100}, {130, 100}, {190, 30}};
  Ribbons ribbons;
  ribbons.clip = {0, 0, 200, 150};
  const Color color = layout::with_alpha(rgb(0x802020), 0.5);
  for (size_t i = 0; i < layout::quadratic_piece_count(control.size()); ++i) {
    const Bezier piece = layout::quadratic_piece(control, i);
    ribbons.add(piece.begin, piece.control, piece.end, 5, color);
  }
  const Image image = paint(ribbons);
  for (double u = 0.02; u < 0.98; u += 0.001) {
    const Point at = layout::bspline_point(control, 2, u);
    const uint8_t* pixel = image.pixel(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y));
    EXPECT_EQ(pixel[3], 128) << "u " << u;
    EXPECT_EQ(pixel[0], 0x80);
  }
}

TEST(Ribbons, AreLaidOverEachOtherInTheirOrder) {
  Ribbons ribbons = one({{10, 50}, {50, 50}, {90, 50}}, 4, rgb(0xff0000));
  ribbons.add({50, 10}, {50, 50}, {50, 90}, 4, rgb(0x0000ff));
  Image image = paint(ribbons);
  EXPECT_EQ(image.pixel(50, 50)[2], 0xff);
  EXPECT_EQ(image.pixel(20, 50)[0], 0xff);
  ribbons.color[1] = layout::with_alpha(rgb(0x0000ff), 0.5);
  image = paint(ribbons);
  EXPECT_NEAR(image.pixel(50, 50)[0], 127, 1);
  EXPECT_NEAR(image.pixel(50, 50)[2], 128, 1);
  EXPECT_EQ(image.pixel(50, 50)[3], 255);
  EXPECT_EQ(image.pixel(50, 20)[3], 128);
}

Ribbons many(size_t count) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> x(-20, 420);
  std::uniform_real_distribution<double> y(-20, 320);
  std::uniform_real_distribution<double> width(0.2, 8);
  Ribbons ribbons;
  ribbons.clip = {10.5, 20.25, 380, 260};
  for (size_t i = 0; i < count; ++i) {
    ribbons.add({x(random), y(random)}, {x(random), y(random)}, {x(random), y(random)},
                width(random), layout::with_alpha(rgb(random() & 0xffffff), i % 3 == 0 ? 0.4 : 1));
  }
  return ribbons;
}

TEST(Ribbons, AreTheSameForAnyNumberOfThreads) {
  const Ribbons ribbons = many(400);
  const Image image = paint(ribbons);
  EXPECT_EQ(image.width, 381U);
  EXPECT_EQ(image.height, 261U);
  EXPECT_EQ(paint(ribbons, 2).rgba, image.rgba);
  EXPECT_EQ(paint(ribbons, 8).rgba, image.rgba);
}

TEST(Ribbons, StandAnyNumbers) {
  Ribbons ribbons = one({{10, 10}, {10, 10}, {10, 10}}, 3);
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 1e9};
  for (const double value : bad) {
    ribbons.add({value, 10}, {50, 50}, {90, 90}, 2, rgb(0));
    ribbons.add({10, 10}, {50, value}, {90, 90}, 2, rgb(0));
    ribbons.add({10, 10}, {50, 50}, {90, value}, 2, rgb(0));
    ribbons.add({10, 10}, {50, 50}, {90, 90}, value, rgb(0));
  }
  ribbons.add({10, 10}, {50, 50}, {90, 90}, 0, rgb(0));
  ribbons.add({10, 10}, {50, 50}, {90, 90}, -1, rgb(0));
  paint(ribbons);
  ribbons.clip = {0, 0, 0, 0};
  EXPECT_EQ(paint(ribbons).width, 0U);
  EXPECT_TRUE(paint(Ribbons()).rgba.empty());
}

TEST(Ribbons, ArePathsInSvg) {
  layout::Scene scene;
  Ribbons ribbons = one({{10, 50}, {50, 60.5}, {90, 50}}, 2, rgb(0xff0000));
  ribbons.add({90, 50}, {100, 40}, {120, 40}, 2, rgb(0xff0000));
  ribbons.add({120, 40}, {130, 40}, {150, 40}, 3, rgb(0xff0000));
  ribbons.add({NAN, 40}, {130, 40}, {150, 40}, 3, rgb(0xff0000));
  scene.layers.emplace_back(ribbons);
  base::ThreadPool pool(1);
  const auto svg = draw_svg(scene, pool);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(svg.value(),
              HasSubstr("<path d=\"M10 50Q50 60.5 90 50Q100 40 120 40\" stroke=\"#ff0000\" "
                        "stroke-width=\"4\"/>\n<path d=\"M120 40Q130 40 150 40\" "
                        "stroke=\"#ff0000\" stroke-width=\"6\"/>\n</g>"));
  EXPECT_THAT(svg.value(), testing::Not(HasSubstr("<image")));
}

TEST(Ribbons, WithColumnsOfDifferentLengthAreRefused) {
  layout::Scene scene;
  Ribbons ribbons = one({{10, 50}, {50, 60}, {90, 50}}, 2);
  ribbons.color.clear();
  scene.layers.emplace_back(ribbons);
  base::ThreadPool pool(1);
  EXPECT_FALSE(draw(scene, pool).ok());
}

}  // namespace
}  // namespace pathline::render

// SPDX-License-Identifier: BSD-3-Clause
#include "layout/bspline.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

/// The definition, term by term: N_{j,k} by Cox and de Boor with 0/0 = 0.
double basis(size_t j, size_t k, double u, const std::vector<double>& knots) {
  if (k == 0) {
    const bool is_last = knots[j + 1] == knots.back() && knots[j] < knots[j + 1];
    return (knots[j] <= u && u < knots[j + 1]) || (is_last && u == knots[j + 1]) ? 1 : 0;
  }
  double sum = 0;
  const double left = knots[j + k] - knots[j];
  const double right = knots[j + k + 1] - knots[j + 1];
  if (left > 0) sum += (u - knots[j]) / left * basis(j, k - 1, u, knots);
  if (right > 0) sum += (knots[j + k + 1] - u) / right * basis(j + 1, k - 1, u, knots);
  return sum;
}

Point by_definition(const std::vector<Point>& control, size_t degree, double u01) {
  const size_t m = control.size() - 1;
  std::vector<double> knots;
  for (size_t j = 0; j <= m + degree + 1; ++j) {
    const double inner = static_cast<double>(j) - static_cast<double>(degree);
    knots.push_back(std::clamp(inner, 0.0, static_cast<double>(m - degree + 1)));
  }
  const double u = u01 * knots.back();
  Point sum;
  for (size_t j = 0; j <= m; ++j) {
    const double n = basis(j, degree, u, knots);
    sum.x += n * control[j].x;
    sum.y += n * control[j].y;
  }
  return sum;
}

std::vector<Point> random_polygon(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(random() % 2000) / 7;
    points.push_back({x, static_cast<double>(random() % 2000) / 7});
  }
  return points;
}

TEST(Bspline, FollowsTheDefinitionForAnyDegreeAndLength) {
  for (size_t count = 2; count <= 9; ++count) {
    for (size_t degree = 1; degree < count; ++degree) {
      const auto control = random_polygon(count, static_cast<unsigned>(count));
      for (int i = 0; i <= 50; ++i) {
        const double u = i / 50.0;
        const Point expected = by_definition(control, degree, u);
        const Point actual = bspline_point(control, degree, u);
        EXPECT_NEAR(actual.x, expected.x, 1e-9) << count << " " << degree << " " << u;
        EXPECT_NEAR(actual.y, expected.y, 1e-9) << count << " " << degree << " " << u;
      }
    }
  }
}

TEST(Bspline, ReducesTheDegreeWhenThereAreTooFewPoints) {
  const std::vector<Point> two = {{0, 0}, {10, 20}};
  EXPECT_NEAR(bspline_point(two, 3, 0.25).y, 5, 1e-12);
  const std::vector<Point> one = {{3, 4}};
  EXPECT_EQ(bspline_point(one, 2, 0.5).y, 4);
}

TEST(Bspline, OfDegreeTwoIsTheChainOfItsBezierPieces) {
  for (size_t count = 2; count <= 8; ++count) {
    const auto control = random_polygon(count, 20 + static_cast<unsigned>(count));
    const size_t pieces = quadratic_piece_count(count);
    for (size_t i = 0; i < pieces; ++i) {
      const Bezier piece = quadratic_piece(control, i);
      for (int k = 0; k <= 8; ++k) {
        const double t = k / 8.0;
        const Point expected =
            bspline_point(control, 2, (static_cast<double>(i) + t) / static_cast<double>(pieces));
        EXPECT_NEAR(piece.at(t).x, expected.x, 1e-9);
        EXPECT_NEAR(piece.at(t).y, expected.y, 1e-9);
      }
    }
  }
}

TEST(Straighten, BlendsTheCurveItselfBecauseBsplinesAreAffine) {
  const auto control = random_polygon(7, 3);
  auto line = control;
  straighten(line, 0);
  for (const double beta : {0.0, 0.3, 0.85, 1.0}) {
    auto straightened = control;
    straighten(straightened, beta);
    for (int i = 0; i <= 20; ++i) {
      const Point bent = bspline_point(control, 2, i / 20.0);
      const Point straight = bspline_point(line, 2, i / 20.0);
      const Point actual = bspline_point(straightened, 2, i / 20.0);
      EXPECT_NEAR(actual.x, beta * bent.x + (1 - beta) * straight.x, 1e-9);
      EXPECT_NEAR(actual.y, beta * bent.y + (1 - beta) * straight.y, 1e-9);
    }
  }
}

TEST(ChordCount, KeepsChordsWithinTheTolerance) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto control = random_polygon(3, seed);
    const Bezier piece = quadratic_piece(control, 0);
    for (const double tolerance : {0.05, 0.25, 2.0}) {
      const size_t chords = chord_count(piece, tolerance);
      for (size_t i = 0; i < chords; ++i) {
        const Point a = piece.at(static_cast<double>(i) / static_cast<double>(chords));
        const Point b = piece.at(static_cast<double>(i + 1) / static_cast<double>(chords));
        const Point middle = piece.at((static_cast<double>(i) + 0.5) / static_cast<double>(chords));
        EXPECT_LE(std::hypot((a.x + b.x) / 2 - middle.x, (a.y + b.y) / 2 - middle.y),
                  tolerance * (1 + 1e-9));
      }
    }
  }
}

TEST(AddSpline, EndsInTheEndsOfThePolygonWhateverItsDegree) {
  for (const size_t degree : {1U, 2U, 3U, 5U}) {
    for (const size_t count : {2U, 3U, 6U}) {
      auto control = random_polygon(count, 9);
      const Point first = control.front();
      const Point last = control.back();
      Curves curves;
      add_spline(control, {degree, 0.7}, 3, curves);
      ASSERT_GT(curves.size(), 0U);
      EXPECT_FLOAT_EQ(curves.x1.front(), static_cast<float>(first.x));
      EXPECT_FLOAT_EQ(curves.y2.back(), static_cast<float>(last.y));
      EXPECT_EQ(curves.s1.front(), 0);
      EXPECT_EQ(curves.s2.back(), 1);
      EXPECT_EQ(curves.weight.back(), 3);
      for (size_t i = 1; i < curves.size(); ++i) {
        EXPECT_EQ(curves.x1[i], curves.x2[i - 1]);
        EXPECT_EQ(curves.s1[i], curves.s2[i - 1]);
      }
    }
  }
}

}  // namespace
}  // namespace pathline::layout

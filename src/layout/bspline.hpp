// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "layout/scene.hpp"

// Curves along control polygons, as hierarchical edge bundling draws them (D. Holten, "Hierarchical
// Edge Bundles", TVCG 12(5), 2006): clamped uniform B-splines, which begin and end in the first and
// the last point and stay inside the polygon's convex hull.
namespace pathline::layout {

/// Point of the B-spline by de Boor's recurrence (C. de Boor, "On calculating with B-splines", J.
/// Approx. Theory 6, 1972). The reference for everything faster.
///
/// control  at least one point. A degree beyond control.size() - 1 is reduced to it.
/// u        in [0,1] over the whole curve; outside is clamped.
/// cost     O(degree^2), no allocation up to degree 15.
Point bspline_point(std::span<const Point> control, size_t degree, double u);

/// Pulls the polygon towards the straight line between its ends: P'_j = beta P_j + (1 - beta) (P_0
/// + j/m (P_m - P_0)). beta 1 leaves it, 0 gives the straight line with equally spaced points.
void straighten(std::span<Point> control, double beta);

/// The middle of two points.
inline Point between(Point a, Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/// One quadratic Bezier curve: from `begin` towards `control`, to `end`.
struct Bezier {
  Point begin;
  Point control;
  Point end;

  Point at(double t) const {
    const double u = 1 - t;
    return {u * u * begin.x + 2 * u * t * control.x + t * t * end.x,
            u * u * begin.y + 2 * u * t * control.y + t * t * end.y};
  }
};

/// Number of Bezier pieces of the B-spline of degree 2: control points less two, at least one.
size_t quadratic_piece_count(size_t control_count);

/// Piece `i` of the B-spline of degree 2 as a Bezier curve; it depends on three consecutive control
/// points only. Two control points give the straight line.
Bezier quadratic_piece(std::span<const Point> control, size_t i);

/// The curve up to its middle parameter, and from there (de Casteljau).
std::pair<Bezier, Bezier> halves(const Bezier& piece);

/// Number of equal chords that stay within `tolerance_px` of the curve.
inline size_t chord_count(const Bezier& piece, double tolerance_px) {
  // The largest distance of n equal chords from the curve is |A - 2B + E| / (4 n^2).
  const double bend_x = piece.begin.x - 2 * piece.control.x + piece.end.x;
  const double bend_y = piece.begin.y - 2 * piece.control.y + piece.end.y;
  const double bend = std::sqrt(bend_x * bend_x + bend_y * bend_y);
  return 1 + static_cast<size_t>(std::sqrt(bend / (4 * tolerance_px)));
}

struct Spline {
  size_t degree = 2;
  double beta = 1;
};

/// Adds the whole curve along `control` to `curves`, s from 0 to 1 by piece: degree 2 as its Bezier
/// pieces, degree 1 as the polygon, higher degrees as chords within 0.1 px. `control` is
/// straightened in place.
void add_spline(std::span<Point> control, const Spline& spline, double weight, Curves& curves);

}  // namespace pathline::layout

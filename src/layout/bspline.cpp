// SPDX-License-Identifier: BSD-3-Clause
#include "layout/bspline.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace pathline::layout {
namespace {

Point between(Point a, Point b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

constexpr size_t kMaxDegree = 15;

/// Knot j of the clamped uniform knot vector for control points 0..m.
double knot(size_t j, size_t degree, size_t m) {
  if (j <= degree) return 0;
  return static_cast<double>(std::min(j, m + 1) - degree);
}

/// Higher degrees have no short form; this many chords keep a span of them within 0.1 px as long as
/// its control points lie within some hundred pixels.
constexpr size_t kChordsPerSpan = 12;

}  // namespace

Point bspline_point(std::span<const Point> control, size_t degree, double u) {
  assert(!control.empty());
  const size_t m = control.size() - 1;
  degree = std::min({degree, m, kMaxDegree});
  if (degree == 0) return u < 1 ? control.front() : control.back();
  const double spans = static_cast<double>(m - degree + 1);
  const double at = std::clamp(u, 0.0, 1.0) * spans;
  const size_t span = std::min(static_cast<size_t>(at), m - degree) + degree;
  std::array<Point, kMaxDegree + 1> points;
  for (size_t i = 0; i <= degree; ++i) points[i] = control[span - degree + i];
  for (size_t level = 1; level <= degree; ++level) {
    for (size_t i = degree; i >= level; --i) {
      const double low = knot(span - degree + i, degree, m);
      const double high = knot(span + 1 + i - level, degree, m);
      points[i] = between(points[i - 1], points[i], (at - low) / (high - low));
    }
  }
  return points[degree];
}

void straighten(std::span<Point> control, double beta) {
  if (control.size() < 3 || beta == 1) return;
  const Point first = control.front();
  const Point last = control.back();
  const double step = 1 / static_cast<double>(control.size() - 1);
  for (size_t j = 1; j + 1 < control.size(); ++j) {
    control[j] = between(between(first, last, static_cast<double>(j) * step), control[j], beta);
  }
}

size_t quadratic_piece_count(size_t control_count) {
  return control_count < 3 ? 1 : control_count - 2;
}

Bezier quadratic_piece(std::span<const Point> control, size_t i) {
  const size_t m = control.size() - 1;
  if (m < 2) return {control[0], between(control[0], control[m], 0.5), control[m]};
  return {i == 0 ? control[0] : between(control[i], control[i + 1], 0.5), control[i + 1],
          i + 2 == m ? control[m] : between(control[i + 1], control[i + 2], 0.5)};
}

void add_spline(std::span<Point> control, const Spline& spline, double weight, Curves& curves) {
  assert(!control.empty());
  straighten(control, spline.beta);
  const size_t degree = std::min(spline.degree, control.size() - 1);
  if (degree == 2 || control.size() <= 2) {
    const size_t pieces = quadratic_piece_count(control.size());
    const double step = 1 / static_cast<double>(pieces);
    for (size_t i = 0; i < pieces; ++i) {
      const Bezier piece = quadratic_piece(control, i);
      curves.add(piece.begin, piece.control, piece.end, static_cast<double>(i) * step,
                 static_cast<double>(i + 1) * step, weight);
    }
    return;
  }
  const size_t chords =
      degree < 2 ? control.size() - 1 : (control.size() - degree) * kChordsPerSpan;
  const double step = 1 / static_cast<double>(chords);
  Point from = control.front();
  for (size_t i = 0; i < chords; ++i) {
    const Point to = degree < 2 ? control[i + 1]
                                : bspline_point(control, degree, static_cast<double>(i + 1) * step);
    curves.add(from, between(from, to, 0.5), to, static_cast<double>(i) * step,
               static_cast<double>(i + 1) * step, weight);
    from = to;
  }
}

std::pair<Bezier, Bezier> halves(const Bezier& piece) {
  const auto middle = [](Point a, Point b) { return Point{(a.x + b.x) / 2, (a.y + b.y) / 2}; };
  const Point before = middle(piece.begin, piece.control);
  const Point after = middle(piece.control, piece.end);
  const Point at = middle(before, after);
  return {{piece.begin, before, at}, {at, after, piece.end}};
}

}  // namespace pathline::layout

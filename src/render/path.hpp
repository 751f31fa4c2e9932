// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "layout/bspline.hpp"

// What is drawn, as points from the sender's end to the receiver's, one pixel wide along the
// straight chords between them.
namespace pathline::render {

struct PathPoint {
  double x;
  double y;
  double s;
};

/// Two points or more, as columns; memory for more stays for the next path.
struct Path {
  std::vector<double> x, y, s;
  size_t count = 0;

  void resize(size_t points) {
    count = points;
    if (points <= x.size()) return;
    for (auto* column : {&x, &y, &s}) column->resize(2 * points);
  }
  void set(size_t i, const PathPoint& point) {
    x[i] = point.x;
    y[i] = point.y;
    s[i] = point.s;
  }
};

/// A straight line; nothing is shorter than a pixel: about its middle, along its direction or
/// upright.
inline void set_line(PathPoint from, PathPoint to, Path& path) {
  double dx = to.x - from.x;
  double dy = to.y - from.y;
  const double length = std::max(std::abs(dx), std::abs(dy));
  if (length < 1) {
    if (length == 0) {
      dy = 1;
    } else {
      dx /= length;
      dy /= length;
    }
    from.x = (from.x + to.x - dx) / 2;
    from.y = (from.y + to.y - dy) / 2;
    to.x = from.x + dx;
    to.y = from.y + dy;
  }
  path.resize(2);
  path.set(0, from);
  path.set(1, to);
}

/// Chords within 0.25 px of the curve; a line of a pixel for a curve that is smaller.
inline void set_curve(const layout::Bezier& piece, double s1, double s2, Path& path) {
  constexpr double kTolerance = 0.25;
  const auto extent = [](double a, double b, double c) {
    return std::max({a, b, c}) - std::min({a, b, c});
  };
  const PathPoint from{piece.begin.x, piece.begin.y, s1};
  const PathPoint to{piece.end.x, piece.end.y, s2};
  if (extent(piece.begin.x, piece.control.x, piece.end.x) < 1 &&
      extent(piece.begin.y, piece.control.y, piece.end.y) < 1) {
    set_line(from, to, path);
    return;
  }
  const size_t chords = layout::chord_count(piece, kTolerance);
  const double step = 1 / static_cast<double>(chords);
  const layout::Point leave{piece.control.x - piece.begin.x, piece.control.y - piece.begin.y};
  const layout::Point bend{piece.end.x - piece.control.x - leave.x,
                           piece.end.y - piece.control.y - leave.y};
  path.resize(chords + 1);
  path.set(0, from);
  for (size_t i = 1; i < chords; ++i) {
    const double t = static_cast<double>(i) * step;
    path.set(i, {from.x + t * (2 * leave.x + t * bend.x), from.y + t * (2 * leave.y + t * bend.y),
                 s1 + t * (s2 - s1)});
  }
  path.set(chords, to);
}

/// Sets `path` to the curve and calls body(), or does so for parts of it when it is much larger
/// than what is seen of it: with its ends far outside, a curve has more chords than can be
/// afforded. Parts outside of `clip` are left out.
template <class Body>
void for_each_part(const layout::Bezier& piece, double s1, double s2, const layout::Rect& clip,
                   Path& path, const Body& body) {
  constexpr double kLargePx = 8192;
  constexpr double kMarginPx = 2;
  const auto [left, right] = std::minmax({piece.begin.x, piece.control.x, piece.end.x});
  const auto [top, bottom] = std::minmax({piece.begin.y, piece.control.y, piece.end.y});
  if (std::max(right - left, bottom - top) <= kLargePx) {
    set_curve(piece, s1, s2, path);
    body();
    return;
  }
  if (right < clip.x - kMarginPx || left > clip.right() + kMarginPx ||
      bottom < clip.y - kMarginPx || top > clip.bottom() + kMarginPx) {
    return;
  }
  const auto [first, second] = layout::halves(piece);
  const double middle = (s1 + s2) / 2;
  for_each_part(first, s1, middle, clip, path, body);
  for_each_part(second, middle, s2, clip, path, body);
}

/// Part of a path, as long as its chords keep to one major axis and one direction along it: y where
/// it is steep, else x. From its lower end along that axis, `u`; `v` is the other one.
class Stretch {
 public:
  Stretch(const Path& path, bool is_steep, size_t first, size_t last)
      : u_((is_steep ? path.y : path.x).data() + first),
        v_((is_steep ? path.x : path.y).data() + first),
        s_(path.s.data() + first),
        step_(first < last ? 1 : -1),
        chords_(first < last ? last - first : first - last) {}

  size_t chord_count() const { return chords_; }
  double begin() const { return u(0); }
  double end() const { return u(chords_); }
  double u(size_t knot) const { return u_[step_ * static_cast<ptrdiff_t>(knot)]; }
  double v(size_t knot) const { return v_[step_ * static_cast<ptrdiff_t>(knot)]; }
  double s(size_t knot) const { return s_[step_ * static_cast<ptrdiff_t>(knot)]; }

 private:
  const double* u_;
  const double* v_;
  const double* s_;
  ptrdiff_t step_;
  size_t chords_;
};

/// Calls body(is_steep, stretch) for the stretches of a path, which they make up together.
template <class Body>
void for_each_stretch(const Path& path, const Body& body) {
  const auto kind_of = [&](size_t chord) {
    const double dx = path.x[chord + 1] - path.x[chord];
    const double dy = path.y[chord + 1] - path.y[chord];
    const bool is_steep = std::abs(dy) >= std::abs(dx);
    return 2 * static_cast<int>(is_steep) + static_cast<int>((is_steep ? dy : dx) > 0);
  };
  const size_t chords = path.count - 1;
  int kind = kind_of(0);
  for (size_t begin = 0; begin < chords;) {
    size_t end = begin + 1;
    int next = kind;
    while (end < chords && (next = kind_of(end)) == kind) ++end;
    const bool is_forward = (kind & 1) != 0;
    body(kind >= 2, Stretch(path, kind >= 2, is_forward ? begin : end, is_forward ? end : begin));
    begin = end;
    kind = next;
  }
}

/// A straight piece of a stretch; v and s change evenly with u.
struct Chord {
  double u;  // where it begins
  double v;
  double s;
  double v_slope;  // at most 1 either way
  double s_slope;

  Chord(const Stretch& stretch, size_t i) : u(stretch.u(i)), v(stretch.v(i)), s(stretch.s(i)) {
    const double length = stretch.u(i + 1) - u;
    const double inverse = length > 0 ? 1 / length : 0;
    v_slope = (stretch.v(i + 1) - v) * inverse;
    s_slope = (stretch.s(i + 1) - s) * inverse;
  }
  double v_at(double at) const { return v + v_slope * (at - u); }
  double s_at(double at) const { return s + s_slope * (at - u); }
};

/// The chord of a stretch that covers u: `i` or a later one.
inline size_t chord_at(const Stretch& stretch, size_t i, double u) {
  while (i + 1 < stretch.chord_count() && stretch.u(i + 1) <= u) ++i;
  return i;
}

}  // namespace pathline::render

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "layout/bspline.hpp"

namespace pathline::render {

/// From the sender's end of what is drawn to the receiver's.
struct Chord {
  double x1, y1, x2, y2;
  double s1, s2;
};

/// Nothing is shorter than a pixel: about its middle, along its direction or upright.
inline Chord lengthened(const Chord& chord) {
  double dx = chord.x2 - chord.x1;
  double dy = chord.y2 - chord.y1;
  const double length = std::max(std::abs(dx), std::abs(dy));
  if (length >= 1) return chord;
  if (length == 0) {
    dy = 1;
  } else {
    dx /= length;
    dy /= length;
  }
  const double x = (chord.x1 + chord.x2 - dx) / 2;
  const double y = (chord.y1 + chord.y2 - dy) / 2;
  return {x, y, x + dx, y + dy, chord.s1, chord.s2};
}

/// Calls draw(chord) for chords within 0.25 px of the curve, from its begin to its end; one chord
/// of a pixel for a curve that is smaller.
template <class Draw>
void for_each_chord(const layout::Bezier& piece, double s1, double s2, const Draw& draw) {
  constexpr double kTolerance = 0.25;
  const auto extent = [](double a, double b, double c) {
    return std::max({a, b, c}) - std::min({a, b, c});
  };
  if (extent(piece.begin.x, piece.control.x, piece.end.x) < 1 &&
      extent(piece.begin.y, piece.control.y, piece.end.y) < 1) {
    draw(lengthened({piece.begin.x, piece.begin.y, piece.end.x, piece.end.y, s1, s2}));
    return;
  }
  const size_t chords = layout::chord_count(piece, kTolerance);
  const double step = 1 / static_cast<double>(chords);
  layout::Point from = piece.begin;
  double s_from = s1;
  for (size_t i = 1; i <= chords; ++i) {
    const double t = static_cast<double>(i) * step;
    const layout::Point to = i == chords ? piece.end : piece.at(t);
    const double s_to = i == chords ? s2 : s1 + t * (s2 - s1);
    draw({from.x, from.y, to.x, to.y, s_from, s_to});
    from = to;
    s_from = s_to;
  }
}

}  // namespace pathline::render

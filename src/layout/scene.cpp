// SPDX-License-Identifier: BSD-3-Clause
#include "layout/scene.hpp"

#include <cmath>

namespace pathline::layout {

void Segments::reserve(size_t count) {
  x1.reserve(count);
  y1.reserve(count);
  x2.reserve(count);
  y2.reserve(count);
}

void Polylines::add_rule(Point from, Point to, Color stroke, double width_px) {
  // A stroke covers whole pixels when its middle is half its width away from a pixel edge.
  const double offset = static_cast<int>(std::lround(width_px)) % 2 == 1 ? 0.5 : 0;
  const auto sharp = [&](double at) { return std::floor(at - offset + 0.5) + offset; };
  if (from.y == to.y) from.y = to.y = sharp(from.y);
  if (from.x == to.x) from.x = to.x = sharp(from.x);
  lines.push_back({.points = {from, to}, .stroke = stroke, .width_px = width_px});
}

}  // namespace pathline::layout

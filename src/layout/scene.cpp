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

void Curves::reserve(size_t count) {
  for (std::vector<float>* column : {&x1, &y1, &cx, &cy, &x2, &y2, &s1, &s2, &weight}) {
    column->reserve(count);
  }
}

void Curves::add(Point from, Point control, Point to, double s_from, double s_to,
                 double piece_weight) {
  x1.push_back(static_cast<float>(from.x));
  y1.push_back(static_cast<float>(from.y));
  cx.push_back(static_cast<float>(control.x));
  cy.push_back(static_cast<float>(control.y));
  x2.push_back(static_cast<float>(to.x));
  y2.push_back(static_cast<float>(to.y));
  s1.push_back(static_cast<float>(s_from));
  s2.push_back(static_cast<float>(s_to));
  weight.push_back(static_cast<float>(piece_weight));
}

void Ribbons::reserve(size_t count) {
  for (std::vector<float>* column : {&x1, &y1, &cx, &cy, &x2, &y2, &half_width}) {
    column->reserve(count);
  }
  color.reserve(count);
}

void Ribbons::add(Point from, Point control, Point to, double half_width_px, Color fill) {
  x1.push_back(static_cast<float>(from.x));
  y1.push_back(static_cast<float>(from.y));
  cx.push_back(static_cast<float>(control.x));
  cy.push_back(static_cast<float>(control.y));
  x2.push_back(static_cast<float>(to.x));
  y2.push_back(static_cast<float>(to.y));
  half_width.push_back(static_cast<float>(half_width_px));
  color.push_back(fill);
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

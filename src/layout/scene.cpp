// SPDX-License-Identifier: BSD-3-Clause
#include "layout/scene.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

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

Segments widened(const Segments& segments) {
  const auto copies = std::lround(segments.style.width_px);
  if (copies <= 1) return segments;
  Segments result;
  result.clip = segments.clip;
  result.style = segments.style;
  result.style.width_px = 1;
  result.reserve(segments.size() * static_cast<size_t>(copies));
  result.curves.reserve(segments.curves.size() * static_cast<size_t>(copies));
  for (long copy = 0; copy < copies; ++copy) {
    const auto offset = static_cast<float>(copy) - static_cast<float>(copies - 1) / 2;
    // Across the direction in which a line advances pixel by pixel.
    const auto shift = [&](float dx, float dy) {
      const bool is_steep = std::abs(dy) > std::abs(dx);
      return std::pair{is_steep ? offset : 0, is_steep ? 0 : offset};
    };
    for (size_t i = 0; i < segments.size(); ++i) {
      const auto [x, y] = shift(segments.x2[i] - segments.x1[i], segments.y2[i] - segments.y1[i]);
      result.add(segments.x1[i] + x, segments.y1[i] + y, segments.x2[i] + x, segments.y2[i] + y);
      if (!segments.weight.empty()) result.weight.push_back(segments.weight[i]);
    }
    const Curves& from = segments.curves;
    for (size_t i = 0; i < from.size(); ++i) {
      const auto [x, y] = shift(from.x2[i] - from.x1[i], from.y2[i] - from.y1[i]);
      const auto at = [x = x, y = y](float px, float py) {
        return Point{double{px} + double{x}, double{py} + double{y}};
      };
      result.curves.add(at(from.x1[i], from.y1[i]), at(from.cx[i], from.cy[i]),
                        at(from.x2[i], from.y2[i]), from.s1[i], from.s2[i], from.weight[i]);
    }
  }
  return result;
}

namespace {

Rect times(const Rect& rect, double scale) {
  return {rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale};
}
Point times(Point point, double scale) { return {point.x * scale, point.y * scale}; }
void grow(std::vector<float>& lengths, double scale) {
  for (float& length : lengths) length = static_cast<float>(double{length} * scale);
}

/// Makes each kind of layer larger.
struct Grow {
  double scale;

  void operator()(Boxes& boxes) const {
    for (auto* column : {&boxes.x, &boxes.y, &boxes.w, &boxes.h}) grow(*column, scale);
    boxes.corner_radius_px *= scale;
  }
  void operator()(CellGrid& grid) const {
    grid.area = times(grid.area, scale);
    grid.row_gap_px *= scale;
  }
  void operator()(Segments& segments) const { segments = scaled(segments, scale); }
  void operator()(DensityField& field) const {
    field.x *= scale;
    field.y *= scale;
  }
  void operator()(Ribbons& ribbons) const {
    for (auto* column : {&ribbons.x1, &ribbons.y1, &ribbons.cx, &ribbons.cy, &ribbons.x2,
                         &ribbons.y2, &ribbons.half_width}) {
      grow(*column, scale);
    }
    ribbons.clip = times(ribbons.clip, scale);
  }
  void operator()(Polylines& polylines) const {
    for (Polyline& line : polylines.lines) {
      for (Point& point : line.points) point = times(point, scale);
      line.width_px *= scale;
      for (double& dash : line.dash_px) dash *= scale;
      if (line.clip) line.clip = times(*line.clip, scale);
    }
  }
  void operator()(Labels& labels) const {
    for (Label& label : labels.items) {
      label.at = times(label.at, scale);
      label.size_px *= scale;
      if (label.max_width_px) *label.max_width_px *= scale;
    }
  }
};

void shift(std::vector<float>& places, double by) {
  for (float& place : places) place = static_cast<float>(double{place} + by);
}

/// Moves each kind of layer.
struct Move {
  Point by;

  [[nodiscard]] Rect moved(const Rect& rect) const {
    return {rect.x + by.x, rect.y + by.y, rect.w, rect.h};
  }
  void move(Point& point) const { point = {point.x + by.x, point.y + by.y}; }
  /// Columns of x and of y.
  void shift_all(std::initializer_list<std::vector<float>*> x,
                 std::initializer_list<std::vector<float>*> y) const {
    for (auto* column : x) shift(*column, by.x);
    for (auto* column : y) shift(*column, by.y);
  }
  void operator()(Boxes& boxes) const { shift_all({&boxes.x}, {&boxes.y}); }
  void operator()(CellGrid& grid) const { grid.area = moved(grid.area); }
  void operator()(Segments& lines) const {
    Curves& curves = lines.curves;
    shift_all({&lines.x1, &lines.x2, &curves.x1, &curves.cx, &curves.x2},
              {&lines.y1, &lines.y2, &curves.y1, &curves.cy, &curves.y2});
    lines.clip = moved(lines.clip);
  }
  void operator()(DensityField& field) const {
    field.x += by.x;
    field.y += by.y;
  }
  void operator()(Ribbons& ribbons) const {
    shift_all({&ribbons.x1, &ribbons.cx, &ribbons.x2}, {&ribbons.y1, &ribbons.cy, &ribbons.y2});
    ribbons.clip = moved(ribbons.clip);
  }
  void operator()(Polylines& polylines) const {
    for (Polyline& line : polylines.lines) {
      for (Point& point : line.points) move(point);
      if (line.clip) line.clip = moved(*line.clip);
    }
  }
  void operator()(Labels& labels) const {
    for (Label& label : labels.items) move(label.at);
  }
};

}  // namespace

void move(Layer& layer, Point by) { std::visit(Move{by}, layer); }

Segments scaled(const Segments& segments, double scale) {
  Segments result = segments;
  Curves& curves = result.curves;
  for (auto* column : {&result.x1, &result.y1, &result.x2, &result.y2, &curves.x1, &curves.y1,
                       &curves.cx, &curves.cy, &curves.x2, &curves.y2}) {
    grow(*column, scale);
  }
  result.clip = times(segments.clip, scale);
  result.style.width_px *= scale;
  return result;
}

Scene scaled(const Scene& scene) {
  Scene result = scene;
  result.width_px = std::round(scene.width_px * scene.scale);
  result.height_px = std::round(scene.height_px * scene.scale);
  result.scale = 1;
  for (Layer& layer : result.layers) std::visit(Grow{scene.scale}, layer);
  return result;
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

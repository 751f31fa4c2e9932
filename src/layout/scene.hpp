// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/color.hpp"
#include "layout/density.hpp"

namespace pathline::layout {

// A picture as geometry. All coordinates are in pixels of the finished picture (SVG user units);
// x grows to the right, y downwards, the centre of the first pixel is (0.5, 0.5).

struct Point {
  double x = 0;
  double y = 0;
};

struct Rect {
  double x = 0;
  double y = 0;
  double w = 0;
  double h = 0;

  double right() const { return x + w; }
  double bottom() const { return y + h; }
};

/// Filled rectangles, in columns of equal length. Negative sizes are not drawn. Edges are drawn
/// where they are (anti-aliased), or on the nearest pixel edge when `snap` is set.
struct Boxes {
  std::vector<float> x, y, w, h;
  std::vector<Color> color;
  bool snap = true;
  double corner_radius_px = 0;

  void add(const Rect& rect, Color fill) {
    x.push_back(static_cast<float>(rect.x));
    y.push_back(static_cast<float>(rect.y));
    w.push_back(static_cast<float>(rect.w));
    h.push_back(static_cast<float>(rect.h));
    color.push_back(fill);
  }
};

/// A rectangle cut into columns x rows equal cells: state rows of a timeline, a heat map.
/// Drawn without smoothing: a pixel has the colour of the cell that holds its centre. With more
/// cells than pixels some are skipped, so reduce them to pixels first.
struct CellGrid {
  Rect area;
  uint32_t column_count = 0;
  uint32_t row_count = 0;
  std::vector<Color> cells;  ///< column_count * row_count, row by row, top row first
  double row_gap_px = 0;     ///< left free below every row (the last one too), at most half a row

  Color& at(uint32_t column, uint32_t row) {
    return cells[static_cast<size_t>(row) * column_count + column];
  }
};

enum class Blend : uint8_t {
  kAlpha,     ///< coverage 1-(1-opacity)^n: "over" made independent of the order
  kAdditive,  ///< light (dark theme) or ink (light theme) adds up, with asinh exposure
  kOver       ///< painter's order, one line after the other: slow, the reference for kAlpha
};

/// How weighted segments are coloured; see render/tone.hpp for the formulas.
struct SegmentStyle {
  Color begin;                         ///< where s = 0, the sender
  Color end;                           ///< where s = 1, the receiver; between them along OKLab
  std::optional<double> opacity = {};  ///< of the lightest line, (0,1]; absent: automatic
  Blend blend = Blend::kAlpha;
  double width_px = 1;  ///< of a line; what is not whole is rounded
};

/// Pieces of curves from sender to receiver, meant for millions: the quadratic Bezier curve that
/// leaves (x1, y1) towards (cx, cy) and arrives at (x2, y2) from there. s runs linearly with the
/// parameter of the piece, from s1 to s2. Columns of equal length.
struct Curves {
  std::vector<float> x1, y1, cx, cy, x2, y2;
  std::vector<float> s1, s2;
  std::vector<float> weight;

  size_t size() const { return x1.size(); }
  void reserve(size_t count);
  void add(Point from, Point control, Point to, double s_from, double s_to, double piece_weight);
};

/// Lines and curves, from sender to receiver; meant for millions. Straight lines
/// are columns of equal length, whose s runs from 0 to 1; an empty `weight` means 1 each. Cut off
/// at the edge of `clip`.
struct Segments {
  std::vector<float> x1, y1, x2, y2;
  std::vector<float> weight;
  Curves curves;
  Rect clip;
  SegmentStyle style;

  /// Straight lines only.
  size_t size() const { return x1.size(); }
  double weight_of(size_t line) const { return weight.empty() ? 1.0 : double{weight[line]}; }
  void reserve(size_t count);
  void add(float from_x, float from_y, float to_x, float to_y) {
    x1.push_back(from_x);
    y1.push_back(from_y);
    x2.push_back(to_x);
    y2.push_back(to_y);
  }
};

/// The same lines beside each other, each `style.width_px` times one pixel wide.
Segments widened(const Segments& segments);

/// Lines that were drawn already, because their picture had to be judged, on the pixels of the
/// finished picture (Scene::scale). (x, y) is where they were clipped.
struct DensityField {
  double x = 0;
  double y = 0;
  std::shared_ptr<const Density> density;
  SegmentStyle style;  ///< kOver cannot be had any more and is drawn as kAlpha
};

/// Bands along curves, meant for tens of thousands: each is the quadratic Bezier curve that leaves
/// (x1, y1) towards (cx, cy) and arrives at (x2, y2) from there, of the same width all along, cut
/// straight across at both ends so that pieces of one curve join without a seam. Painted in their
/// order, one over the other. Columns of equal length. Cut off at the edge of `clip`.
struct Ribbons {
  std::vector<float> x1, y1, cx, cy, x2, y2;
  std::vector<float> half_width;  ///< px
  std::vector<Color> color;
  Rect clip;

  size_t size() const { return x1.size(); }
  void reserve(size_t count);
  void add(Point from, Point control, Point to, double half_width_px, Color fill);
};

/// A line through `points`; `fill` closes it and paints the inside.
struct Polyline {
  std::vector<Point> points;
  Color stroke = kTransparent;
  double width_px = 1;
  std::vector<double> dash_px;  ///< on, off, on, ...; empty for a solid line
  std::optional<Color> fill;
  std::optional<Rect> clip;
};

struct Polylines {
  std::vector<Polyline> lines;
  /// Straight line; horizontal and vertical ones are moved onto pixels so that they stay sharp.
  void add_rule(Point from, Point to, Color stroke, double width_px = 1);
};

enum class Anchor : uint8_t { kStart, kMiddle, kEnd };
enum class Baseline : uint8_t { kAlphabetic, kTop, kMiddle, kBottom };
enum class Weight : uint8_t { kRegular, kBold };

/// One line of UTF-8 text. `at` is where the anchor and the baseline meet; the text is turned
/// about it. Longer text than `max_width_px` is cut with an ellipsis.
struct Label {
  std::string text;
  Point at;
  Color color;
  double size_px = 12;  ///< font size (em)
  Anchor anchor = Anchor::kStart;
  Baseline baseline = Baseline::kAlphabetic;
  Weight weight = Weight::kRegular;
  double rotation_deg = 0;  ///< clockwise; -90 reads upwards
  std::optional<double> max_width_px;
};

struct Labels {
  std::vector<Label> items;
};

using Layer = std::variant<Boxes, CellGrid, Segments, DensityField, Ribbons, Polylines, Labels>;

/// A picture, painted in the order of `layers` on `background`. All lengths are in pixels, of which
/// the finished picture has `scale` in every direction instead of one. `title` and `description`
/// are for readers that cannot see it (SVG <title>, <desc>; PNG text).
struct Scene {
  double width_px = 1280;
  double height_px = 720;
  double scale = 1;
  Color background = rgb(0xffffff);
  std::vector<Layer> layers;
  std::string title;
  std::string description;
  uint64_t message_count = 0;  ///< Messages that the picture shows, as lines or as sums.
};

/// The lines with all lengths times `scale`.
Segments scaled(const Segments& segments, double scale);

/// The same picture with a scale of 1 and all lengths larger.
Scene scaled(const Scene& scene);

/// Moves all of a layer.
void move(Layer& layer, Point by);

}  // namespace pathline::layout

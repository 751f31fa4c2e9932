// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/collective_marks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/id_map.hpp"

namespace pathline::figure {
namespace {

constexpr double kSeenPx = 3;    // a wait
constexpr double kApartPx = 24;  // operations, on the average
constexpr double kRadiusPx = 4;

/// A member of an operation, as the picture has it.
struct Arrival {
  uint64_t ticks = 0;
  uint32_t row = base::IdMap::kNone;
};

struct Marked {
  Arrival last;
  Arrival root;  ///< Row kNone without one.
};

layout::Polyline shape(std::vector<layout::Point> points, const layout::Theme& theme) {
  points.push_back(points.front());
  return {
      .points = std::move(points), .stroke = theme.text, .width_px = 1, .fill = theme.background};
}

layout::Polyline triangle(double x, double y, const layout::Theme& theme) {
  return shape({{x, y}, {x - 1.5 * kRadiusPx, y - kRadiusPx}, {x - 1.5 * kRadiusPx, y + kRadiusPx}},
               theme);
}

layout::Polyline circle(double x, double y, const layout::Theme& theme) {
  std::vector<layout::Point> points;
  for (int i = 0; i < 16; ++i) {
    const double angle = i * std::numbers::pi / 8;
    points.push_back({x + kRadiusPx * std::cos(angle), y + kRadiusPx * std::sin(angle)});
  }
  return shape(std::move(points), theme);
}

}  // namespace

std::vector<layout::LegendEntry> add_collective_marks(layout::Scene& scene,
                                                      const layout::Theme& theme,
                                                      const layout::Rect& plot,
                                                      const trace::Trace& trace, const Rows& rows,
                                                      TimeRange range) {
  const trace::Collectives& all = trace.collectives;
  const double scale = plot.w / static_cast<double>(range.until - range.from);
  const double row_px = plot.h / static_cast<double>(rows.rows.size());
  if (row_px < 2 * kRadiusPx) return {};
  std::vector<Marked> marked;
  const auto most = static_cast<size_t>(plot.w / kApartPx);
  for (size_t i = 0; i < all.size(); ++i) {
    Marked mark;
    uint64_t first = UINT64_MAX;
    for (uint32_t member = all.first[i]; member < all.first[i + 1]; ++member) {
      const uint32_t row = rows.of_location[all.location[member]];
      if (row == base::IdMap::kNone) continue;
      const Arrival arrival{all.begin_ticks[member], row};
      first = std::min(first, arrival.ticks);
      if (mark.last.row == base::IdMap::kNone || arrival.ticks > mark.last.ticks) {
        mark.last = arrival;
      }
      if (uint32_t{trace.locations[all.location[member]].rank} == all.root[i]) mark.root = arrival;
    }
    if (mark.last.row == base::IdMap::kNone || mark.last.ticks < range.from ||
        mark.last.ticks >= range.until) {
      continue;
    }
    if (static_cast<double>(mark.last.ticks - first) * scale < kSeenPx) continue;
    if (marked.size() == most) return {};
    marked.push_back(mark);
  }
  if (marked.empty()) return {};
  layout::Polylines shapes;
  bool has_root = false;
  const auto at = [&](const Arrival& arrival, double right_px, auto draw) {
    const auto since = static_cast<double>(static_cast<int64_t>(arrival.ticks - range.from));
    const double x = plot.x + since * scale;
    if (x < plot.x || x > plot.right()) return;
    shapes.lines.push_back(draw(x + right_px, plot.y + (arrival.row + 0.5) * row_px, theme));
  };
  for (const Marked& mark : marked) {
    if (mark.root.row != base::IdMap::kNone) {
      at(mark.root, kRadiusPx + 1, circle);  // behind the triangle of the same rank
      has_root = true;
    }
    at(mark.last, 0, triangle);
  }
  scene.layers.emplace_back(std::move(shapes));
  std::vector<layout::LegendEntry> legend = {{.text = "last to come to a collective",
                                              .color = theme.text,
                                              .swatch = layout::Swatch::kTriangle,
                                              .end_color = theme.background}};
  if (has_root) {
    legend.push_back({.text = "its root",
                      .color = theme.text,
                      .swatch = layout::Swatch::kCircle,
                      .end_color = theme.background});
  }
  return legend;
}

}  // namespace pathline::figure

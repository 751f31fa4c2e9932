// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/pick.hpp"

#include <algorithm>
#include <cmath>

#include "render/path.hpp"

namespace pathline::bundle {
namespace {

/// Whether a path covers any of the pixel's row (column, where it is flat) within a pixel of it:
/// what render/raster.hpp gives weight.
bool touches(const render::Path& path, double x, double y) {
  bool touched = false;
  render::for_each_stretch(path, [&](bool is_steep, const render::Stretch& stretch) {
    const double u = is_steep ? y : x;
    const double v = is_steep ? x : y;
    const double from = std::max(u, stretch.begin());
    const double to = std::min(u + 1, stretch.end());
    if (!(from < to)) return;
    const double middle = (from + to) / 2;
    const render::Chord chord(stretch, render::chord_at(stretch, 0, middle));
    touched = touched || std::abs(chord.v_at(middle) - (v + 0.5)) < 1;
  });
  return touched;
}

}  // namespace

std::vector<uint32_t> lines_at_pixel(const layout::Segments& lines, const Router* router,
                                     const layout::Spline& spline, uint32_t x, uint32_t y) {
  const double px = std::floor(lines.clip.x) + x;
  const double py = std::floor(lines.clip.y) + y;
  constexpr double kReach = 2;
  const auto is_near = [&](double low_x, double high_x, double low_y, double high_y) {
    return low_x <= px + kReach && high_x >= px - kReach && low_y <= py + kReach &&
           high_y >= py - kReach;
  };
  std::vector<uint32_t> found;
  std::vector<layout::Point> control;
  layout::Curves curves;
  render::Path path;
  for (size_t i = 0; i < lines.size(); ++i) {
    const layout::Point from{lines.x1[i], lines.y1[i]};
    const layout::Point to{lines.x2[i], lines.y2[i]};
    const bool has_weight = lines.weight.empty() || lines.weight[i] > 0;
    if (!has_weight || !std::isfinite(from.x + from.y + to.x + to.y)) continue;
    control = {from, to};
    if (router != nullptr) router->route(from, to, control);
    // A curve stays within the hull of its polygon.
    double low_x = from.x;
    double high_x = from.x;
    double low_y = from.y;
    double high_y = from.y;
    for (const layout::Point& point : control) {
      low_x = std::min(low_x, point.x);
      high_x = std::max(high_x, point.x);
      low_y = std::min(low_y, point.y);
      high_y = std::max(high_y, point.y);
    }
    if (!is_near(low_x, high_x, low_y, high_y)) continue;
    bool is_behind = false;
    if (control.size() < 3) {
      render::set_line({from.x, from.y, 0}, {to.x, to.y, 1}, path);
      is_behind = touches(path, px, py);
    } else {
      curves = {};
      layout::add_spline(control, spline, 1, curves);
      for (size_t k = 0; k < curves.size() && !is_behind; ++k) {
        render::for_each_part({{curves.x1[k], curves.y1[k]},
                               {curves.cx[k], curves.cy[k]},
                               {curves.x2[k], curves.y2[k]}},
                              0, 1, {px, py, 1, 1}, path,
                              [&] { is_behind = is_behind || touches(path, px, py); });
      }
    }
    if (is_behind) found.push_back(static_cast<uint32_t>(i));
  }
  return found;
}

}  // namespace pathline::bundle

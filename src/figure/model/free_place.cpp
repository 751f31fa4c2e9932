// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/free_place.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::figure {
namespace {

using layout::Rect;

/// How much of curves and marks an area covers.
double covered_by(const Rect& area, std::span<const ModelCurve> curves, const ModelScale& x_scale,
                  const ModelScale& y_scale) {
  const auto inside = [&](double x, double y) {
    return x > area.x - 8 && x < area.right() + 8 && y > area.y - 6 && y < area.bottom() + 6;
  };
  double count = 0;
  for (const ModelCurve& curve : curves) {
    for (size_t i = 0; i < curve.x.size(); ++i) {
      const double x = x_scale.px(curve.x[i]);
      if (inside(x, y_scale.px(curve.value[i]))) ++count;
      const double high = y_scale.px(curve.high[i]);
      const double low = y_scale.px(curve.low[i]);
      if (x > area.x && x < area.right() && high < area.bottom() && low > area.y) count += 0.7;
    }
    for (const ModelMark& mark : curve.marks) {
      if (inside(x_scale.px(mark.x), y_scale.px(mark.value))) count += 20;
    }
  }
  return count;
}

}  // namespace

Rect free_place(std::span<const ModelCurve> curves, const ModelScale& x_scale,
                const ModelScale& y_scale, const Rect& plot, const TextToPlace& text) {
  constexpr double kStepPx = 6;
  const auto& [width, height, to, top, bottom] = text;
  Rect best{plot.x + 10, plot.y + 8, width, height};
  double least = HUGE_VAL;
  const double right = plot.right() - 6 - width;
  for (const double x : {to.x - 14 - width, to.x - width / 2, plot.x + 10}) {
    for (double y = plot.y + 6; y + height < plot.bottom() - 4; y += kStepPx) {
      const Rect area{std::clamp(x, plot.x + 6, right), y, width, height};
      const bool hides = to.x > area.x - 8 && to.x < area.right() + 8 && bottom > area.y - 8 &&
                         top < area.bottom() + 8;
      const double away = std::hypot(area.x + width / 2 - to.x, area.y + height / 2 - to.y);
      const double cost =
          away / 8 + 30 * covered_by(area, curves, x_scale, y_scale) + (hides ? 1000 : 0);
      if (cost >= least) continue;
      least = cost;
      best = area;
    }
  }
  return best;
}

}  // namespace pathline::figure

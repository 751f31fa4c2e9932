// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "figure/model/plot.hpp"

namespace pathline::figure {

/// A text that wants a place in a plot.
struct TextToPlace {
  double width_px = 0;
  double height_px = 0;
  layout::Point to;  ///< What it is about, from `top` to `bottom`, which it does not hide.
  double top = 0;
  double bottom = 0;
};

/// Near `text.to`, and where it covers least of curves and marks.
layout::Rect free_place(std::span<const ModelCurve> curves, const ModelScale& x_scale,
                        const ModelScale& y_scale, const layout::Rect& plot,
                        const TextToPlace& text);

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layout/axis.hpp"
#include "layout/color.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::layout {

enum class Swatch : uint8_t {
  kBox,
  kLine,
  kDashedLine,
  kRimmedLine,
  kRimmedBox,
  kGradient,
  kTriangle,
  kCircle
};

/// One line of a legend. A gradient swatch runs from `color` to `end_color`, a rimmed line
/// and the outline of a box have a rim of the second, a triangle or a circle a rim of the first and
/// is filled with the second.
struct LegendEntry {
  std::string text;
  Color color;
  Swatch swatch = Swatch::kBox;
  Color end_color = kTransparent;
  std::string value;  ///< muted, behind the text: "38 %", "1.2 s"
};

/// Rows that a legend of this width needs; what add_legend uses.
size_t legend_row_count(const Theme& theme, std::span<const LegendEntry> entries, double width_px);

/// Height of one legend row.
double legend_row_height_px(const Theme& theme);

/// Writes the entries into `area`, left to right in columns of equal width, then downwards; one
/// behind the other where such columns would be fewer than three. When they do not fit, "+ 12 more"
/// stands behind the last.
///
/// returns  the part of the area that was used.
Rect add_legend(Scene& scene, const Theme& theme, const Rect& area,
                std::span<const LegendEntry> entries);

/// A tick of a colour bar, at a share in [0,1] of its length.
struct BarTick {
  double position = 0;
  std::string label;
};

/// Ticks of an axis as ticks of a bar with values from `begin` to `end`, linear or logarithmic.
std::vector<BarTick> bar_ticks(const Ticks& ticks, double begin, double end, bool logarithmic);

/// Vertical colour bar, smallest value at the bottom. `bar` is the bar itself; tick labels stand
/// right of it (allow 70 px), the title above it (allow 22 px).
///
/// ramp_begin  where on the ramp the smallest value lies.
void add_color_bar(Scene& scene, const Theme& theme, const Rect& bar, const Ramp& ramp,
                   std::span<const BarTick> ticks, std::string_view title, double ramp_begin = 0);

/// Horizontal colour bar for use in a legend row: low value left, labels below (allow 18 px),
/// title above it (allow 18 px).
void add_wide_color_bar(Scene& scene, const Theme& theme, const Rect& bar, const Ramp& ramp,
                        std::span<const BarTick> ticks, std::string_view title);

}  // namespace pathline::layout

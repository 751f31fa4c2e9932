// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "layout/scene.hpp"
#include "render/image.hpp"

namespace pathline::render {

/// What draw.cpp paints on. Coordinates as in layout::Scene. An implementation keeps its first
/// failure for finish(); calls after it do nothing.
class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  /// True when boxes stay sharp at any magnification and pixels do not.
  virtual bool is_vector() const = 0;
  virtual void boxes(const layout::Boxes& boxes) = 0;
  virtual void polyline(const layout::Polyline& line) = 0;
  /// Called when is_vector(); pixels come from render/ribbons.hpp.
  virtual void ribbons(const layout::Ribbons& /*ribbons*/) {}
  /// The text has its final length; max_width_px is ignored.
  virtual void label(const layout::Label& label) = 0;
  /// With the image's first pixel at (x, y), which are whole, one to one.
  virtual void image(const Image& image, double x, double y) = 0;
};

class PixelCanvas : public Canvas {
 public:
  /// The picture; the canvas is spent.
  virtual base::Result<Image> finish() = 0;
};

class SvgCanvas : public Canvas {
 public:
  virtual base::Result<std::string> finish() = 0;
};

/// With cairo. The scene gives size and background. Never null.
std::unique_ptr<PixelCanvas> make_pixel_canvas(const layout::Scene& scene);

/// Own writer: text as <text>, so that it can be searched and copied.
std::unique_ptr<SvgCanvas> make_svg_canvas(const layout::Scene& scene);

/// Distance from Label::at down to the alphabetic baseline.
double baseline_offset_px(const layout::Label& label);

}  // namespace pathline::render

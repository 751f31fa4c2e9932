// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "layout/color.hpp"
#include "render/chords.hpp"
#include "render/raster.hpp"
#include "render/tone.hpp"

namespace pathline::render {
namespace {

constexpr size_t kGradientSteps = 256;

struct Layer {
  float r = 0, g = 0, b = 0, a = 0;  // premultiplied
};

using Gradient = std::array<layout::Color, kGradientSteps>;

struct Surface {
  int64_t width;
  int64_t height;
  std::vector<Layer> pixels;  // row by row

  void over(int64_t x, int64_t y, layout::Color color, double alpha) {
    if (x < 0 || x >= width || y < 0 || y >= height || !(alpha > 0)) return;
    Layer& pixel = pixels[static_cast<size_t>(y * width + x)];
    const auto source = static_cast<float>(alpha);
    const float keep = 1 - source;
    pixel.r = pixel.r * keep + source * static_cast<float>(color.r) / 255;
    pixel.g = pixel.g * keep + source * static_cast<float>(color.g) / 255;
    pixel.b = pixel.b * keep + source * static_cast<float>(color.b) / 255;
    pixel.a = pixel.a * keep + source;
  }
};

/// Pixel by pixel along the major axis u, each row (column) split between two pixels across.
void paint(const Chord& line, double weight, const Opacity& opacity, const Gradient& colors,
           Surface& surface) {
  const bool steep = std::abs(line.y2 - line.y1) >= std::abs(line.x2 - line.x1);
  const double u1 = steep ? line.y1 : line.x1;
  const double u2 = steep ? line.y2 : line.x2;
  const double v1 = steep ? line.x1 : line.y1;
  const double slope = ((steep ? line.x2 : line.y2) - v1) / (u2 - u1);
  const auto u_limit = static_cast<double>(steep ? surface.height : surface.width);
  const auto v_limit = static_cast<double>(steep ? surface.width : surface.height);
  const double end = std::min(std::max(u1, u2), u_limit);
  double from = std::max(std::min(u1, u2), 0.0);
  while (from < end) {
    const double to = std::min(end, std::floor(from) + 1);
    const double middle = (from + to) / 2;
    const double v = v1 + slope * (middle - u1) - 0.5;
    if (v >= -1 && v < v_limit) {
      const double share_of_line = std::clamp((middle - u1) / (u2 - u1), 0.0, 1.0);
      const double s = line.s1 + share_of_line * (line.s2 - line.s1);
      const layout::Color color =
          colors[std::min(static_cast<size_t>(s * kGradientSteps), kGradientSteps - 1)];
      const auto u_pixel = static_cast<int64_t>(from);
      const auto v_pixel = static_cast<int64_t>(v + 1) - 1;
      const double share = v - static_cast<double>(v_pixel);
      const auto put = [&](int64_t pixel, double part) {
        surface.over(steep ? pixel : u_pixel, steep ? u_pixel : pixel, color,
                     opacity.coverage(weight * part * (to - from)));
      };
      put(v_pixel, 1 - share);
      put(v_pixel + 1, share);
    }
    from = to;
  }
}

Image straight_alpha(const Surface& surface) {
  Image image{static_cast<uint32_t>(surface.width), static_cast<uint32_t>(surface.height), {}};
  image.rgba.reserve(surface.pixels.size() * 4);
  for (const Layer& pixel : surface.pixels) {
    const float undo = pixel.a > 0 ? 255 / pixel.a : 0;
    for (const float channel : {pixel.r * undo, pixel.g * undo, pixel.b * undo, pixel.a * 255}) {
      image.rgba.push_back(static_cast<uint8_t>(std::lround(std::clamp(channel, 0.0F, 255.0F))));
    }
  }
  return image;
}

}  // namespace

Image paint_over(const layout::Segments& segments, const Opacity& opacity) {
  const double left = std::floor(segments.clip.x);
  const double top = std::floor(segments.clip.y);
  const double width = std::ceil(segments.clip.right()) - left;
  const double height = std::ceil(segments.clip.bottom()) - top;
  if (!(width >= 1 && height >= 1 && width <= kMaxRasterSide && height <= kMaxRasterSide)) {
    return {};
  }
  Surface surface{static_cast<int64_t>(width), static_cast<int64_t>(height), {}};
  surface.pixels.resize(static_cast<size_t>(surface.width * surface.height));
  Gradient colors;
  for (size_t i = 0; i < colors.size(); ++i) {
    colors[i] = layout::mix(segments.style.begin, segments.style.end,
                            static_cast<double>(i) / (kGradientSteps - 1));
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    const double weight = segments.weight_of(i);
    const Chord line{segments.x1[i] - left,
                     segments.y1[i] - top,
                     segments.x2[i] - left,
                     segments.y2[i] - top,
                     0,
                     1};
    if (!std::isfinite(line.x1 + line.y1 + line.x2 + line.y2 + weight) || weight < 0) continue;
    paint(lengthened(line), weight, opacity, colors, surface);
  }
  const layout::Curves& curves = segments.curves;
  for (size_t i = 0; i < curves.size(); ++i) {
    const layout::Bezier piece{{curves.x1[i] - left, curves.y1[i] - top},
                               {curves.cx[i] - left, curves.cy[i] - top},
                               {curves.x2[i] - left, curves.y2[i] - top}};
    const double weight = curves.weight[i];
    if (!std::isfinite(piece.begin.x + piece.begin.y + piece.control.x + piece.control.y +
                       piece.end.x + piece.end.y + weight) ||
        weight < 0) {
      continue;
    }
    for_each_chord(piece, curves.s1[i], curves.s2[i], [&](const Chord& chord) {
      if (chord.x1 != chord.x2 || chord.y1 != chord.y2) {
        paint(chord, weight, opacity, colors, surface);
      }
    });
  }
  return straight_alpha(surface);
}

}  // namespace pathline::render

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "layout/color.hpp"
#include "render/gradient.hpp"
#include "render/path.hpp"
#include "render/raster.hpp"
#include "render/tone.hpp"

namespace pathline::render {
namespace {

struct Layer {
  float r = 0, g = 0, b = 0, a = 0;  // premultiplied
};

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
void paint(bool is_steep, const Stretch& stretch, double weight, const Opacity& opacity,
           const Gradient& colors, Surface& surface) {
  const auto u_limit = static_cast<double>(is_steep ? surface.height : surface.width);
  const auto v_limit = static_cast<double>(is_steep ? surface.width : surface.height);
  const double end = std::min(stretch.end(), u_limit);
  double from = std::max(stretch.begin(), 0.0);
  size_t i = 0;
  while (from < end) {
    const double to = std::min(end, std::floor(from) + 1);
    const double middle = (from + to) / 2;
    i = chord_at(stretch, i, middle);
    const Chord chord(stretch, i);
    const double v = chord.v_at(middle) - 0.5;
    if (v >= -1 && v < v_limit) {
      const double s = std::clamp(chord.s_at(middle), 0.0, 1.0);
      const layout::Color color = colors[gradient_index(static_cast<float>(s))];
      const auto u_pixel = static_cast<int64_t>(from);
      const auto v_pixel = static_cast<int64_t>(v + 1) - 1;
      const double share = v - static_cast<double>(v_pixel);
      const auto put = [&](int64_t pixel, double part) {
        surface.over(is_steep ? pixel : u_pixel, is_steep ? u_pixel : pixel, color,
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
  const Gradient colors = gradient(segments.style);
  Path path;
  const auto paint_path = [&](double weight) {
    for_each_stretch(path, [&](bool is_steep, const Stretch& stretch) {
      paint(is_steep, stretch, weight, opacity, colors, surface);
    });
  };
  for (size_t i = 0; i < segments.size(); ++i) {
    const double weight = segments.weight_of(i);
    const PathPoint from{segments.x1[i] - left, segments.y1[i] - top, 0};
    const PathPoint to{segments.x2[i] - left, segments.y2[i] - top, 1};
    if (!std::isfinite(from.x + from.y + to.x + to.y + weight) || weight < 0) continue;
    set_line(from, to, path);
    paint_path(weight);
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
    for_each_part(piece, curves.s1[i], curves.s2[i], {0, 0, width, height}, path,
                  [&] { paint_path(weight); });
  }
  return straight_alpha(surface);
}

}  // namespace pathline::render

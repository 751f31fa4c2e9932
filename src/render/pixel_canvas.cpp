// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <cairo.h>
#include <fmt/format.h>

#include "render/canvas.hpp"

namespace pathline::render {
namespace {

using layout::Color;

struct Destroy {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

uint32_t premultiplied(const uint8_t* rgba) {
  const uint32_t alpha = rgba[3];
  const auto scaled = [&](uint32_t value) { return (value * alpha + 127) / 255; };
  return alpha << 24 | scaled(rgba[0]) << 16 | scaled(rgba[1]) << 8 | scaled(rgba[2]);
}

Owned<cairo_surface_t> new_surface(uint32_t width, uint32_t height) {
  return Owned<cairo_surface_t>(cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)));
}

uint32_t* row_of(cairo_surface_t* surface, uint32_t y) {
  return reinterpret_cast<uint32_t*>(
      cairo_image_surface_get_data(surface) +
      static_cast<size_t>(y) * static_cast<size_t>(cairo_image_surface_get_stride(surface)));
}

class CairoCanvas final : public PixelCanvas {
 public:
  explicit CairoCanvas(const layout::Scene& scene)
      : width_(static_cast<uint32_t>(std::lround(scene.width_px))),
        height_(static_cast<uint32_t>(std::lround(scene.height_px))),
        surface_(new_surface(width_, height_)),
        context_(cairo_create(surface_.get())) {
    cairo_t* cairo = context_.get();
    set_color(scene.background);
    cairo_paint(cairo);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    // Fixed, so that a desktop's settings do not change pictures: no colour fringes, and letters
    // fitted to whole pixels in height only, so that widths stay those of layout/text.hpp.
    const Owned<cairo_font_options_t> options(cairo_font_options_create());
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo, options.get());
  }

  bool is_vector() const override { return false; }

  void boxes(const layout::Boxes& boxes) override {
    cairo_t* cairo = context_.get();
    cairo_set_antialias(cairo, boxes.snap && boxes.corner_radius_px == 0 ? CAIRO_ANTIALIAS_NONE
                                                                         : CAIRO_ANTIALIAS_DEFAULT);
    for (size_t i = 0; i < boxes.x.size(); ++i) {
      const double w = boxes.w[i];
      const double h = boxes.h[i];
      if (!(w > 0 && h > 0)) continue;
      set_color(boxes.color[i]);
      box_path(boxes.x[i], boxes.y[i], w, h, boxes.corner_radius_px);
      cairo_fill(cairo);
    }
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
  }

  void polyline(const layout::Polyline& line) override {
    if (line.points.empty()) return;
    cairo_t* cairo = context_.get();
    cairo_save(cairo);
    if (line.clip) {
      cairo_rectangle(cairo, line.clip->x, line.clip->y, line.clip->w, line.clip->h);
      cairo_clip(cairo);
    }
    for (const layout::Point& point : line.points) cairo_line_to(cairo, point.x, point.y);
    if (line.fill) {
      cairo_close_path(cairo);
      set_color(*line.fill);
      cairo_fill_preserve(cairo);
    }
    if (line.stroke.a > 0 && line.width_px > 0) {
      set_color(line.stroke);
      cairo_set_line_width(cairo, line.width_px);
      cairo_set_dash(cairo, line.dash_px.data(), static_cast<int>(line.dash_px.size()), 0);
      cairo_stroke(cairo);
    }
    cairo_new_path(cairo);
    cairo_restore(cairo);
  }

  void label(const layout::Label& label) override {
    cairo_t* cairo = context_.get();
    cairo_save(cairo);
    cairo_select_font_face(
        cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
        label.weight == layout::Weight::kBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, label.size_px);
    set_color(label.color);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, label.text.c_str(), &extents);
    double shift = 0;
    if (label.anchor == layout::Anchor::kMiddle) shift = -extents.x_advance / 2;
    if (label.anchor == layout::Anchor::kEnd) shift = -extents.x_advance;
    const double drop = baseline_offset_px(label);
    if (label.rotation_deg == 0) {
      // Baselines on whole pixels: hinted letters blur otherwise.
      cairo_move_to(cairo, label.at.x + shift, std::round(label.at.y + drop));
    } else {
      cairo_translate(cairo, label.at.x, label.at.y);
      cairo_rotate(cairo, label.rotation_deg * std::numbers::pi / 180);
      cairo_move_to(cairo, shift, drop);
    }
    cairo_show_text(cairo, label.text.c_str());
    cairo_new_path(cairo);  // it leaves a current point, where the next line would begin
    cairo_restore(cairo);
  }

  void image(const Image& image, double x, double y) override {
    const Owned<cairo_surface_t> source = new_surface(image.width, image.height);
    if (cairo_surface_status(source.get()) != CAIRO_STATUS_SUCCESS) {
      failed_ = true;
      return;
    }
    cairo_surface_flush(source.get());
    for (uint32_t row = 0; row < image.height; ++row) {
      uint32_t* to = row_of(source.get(), row);
      const uint8_t* from = image.pixel(0, row);
      for (uint32_t column = 0; column < image.width; ++column, from += 4) {
        to[column] = premultiplied(from);
      }
    }
    cairo_surface_mark_dirty(source.get());
    cairo_t* cairo = context_.get();
    cairo_set_source_surface(cairo, source.get(), x, y);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, x, y, image.width, image.height);
    cairo_fill(cairo);
  }

  base::Result<Image> finish() override {
    cairo_surface_flush(surface_.get());
    cairo_status_t status = cairo_status(context_.get());
    if (failed_ && status == CAIRO_STATUS_SUCCESS) status = CAIRO_STATUS_NO_MEMORY;
    if (status != CAIRO_STATUS_SUCCESS) {
      return base::Error{base::ErrorCode::kIo,
                         fmt::format("cairo could not draw {} x {} pixels: {}", width_, height_,
                                     cairo_status_to_string(status))};
    }
    Image image{width_, height_, {}};
    image.rgba.resize(size_t{4} * width_ * height_);
    uint8_t* to = image.rgba.data();
    for (uint32_t y = 0; y < height_; ++y) {
      const uint32_t* from = row_of(surface_.get(), y);
      for (uint32_t x = 0; x < width_; ++x, to += 4) {
        const uint32_t pixel = from[x];
        const uint32_t alpha = pixel >> 24;
        const auto straight = [&](uint32_t value) {
          if (alpha == 255) return static_cast<uint8_t>(value);
          return static_cast<uint8_t>(
              alpha == 0 ? 0 : std::min(255U, (value * 255 + alpha / 2) / alpha));
        };
        to[0] = straight(pixel >> 16 & 255);
        to[1] = straight(pixel >> 8 & 255);
        to[2] = straight(pixel & 255);
        to[3] = static_cast<uint8_t>(alpha);
      }
    }
    return image;
  }

 private:
  void set_color(Color color) {
    cairo_set_source_rgba(context_.get(), color.r / 255.0, color.g / 255.0, color.b / 255.0,
                          color.a / 255.0);
  }

  void box_path(double x, double y, double w, double h, double radius) {
    cairo_t* cairo = context_.get();
    radius = std::min({radius, w / 2, h / 2});
    if (radius <= 0) {
      cairo_rectangle(cairo, x, y, w, h);
      return;
    }
    constexpr double kQuarter = std::numbers::pi / 2;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, x + w - radius, y + radius, radius, -kQuarter, 0);
    cairo_arc(cairo, x + w - radius, y + h - radius, radius, 0, kQuarter);
    cairo_arc(cairo, x + radius, y + h - radius, radius, kQuarter, 2 * kQuarter);
    cairo_arc(cairo, x + radius, y + radius, radius, 2 * kQuarter, 3 * kQuarter);
    cairo_close_path(cairo);
  }

  uint32_t width_;
  uint32_t height_;
  Owned<cairo_surface_t> surface_;
  Owned<cairo_t> context_;
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<PixelCanvas> make_pixel_canvas(const layout::Scene& scene) {
  return std::make_unique<CairoCanvas>(scene);
}

}  // namespace pathline::render

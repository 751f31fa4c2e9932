// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "layout/color.hpp"
#include "render/canvas.hpp"

namespace pathline::render {
namespace {

using layout::Color;

/// At most two decimals, without trailing zeros.
std::string number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

/// ` fill="#aabbcc"`, with opacity when there is any.
std::string paint(std::string_view attribute, Color color) {
  std::string text = fmt::format(" {}=\"{}\"", attribute, layout::hex(color));
  if (color.a != 255) {
    text += fmt::format(" {}-opacity=\"{}\"", attribute, number(color.a / 255.0));
  }
  return text;
}

class TextCanvas final : public SvgCanvas {
 public:
  explicit TextCanvas(const layout::Scene& scene) {
    const std::string width = number(std::round(scene.width_px));
    const std::string height = number(std::round(scene.height_px));
    append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"'DejaVu Sans',Verdana,sans-serif\">\n",
        width, height);
    if (!scene.title.empty()) append("<title>{}</title>\n", clean(scene.title));
    if (!scene.description.empty()) append("<desc>{}</desc>\n", clean(scene.description));
    append("<rect width=\"{}\" height=\"{}\"{}/>\n", width, height,
           paint("fill", scene.background));
  }

  bool is_vector() const override { return true; }

  void boxes(const layout::Boxes& boxes) override {
    // Without crispEdges neighbouring boxes show a seam of background.
    append("<g{}>\n", boxes.corner_radius_px == 0 ? " shape-rendering=\"crispEdges\"" : "");
    const std::string corner = boxes.corner_radius_px > 0
                                   ? fmt::format(" rx=\"{}\"", number(boxes.corner_radius_px))
                                   : std::string();
    for (size_t i = 0; i < boxes.x.size(); ++i) {
      if (!(boxes.w[i] > 0 && boxes.h[i] > 0)) continue;
      append("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>\n", number(boxes.x[i]),
             number(boxes.y[i]), number(boxes.w[i]), number(boxes.h[i]), corner,
             paint("fill", boxes.color[i]));
    }
    append("</g>\n");
  }

  void polyline(const layout::Polyline& line) override {
    if (line.points.empty()) return;
    std::string attributes = line.fill ? paint("fill", *line.fill) : " fill=\"none\"";
    if (line.stroke.a > 0 && line.width_px > 0) {
      attributes += paint("stroke", line.stroke);
      if (line.width_px != 1)
        attributes += fmt::format(" stroke-width=\"{}\"", number(line.width_px));
      attributes += " stroke-linejoin=\"round\"";
    }
    if (!line.dash_px.empty()) {
      attributes += " stroke-dasharray=\"";
      for (const double dash : line.dash_px) attributes += number(dash) + " ";
      attributes.back() = '"';
    }
    if (line.clip) {
      append(
          "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>"
          "</clipPath>\n",
          clip_count_, number(line.clip->x), number(line.clip->y), number(line.clip->w),
          number(line.clip->h));
      attributes += fmt::format(" clip-path=\"url(#clip{})\"", clip_count_++);
    }
    append("<path d=\"");
    char command = 'M';
    for (const layout::Point& point : line.points) {
      append("{}{} {}", command, number(point.x), number(point.y));
      command = 'L';
    }
    append("\"{}/>\n", attributes);
  }

  void ribbons(const layout::Ribbons& ribbons) override {
    // Round ends cover the seams where pieces of different width meet; the clip cuts them straight
    // where the picture ends.
    append(
        "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>"
        "</clipPath>\n<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
        "clip-path=\"url(#clip{0})\">\n",
        clip_count_++, number(ribbons.clip.x), number(ribbons.clip.y), number(ribbons.clip.w),
        number(ribbons.clip.h));
    for (size_t i = 0; i < ribbons.size();) {
      if (!is_drawn(ribbons, i)) {
        ++i;
        continue;
      }
      append("<path d=\"M{} {}", number(ribbons.x1[i]), number(ribbons.y1[i]));
      size_t next = i;
      do {
        append("Q{} {} {} {}", number(ribbons.cx[next]), number(ribbons.cy[next]),
               number(ribbons.x2[next]), number(ribbons.y2[next]));
        ++next;
      } while (next < ribbons.size() && is_drawn(ribbons, next) && goes_on(ribbons, next));
      append("\"{} stroke-width=\"{}\"/>\n", paint("stroke", ribbons.color[i]),
             number(2.0 * ribbons.half_width[i]));
      i = next;
    }
    append("</g>\n");
  }

  void label(const layout::Label& label) override {
    constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    const double drop = baseline_offset_px(label);
    std::string place;
    if (label.rotation_deg == 0) {
      place = fmt::format(" x=\"{}\" y=\"{}\"", number(label.at.x),
                          number(std::round(label.at.y + drop)));
    } else {
      place = fmt::format(" transform=\"translate({} {}) rotate({})\" y=\"{}\"", number(label.at.x),
                          number(label.at.y), number(label.rotation_deg), number(drop));
    }
    append("<text{} font-size=\"{}\"{}{}{} xml:space=\"preserve\">{}</text>\n", place,
           number(label.size_px), kAnchors[static_cast<size_t>(label.anchor)],
           label.weight == layout::Weight::kBold ? " font-weight=\"bold\"" : "",
           paint("fill", label.color), clean(label.text));
  }

  void image(const Image& image, double x, double y) override {
    const auto png = encode_png(image);
    if (!png.ok()) {
      if (status_.ok()) status_ = png.error();
      return;
    }
    append(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
        "xlink:href=\"data:image/png;base64,{}\"/>\n",
        number(x), number(y), image.width, image.height, base::base64(png.value()));
  }

  base::Result<std::string> finish() override {
    if (!status_.ok()) return status_.error();
    append("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  static bool is_drawn(const layout::Ribbons& ribbons, size_t i) {
    const float sum = ribbons.x1[i] + ribbons.y1[i] + ribbons.cx[i] + ribbons.cy[i] +
                      ribbons.x2[i] + ribbons.y2[i] + ribbons.half_width[i];
    return std::isfinite(sum) && ribbons.half_width[i] > 0 && ribbons.color[i].a > 0;
  }
  /// True if piece `i` goes on where the one before it ended, and looks the same.
  static bool goes_on(const layout::Ribbons& ribbons, size_t i) {
    return ribbons.x1[i] == ribbons.x2[i - 1] && ribbons.y1[i] == ribbons.y2[i - 1] &&
           ribbons.half_width[i] == ribbons.half_width[i - 1] &&
           ribbons.color[i] == ribbons.color[i - 1];
  }
  static std::string clean(const std::string& text) {
    return base::html_escaped(base::printable(text));
  }

  std::string text_;
  size_t clip_count_ = 0;
  base::Status status_;
};

}  // namespace

std::unique_ptr<SvgCanvas> make_svg_canvas(const layout::Scene& scene) {
  return std::make_unique<TextCanvas>(scene);
}

}  // namespace pathline::render

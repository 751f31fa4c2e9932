// SPDX-License-Identifier: BSD-3-Clause
#include "render/ribbons.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "layout/bspline.hpp"
#include "render/raster.hpp"

namespace pathline::render {
namespace {

using layout::Bezier;
using layout::Color;
using layout::Point;
using layout::Ribbons;

constexpr uint32_t kBandRows = 64;
constexpr double kChordTolerance = 0.2;
constexpr double kChordTurn = 0.25;  // Radians, or the outer edge of a bend would have corners.
constexpr size_t kMaxChords = 256;
// Where two pieces meet, both may paint a pixel whose centre lies this near to the cut: better than
// neither of them, by rounding.
constexpr float kCutSlack = 1e-3F;

/// From `p` to `q`, cut off across the curve's directions there.
struct Chord {
  float px, py, qx, qy;
  float tpx, tpy, tqx, tqy;
};

/// The half plane a + b x + c y >= 0 as a bound for the x of each row.
class Bound {
 public:
  Bound(float a, float b, float c) {
    is_steep_ = std::abs(b) > 1e-6F;
    is_begin_ = b > 0;
    const float scale = is_steep_ ? -1 / b : 1;
    at_ = a * scale;
    slope_ = c * scale;
  }
  void keep(float y, float& begin, float& end) const {
    const float x = at_ + slope_ * y;
    if (is_steep_) {
      (is_begin_ ? begin : end) = is_begin_ ? std::max(begin, x) : std::min(end, x);
    } else if (x < 0) {
      end = begin - 1;
    }
  }

 private:
  float at_;
  float slope_;
  bool is_steep_;
  bool is_begin_;
};

/// Puts `color` below what is in a pixel, covering a share of it.
void under(uint8_t* pixel, Color color, float share) {
  const float above = static_cast<float>(pixel[3]) * (1.0F / 255);
  const float rest = share * (1 - above);
  const float alpha = above + rest;
  const float inverse = 1 / alpha;
  const auto mixed = [&](uint8_t top, uint8_t bottom) {
    return static_cast<uint8_t>((top * above + bottom * rest) * inverse + 0.5F);
  };
  pixel[0] = mixed(pixel[0], color.r);
  pixel[1] = mixed(pixel[1], color.g);
  pixel[2] = mixed(pixel[2], color.b);
  // Where soft edges lie over each other the last two hundredths would cost as much as the rest.
  pixel[3] = alpha > 0.98F ? 255 : static_cast<uint8_t>(alpha * 255 + 0.5F);
}

/// Some rows of the picture. Coordinates are relative to the picture's first pixel.
class Band {
 public:
  Band(Image& image, uint32_t first_row, uint32_t end_row)
      : image_(image), first_(static_cast<int>(first_row)), end_(static_cast<int>(end_row)) {}

  void paint(const Chord& chord, float half_width, Color color) {
    const float dx = chord.qx - chord.px;
    const float dy = chord.qy - chord.py;
    const float length = std::sqrt(dx * dx + dy * dy);
    if (!(length > 1e-6F)) return;
    const float reach = half_width + 0.5F;
    const float nx = -dy / length;
    const float ny = dx / length;
    // The ends are cut across, so that not more than the reach sticks out beyond them.
    const float low = std::min(chord.py, chord.qy) - reach;
    const float high = std::max(chord.py, chord.qy) + reach;
    const float left = std::min(chord.px, chord.qx) - reach;
    const float right = std::max(chord.px, chord.qx) + reach;
    const int begin = std::max(first_, static_cast<int>(std::max(low, -1.0F)));
    const int end = std::min(end_, static_cast<int>(std::clamp(high, -1.0F, 1e6F)) + 1);
    const auto width = static_cast<float>(image_.width);
    const float alpha = static_cast<float>(color.a) * (1.0F / 255);
    const float most = std::min(1.0F, 2 * half_width);
    // Distance = base + nx * x + ny * y.
    const float base = -nx * chord.px - ny * chord.py;
    const Bound bounds[] = {
        {reach + base, nx, ny},
        {reach - base, -nx, -ny},
        {kCutSlack - chord.tpx * chord.px - chord.tpy * chord.py, chord.tpx, chord.tpy},
        {kCutSlack + chord.tqx * chord.qx + chord.tqy * chord.qy, -chord.tqx, -chord.tqy}};
    uint8_t alone[4] = {color.r, color.g, color.b, 255};
    for (int row = begin; row < end; ++row) {
      const float y = static_cast<float>(row) + 0.5F;
      float x_begin = std::max(left, 0.0F);
      float x_end = std::min(right, width);
      for (const Bound& bound : bounds) bound.keep(y, x_begin, x_end);
      if (!(x_begin <= x_end)) continue;
      // Pixels whose centres lie between; both ends are within the picture.
      const int first = static_cast<int>(x_begin + 0.5F);
      const int last = static_cast<int>(x_end + 0.5F) - 1;
      const float across = base + ny * y;
      uint8_t* pixel = image_.rgba.data() +
                       (static_cast<size_t>(row) * image_.width + static_cast<size_t>(first)) * 4;
      for (int column = first; column <= last; ++column, pixel += 4) {
        if (pixel[3] == 255) continue;  // Hidden.
        const float distance = std::abs(across + nx * (static_cast<float>(column) + 0.5F));
        const float share = std::min(most, reach - distance) * alpha;
        if (share <= 0) continue;
        if (pixel[3] == 0) {
          alone[3] = share >= 1 ? 255 : static_cast<uint8_t>(share * 255 + 0.5F);
          std::memcpy(pixel, alone, 4);
        } else {
          under(pixel, color, share);
        }
      }
    }
  }

  int first() const { return first_; }
  int end() const { return end_; }

 private:
  Image& image_;
  int first_;
  int end_;
};

struct Extent {
  float low;
  float high;
};

class Painter {
 public:
  Painter(const Ribbons& ribbons, Point origin) : ribbons_(ribbons), origin_(origin) {}

  bool is_drawn(size_t i) const {
    const Bezier piece = bezier(i);
    const double sum = piece.begin.x + piece.begin.y + piece.control.x + piece.control.y +
                       piece.end.x + piece.end.y + ribbons_.half_width[i];
    return std::isfinite(sum) && ribbons_.half_width[i] > 0;
  }
  /// Rows that a ribbon may touch.
  Extent extent(size_t i) const {
    const float reach = ribbons_.half_width[i] + 1;
    const auto top = static_cast<float>(origin_.y);
    return {std::min({ribbons_.y1[i], ribbons_.cy[i], ribbons_.y2[i]}) - top - reach,
            std::max({ribbons_.y1[i], ribbons_.cy[i], ribbons_.y2[i]}) - top + reach};
  }
  void paint(size_t i, Band& band) const {
    const Bezier piece = bezier(i);
    const Point begin = direction(piece, 0);
    const Point end = direction(piece, 1);
    const double turn =
        std::abs(std::atan2(begin.x * end.y - begin.y * end.x, begin.x * end.x + begin.y * end.y));
    const size_t count = std::clamp(layout::chord_count(piece, kChordTolerance),
                                    1 + static_cast<size_t>(turn / kChordTurn), kMaxChords);
    const double step = 1 / static_cast<double>(count);
    const float reach = ribbons_.half_width[i] + 1;
    Point from = piece.begin;
    Point from_direction = begin;
    for (size_t k = 1; k <= count; ++k) {
      const double t = static_cast<double>(k) * step;
      const Point to = k == count ? piece.end : piece.at(t);
      const Point to_direction = direction(piece, t);
      const Chord chord = {static_cast<float>(from.x),
                           static_cast<float>(from.y),
                           static_cast<float>(to.x),
                           static_cast<float>(to.y),
                           static_cast<float>(from_direction.x),
                           static_cast<float>(from_direction.y),
                           static_cast<float>(to_direction.x),
                           static_cast<float>(to_direction.y)};
      if (std::max(chord.py, chord.qy) + reach >= static_cast<float>(band.first()) &&
          std::min(chord.py, chord.qy) - reach <= static_cast<float>(band.end())) {
        band.paint(chord, ribbons_.half_width[i], ribbons_.color[i]);
      }
      from = to;
      from_direction = to_direction;
    }
  }

 private:
  /// Relative to the origin.
  Bezier bezier(size_t i) const {
    return {{ribbons_.x1[i] - origin_.x, ribbons_.y1[i] - origin_.y},
            {ribbons_.cx[i] - origin_.x, ribbons_.cy[i] - origin_.y},
            {ribbons_.x2[i] - origin_.x, ribbons_.y2[i] - origin_.y}};
  }
  /// Of the curve at `t`, of length 1.
  static Point direction(const Bezier& piece, double t) {
    Point at = {(1 - t) * (piece.control.x - piece.begin.x) + t * (piece.end.x - piece.control.x),
                (1 - t) * (piece.control.y - piece.begin.y) + t * (piece.end.y - piece.control.y)};
    double length = std::sqrt(at.x * at.x + at.y * at.y);
    if (length < 1e-9) {
      at = {piece.end.x - piece.begin.x, piece.end.y - piece.begin.y};
      length = std::sqrt(at.x * at.x + at.y * at.y);
    }
    return length < 1e-9 ? Point{1, 0} : Point{at.x / length, at.y / length};
  }

  const Ribbons& ribbons_;
  Point origin_;
};

}  // namespace

Image paint_ribbons(const Ribbons& ribbons, base::ThreadPool& pool) {
  const Point origin = {std::floor(ribbons.clip.x), std::floor(ribbons.clip.y)};
  const double width = std::ceil(ribbons.clip.right()) - origin.x;
  const double height = std::ceil(ribbons.clip.bottom()) - origin.y;
  Image image;
  if (!(width >= 1 && width <= kMaxRasterSide && height >= 1 && height <= kMaxRasterSide)) {
    return image;
  }
  image.width = static_cast<uint32_t>(width);
  image.height = static_cast<uint32_t>(height);
  image.rgba.resize(size_t{4} * image.width * image.height);

  // Which ribbons each band of rows needs, in their order.
  const Painter painter(ribbons, origin);
  const uint32_t bands = (image.height + kBandRows - 1) / kBandRows;
  std::vector<std::vector<uint32_t>> in_band(bands);
  for (size_t i = 0; i < ribbons.size(); ++i) {
    if (!painter.is_drawn(i)) continue;
    const Extent rows = painter.extent(i);
    if (rows.high < 0 || rows.low >= height) continue;
    const auto first = static_cast<uint32_t>(std::max(0.0F, rows.low)) / kBandRows;
    const auto last =
        std::min(bands - 1, static_cast<uint32_t>(std::min(rows.high, static_cast<float>(height))) /
                                kBandRows);
    for (uint32_t band = first; band <= last; ++band) {
      in_band[band].push_back(static_cast<uint32_t>(i));
    }
  }
  pool.for_each(bands, [&](size_t i) {
    const auto first = static_cast<uint32_t>(i) * kBandRows;
    Band band(image, first, std::min(image.height, first + kBandRows));
    // From the front to the back, for what is hidden then costs next to nothing.
    for (size_t k = in_band[i].size(); k-- > 0;) painter.paint(in_band[i][k], band);
  });
  return image;
}

}  // namespace pathline::render

// SPDX-License-Identifier: BSD-3-Clause
#include "render/raster.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <mutex>
#include <vector>

#include "render/buckets.hpp"
#include "render/strip.hpp"

namespace pathline::render {
namespace {

// Fixed-point budget: a pixel hardly ever holds more than all lines together, and the sign bit and
// one bit, for a curve that comes back to its pixel, stay free.
constexpr int kTotalBits = 61;
// fixed() holds 51 bits, and coefficients of a run are at most three weights.
constexpr int kWeightBits = 48;

double weight_of(const layout::Segments& segments, size_t i) {
  if (i >= segments.size()) return double{segments.curves.weight[i - segments.size()]};
  return segments.weight_of(i);
}

/// Power of two by which weights are multiplied. A function of the multiset of weights: of their
/// largest, and of a sum in integers, so that order does not matter.
int weight_exponent(const layout::Segments& segments, layout::Density& raster) {
  const size_t count = segments.size() + segments.curves.size();
  if (segments.weight.empty() && segments.curves.size() == 0) {
    raster.min_weight = count == 0 ? 0 : 1;
    return std::min(kWeightBits, kTotalBits - static_cast<int>(std::bit_width(count)));
  }
  double largest = 0;
  double smallest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double weight = weight_of(segments, i);
    if (!(weight > 0) || !usable(segments, i)) continue;
    largest = std::max(largest, weight);
    smallest = smallest == 0 ? weight : std::min(smallest, weight);
  }
  raster.min_weight = smallest;
  if (largest == 0) return 0;
  const int exponent = kWeightBits - 1 - std::ilogb(largest);
  // Sum of the upper bits only: it cannot overflow and is too small by less than one each.
  constexpr int kDropped = 20;
  const double scale = std::ldexp(1.0, exponent - kDropped);
  uint64_t upper_sum = count;
  for (size_t i = 0; i < count; ++i) {
    if (usable(segments, i)) upper_sum += static_cast<uint64_t>(weight_of(segments, i) * scale);
  }
  const int total_bits = static_cast<int>(std::bit_width(upper_sum)) + kDropped;
  return exponent - std::max(0, total_bits - kTotalBits);
}

/// Draws lines and pieces into strips.
class Drawer {
 public:
  Drawer(const layout::Segments& segments, double origin_x, double origin_y, double scale,
         const layout::Density& raster)
      : segments_(segments),
        origin_x_(origin_x),
        origin_y_(origin_y),
        scale_(scale),
        inverse_(size_t{raster.height} + 1) {
    for (size_t i = 1; i < inverse_.size(); ++i) inverse_[i] = 1 / static_cast<double>(i);
  }

  /// A block that touches this strip only (class Blocks).
  void draw_block(size_t first, uint32_t first_column, Strip& strip) const {
    const auto left = static_cast<float>(origin_x_ + first_column);
    const auto top = static_cast<float>(origin_y_);
    for (size_t i = first; i < first + Blocks::kLines; ++i) {
      const double weight = segments_.weight_of(i) * scale_;
      if (segments_.x1[i] == segments_.x2[i]) {
        add_upright(static_cast<uint32_t>(static_cast<int32_t>(segments_.x1[i] - left)),
                    static_cast<int32_t>(segments_.y1[i] - top),
                    static_cast<int32_t>(segments_.y2[i] - top), weight, strip);
      } else {
        draw_line(i, weight, strip);
      }
    }
  }

  void draw(size_t i, uint32_t first_column, uint32_t columns, Strip& strip) const {
    const double weight = weight_of(segments_, i) * scale_;
    if (i < segments_.size()) {
      if (!draw_upright(i, first_column, columns, weight, strip)) draw_line(i, weight, strip);
    } else {
      draw_piece(i - segments_.size(), weight, strip);
    }
  }

 private:
  /// False if it is not upright and on whole pixels.
  bool draw_upright(size_t i, uint32_t first_column, uint32_t columns, double weight,
                    Strip& strip) const {
    if (segments_.x1[i] != segments_.x2[i]) return false;
    const float x = segments_.x1[i] - static_cast<float>(origin_x_);
    const float y1 = segments_.y1[i] - static_cast<float>(origin_y_);
    const float y2 = segments_.y2[i] - static_cast<float>(origin_y_);
    if (!(std::abs(x) < kNear && std::abs(y1) < kNear && std::abs(y2) < kNear)) return false;
    const auto column = static_cast<int32_t>(x);
    const auto from = static_cast<int32_t>(y1);
    const auto to = static_cast<int32_t>(y2);
    if (static_cast<float>(column) + 0.5F != x || static_cast<float>(from) != y1 ||
        static_cast<float>(to) != y2 || from == to) {
      return false;
    }
    const int64_t in_strip = int64_t{column} - first_column;
    if (in_strip < 0 || in_strip >= columns) return true;
    add_upright(static_cast<uint32_t>(in_strip), from, to, weight, strip);
    return true;
  }

  /// Rows from `from`, where s is 0, to `to`; another one than that.
  void add_upright(uint32_t column, int32_t from, int32_t to, double weight, Strip& strip) const {
    const auto rows = static_cast<size_t>(std::abs(to - from));
    const double inverse = rows < inverse_.size() ? inverse_[rows] : 1 / static_cast<double>(rows);
    strip.add_upright(column, from, to, weight, weight * inverse);
  }

  void draw_line(size_t i, double weight, Strip& strip) const {
    strip.add_line({segments_.x1[i] - origin_x_, segments_.y1[i] - origin_y_, 0},
                   {segments_.x2[i] - origin_x_, segments_.y2[i] - origin_y_, 1}, weight);
  }

  void draw_piece(size_t k, double weight, Strip& strip) const {
    const layout::Curves& curves = segments_.curves;
    strip.add_curve({{curves.x1[k] - origin_x_, curves.y1[k] - origin_y_},
                     {curves.cx[k] - origin_x_, curves.cy[k] - origin_y_},
                     {curves.x2[k] - origin_x_, curves.y2[k] - origin_y_}},
                    curves.s1[k], curves.s2[k], weight);
  }

  const layout::Segments& segments_;
  double origin_x_;
  double origin_y_;
  double scale_;
  std::vector<double> inverse_;  // of whole numbers, up to the height
};

}  // namespace

layout::Density rasterize(const layout::Segments& segments, base::ThreadPool& pool) {
  const size_t lines = segments.size();
  const layout::Curves& curves = segments.curves;
  assert(segments.y1.size() == lines && segments.x2.size() == lines && segments.y2.size() == lines);
  assert(segments.weight.empty() || segments.weight.size() == lines);

  const double origin_x = std::floor(segments.clip.x);
  const double origin_y = std::floor(segments.clip.y);
  const double width = std::ceil(segments.clip.right()) - origin_x;
  const double height = std::ceil(segments.clip.bottom()) - origin_y;
  layout::Density raster;
  if (!(width >= 1 && height >= 1 && width <= kMaxRasterSide && height <= kMaxRasterSide)) {
    return raster;
  }
  raster.width = static_cast<uint32_t>(width);
  raster.height = static_cast<uint32_t>(height);
  const size_t pixel_count = static_cast<size_t>(raster.width) * raster.height;
  raster.n.resize(pixel_count);
  raster.q.resize(pixel_count);

  const int exponent = weight_exponent(segments, raster);
  const double unit = std::ldexp(1.0, -exponent);
  const double scale = std::ldexp(1.0, exponent);
  const Blocks blocks(segments, origin_x, origin_y, raster);
  const Buckets buckets = make_buckets(segments, blocks, origin_x, origin_y, raster);
  raster.line_count = lines + curves.size() - raster.rejected_count;

  const Drawer drawer(segments, origin_x, origin_y, scale, raster);
  // Pieces of work as large as a thread's share: a strip's memory is made once for each.
  const uint32_t strip_count = (raster.width + Strip::kWidth - 1) / Strip::kWidth;
  const uint32_t part_count = std::min(strip_count, pool.thread_count() == 1 ? 1U : 16U);
  std::mutex mutex;
  pool.for_each(part_count, [&](size_t part) {
    Strip strip(raster.height);
    layout::LogHistogram histogram;
    for (size_t k = strip_count * part / part_count; k < strip_count * (part + 1) / part_count;
         ++k) {
      const auto first = static_cast<uint32_t>(k) * Strip::kWidth;
      const uint32_t columns = std::min(Strip::kWidth, raster.width - first);
      strip.begin(first, columns);
      if (!buckets.run.empty()) {
        for (uint32_t i = buckets.run[k]; i < buckets.run[k + 1]; ++i) {
          const size_t block = i / Blocks::kLines;
          if (i % Blocks::kLines == 0 && blocks.strip(block) == k) {
            drawer.draw_block(i, first, strip);
            i += Blocks::kLines - 1;
          } else {
            drawer.draw(i, first, columns, strip);
          }
        }
      }
      for (uint64_t item = buckets.begin[k]; item < buckets.begin[k + 1]; ++item) {
        drawer.draw(buckets.items[item], first, columns, strip);
      }
      strip.resolve(unit, raster, histogram);
    }
    const std::lock_guard lock(mutex);
    raster.histogram.add(histogram);
  });
  return raster;
}

}  // namespace pathline::render

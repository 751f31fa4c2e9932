// SPDX-License-Identifier: BSD-3-Clause
#include "render/raster.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/column.hpp"
#include "render/strip.hpp"

namespace pathline::render {
namespace {

// Fixed-point budget: a pixel hardly ever holds more than all lines together, and the sign bit and
// one bit, for a curve that comes back to its pixel, stay free.
constexpr int kTotalBits = 61;
// fixed() holds 51 bits, and coefficients of a run are at most three weights.
constexpr int kWeightBits = 48;

// px; what is further away is no upright line on whole pixels.
constexpr float kNear = 1e6F;

// Lines come first, then the pieces of curves, in one numbering.

bool usable(const layout::Segments& segments, size_t i) {
  // Zero times what is not finite is not a number.
  if (i < segments.size()) {
    const float zero =
        0 * segments.x1[i] + 0 * segments.y1[i] + 0 * segments.x2[i] + 0 * segments.y2[i];
    if (segments.weight.empty()) return zero == 0;
    return zero + 0 * segments.weight[i] == 0 && segments.weight[i] >= 0;
  }
  const layout::Curves& curves = segments.curves;
  i -= segments.size();
  const float zero = 0 * curves.x1[i] + 0 * curves.y1[i] + 0 * curves.cx[i] + 0 * curves.cy[i] +
                     0 * curves.x2[i] + 0 * curves.y2[i] + 0 * curves.s1[i] + 0 * curves.s2[i] +
                     0 * curves.weight[i];
  return zero == 0 && curves.weight[i] >= 0;
}

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

/// Strips that something may touch; none when it is outside or not drawn.
struct StripRange {
  uint16_t begin = 0;
  uint16_t end = 0;
};

/// The ends of something on each axis, and what lengthening and coverage add.
class StripFinder {
 public:
  StripFinder(double origin_x, double origin_y, const layout::Density& raster)
      : left_(static_cast<float>(origin_x) - kReach),
        right_(static_cast<float>(origin_x + raster.width) + kReach),
        top_(static_cast<float>(origin_y) - kReach),
        bottom_(static_cast<float>(origin_y + raster.height) + kReach),
        origin_(static_cast<float>(origin_x)),
        last_(static_cast<float>(raster.width) - 1) {}

  StripRange of(float x_low, float x_high, float y_low, float y_high) const {
    if (!(x_high >= left_ && x_low <= right_ && y_high >= top_ && y_low <= bottom_)) return {};
    const auto strip = [&](float x) {
      const float inside = std::min(std::max(x, 0.0F), last_);
      return static_cast<uint32_t>(static_cast<int32_t>(inside)) / Strip::kWidth;
    };
    // An upright line covers at most the two columns about it.
    const float reach = x_low == x_high ? 0.5F : kReach;
    return {static_cast<uint16_t>(strip(x_low - origin_ - reach)),
            static_cast<uint16_t>(strip(x_high - origin_ + reach * 0.999F) + 1)};
  }

 private:
  static constexpr float kReach = 1.5;
  float left_, right_, top_, bottom_;
  float origin_, last_;
};

/// Lines in blocks, and which blocks need not be looked at again line by line: all their lines are
/// drawable and touch one strip only, and what is upright covers whole pixels. With millions of
/// messages in the order of time these are most.
class Blocks {
 public:
  static constexpr size_t kLines = 64;
  static constexpr uint16_t kMixed = UINT16_MAX;

  Blocks(const layout::Segments& segments, double origin_x, double origin_y,
         const layout::Density& raster)
      : left_(static_cast<float>(origin_x)),
        top_(static_cast<float>(origin_y)),
        width_(static_cast<float>(raster.width)),
        strip_(segments.size() / kLines) {
    for (size_t block = 0; block < strip_.size(); ++block) {
      strip_[block] = strip_of(segments, block * kLines);
    }
  }

  /// The only strip of a block; kMixed if it is none of these, and behind the last whole block.
  uint16_t strip(size_t block) const { return block < strip_.size() ? strip_[block] : kMixed; }

 private:
  using Floats = float __attribute__((vector_size(16)));
  using Flags = int32_t __attribute__((vector_size(16)));
  static constexpr float kReachPx = 1.5;  // of a slanted line: lengthening and coverage
  static constexpr Floats kReach{kReachPx, kReachPx, kReachPx, kReachPx};

  static Floats load(const float* at) {
    Floats values;
    std::memcpy(&values, at, sizeof values);
    return values;
  }
  static Floats whole(Floats values) {
    return __builtin_convertvector(__builtin_convertvector(values, Flags), Floats);
  }

  uint16_t strip_of(const layout::Segments& segments, size_t first) const {
    const float x = segments.x1[first] - left_;
    if (!(x >= 0 && x < width_)) return kMixed;
    const auto strip =
        static_cast<uint16_t>(static_cast<uint32_t>(static_cast<int32_t>(x)) / Strip::kWidth);
    const auto low = static_cast<float>(strip * Strip::kWidth);
    const float high = std::min(low + Strip::kWidth, width_);
    Flags others{};
    for (size_t i = first; i < first + kLines; i += 4) {
      const Floats x1 = load(&segments.x1[i]) - left_;
      const Floats x2 = load(&segments.x2[i]) - left_;
      const Flags is_slanted = x1 != x2;
      const Floats reach = is_slanted ? kReach : Floats{};
      const Flags is_within =
          ((x1 < x2 ? x1 : x2) - reach >= low) & ((x1 < x2 ? x2 : x1) + reach < high);
      const Floats inside = is_within ? x1 : Floats{};
      others |= ~is_within | (~is_slanted & (inside - whole(inside) != 0.5F));

      const Floats y1 = load(&segments.y1[i]) - top_;
      const Floats y2 = load(&segments.y2[i]) - top_;
      const Flags is_near = (y1 < kNear) & (y1 > -kNear) & (y2 < kNear) & (y2 > -kNear);
      const Floats near1 = is_near ? y1 : Floats{};
      const Floats near2 = is_near ? y2 : Floats{};
      others |= ~is_near |
                (~is_slanted & ((near1 != whole(near1)) | (near2 != whole(near2)) | (y1 == y2)));
    }
    if (!segments.weight.empty()) {
      for (size_t i = first; i < first + kLines; i += 4) {
        const Floats weight = load(&segments.weight[i]);
        others |= (0 * weight != 0) | (weight < 0);
      }
    }
    return (others[0] | others[1] | others[2] | others[3]) == 0 ? strip : kMixed;
  }

  float left_, top_, width_;
  std::vector<uint16_t> strip_;
};

/// What each strip has to draw.
struct Buckets {
  /// Lines in the order of time mostly begin in strip after strip, and then need no list: strip k
  /// draws lines [run[k], run[k + 1]). Empty when they are in another order.
  std::vector<uint32_t> run;
  std::vector<uint64_t> begin;  // per strip, and one more: of `items`
  base::Column<uint32_t> items;
};

class Bucketing {
 public:
  Bucketing(const layout::Segments& segments, const Blocks& blocks, double origin_x,
            double origin_y, layout::Density& raster)
      : segments_(segments),
        blocks_(blocks),
        raster_(raster),
        strips_(origin_x, origin_y, raster),
        strip_count_((raster.width + Strip::kWidth - 1) / Strip::kWidth) {}

  Buckets make() {
    Buckets result;
    find_runs(result);
    const size_t first = result.run.empty() ? 0 : segments_.size();
    result.begin.resize(strip_count_ + 2);
    base::Column<StripRange> ranges(segments_.size() + segments_.curves.size() - first);
    for (size_t i = 0; i < ranges.size(); ++i) {
      ranges[i] = range_of(first + i);
      for (uint32_t k = ranges[i].begin; k < ranges[i].end; ++k) ++result.begin[k + 2];
    }
    for (const Extra& extra : extras_) ++result.begin[extra.strip + 2];
    for (size_t k = 2; k < result.begin.size(); ++k) result.begin[k] += result.begin[k - 1];
    result.items.resize(result.begin.back());
    for (const Extra& extra : extras_) {
      result.items[result.begin[extra.strip + 1]++] = extra.line;
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      for (uint32_t k = ranges[i].begin; k < ranges[i].end; ++k) {
        result.items[result.begin[k + 1]++] = static_cast<uint32_t>(first + i);
      }
    }
    return result;
  }

 private:
  static constexpr size_t kFewExtras = 1000;

  /// A strip that a line of another strip's run touches.
  struct Extra {
    uint32_t strip;
    uint32_t line;
  };

  void find_runs(Buckets& result) {
    const size_t lines = segments_.size();
    result.run.assign(strip_count_ + 1, static_cast<uint32_t>(lines));
    uint32_t last = 0;
    result.run[0] = 0;
    for (size_t i = 0; i < lines; ++i) {
      if (i % Blocks::kLines == 0) {
        const uint16_t strip = blocks_.strip(i / Blocks::kLines);
        if (strip != Blocks::kMixed && strip >= last) {
          while (last < strip) result.run[++last] = static_cast<uint32_t>(i);
          i += Blocks::kLines - 1;
          continue;
        }
      }
      const StripRange range = range_of(i);
      // What is outside is drawn in vain; what is not a number must not be drawn at all.
      if (range.begin < range.end) {
        while (last < range.begin) result.run[++last] = static_cast<uint32_t>(i);
        for (uint32_t k = range.begin; k < range.end; ++k) {
          if (k != last) extras_.push_back({k, static_cast<uint32_t>(i)});
        }
      }
      if (raster_.rejected_count > 0 || extras_.size() > lines / 2 + kFewExtras) {
        result.run.clear();
        extras_.clear();
        raster_.rejected_count = 0;
        return;
      }
    }
  }

  StripRange range_of(size_t i) {
    if (!usable(segments_, i)) {
      ++raster_.rejected_count;
      return {};
    }
    if (i < segments_.size()) {
      const float x1 = segments_.x1[i];
      const float x2 = segments_.x2[i];
      const float y1 = segments_.y1[i];
      const float y2 = segments_.y2[i];
      return strips_.of(std::min(x1, x2), std::max(x1, x2), std::min(y1, y2), std::max(y1, y2));
    }
    const layout::Curves& curves = segments_.curves;
    const size_t k = i - segments_.size();
    const auto [x_low, x_high] = std::minmax({curves.x1[k], curves.cx[k], curves.x2[k]});
    const auto [y_low, y_high] = std::minmax({curves.y1[k], curves.cy[k], curves.y2[k]});
    return strips_.of(x_low, x_high, y_low, y_high);
  }

  const layout::Segments& segments_;
  const Blocks& blocks_;
  layout::Density& raster_;
  StripFinder strips_;
  uint32_t strip_count_;
  std::vector<Extra> extras_;
};

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
  const Buckets buckets = Bucketing(segments, blocks, origin_x, origin_y, raster).make();
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

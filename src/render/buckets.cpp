// SPDX-License-Identifier: BSD-3-Clause
#include "render/buckets.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "render/strip.hpp"

namespace pathline::render {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Flags = int32_t __attribute__((vector_size(16)));
constexpr float kReachPx = 1.5;  // of a slanted line: lengthening and coverage
constexpr Floats kReaches{kReachPx, kReachPx, kReachPx, kReachPx};

Floats load(const float* at) {
  Floats values;
  std::memcpy(&values, at, sizeof values);
  return values;
}
Floats whole(Floats values) {
  return __builtin_convertvector(__builtin_convertvector(values, Flags), Floats);
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

}  // namespace

Blocks::Blocks(const layout::Segments& segments, double origin_x, double origin_y,
               const layout::Density& raster)
    : left_(static_cast<float>(origin_x)),
      top_(static_cast<float>(origin_y)),
      width_(static_cast<float>(raster.width)),
      strip_(segments.size() / kLines) {
  for (size_t block = 0; block < strip_.size(); ++block) {
    strip_[block] = strip_of(segments, block * kLines);
  }
}

uint16_t Blocks::strip_of(const layout::Segments& segments, size_t first) const {
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
    const Floats reach = is_slanted ? kReaches : Floats{};
    const Flags is_within =
        ((x1 < x2 ? x1 : x2) - reach >= low) & ((x1 < x2 ? x2 : x1) + reach < high);
    const Floats inside = is_within ? x1 : Floats{};
    others |= ~is_within | (~is_slanted & (inside - whole(inside) != 0.5F));

    const Floats y1 = load(&segments.y1[i]) - top_;
    const Floats y2 = load(&segments.y2[i]) - top_;
    const Flags is_near = (y1 < kNear) & (y1 > -kNear) & (y2 < kNear) & (y2 > -kNear);
    const Floats near1 = is_near ? y1 : Floats{};
    const Floats near2 = is_near ? y2 : Floats{};
    others |=
        ~is_near | (~is_slanted & ((near1 != whole(near1)) | (near2 != whole(near2)) | (y1 == y2)));
  }
  if (!segments.weight.empty()) {
    for (size_t i = first; i < first + kLines; i += 4) {
      const Floats weight = load(&segments.weight[i]);
      others |= (0 * weight != 0) | (weight < 0);
    }
  }
  return (others[0] | others[1] | others[2] | others[3]) == 0 ? strip : kMixed;
}

Buckets make_buckets(const layout::Segments& segments, const Blocks& blocks, double origin_x,
                     double origin_y, layout::Density& raster) {
  return Bucketing(segments, blocks, origin_x, origin_y, raster).make();
}

}  // namespace pathline::render

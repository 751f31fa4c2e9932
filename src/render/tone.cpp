// SPDX-License-Identifier: BSD-3-Clause
#include "render/tone.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "layout/color.hpp"

namespace pathline::render {
namespace {

constexpr double kPercentile = 0.99;
constexpr double kPercentileCoverage = 0.95;
constexpr double kMedianCoverage = 0.25;
constexpr double kFloor = 0.08;
constexpr double kMaxSingleCoverage = 0.85;
constexpr double kMinOccupied = 0.05;  // of the smallest weight; less is an anti-aliased rim

/// Histogram with 32 bins per factor of two, on integers, so that no order of sums matters.
class LogHistogram {
 public:
  void add(uint64_t value) { ++counts_[bin(value)]; }

  /// Upper edge of the bin that holds the given share of all values; 0 without values.
  double quantile(double share) const {
    uint64_t total = 0;
    for (const uint64_t count : counts_) total += count;
    if (total == 0) return 0;
    const double limit = share * static_cast<double>(total);
    uint64_t below = 0;
    size_t i = 0;
    for (; i + 1 < counts_.size(); ++i) {
      below += counts_[i];
      if (static_cast<double>(below) >= limit) break;
    }
    const size_t octave = i / kPerOctave;
    return std::exp2(static_cast<double>(octave)) *
           (1 + static_cast<double>(i % kPerOctave + 1) / kPerOctave);
  }

 private:
  static constexpr size_t kPerOctave = 32;

  /// value >= 1: its octave, and the five bits that follow the leading one.
  static size_t bin(uint64_t value) {
    const int leading_zeros = std::countl_zero(value);
    const uint64_t fraction = value << leading_zeros >> 58;
    return static_cast<size_t>(63 - leading_zeros) * kPerOctave + (fraction & (kPerOctave - 1));
  }

  std::array<uint64_t, 64 * kPerOctave> counts_{};
};

struct Weights {
  double high;    ///< Of the pixel at the percentile, among pixels with lines.
  double median;  ///< Of the median of all pixels; 0 when less than half of them have lines.
};

Weights typical_weights(const DensityRaster& raster) {
  const double least = std::max(1.0, kMinOccupied * raster.min_weight / raster.unit);
  const auto threshold = static_cast<int64_t>(std::min(least, 0x1p60));
  LogHistogram histogram;
  size_t covered = 0;
  for (const int64_t n : raster.n) {
    if (n < threshold) continue;
    histogram.add(static_cast<uint64_t>(n));
    ++covered;
  }
  Weights weights{histogram.quantile(kPercentile) * raster.unit, 0};
  const double empty_half = static_cast<double>(raster.n.size()) / 2;
  if (static_cast<double>(covered) > empty_half) {
    const double share = 1 - empty_half / static_cast<double>(covered);
    weights.median = histogram.quantile(share) * raster.unit;
  }
  return weights;
}

constexpr size_t kGradientSteps = 256;
using Gradient = std::array<layout::Color, kGradientSteps>;

Gradient gradient(const layout::SegmentStyle& style) {
  Gradient colors;
  for (size_t i = 0; i < colors.size(); ++i) {
    colors[i] = layout::mix(style.begin, style.end, static_cast<double>(i) / (kGradientSteps - 1));
  }
  return colors;
}

uint8_t to_byte(double share) {
  constexpr double kHalf = 0.5;  // rounds; std::lround would be most of the cost of a pixel
  return static_cast<uint8_t>(std::clamp(share, 0.0, 1.0) * 255 + kHalf);
}

double linear(uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double encoded(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

/// Calls body(pixel, weight, s) for the pixels with lines; tiles keep both the column-major raster
/// and the row-major image in cache.
template <class Body>
void for_each_occupied(const DensityRaster& raster, Image& image, base::ThreadPool& pool,
                       const Body& body) {
  constexpr uint32_t kTile = 64;
  const uint32_t tile_rows = (raster.height + kTile - 1) / kTile;
  pool.for_each(tile_rows, [&](size_t tile) {
    const auto top = static_cast<uint32_t>(tile) * kTile;
    const uint32_t bottom = std::min(top + kTile, raster.height);
    for (uint32_t x = 0; x < raster.width; ++x) {
      for (uint32_t y = top; y < bottom; ++y) {
        const size_t at = raster.index(x, y);
        const int64_t n = raster.n[at];
        if (n <= 0) continue;
        const double s = static_cast<double>(raster.q[at]) / static_cast<double>(n);
        body(&image.rgba[(static_cast<size_t>(y) * raster.width + x) * 4],
             static_cast<double>(n) * raster.unit, s);
      }
    }
  });
}

/// s in [0,1] to steps of equal width.
size_t gradient_index(double s) {
  return std::min(static_cast<size_t>(s * kGradientSteps), kGradientSteps - 1);
}

void shade_alpha(const DensityRaster& raster, const Gradient& colors, const Opacity& opacity,
                 Image& image, base::ThreadPool& pool) {
  // Opacity::coverage() with the logarithm taken once.
  const double rate = std::log1p(-opacity.opacity);
  const double per_floor_weight = 1 / opacity.floor_weight;
  for_each_occupied(raster, image, pool, [&](uint8_t* pixel, double weight, double s) {
    const layout::Color& color = colors[gradient_index(s)];
    const double first = opacity.floor * std::min(1.0, weight * per_floor_weight);
    pixel[0] = color.r;
    pixel[1] = color.g;
    pixel[2] = color.b;
    pixel[3] = to_byte(1 - (1 - first) * std::exp(weight * rate));
  });
}

/// Light that is added to black, or that ink lets through to white, as a colour with alpha that
/// gives exactly that on black or white, and nearly that on whatever else lies below.
void shade_additive(const DensityRaster& raster, const Gradient& colors, bool on_dark, Image& image,
                    base::ThreadPool& pool) {
  constexpr double kReach = 20;      // n99 / n0: how far below n99 differences can be seen
  constexpr double kStrength = 1.6;  // e at n99: the strongest channel of light saturates
  const double n99 = typical_weights(raster).high;
  if (!(n99 > 0)) return;
  const double scale = kReach / n99;
  const double exposure = kStrength / std::asinh(kReach);
  std::array<std::array<double, 3>, kGradientSteps> light;
  for (size_t i = 0; i < kGradientSteps; ++i) {
    light[i] = {linear(colors[i].r), linear(colors[i].g), linear(colors[i].b)};
  }
  for_each_occupied(raster, image, pool, [&](uint8_t* pixel, double weight, double s) {
    const double e = exposure * std::asinh(weight * scale);
    std::array<double, 3> value = light[gradient_index(s)];
    for (double& channel : value) {
      channel = encoded(on_dark ? std::min(1.0, e * channel) : std::pow(channel, e));
    }
    // The most transparent colour that gives `value` on black (white).
    const double low = *std::min_element(value.begin(), value.end());
    const double high = *std::max_element(value.begin(), value.end());
    const double alpha = on_dark ? high : 1 - low;
    if (alpha <= 0) return;
    for (size_t i = 0; i < 3; ++i) {
      pixel[i] = to_byte(on_dark ? value[i] / alpha : (value[i] - low) / alpha);
    }
    pixel[3] = to_byte(alpha);
  });
}

}  // namespace

double Opacity::coverage(double weight) const {
  const double first = floor * std::min(1.0, weight / floor_weight);
  return 1 - (1 - first) * std::exp(weight * std::log1p(-opacity));
}

Opacity choose_opacity(const DensityRaster& raster, const layout::SegmentStyle& style) {
  // 1 - 2^-50 instead of 1, so that its logarithm is finite.
  constexpr double kOpaque = 1 - 0x1p-50;
  if (style.opacity) return {std::clamp(*style.opacity, 0.0, kOpaque), 0, 1};
  const auto [high, median] = typical_weights(raster);
  if (!(high > 0) || !(raster.min_weight > 0)) return {kMaxSingleCoverage, 0, 1};
  const double for_high = -std::expm1(std::log1p(-kPercentileCoverage) / high);
  // Lines of equal weight 1 that hardly overlap: opaque lines hide what they cross.
  const double for_single = -std::expm1(std::log1p(-kMaxSingleCoverage) / raster.min_weight);
  // Lines all over the picture must not hide what lies beneath them.
  const double for_median =
      median > 0 ? -std::expm1(std::log1p(-kMedianCoverage) / median) : kOpaque;
  const double opacity = std::min({for_high, for_single, for_median, kOpaque});
  return {opacity, kFloor, raster.min_weight};
}

Image shade(const DensityRaster& raster, const layout::SegmentStyle& style, const Opacity& opacity,
            layout::Color background, base::ThreadPool& pool) {
  Image image{raster.width, raster.height, {}};
  image.rgba.resize(raster.n.size() * 4);
  const Gradient colors = gradient(style);
  if (style.blend == layout::Blend::kAdditive) {
    const bool on_dark = layout::to_oklab(background).lightness < 0.5;
    shade_additive(raster, colors, on_dark, image, pool);
  } else {
    shade_alpha(raster, colors, opacity, image, pool);
  }
  return image;
}

}  // namespace pathline::render

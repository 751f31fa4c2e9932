// SPDX-License-Identifier: BSD-3-Clause
#include "render/tone.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "layout/color.hpp"
#include "render/gradient.hpp"

namespace pathline::render {
namespace {

constexpr double kPercentile = 0.99;
constexpr double kPercentileCoverage = 0.95;
constexpr double kMedianCoverage = 0.2;
constexpr double kMinFloor = 0.08;
constexpr double kMaxFloor = 0.45;
constexpr double kMaxSolidFloor = 0.1;
constexpr double kSolidCoverage = 0.3;
constexpr double kFloorInk = 0.06;  // of the whole picture that lone lines may hide
constexpr double kMaxSingleCoverage = 0.85;
constexpr double kMinOccupied = 0.05;  // of the smallest weight; less is an anti-aliased rim

struct Weights {
  double high;    ///< Of the pixel at the percentile, among pixels with lines.
  double median;  ///< Of the median of all pixels; 0 when less than half of them have lines.
};

Weights typical_weights(const layout::Density& raster) {
  const double least = kMinOccupied * raster.min_weight;
  const layout::LogHistogram& histogram = raster.histogram;
  Weights weights{histogram.quantile(kPercentile, least), 0};
  const auto covered = static_cast<double>(histogram.count_from(least));
  const double empty_half = static_cast<double>(raster.n.size()) / 2;
  if (covered > empty_half) weights.median = histogram.quantile(1 - empty_half / covered, least);
  return weights;
}

/// Median weight where lines cover whole stretches of the picture, and with them what is below;
/// 0 when less than `kSolidShare` of the picture is such. Looks at every fourth pixel of every
/// fourth row, in blocks of 16.
double solid_weight(const layout::Density& raster) {
  constexpr uint32_t kBlock = 16;
  constexpr uint32_t kStep = 4;
  constexpr uint32_t kSolid = 14;  // of the 16 pixels looked at
  constexpr double kSolidShare = 0.03;
  const auto least = static_cast<float>(kMinOccupied * raster.min_weight);
  layout::LogHistogram histogram;
  uint64_t blocks = 0;
  uint64_t solid = 0;
  for (uint32_t top = 0; top + kBlock <= raster.height; top += kBlock) {
    for (uint32_t left = 0; left + kBlock <= raster.width; left += kBlock) {
      ++blocks;
      uint32_t covered = 0;
      for (uint32_t k = 0; k < kBlock; ++k) {
        const size_t at = raster.index(left + k % kStep * kStep, top + k / kStep * kStep);
        covered += raster.n[at] > least ? 1 : 0;
      }
      if (covered < kSolid) continue;
      ++solid;
      for (uint32_t k = 0; k < kBlock; ++k) {
        const size_t at = raster.index(left + k % kStep * kStep, top + k / kStep * kStep);
        if (raster.n[at] > least) histogram.add(raster.n[at]);
      }
    }
  }
  const bool is_enough = static_cast<double>(solid) > kSolidShare * static_cast<double>(blocks);
  return is_enough ? histogram.quantile(0.5) : 0;
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

/// Calls body(pixel, weight, s) for the pixels with lines.
template <class Body>
void for_each_occupied(const layout::Density& raster, Image& image, base::ThreadPool& pool,
                       const Body& body) {
  constexpr uint32_t kRows = 64;
  pool.for_each((raster.height + kRows - 1) / kRows, [&](size_t block) {
    const auto top = static_cast<uint32_t>(block) * kRows;
    const size_t end = raster.index(0, std::min(top + kRows, raster.height));
    // Copies, which bytes that are written cannot change.
    const Body color_of = body;
    const float* n_of = raster.n.data();
    const float* q_of = raster.q.data();
    uint8_t* rgba = image.rgba.data();
    for (size_t at = raster.index(0, top); at < end; ++at) {
      const float n = n_of[at];
      if (n > 0) color_of(&rgba[at * 4], n, q_of[at] / n);
    }
  });
}

/// Opacity::coverage() as bytes, for weights in 128 bins per factor of two: coverage changes by
/// less than a step of a byte within one.
class CoverageTable {
 public:
  explicit CoverageTable(const Opacity& opacity) : bytes_(size_t{1} << (31 - kShift)) {
    // Opacity::coverage() with the logarithm taken once.
    const double rate = std::log1p(-opacity.opacity) / opacity.line_weight;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const auto bits = (static_cast<uint32_t>(i) << kShift) + (1U << (kShift - 1));
      const double weight = double{std::bit_cast<float>(bits)};
      const bool is_opaque = weight * rate < -40;
      if (!std::isfinite(weight)) {  // and all that follow
        std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(i), bytes_.end(), bytes_[i - 1]);
        break;
      }
      const double first = opacity.floor * std::min(1.0, weight / opacity.line_weight);
      bytes_[i] = to_byte(1 - (1 - first) * std::exp(weight * rate));
      if (is_opaque) {
        std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(i), bytes_.end(), bytes_[i]);
        break;
      }
    }
  }
  const uint8_t* data() const { return bytes_.data(); }
  static size_t index(float weight) { return std::bit_cast<uint32_t>(weight) >> kShift; }

 private:
  static constexpr int kShift = 16;
  std::vector<uint8_t> bytes_;
};

void shade_alpha(const layout::Density& raster, const Gradient& colors, const Opacity& opacity,
                 Image& image, base::ThreadPool& pool) {
  const CoverageTable table(opacity);
  const auto color_of = [hues = colors.data(), coverage = table.data()](uint8_t* pixel,
                                                                        float weight, float s) {
    layout::Color color = hues[gradient_index(s)];
    color.a = coverage[CoverageTable::index(weight)];
    std::memcpy(pixel, &color, sizeof color);
  };
  for_each_occupied(raster, image, pool, color_of);
}

/// Light that is added to black, or that ink lets through to white, as a colour with alpha that
/// gives exactly that on black or white, and nearly that on whatever else lies below.
void shade_additive(const layout::Density& raster, const Gradient& colors, bool on_dark,
                    Image& image, base::ThreadPool& pool) {
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
  for_each_occupied(raster, image, pool, [&](uint8_t* pixel, float weight, float s) {
    const double e = exposure * std::asinh(double{weight} * scale);
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
  const double lines = weight / line_weight;
  const double first = floor * std::min(1.0, lines);
  return 1 - (1 - first) * std::exp(lines * std::log1p(-opacity));
}

Opacity choose_opacity(const layout::Density& raster, const layout::SegmentStyle& style) {
  const double line = raster.min_weight > 0 ? raster.min_weight : 1;
  // 1 - 2^-50 instead of 1, so that its logarithm is finite.
  constexpr double kOpaque = 1 - 0x1p-50;
  if (style.opacity) return {std::clamp(*style.opacity, 0.0, kOpaque), 0, line};
  const auto [high, median] = typical_weights(raster);
  if (!(high > 0)) return {kMaxSingleCoverage, 0, line};
  // Of the lightest line, so that `weight` is covered to `coverage`.
  const auto opacity_for = [line](double coverage, double weight) {
    // The last bin of the histogram has no upper edge.
    constexpr double kMost = std::numeric_limits<float>::max();
    return -std::expm1(std::log1p(-coverage) * line / std::min(weight, kMost));
  };
  // Lines of equal weight that hardly overlap: opaque lines hide what they cross.
  double opacity = std::min(kMaxSingleCoverage, opacity_for(kPercentileCoverage, high));
  // Lines all over the picture must not hide what lies beneath them.
  if (median > 0) opacity = std::min(opacity, opacity_for(kMedianCoverage, median));
  const double solid = solid_weight(raster);
  if (solid > 0) opacity = std::min(opacity, opacity_for(kSolidCoverage, solid));
  // A lone line is as strong as its like can be without hiding what lies beneath.
  const auto covered = static_cast<double>(raster.histogram.count_from(0));
  const double share = covered / static_cast<double>(raster.n.size());
  const double most = solid > 0 ? kMaxSolidFloor : kMaxFloor;
  const double least = std::clamp(kFloorInk / share, kMinFloor, most);
  return {opacity, std::max(0.0, (least - opacity) / (1 - opacity)), line};
}

Image shade(const layout::Density& raster, const layout::SegmentStyle& style,
            const Opacity& opacity, layout::Color background, base::ThreadPool& pool) {
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

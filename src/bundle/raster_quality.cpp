// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/raster_quality.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "bundle/blur.hpp"

namespace pathline::bundle {
namespace {

constexpr double kInk = 0.3;  // of the lightest message
constexpr double kBlurPx = 2;

size_t inked_pixels(const layout::Density& raster, double threshold) {
  return static_cast<size_t>(std::count_if(raster.n.begin(), raster.n.end(),
                                           [&](float n) { return double{n} > threshold; }));
}

std::vector<double> ink_by_column(const layout::Density& raster) {
  std::vector<double> ink(raster.width);
  size_t at = 0;
  for (uint32_t y = 0; y < raster.height; ++y) {
    for (uint32_t x = 0; x < raster.width; ++x) ink[x] += double{raster.n[at++]};
  }
  return ink;
}

}  // namespace

double InkCount::ratio() const {
  return straight == 0 ? 1 : static_cast<double>(bundled) / static_cast<double>(straight);
}

InkCount& InkCount::operator+=(const InkCount& other) {
  bundled += other.bundled;
  straight += other.straight;
  return *this;
}

InkCount count_ink(const layout::Density& bundled, const layout::Density& straight) {
  const double threshold = kInk * straight.min_weight;
  return {inked_pixels(bundled, threshold), inked_pixels(straight, threshold)};
}

double ink_ratio(const layout::Density& bundled, const layout::Density& straight) {
  return count_ink(bundled, straight).ratio();
}

double phase_fidelity(const layout::Density& bundled, const layout::Density& straight) {
  assert(bundled.width == straight.width);
  return phase_fidelity(ink_by_column(bundled), ink_by_column(straight));
}

double phase_fidelity(const std::vector<double>& bundled, const std::vector<double>& straight) {
  const std::vector<double> a = gaussian_blur(bundled, kBlurPx);
  const std::vector<double> b = gaussian_blur(straight, kBlurPx);
  const auto count = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / count;
    mean_b += b[i] / count;
  }
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  // Rounding is no change.
  const double nothing_a = 1e-12 * mean_a * mean_a * count;
  const double nothing_b = 1e-12 * mean_b * mean_b * count;
  if (aa <= nothing_a && bb <= nothing_b) return 1;
  if (aa <= nothing_a || bb <= nothing_b) return 0;
  return ab / std::sqrt(aa * bb);
}

double difference(const layout::Density& raster, const layout::Density& reference,
                  uint32_t block_px) {
  assert(raster.width == reference.width && raster.height == reference.height);
  const uint32_t columns = (raster.width + block_px - 1) / block_px;
  const uint32_t rows = (raster.height + block_px - 1) / block_px;
  std::vector<double> blocks(size_t{columns} * rows);
  double total = 0;
  for (uint32_t y = 0; y < raster.height; ++y) {
    for (uint32_t x = 0; x < raster.width; ++x) {
      const size_t at = raster.index(x, y);
      blocks[size_t{y / block_px} * columns + x / block_px] +=
          double{raster.n[at]} - double{reference.n[at]};
      total += double{reference.n[at]};
    }
  }
  double sum = 0;
  for (const double block : blocks) sum += std::abs(block);
  return total > 0 ? sum / total : sum;
}

}  // namespace pathline::bundle

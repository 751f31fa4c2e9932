// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "layout/scene.hpp"

namespace pathline::render {

/// Density of weighted lines: two numbers per pixel, from which every opacity, palette and
/// blending follows without drawing again (design/bundling.md, 2.2).
///
///   n = sum of weight x coverage
///   q = sum of weight x coverage x s,   s = 0 at the line's begin to 1 at its end
///
/// A line is one pixel wide across its minor axis: every row that a steep line crosses (column,
/// for one flatter than 45 degrees) receives exactly its weight, split linearly between the two
/// nearest pixels; the first and the last row receive the share of the row that is covered.
/// A line shorter than one pixel is lengthened to one about its middle, so that none is lost.
/// What lies outside the raster is cut off; s remains that of the whole line.
///
/// Sums are 64-bit fixed-point integers, so the result does not depend on the order of the
/// lines, on their distribution over threads, or on the number of threads.
///
/// Method: between two neighbouring columns the coverage of a steep line is linear in y and s is
/// linear in y, hence n is linear and q quadratic along that run of rows. A run is entered into
/// third differences of its columns with a few integer additions at its ends, whatever its
/// length; three prefix sums per column resolve all runs at the end. The idea is Crow's summed
/// tables ("Summed-area tables for texture mapping", SIGGRAPH 1984) used backwards.
struct DensityRaster {
  uint32_t width = 0;
  uint32_t height = 0;
  double unit = 1;              ///< weight that one integer step of n and of q stands for
  std::vector<int64_t> n;       ///< column-major: pixel (x, y) is at x * height + y
  std::vector<int64_t> q;       ///< 0 <= q <= n
  uint64_t line_count = 0;      ///< lines that were entered, also those outside the raster
  uint64_t rejected_count = 0;  ///< lines with a coordinate or weight that is not finite, or with a
                                ///< negative weight; they are left out
  double min_weight = 0;        ///< smallest positive weight entered; 0 without lines

  size_t index(uint32_t x, uint32_t y) const { return static_cast<size_t>(x) * height + y; }
  double weight_at(uint32_t x, uint32_t y) const {
    return static_cast<double>(n[index(x, y)]) * unit;
  }
};

/// The largest raster side that is accepted; beyond it fixed-point precision would suffer.
inline constexpr uint32_t kMaxRasterSide = 16384;

/// Density of `segments` on the pixels of `segments.clip`, widened to whole pixels; lines are cut
/// at the widened edge.
///
/// accuracy  n of a pixel: (height / 2 + 4) units per line; q: (height^2 / 2 + height) units per
///           line; the unit is about 2^-61 of the weight of all lines together, and at least
///           2^-48 of the largest weight. Sums over a row (or column, for flat lines) are exact.
/// cost      O(lines x (1 + columns crossed) + pixels), not O(length of the lines); 16 bytes per
///           pixel for each of up to 8 parts that run at the same time.
DensityRaster rasterize(const layout::Segments& segments, base::ThreadPool& pool);

}  // namespace pathline::render

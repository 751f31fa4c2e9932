// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "layout/scene.hpp"
#include "render/log_histogram.hpp"

namespace pathline::render {

/// Density of weighted lines and curves: two numbers per pixel, from which every opacity, palette
/// and blending follows without drawing again (design/bundling.md, 2.2).
///
///   n = sum of weight x coverage
///   q = sum of weight x coverage x s,   s = 0 at the sender's end to 1 at the receiver's
///
/// A line is one pixel wide across its minor axis: every row that a steep line crosses (column,
/// for one flatter than 45 degrees) receives exactly its weight, split linearly between the two
/// nearest pixels; the first and the last row receive the share of the row that is covered. A
/// curve is drawn as chords within 0.25 px, each like a line. A line shorter than one pixel, and a
/// curve whose control points lie within one, is lengthened to a pixel about its middle, so that
/// none is lost. What lies outside the raster is cut off; s remains that of the whole line.
///
/// Sums are 64-bit fixed-point integers until the end, so the result does not depend on the order
/// of the lines, nor on the number of threads.
///
/// Method: strips of columns, each small enough for the cache and drawn by one thread. Within a
/// strip a chord is stepped through pixel by pixel, or, where it is so steep that it stays between
/// two columns for several rows, entered as a run: there its coverage is linear in y and s is
/// linear in y, hence n is linear and q quadratic. A run is entered into third differences of its
/// columns with a few integer additions at its ends, whatever its length; three prefix sums per
/// column resolve all runs at the end. The idea is Crow's summed tables ("Summed-area tables for
/// texture mapping", SIGGRAPH 1984) used backwards.
struct DensityRaster {
  uint32_t width = 0;
  uint32_t height = 0;
  base::Column<float> n;        ///< row by row: pixel (x, y) is at y * width + x
  base::Column<float> q;        ///< 0 <= q <= n
  LogHistogram histogram;       ///< of the positive n
  uint64_t line_count = 0;      ///< lines and pieces of curves, also those outside the raster
  uint64_t rejected_count = 0;  ///< lines and pieces with a coordinate or weight that is not
                                ///< finite, or with a negative weight; they are left out
  double min_weight = 0;  ///< smallest positive weight entered; 0 without lines

  size_t index(uint32_t x, uint32_t y) const { return static_cast<size_t>(y) * width + x; }
};

/// The largest raster side that is accepted; beyond it fixed-point precision would suffer.
inline constexpr uint32_t kMaxRasterSide = 16384;

/// Density of `segments` on the pixels of `segments.clip`, widened to whole pixels; lines are cut
/// at the widened edge.
///
/// accuracy  that of float, and (height / 2 + 4) units per line for n, (height^2 / 2 + height) for
///           q; the unit is about 2^-61 of the weight of all lines together, and at least 2^-48 of
///           the largest weight.
/// cost      O(lines x strips crossed + length of what is not steep + pixels).
DensityRaster rasterize(const layout::Segments& segments, base::ThreadPool& pool);

}  // namespace pathline::render

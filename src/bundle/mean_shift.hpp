// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// Columns of equal length. Points of weight 0 are left out, whatever their coordinates; the others
/// must be finite and their weights sum up to less than kMaxTotalUnits (router_input.hpp).
struct WeightedPoints {
  std::span<const float> x, y;
  std::span<const uint64_t> weight;
};

/// Equal squares over an area, centred on it. What is outside counts to the nearest square.
class SquareCells {
 public:
  SquareCells() = default;
  SquareCells(const layout::Rect& area, double side_px);

  double side_px() const { return side_; }
  uint32_t column_count() const { return column_count_; }
  uint32_t row_count() const { return row_count_; }
  size_t size() const { return static_cast<size_t>(column_count_) * row_count_; }
  uint32_t column(double x) const { return index((x - left_) * per_px_, column_count_); }
  uint32_t row(double y) const { return index((y - top_) * per_px_, row_count_); }
  size_t cell(layout::Point p) const {
    return static_cast<size_t>(row(p.y)) * column_count_ + column(p.x);
  }
  layout::Point corner(uint32_t column, uint32_t row) const {  ///< top left
    return {left_ + column * side_, top_ + row * side_};
  }

 private:
  static uint32_t index(double at, uint32_t count) {
    if (!(at > 0)) return 0;
    return at < count ? static_cast<uint32_t>(at) : count - 1;
  }

  double side_ = 1;
  double per_px_ = 1;
  double left_ = 0;
  double top_ = 0;
  uint32_t column_count_ = 1;
  uint32_t row_count_ = 1;
};

/// Clusters of points in the plane. Immutable; shared between threads.
class Clusters {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Where points gather, and the weight of the points that belong to it. Coordinates are exact as
  /// float, so that centres can be points of the next call.
  struct Centre {
    layout::Point at;
    uint64_t weight = 0;
  };

  /// Ordered by x, then y.
  const std::vector<Centre>& centres() const { return centres_; }

  /// Weighted mean of all points; the origin without any.
  layout::Point centroid() const { return centroid_; }

  /// Index of the centre that `p` belongs to: the one to which the points of its cell were moved;
  /// where there were none, the nearest centre (of several the first). Points outside the area
  /// count to the nearest cell. kNone without centres or if `p` is not finite.
  ///
  /// cost  O(1) in cells that had points, O(centres) at worst elsewhere.
  uint32_t of(layout::Point p) const;

 private:
  friend class MeanShift;

  SquareCells cells_;
  std::vector<uint32_t> centre_of_cell_;  // kNone where no point was
  std::vector<Centre> centres_;
  layout::Point centroid_;
};

/// Clusters by mean shift (K. Fukunaga, L. Hostetler, "The estimation of the gradient of a density
/// function", IEEE Trans. Inf. Theory 21(1), 1975) with a flat kernel: from where it starts a
/// trajectory moves to the weighted mean of all points within the radius, until it moves less than
/// radius/1000, at most 64 times. Ends closer than radius/2 to each other are one centre: in order
/// of x, then y, each joins the nearest of those that founded a centre, or founds one; the centre
/// is their weighted mean.
///
/// Points are not shifted one by one but by cells of side radius/2, each standing for its points by
/// their weighted mean and sum. This is the method above for the points moved to the mean of their
/// cell, hence exact while no two different points share a cell. Otherwise the edge of the kernel
/// is blurred by at most 0.71 radius, the diagonal of a cell, and points of a cell stay together.
///
/// area       in pixels; points outside count as on its edge.
/// radius_px  raised where it would give more than about 300,000 cells.
/// returns    the same whatever the order of points and the number of threads: sums over points are
///            sums of integers, coordinates taken to 1/65536 of a cell.
/// cost       O(points) once, then O(occupied cells * 25 * iterations).
Clusters mean_shift(std::span<const WeightedPoints> parts, const layout::Rect& area,
                    double radius_px, base::ThreadPool& pool);

/// A radius that gives about as many clusters in pictures of any size and shape: 1/36 of the root
/// of the area (1/48 of the width at 16:9; 40 px in 1920x1080), at least 4 px. Centres are rarely
/// closer than one radius, so bundles stay apart by several line widths, and a full picture has
/// some hundred clusters, each of which a reader can tell from the next.
double default_radius_px(const layout::Rect& area);

}  // namespace pathline::bundle

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "layout/scene.hpp"

// What the routers have in common: which messages count and how much, and how polygons are built.
namespace pathline::bundle {

/// Weights of the messages as integers, because sums of integers depend neither on the order of the
/// messages nor on how threads share them out. All are scaled by the same power of two; what is
/// less than half a unit counts as one unit. Up to 16 million messages with integer weights up to a
/// million keep their ratios exactly; else the error is below message_count / 2^43 of the largest.
///
/// returns  one number per message; 0, so ignored, where a coordinate is not finite or the weight
///          is not positive and finite. Twice the sum is below kMaxTotalUnits.
/// cost     O(messages), two passes.
base::Column<uint64_t> weight_units(const layout::Segments& lines, base::ThreadPool& pool);

/// With at most this much weight, sums of weight times a fraction of kFractionSteps fit 63 bits.
inline constexpr uint64_t kMaxTotalUnits = uint64_t{1} << 46;
inline constexpr double kFractionSteps = 65536;

/// A share of a length as an integer from 0 to kFractionSteps.
inline uint64_t fraction(double share) {
  const double steps = share * kFractionSteps + 0.5;
  return steps > 0 ? static_cast<uint64_t>(std::min(steps, kFractionSteps)) : 0;
}

/// `clip`, or one pixel at the origin if it is not finite; at least 1/1024 px wide and high.
layout::Rect plot_area(const layout::Rect& clip);

/// How many parts to cut `count` messages into when each part has sums of its own, to be added up.
size_t part_count(size_t count, const base::ThreadPool& pool);

inline bool is_finite(layout::Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }
inline bool is_same(layout::Point a, layout::Point b) { return a.x == b.x && a.y == b.y; }
/// Unlike std::hypot the same on every machine.
inline double distance(layout::Point a, layout::Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  return std::sqrt(dx * dx + dy * dy);
}

/// Adds an inner point to a polygon that has at least one. Twice the same point in a row would nail
/// the curve to it, so it is added once.
inline void add_inner(layout::Point p, std::vector<layout::Point>& control) {
  if (!is_same(p, control.back())) control.push_back(p);
}

/// Adds the last point, which an inner point may not repeat.
inline void add_last(layout::Point p, std::vector<layout::Point>& control) {
  while (control.size() > 1 && is_same(p, control.back())) control.pop_back();
  control.push_back(p);
}

}  // namespace pathline::bundle

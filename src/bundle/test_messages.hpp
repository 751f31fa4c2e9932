// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "layout/scene.hpp"

namespace pathline::bundle {

// Messages as timelines have them. For tests only; no program includes this.

/// `count` messages between `rows` rows of a plot, sent in phases of `phase_px`, every `period_px`,
/// received up to `flight_px` later.
inline layout::Segments phased_messages(size_t count, size_t rows, double width, double height,
                                        double period_px, double phase_px, double flight_px,
                                        unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  layout::Segments lines;
  lines.clip = {0, 0, width, height};
  const auto row_at = [&] {
    const auto row = static_cast<size_t>(uniform() * static_cast<double>(rows));
    return (static_cast<double>(row) + 0.5) * height / static_cast<double>(rows);
  };
  for (size_t i = 0; i < count; ++i) {
    const double phase = std::floor(uniform() * width / period_px) * period_px;
    const double x = phase + uniform() * phase_px;
    lines.add(static_cast<float>(x), static_cast<float>(row_at()),
              static_cast<float>(x + uniform() * flight_px), static_cast<float>(row_at()));
  }
  return lines;
}

inline layout::Segments shuffled(const layout::Segments& lines, unsigned seed = 3) {
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  layout::Segments result;
  result.clip = lines.clip;
  result.style = lines.style;
  for (const size_t i : order) {
    result.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
    if (!lines.weight.empty()) result.weight.push_back(lines.weight[i]);
  }
  return result;
}

}  // namespace pathline::bundle

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "layout/color.hpp"
#include "layout/scene.hpp"

namespace pathline::render {

inline constexpr size_t kGradientSteps = 256;

/// Colours along a message, from its sender to its receiver.
using Gradient = std::array<layout::Color, kGradientSteps>;

inline Gradient gradient(const layout::SegmentStyle& style) {
  Gradient colors;
  for (size_t i = 0; i < colors.size(); ++i) {
    colors[i] = layout::mix(style.begin, style.end, static_cast<double>(i) / (kGradientSteps - 1));
  }
  return colors;
}

/// s in [0,1] to steps of equal width.
inline size_t gradient_index(float s) {
  const auto step = static_cast<int32_t>(s * kGradientSteps);
  return static_cast<size_t>(std::min(step, static_cast<int32_t>(kGradientSteps - 1)));
}

}  // namespace pathline::render

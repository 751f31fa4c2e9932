// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace pathline::bundle {
namespace {

using layout::Segments;

constexpr std::array<double, 3> kPartQuantiles = {0.2, 0.5, 0.8};  // of the messages' ends
constexpr size_t kPartMessages = 5000;

/// The pixel column that has `share` of the ends of messages before it.
double place_of(const EndCounts& ends, double share) {
  const auto total = std::accumulate(ends.count.begin(), ends.count.end(), int64_t{0});
  int64_t before = 0;
  for (size_t x = 0; x < ends.count.size(); ++x) {
    before += ends.count[x];
    if (static_cast<double>(before) >= share * static_cast<double>(total)) {
      return ends.left + static_cast<double>(x);
    }
  }
  return ends.left;
}

/// The lines of a window around where `quantile` of the messages are, which becomes `clip`: of all
/// rows, or with very many lines of some. As many as `count` if they were spread evenly.
Segments lines_around(const Segments& lines, const EndCounts& ends, double quantile, size_t count,
                      double reach_px) {
  constexpr double kMinWidth = 1.0 / 24;
  constexpr double kMinHeight = 1.0 / 8;
  const double share = static_cast<double>(count) / static_cast<double>(lines.size());
  const double width = std::floor(lines.clip.w * std::clamp(share, kMinWidth, 1.0));
  const double height = std::floor(lines.clip.h * std::clamp(share / kMinWidth, kMinHeight, 1.0));
  const double middle = std::clamp(place_of(ends, quantile), lines.clip.x + width / 2,
                                   std::max(lines.clip.x, lines.clip.right()) - width / 2);
  Segments result;
  result.clip = {std::floor(middle - width / 2),
                 std::floor(lines.clip.y + (lines.clip.h - height) / 2), width, height};
  const auto left = static_cast<float>(result.clip.x);
  const auto right = static_cast<float>(result.clip.right());
  const auto top = static_cast<float>(result.clip.y) - static_cast<float>(reach_px);
  const auto bottom = static_cast<float>(result.clip.bottom()) + static_cast<float>(reach_px);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (std::max(lines.x1[i], lines.x2[i]) < left || std::min(lines.x1[i], lines.x2[i]) > right) {
      continue;
    }
    if (std::max(lines.y1[i], lines.y2[i]) < top || std::min(lines.y1[i], lines.y2[i]) > bottom) {
      continue;
    }
    result.add(lines.x1[i], lines.y1[i], lines.x2[i], lines.y2[i]);
    if (!lines.weight.empty()) result.weight.push_back(lines.weight[i]);
  }
  return result;
}

}  // namespace

Segments sample(const Segments& lines, size_t count) {
  if (lines.size() <= count) return lines;
  constexpr size_t kBlock = 256;
  const double share = static_cast<double>(count) / static_cast<double>(lines.size());
  const auto limit = static_cast<uint32_t>(share * 0x1p32);
  Segments result;
  result.clip = lines.clip;
  result.reserve(count + count / 8);
  std::array<uint32_t, kBlock> hashes;
  for (size_t begin = 0; begin < lines.size(); begin += kBlock) {
    const size_t size = std::min(kBlock, lines.size() - begin);
    const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    for (size_t i = 0; i < size; ++i) {
      const uint32_t mixed = bits(lines.x1[begin + i]) * 0x9e3779b1 ^
                             bits(lines.y1[begin + i]) * 0x85ebca77 ^
                             bits(lines.y2[begin + i]) * 0xc2b2ae3d;
      hashes[i] = (mixed ^ mixed >> 15) * 0x27d4eb2f;
    }
    for (size_t i = 0; i < size; ++i) {
      if (hashes[i] >= limit) continue;
      const size_t line = begin + i;
      result.add(lines.x1[line], lines.y1[line], lines.x2[line], lines.y2[line]);
      if (!lines.weight.empty()) result.weight.push_back(lines.weight[line]);
    }
  }
  return result;
}

std::vector<Segments> typical_parts(const Segments& lines, const EndCounts& ends, double reach_px) {
  constexpr double kLeastPx = 24;
  std::vector<Segments> parts;
  if (lines.size() <= kPartMessages * kPartQuantiles.size()) {
    parts.push_back(lines);
    return parts;
  }
  for (const double quantile : kPartQuantiles) {
    Segments part = lines_around(lines, ends, quantile, kPartMessages, reach_px);
    while (part.size() > 2 * kPartMessages && part.clip.w > kLeastPx && part.clip.h > kLeastPx) {
      part = lines_around(part, count_ends(part), 0.5, kPartMessages, reach_px);
    }
    parts.push_back(part.size() > 2 * kPartMessages ? sample(part, kPartMessages)
                                                    : std::move(part));
  }
  return parts;
}

}  // namespace pathline::bundle

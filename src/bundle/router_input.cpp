// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/router_input.hpp"

#include <algorithm>
#include <bit>

namespace pathline::bundle {
namespace {

constexpr size_t kMinMessagesPerPart = size_t{1} << 16;
constexpr size_t kMaxParts = 8;  // every part may need megabytes of sums

/// Weight of a message that counts, otherwise 0.
double usable_weight(const layout::Segments& lines, size_t i) {
  // A sum is finite only if all of its terms are: one test instead of four.
  const double sum =
      double{lines.x1[i]} + double{lines.y1[i]} + double{lines.x2[i]} + double{lines.y2[i]};
  if (!std::isfinite(sum)) return 0;
  if (lines.weight.empty()) return 1;
  const double weight = lines.weight[i];
  return weight > 0 && std::isfinite(weight) ? weight : 0;
}

}  // namespace

base::Column<uint64_t> weight_units(const layout::Segments& lines, base::ThreadPool& pool) {
  const size_t count = lines.size();
  const size_t parts = part_count(count, pool);
  struct Found {
    double largest = 0;
    uint64_t usable_count = 0;
  };
  std::vector<Found> found(parts);
  pool.for_each(parts, [&](size_t part) {
    Found here;
    for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
      const double weight = usable_weight(lines, i);
      here.largest = std::max(here.largest, weight);
      here.usable_count += weight > 0 ? 1 : 0;
    }
    found[part] = here;
  });
  Found all;
  for (const Found& here : found) {
    all.largest = std::max(all.largest, here.largest);
    all.usable_count += here.usable_count;
  }

  // The largest weight becomes at most 2^bits, and 2 * usable_count * 2^bits < kMaxTotalUnits.
  const int bits = std::min(30, 44 - static_cast<int>(std::bit_width(all.usable_count)));
  int exponent = 0;
  (void)std::frexp(all.largest, &exponent);
  base::Column<uint64_t> units(count);
  pool.for_each(parts, [&](size_t part) {
    const double scale = std::ldexp(1.0, bits - exponent);
    for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
      const double weight = usable_weight(lines, i);
      units[i] = weight > 0 ? std::max<uint64_t>(1, std::llround(weight * scale)) : 0;
    }
  });
  return units;
}

layout::Rect plot_area(const layout::Rect& clip) {
  if (!(is_finite({clip.x, clip.y}) && is_finite({clip.w, clip.h}))) return {0, 0, 1, 1};
  constexpr double kMinSide = 1.0 / 1024;
  return {clip.x, clip.y, std::max(clip.w, kMinSide), std::max(clip.h, kMinSide)};
}

size_t part_count(size_t count, const base::ThreadPool& pool) {
  return std::clamp<size_t>(std::min<size_t>(pool.thread_count(), count / kMinMessagesPerPart), 1,
                            kMaxParts);
}

}  // namespace pathline::bundle

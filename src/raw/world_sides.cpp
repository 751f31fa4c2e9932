// SPDX-License-Identifier: BSD-3-Clause
#include "raw/world_sides.hpp"

#include <algorithm>
#include <tuple>

namespace pathline::raw {

std::vector<size_t> join_sides(const std::vector<WorldSide>& sides) {
  constexpr size_t kMost = 1024;  // Looked at in pairs.
  std::vector<size_t> open;
  for (size_t i = 0; i < sides.size() && open.size() < kMost; ++i) {
    if (sides[i].other.size != 0) open.push_back(i);
  }
  const auto size = [&](size_t i) {
    uint64_t count = 0;
    for (size_t k = 2; k < sides[i].members.size(); k += 3) count += sides[i].members[k];
    return count;
  };
  std::vector<std::tuple<uint64_t, size_t, size_t>> pairs;  // Time between them.
  for (const size_t a : open) {
    for (const size_t b : open) {
      const auto& one = sides[a].other;
      const auto& two = sides[b].other;
      if (b <= a || sides[a].world == sides[b].world || (one.parents & two.parents) != 0) continue;
      if (one.size != size(b) || two.size != size(a)) continue;
      pairs.emplace_back(
          std::max(one.realtime_ns, two.realtime_ns) - std::min(one.realtime_ns, two.realtime_ns),
          a, b);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<size_t> counterparts(sides.size(), SIZE_MAX);
  for (const auto& [time, a, b] : pairs) {
    if (counterparts[a] != SIZE_MAX || counterparts[b] != SIZE_MAX) continue;
    counterparts[a] = b;
    counterparts[b] = a;
  }
  return counterparts;
}

}  // namespace pathline::raw

// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/bound.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace pathline::mapping {
namespace {

/// Of other places: how many any place has within 0, 1, 2 ... at most.
std::vector<uint32_t> most_within(const Problem& problem) {
  std::vector<uint32_t> most;
  std::vector<uint32_t> count;
  for (uint32_t place = 0; place < problem.size(); ++place) {
    const uint16_t* distance = problem.distances(place);
    count.assign(most.size(), 0);
    for (uint32_t other = 0; other < problem.size(); ++other) {
      if (other == place) continue;
      if (distance[other] >= count.size()) count.resize(size_t{distance[other]} + 1, 0);
      ++count[distance[other]];
    }
    // Beyond what was farthest so far each place had all others.
    most.resize(count.size(), most.empty() ? 0 : most.back());
    uint32_t within = 0;
    for (size_t d = 0; d < count.size(); ++d) {
      within += count[d];
      most[d] = std::max(most[d], within);
    }
  }
  return most;
}

}  // namespace

int64_t lower_bound(const Problem& problem) {
  const std::vector<uint32_t> most = most_within(problem);
  std::vector<int64_t> weights;
  int64_t twice = 0;
  for (uint32_t item = 0; item < problem.size(); ++item) {
    weights.clear();
    for (const Problem::Partner& partner : problem.partners(item)) {
      weights.push_back(partner.weight);
    }
    std::sort(weights.begin(), weights.end(), std::greater<>());
    size_t distance = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      while (most[distance] <= i) ++distance;
      twice += weights[i] * static_cast<int64_t>(distance);
    }
  }
  return twice / 2 + twice % 2;
}

}  // namespace pathline::mapping

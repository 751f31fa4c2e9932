// SPDX-License-Identifier: BSD-3-Clause
#include "comm/omp_teams.hpp"

#include <algorithm>
#include <tuple>

namespace pathline::comm {

void sort_visits(std::vector<OmpVisit>& visits) {
  std::sort(visits.begin(), visits.end(), [](const OmpVisit& a, const OmpVisit& b) {
    return std::tie(a.region, a.begin_ticks, a.location) <
           std::tie(b.region, b.begin_ticks, b.location);
  });
}

size_t join_teams(std::span<OmpVisit> visits, uint64_t until_ticks) {
  size_t first = 0;
  while (first < visits.size()) {
    uint64_t first_end = visits[first].end_ticks;
    size_t end = first + 1;
    const auto belongs = [&](const OmpVisit& visit) {
      if (visit.begin_ticks > first_end) return false;
      for (size_t i = first; i < end; ++i) {
        if (visits[i].location == visit.location) return false;
      }
      return true;
    };
    while (end < visits.size() && belongs(visits[end])) {
      first_end = std::min(first_end, visits[end++].end_ticks);
    }
    if (first_end >= until_ticks && until_ticks != UINT64_MAX) break;
    // Of those that come last at one time, the lowest.
    size_t last = end - 1;
    while (last > first && visits[last - 1].begin_ticks == visits[last].begin_ticks) --last;
    for (size_t i = first; i < end; ++i) {
      visits[i].last_ticks = visits[last].begin_ticks;
      visits[i].last_location = visits[last].location;
    }
    first = end;
  }
  return first;
}

std::vector<std::vector<uint32_t>> threads_by_rank(const trace::Trace& trace) {
  std::vector<std::vector<uint32_t>> threads(trace.rank_count);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    if (location.rank.valid() && location.type == trace::LocationType::kCpuThread) {
      threads[location.rank].push_back(i);
    }
  }
  for (auto& of_rank : threads) {
    if (of_rank.size() < 2) of_rank.clear();
  }
  return threads;
}

}  // namespace pathline::comm

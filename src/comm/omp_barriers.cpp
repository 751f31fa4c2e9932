// SPDX-License-Identifier: BSD-3-Clause
#include "comm/omp_barriers.hpp"

#include <algorithm>
#include <tuple>

#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

struct Visit {
  uint32_t region;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t location;
  uint64_t last_ticks = 0;
  uint32_t last_location = 0;
};

std::vector<Visit> visits_of(const trace::Trace& trace, const std::vector<uint32_t>& locations,
                             const std::vector<bool>& barriers) {
  std::vector<Visit> visits;
  for (const uint32_t location : locations) {
    const trace::Events& events = trace.locations[location].events;
    trace::for_each_outer_call(
        events, [&](trace::Region region) { return region < barriers.size() && barriers[region]; },
        [&](trace::CallEvents call) {
          visits.push_back({events.region(call.enter), events.ticks[call.enter],
                            events.ticks[call.leave], location});
        });
  }
  std::sort(visits.begin(), visits.end(), [](const Visit& a, const Visit& b) {
    return std::tie(a.region, a.begin_ticks, a.location) <
           std::tie(b.region, b.begin_ticks, b.location);
  });
  for (size_t first = 0; first < visits.size();) {
    uint64_t first_end = visits[first].end_ticks;
    size_t end = first + 1;
    const auto belongs = [&](const Visit& visit) {
      if (visit.region != visits[first].region || visit.begin_ticks > first_end) return false;
      for (size_t i = first; i < end; ++i) {
        if (visits[i].location == visit.location) return false;
      }
      return true;
    };
    while (end < visits.size() && belongs(visits[end])) {
      first_end = std::min(first_end, visits[end++].end_ticks);
    }
    // Of those that come last at one time, the lowest.
    size_t last = end - 1;
    while (last > first && visits[last - 1].begin_ticks == visits[last].begin_ticks) --last;
    for (size_t i = first; i < end; ++i) {
      visits[i].last_ticks = visits[last].begin_ticks;
      visits[i].last_location = visits[last].location;
    }
    first = end;
  }
  return visits;
}

}  // namespace

std::vector<bool> omp_barrier_regions(const trace::Definitions& definitions) {
  std::vector<bool> barriers;
  barriers.reserve(definitions.regions.size());
  for (const trace::RegionDefinition& region : definitions.regions) {
    const bool is_barrier = region.role == trace::RegionRole::kBarrier ||
                            region.role == trace::RegionRole::kImplicitBarrier;
    barriers.push_back(is_barrier && region.paradigm == trace::kParadigmOpenMp);
  }
  return barriers;
}

OmpBarriers omp_barriers(const trace::Trace& trace, base::ThreadPool& pool) {
  OmpBarriers result;
  const std::vector<bool> barriers = omp_barrier_regions(trace.definitions);
  if (std::find(barriers.begin(), barriers.end(), true) == barriers.end()) return result;
  std::vector<std::vector<uint32_t>> threads(trace.rank_count);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    if (location.rank.valid() && location.type == trace::LocationType::kCpuThread) {
      threads[location.rank].push_back(i);
    }
  }
  std::vector<std::vector<Visit>> visits(threads.size());
  pool.for_each(threads.size(), [&](size_t rank) {
    if (threads[rank].size() > 1) visits[rank] = visits_of(trace, threads[rank], barriers);
  });
  for (const std::vector<Visit>& of_rank : visits) {
    for (const Visit& visit : of_rank) {
      result.location.push_back(visit.location);
      result.begin_ticks.push_back(visit.begin_ticks);
      result.end_ticks.push_back(visit.end_ticks);
      result.last_ticks.push_back(visit.last_ticks);
      result.last_location.push_back(visit.last_location);
    }
  }
  return result;
}

}  // namespace pathline::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/omp_barriers.hpp"

#include <algorithm>
#include <span>

#include "comm/omp_teams.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

std::vector<OmpVisit> visits_of(const trace::Trace& trace, const std::vector<uint32_t>& locations,
                                const std::vector<bool>& barriers) {
  std::vector<OmpVisit> visits;
  for (const uint32_t location : locations) {
    const trace::Events& events = trace.locations[location].events;
    trace::for_each_outer_call(
        events, [&](trace::Region region) { return region < barriers.size() && barriers[region]; },
        [&](trace::CallEvents call) {
          visits.push_back({events.region(call.enter), events.ticks[call.enter],
                            events.ticks[call.leave], location});
        });
  }
  sort_visits(visits);
  for_each_region(visits, [](std::span<OmpVisit> of_region) { join_teams(of_region, UINT64_MAX); });
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
  const std::vector<std::vector<uint32_t>> threads = threads_by_rank(trace);
  std::vector<std::vector<OmpVisit>> visits(threads.size());
  pool.for_each(threads.size(), [&](size_t rank) {
    if (!threads[rank].empty()) visits[rank] = visits_of(trace, threads[rank], barriers);
  });
  for (const std::vector<OmpVisit>& of_rank : visits) {
    for (const OmpVisit& visit : of_rank) {
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

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/growing_omp_barriers.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "comm/omp_barriers.hpp"

namespace pathline::comm {

GrowingOmpBarriers::GrowingOmpBarriers(const trace::Trace& run)
    : barriers_(omp_barrier_regions(run.definitions)), sums_(run.rank_count) {
  if (std::find(barriers_.begin(), barriers_.end(), true) == barriers_.end()) return;
  for (std::vector<uint32_t>& threads : threads_by_rank(run)) {
    ranks_.push_back({std::move(threads), {}, {}});
  }
}

void GrowingOmpBarriers::add(const trace::Trace& part, const PartPlace& place,
                             base::ThreadPool& pool) {
  std::vector<std::vector<OmpVisit>> known(ranks_.size());
  pool.for_each(ranks_.size(), [&](size_t i) {
    Rank& rank = ranks_[i];
    if (rank.threads.empty() || place.is_of_others(rank.threads[0])) return;
    add(part, place, rank);
    sort_visits(rank.visits);
    std::vector<OmpVisit> rest;
    for_each_region(rank.visits, [&](std::span<OmpVisit> visits) {
      uint64_t until = place.until_ticks;
      for (const OmpVisit& open : rank.open) {
        if (open.region == visits[0].region) until = std::min(until, open.begin_ticks);
      }
      const auto end = visits.begin() + static_cast<ptrdiff_t>(join_teams(visits, until));
      known[i].insert(known[i].end(), visits.begin(), end);
      rest.insert(rest.end(), end, visits.end());
    });
    rank.visits = std::move(rest);
  });
  for (uint32_t i = 0; i < known.size(); ++i) {
    for (const OmpVisit& visit : known[i]) {
      sums_.add(WaitKind::kOmpBarrier, i, visit.begin_ticks, visit.last_ticks);
    }
  }
}

/// The visits that ended in the part, and those that are open behind it.
void GrowingOmpBarriers::add(const trace::Trace& part, const PartPlace& place, Rank& rank) const {
  rank.open.clear();
  for (const uint32_t location : rank.threads) {
    const trace::Events& events = part.locations[location].events;
    // A visit that goes on is open at the end as its Enter is in front.
    uint32_t open = UINT32_MAX;
    for (uint32_t i = 0; i < events.size(); ++i) {
      if (events.kind[i] == trace::EventKind::kEnter) {
        const uint32_t region = events.ref[i];
        if (open == UINT32_MAX && region < barriers_.size() && barriers_[region]) open = i;
      } else if (events.kind[i] == trace::EventKind::kLeave && open != UINT32_MAX &&
                 events.ref[i] <= open) {
        rank.visits.push_back({events.ref[open], events.ticks[open], events.ticks[i], location});
        open = UINT32_MAX;
      }
    }
    if (open == UINT32_MAX) continue;
    const OmpVisit visit{events.ref[open], events.ticks[open], place.last_ticks[location],
                         location};
    (place.ended ? rank.visits : rank.open).push_back(visit);
  }
}

}  // namespace pathline::comm

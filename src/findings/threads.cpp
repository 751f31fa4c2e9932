// SPDX-License-Identifier: BSD-3-Clause
#include "findings/threads.hpp"

#include <algorithm>

#include "comm/omp_barriers.hpp"
#include "trace/calls.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::findings {
namespace {

using trace::EventKind;

/// A parallel region of one rank.
struct Region {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint64_t ticks = 0;  ///< Of it, outside of MPI in the first thread.
  uint64_t most_ticks = 0;
  uint64_t sum_ticks = 0;
};

bool is_fork(EventKind kind) {
  return kind == EventKind::kThreadFork || kind == EventKind::kOmpFork;
}
bool is_join(EventKind kind) {
  return kind == EventKind::kThreadJoin || kind == EventKind::kOmpJoin;
}

/// Outermost pairs of fork and join in the window.
std::vector<Region> regions_of(const trace::Events& events, const Window& window) {
  std::vector<Region> regions;
  uint32_t depth = 0;
  uint64_t since = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_fork(events.kind[i]) && depth++ == 0) since = events.ticks[i];
    if (!is_join(events.kind[i]) || depth == 0 || --depth > 0) continue;
    const uint64_t begin = std::max(since, window.begin_ticks);
    const uint64_t end = std::min(events.ticks[i], window.end_ticks);
    if (begin < end) regions.push_back({begin, end});
  }
  return regions;
}

class Threads {
 public:
  Threads(const Model& model, const std::vector<bool>& barriers,
          const std::vector<trace::CallClass>& classes)
      : model_(model), barriers_(barriers), classes_(classes) {}

  ThreadTime time(uint32_t rank, const std::vector<uint32_t>& locations,
                  uint64_t useful_ticks) const {
    ThreadTime time{.threads = static_cast<uint32_t>(locations.size()),
                    .all_ticks = locations.size() * useful_ticks};
    const uint32_t first = model_.trace->rank_location[rank];
    std::vector<Region> regions = regions_of(model_.trace->locations[first].events, model_.window);
    for (const uint32_t location : locations) {
      const bool is_first = location == first;
      std::vector<uint64_t> busy(regions.size(), 0);
      visit(location, is_first, regions, [&](size_t region, uint64_t ticks, bool works) {
        if (is_first) regions[region].ticks += ticks;
        if (works) busy[region] += ticks;
      });
      for (size_t i = 0; i < regions.size(); ++i) {
        regions[i].most_ticks = std::max(regions[i].most_ticks, busy[i]);
        regions[i].sum_ticks += busy[i];
      }
    }
    uint64_t parallel = 0;
    for (Region& region : regions) {
      // A thread that works while the first one is in MPI could seem to work longer than the
      // region.
      region.ticks = std::max(region.ticks, region.most_ticks);
      parallel += region.ticks;
      time.imbalance_ticks += locations.size() * region.most_ticks - region.sum_ticks;
      time.schedule_ticks += locations.size() * (region.ticks - region.most_ticks);
      time.useful_ticks += region.sum_ticks;
    }
    const uint64_t serial = useful_ticks > parallel ? useful_ticks - parallel : 0;
    time.all_ticks = locations.size() * (serial + parallel);
    time.useful_ticks += serial;
    time.serial_ticks = (locations.size() - 1) * serial;
    return time;
  }

 private:
  /// Calls visit(region, ticks, works) for the time of a thread in parallel regions and outside
  /// MPI.
  template <class Visit>
  void visit(uint32_t location, bool is_first, const std::vector<Region>& regions,
             Visit visit) const {
    const trace::Events& events = model_.trace->locations[location].events;
    enum : uint8_t { kPlain, kBarrier, kMpi };
    std::vector<uint8_t> open;
    uint32_t barriers = 0;
    uint32_t mpi = 0;
    uint32_t teams = is_first ? 1 : 0;
    uint64_t since = 0;
    size_t region = 0;
    const auto charge = [&](uint64_t ticks) {
      while (region < regions.size() && regions[region].end_ticks <= since) ++region;
      for (size_t i = region; i < regions.size() && regions[i].begin_ticks < ticks; ++i) {
        const uint64_t from = std::max(since, regions[i].begin_ticks);
        const uint64_t until = std::min(ticks, regions[i].end_ticks);
        if (from < until && mpi == 0 && teams > 0) visit(i, until - from, barriers == 0);
      }
      since = ticks;
    };
    trace::walk_calls(
        model_.trace->definitions, events,
        [&](trace::Region called, uint64_t ticks) {
          charge(ticks);
          const bool known = called.valid();
          const uint8_t kind = known && barriers_[called]                            ? kBarrier
                               : known && classes_[called] == trace::CallClass::kMpi ? kMpi
                                                                                     : kPlain;
          open.push_back(kind);
          barriers += kind == kBarrier ? 1 : 0;
          mpi += kind == kMpi ? 1 : 0;
        },
        [&](uint64_t ticks) {
          charge(ticks);
          barriers -= open.back() == kBarrier ? 1 : 0;
          mpi -= open.back() == kMpi ? 1 : 0;
          open.pop_back();
        },
        [&](size_t event) {
          if (is_first) return;
          if (events.kind[event] == EventKind::kThreadTeamBegin) {
            charge(events.ticks[event]);
            ++teams;
          } else if (events.kind[event] == EventKind::kThreadTeamEnd && teams > 0) {
            charge(events.ticks[event]);
            --teams;
          }
        });
    if (events.size() > 0) charge(events.ticks[events.size() - 1]);
  }

  const Model& model_;
  const std::vector<bool>& barriers_;
  const std::vector<trace::CallClass>& classes_;
};

}  // namespace

ThreadTime thread_time(const Model& model, base::ThreadPool& pool) {
  const trace::Trace& trace = *model.trace;
  std::vector<std::vector<uint32_t>> locations(trace.rank_count);
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    if (location.rank.valid() && location.type == trace::LocationType::kCpuThread) {
      locations[location.rank].push_back(i);
    }
  }
  bool any_fork = false;
  for (uint32_t rank = 0; rank < trace.rank_count && !any_fork; ++rank) {
    if (locations[rank].size() < 2 || !model.lanes[rank].recorded) continue;
    const auto& kinds = trace.locations[trace.rank_location[rank]].events.kind;
    any_fork = std::any_of(kinds.begin(), kinds.end(), is_fork);
  }
  if (!any_fork) return {};
  const std::vector<bool> barriers = comm::omp_barrier_regions(trace.definitions);
  const std::vector<trace::CallClass> classes = trace::call_classes(trace.definitions);
  const std::vector<LaneTime> times = lane_times(model);
  const Threads threads(model, barriers, classes);
  std::vector<ThreadTime> by_rank(trace.rank_count);
  pool.for_each(by_rank.size(), [&](size_t rank) {
    if (!model.lanes[rank].recorded || locations[rank].empty()) return;
    by_rank[rank] =
        threads.time(static_cast<uint32_t>(rank), locations[rank], times[rank].useful_ticks);
  });
  ThreadTime sum;
  for (const ThreadTime& of : by_rank) {
    sum.threads += of.threads;
    sum.all_ticks += of.all_ticks;
    sum.useful_ticks += of.useful_ticks;
    sum.serial_ticks += of.serial_ticks;
    sum.imbalance_ticks += of.imbalance_ticks;
    sum.schedule_ticks += of.schedule_ticks;
  }
  return sum;
}

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/cpu_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trace/cpu_time.hpp"

namespace pathline::findings {
namespace {

struct Reading {
  uint64_t ticks;
  uint64_t cpu_ns;
  uint64_t involuntary;
  uint64_t voluntary;
};

/// The metric that has the readings, and where in its values they stand.
struct Set {
  uint32_t metric = UINT32_MAX;
  std::array<size_t, 3> places{};
};

Set find_set(const trace::Definitions& definitions) {
  constexpr std::array kNames = {trace::kCpuTime, trace::kInvoluntarySwitches,
                                 trace::kVoluntarySwitches};
  for (const auto& metric : definitions.metrics) {
    Set set{.metric = metric.id};
    size_t found = 0;
    for (size_t i = 0; i < metric.members.size(); ++i) {
      const trace::MetricMember* member = definitions.metric_member(metric.members[i]);
      for (size_t k = 0; k < kNames.size(); ++k) {
        if (member == nullptr || member->name != kNames[k]) continue;
        set.places[k] = i;
        ++found;
      }
    }
    if (found == kNames.size()) return set;
  }
  return {};
}

std::vector<Reading> readings(const trace::Events& events, const Set& set) {
  std::vector<Reading> list;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != trace::EventKind::kMetric) continue;
    const trace::Fields fields = events.fields(i);
    if (fields[0] != set.metric) continue;
    const size_t count = fields[1];
    // Behind metric and count each value has its type and two words.
    const auto value = [&](size_t k) {
      const size_t at = 3 + 3 * set.places[k];
      return set.places[k] < count ? fields[at] | uint64_t{fields[at + 1]} << 32U : 0;
    };
    const Reading reading{events.ticks[i], value(0), value(1), value(2)};
    list.push_back(reading);
  }
  return list;
}

/// What the useful time of a lane in one stretch between two readings was.
struct Stretch {
  uint64_t end_ticks;
  uint64_t useful_ticks = 0;
  uint64_t preempted_ticks = 0;
};

class LaneReader {
 public:
  LaneReader(const Model& model, size_t lane, CpuTimes& out)
      : model_(model), index_(lane), lane_(model.lanes[lane]), out_(out) {}

  void run(const std::vector<Reading>& list) {
    // The first stretch is before all readings, the last behind them: nothing is known of these.
    for (const Reading& reading : list) stretches_.push_back({reading.ticks});
    stretches_.push_back({UINT64_MAX});
    each_piece(
        [&](size_t, size_t stretch, uint64_t ticks) { stretches_[stretch].useful_ticks += ticks; });
    LaneCpu& sum = out_.lanes[index_];
    for (size_t k = 0; k + 1 < list.size(); ++k)
      judge(list[k], list[k + 1], stretches_[k + 1], sum);
    for (const Stretch& stretch : stretches_) sum.useful_ticks += stretch.useful_ticks;
    each_piece([&](size_t piece, size_t stretch, uint64_t ticks) {
      const Stretch& of = stretches_[stretch];
      if (of.preempted_ticks == 0) return;
      // Of all that was done in the stretch alike.
      const double share =
          static_cast<double>(of.preempted_ticks) / static_cast<double>(of.useful_ticks);
      const auto lost = static_cast<uint64_t>(share * static_cast<double>(ticks));
      out_.work_ticks[piece] -= std::min(lost, out_.work_ticks[piece]);
    });
  }

 private:
  /// Pieces have no times of their own, but follow each other in their gaps.
  template <class Take>
  void each_piece(Take take) const {
    size_t stretch = 0;
    for (uint32_t call = lane_.first_call; call <= lane_.end_call; ++call) {
      uint64_t at = model_.gap_begin(call, lane_);
      const size_t gap = Model::gap(call, index_);
      for (size_t piece = model_.first_piece[gap]; piece < model_.first_piece[gap + 1]; ++piece) {
        const uint64_t end = at + model_.piece_ticks[piece];
        while (at < end) {
          while (stretches_[stretch].end_ticks <= at) ++stretch;
          const uint64_t until = std::min(end, stretches_[stretch].end_ticks);
          take(piece, stretch, until - at);
          at = until;
        }
      }
    }
  }

  void judge(const Reading& from, const Reading& to, Stretch& stretch, LaneCpu& sum) const {
    // Values go back where another thread went on in this location.
    if (stretch.useful_ticks == 0 || to.cpu_ns < from.cpu_ns || to.involuntary < from.involuntary ||
        to.voluntary < from.voluntary) {
      return;
    }
    const double per_ns =
        static_cast<double>(model_.trace->definitions.clock.ticks_per_second) / 1e9;
    const uint64_t wall = to.ticks - from.ticks;
    // No thread has more than all of the time.
    const uint64_t cpu = std::min(
        wall, static_cast<uint64_t>(static_cast<double>(to.cpu_ns - from.cpu_ns) * per_ns));
    const uint64_t useful = stretch.useful_ticks;
    sum.cpu_ticks += cpu;
    sum.switches += to.involuntary - from.involuntary;
    sum.working_ticks += useful - std::min(useful, wall - cpu);
    const bool slept = to.voluntary > from.voluntary;
    const bool interrupted = to.involuntary > from.involuntary;
    if (slept || !interrupted || useful <= cpu) return;
    stretch.preempted_ticks = useful - cpu;
    sum.preempted_ticks += stretch.preempted_ticks;
  }

  const Model& model_;
  const size_t index_;
  const Model::Lane& lane_;
  CpuTimes& out_;
  std::vector<Stretch> stretches_;
};

}  // namespace

CoreUse core_use(const Model& model, const CpuTimes& times, const PathLoad& load,
                 const PathLoad& work, const std::vector<uint32_t>& ranks) {
  CoreUse use;
  uint64_t useful = 0;
  uint64_t working = 0;
  for (size_t i = 0; i < load.lanes.size(); ++i) {
    const uint32_t rank = model.all->calls.lanes[load.lanes[i]].rank;
    if (!ranks.empty() && !std::binary_search(ranks.begin(), ranks.end(), rank)) continue;
    const LaneCpu& lane = times.lanes[load.lanes[i]];
    use.cpu_ticks += lane.cpu_ticks;
    use.switches += lane.switches;
    use.preempted_ticks += load.by_rank[i] - work.by_rank[i];
    useful += lane.useful_ticks;
    working += lane.working_ticks;
  }
  constexpr double kAllWork = 0.95;
  if (load.unevenness() > 0 && work.unevenness() <= 0.5 * load.unevenness()) {
    use.cores = Cores::kLost;
  } else if (static_cast<double>(working) >= kAllWork * static_cast<double>(useful)) {
    use.cores = Cores::kHeld;
  }
  return use;
}

void add_evidence(const CoreUse& use, double seconds_per_tick,
                  std::vector<std::pair<std::string_view, double>>& evidence) {
  evidence.emplace_back("cpu_s", seconds_per_tick * static_cast<double>(use.cpu_ticks));
  evidence.emplace_back("involuntary_switches", static_cast<double>(use.switches));
  evidence.emplace_back("preempted_s", seconds_per_tick * static_cast<double>(use.preempted_ticks));
  evidence.emplace_back("held_cores", use.cores == Cores::kHeld   ? 1
                                      : use.cores == Cores::kLost ? -1
                                                                  : 0);
}

CpuTimes cpu_times(const Model& model, base::ThreadPool& pool) {
  CpuTimes times;
  const Set set = find_set(model.trace->definitions);
  if (set.metric == UINT32_MAX) return times;
  times.lanes.resize(model.lanes.size());
  times.work_ticks.resize(model.piece_ticks.size());
  std::copy(model.piece_ticks.begin(), model.piece_ticks.end(), times.work_ticks.begin());
  pool.for_each(model.lanes.size(), [&](size_t lane) {
    const Model::Lane& of = model.lanes[lane];
    if (!of.recorded || !of.first_of_rank) return;
    const uint32_t location = model.all->calls.lanes[lane].location;
    LaneReader(model, lane, times).run(readings(model.trace->locations[location].events, set));
  });
  times.known = std::any_of(times.lanes.begin(), times.lanes.end(),
                            [](const LaneCpu& lane) { return lane.cpu_ticks > 0; });
  return times;
}

}  // namespace pathline::findings

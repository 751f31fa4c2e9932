// SPDX-License-Identifier: BSD-3-Clause
#include "app/wait_rows.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/judged_part.hpp"
#include "findings/delay_costs.hpp"
#include "findings/replay.hpp"
#include "findings/waits_of.hpp"

namespace pathline::app {
namespace {

/// All that is known of the run, in the chosen time.
class ChosenTime {
 public:
  ChosenTime(const trace::Trace& trace, const comm::Dependencies& all,
             const trace::Selection& selection, base::ThreadPool& pool)
      : all_(all),
        model_(findings::model(trace, all_, window(trace, selection),
                               trace::marked_steps(trace, &pool), pool)),
        names_(trace, model_) {}
  ChosenTime(const ChosenTime&) = delete;
  ChosenTime& operator=(const ChosenTime&) = delete;

  [[nodiscard]] const findings::Model& model() const { return model_; }
  [[nodiscard]] const PathNames& names() const { return names_; }

 private:
  static findings::Window window(const trace::Trace& trace, const trace::Selection& selection) {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (const trace::Location& location : trace.locations) {
      const trace::Events& events = location.events;
      if (events.size() == 0) continue;
      first = std::min(first, events.ticks[0]);
      last = std::max(last, events.ticks[events.size() - 1]);
    }
    first = std::max(std::min(first, last), selection.from_ticks);
    return {first, std::max(first, std::min(last, selection.until_ticks))};
  }

  const comm::Dependencies& all_;
  const findings::Model model_;
  const PathNames names_;
};

std::vector<PathWaits> waits_by_call_path(const ChosenTime& chosen,
                                          const trace::Selection& selection) {
  GrowingPathWaits waits;
  waits.add(chosen.model(), selection);
  return waits.rows(*chosen.model().trace);
}

/// Per lane by kind: how long others waited for it.
using WaitsForLanes = std::vector<std::array<uint64_t, comm::kWaitKindCount>>;

std::vector<WaitCause> cause_rows(const trace::Trace& run, const findings::DelayCosts& costs,
                                  const PathNames& names, const WaitsForLanes& waits,
                                  const std::vector<uint32_t>& rank_of_lane,
                                  const trace::Selection& selection) {
  const auto hz = static_cast<double>(run.definitions.clock.ticks_per_second);
  std::vector<WaitCause> causes;
  for (const findings::DelayCost& cost : costs.rows) {
    const uint32_t rank = rank_of_lane[cost.lane];
    if (!selection.has_rank(rank)) continue;
    const auto& kinds = waits[cost.lane];
    const auto most = std::max_element(kinds.begin(), kinds.end());
    std::string kind;
    if (*most > 0) kind = comm::wait_name(static_cast<comm::WaitKind>(most - kinds.begin()));
    causes.push_back({std::move(kind), rank, names.text(cost.path),
                      static_cast<double>(cost.short_ticks) / hz,
                      static_cast<double>(cost.long_ticks) / hz});
  }
  std::stable_sort(causes.begin(), causes.end(), [](const WaitCause& a, const WaitCause& b) {
    return a.short_term_rank_s + a.long_term_rank_s > b.short_term_rank_s + b.long_term_rank_s;
  });
  return causes;
}

std::vector<uint32_t> ranks_of_lanes(const findings::Model& model) {
  std::vector<uint32_t> ranks;
  for (const comm::Lane& lane : model.all->calls.lanes) ranks.push_back(lane.rank);
  return ranks;
}

std::vector<WaitCause> wait_causes(const ChosenTime& chosen, const trace::Selection& selection) {
  const findings::Model& model = chosen.model();
  const findings::Replay replay(model);
  return cause_rows(*model.trace, findings::delay_costs(model, replay.run_measured()),
                    chosen.names(), findings::waits_for_lanes(model), ranks_of_lanes(model),
                    selection);
}

}  // namespace

void GrowingPathWaits::add(const findings::Model& part, const trace::Selection& selection) {
  const std::vector<uint32_t> nodes = findings::add_paths(part.call_paths, tree_);
  for (size_t lane = 0; lane < part.lanes.size(); ++lane) {
    if (!selection.has_rank(part.all->calls.lanes[lane].rank)) continue;
    for (uint32_t call = part.lanes[lane].first_call; call < part.lanes[lane].end_call; ++call) {
      const uint64_t ticks = part.wait_ticks(call);
      if (ticks == 0) continue;
      const uint32_t path = part.call_path[call];
      Sum& sum = sums_[{part.all->kind[call], path == findings::kNone ? 0 : nodes[path]}];
      ++sum.count;
      sum.ticks += ticks;
    }
  }
}

std::vector<PathWaits> GrowingPathWaits::rows(const trace::Trace& run) const {
  std::vector<profile::CallPathNode> call_paths;
  const std::vector<uint32_t> number = findings::number_paths(tree_, call_paths);
  const PathNames names(run, call_paths);
  const auto hz = static_cast<double>(run.definitions.clock.ticks_per_second);
  std::vector<PathWaits> rows;
  for (const auto& [key, sum] : sums_) {
    rows.push_back({std::string(comm::wait_name(key.first)), names.text(number[key.second]),
                    sum.count, static_cast<double>(sum.ticks) / hz});
  }
  std::sort(rows.begin(), rows.end(), [](const PathWaits& a, const PathWaits& b) {
    return std::tie(b.wait_s, a.call_path, a.kind) < std::tie(a.wait_s, b.call_path, b.kind);
  });
  return rows;
}

bool GrowingWaitCauses::add(const findings::Model& part) {
  const auto waits = findings::waits_for_lanes(part);
  waits_.resize(waits.size());
  for (size_t lane = 0; lane < waits.size(); ++lane) {
    for (size_t kind = 0; kind < waits[lane].size(); ++kind) {
      waits_[lane][kind] += waits[lane][kind];
    }
  }
  rank_of_lane_ = ranks_of_lanes(part);
  return costs_.add(part);
}

std::optional<std::vector<WaitCause>> GrowingWaitCauses::rows(const trace::Trace& run,
                                                              const trace::Selection& selection) {
  const auto found = costs_.finish();
  if (!found) return std::nullopt;
  return cause_rows(run, found->costs, PathNames(run, found->call_paths), waits_, rank_of_lane_,
                    selection);
}

std::vector<PathWaits> waits_by_call_path(const trace::Trace& trace, const comm::Dependencies& all,
                                          const trace::Selection& selection,
                                          base::ThreadPool& pool) {
  return waits_by_call_path(ChosenTime(trace, all, selection, pool), selection);
}

std::vector<WaitCause> wait_causes(const trace::Trace& trace, const comm::Dependencies& all,
                                   const trace::Selection& selection, base::ThreadPool& pool) {
  return wait_causes(ChosenTime(trace, all, selection, pool), selection);
}

WaitRows wait_rows(const trace::Trace& trace, const comm::Dependencies& all,
                   const trace::Selection& selection, base::ThreadPool& pool) {
  const ChosenTime chosen(trace, all, selection, pool);
  return {waits_by_call_path(chosen, selection), wait_causes(chosen, selection)};
}

}  // namespace pathline::app

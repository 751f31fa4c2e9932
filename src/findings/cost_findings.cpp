// SPDX-License-Identifier: BSD-3-Clause
#include "findings/cost_findings.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace pathline::findings {
namespace {

FindingKind kind_of(const trace::RegionDefinition& function) {
  using trace::RegionRole;
  std::string name(function.name);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name == "mpi_win_fence") return FindingKind::kFenceCost;
  const bool of_group =
      function.role == RegionRole::kBarrier || (function.role >= RegionRole::kFirstCollective &&
                                                function.role <= RegionRole::kLastCollective);
  return of_group ? FindingKind::kCollectiveCost : FindingKind::kTransfer;
}

/// What the calls of a function of MPI cost beside their waits.
struct FunctionCost {
  double ticks = 0;
  double typical_ticks = 0;    // As CallCost::kTypical has it.
  uint32_t costliest = kNone;  // Call.
};

class FunctionCosts {
 public:
  FunctionCosts(const Model& model, const base::Column<uint64_t>& costs,
                const base::Column<uint64_t>& typical)
      : model_(model),
        functions_(model.trace->definitions.regions.size() + 1),
        of_path_(model.call_paths.size()) {
    for (const Model::Lane& lane : model.lanes) {
      for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
        FunctionCost& of = functions_[function(call)];
        of.ticks += static_cast<double>(costs[call]);
        of.typical_ticks += static_cast<double>(typical[call]);
        const uint32_t path = model.call_path[call];
        if (path != kNone) of_path_[path] += static_cast<double>(costs[call]);
        if (of.costliest == kNone || costs[call] > costs[of.costliest]) of.costliest = call;
      }
    }
  }
  [[nodiscard]] size_t size() const { return functions_.size() - 1; }
  [[nodiscard]] const FunctionCost& operator[](size_t function) const {
    return functions_[function];
  }
  /// size() where none is known.
  [[nodiscard]] size_t function(uint32_t call) const {
    const auto& regions = model_.trace->definitions.regions;
    const uint32_t region = model_.all->calls.region[call];
    return region < regions.size() ? uint32_t{regions[region].function} : regions.size();
  }
  /// The call path that has most of it, if that is half or more; else the function alone.
  [[nodiscard]] std::vector<trace::Region> path(size_t function) const {
    const auto& regions = model_.trace->definitions.regions;
    for (uint32_t path = 0; path < of_path_.size(); ++path) {
      const trace::Region region = model_.call_paths[path].region;
      const bool is_it = region < regions.size() && regions[region].function == function;
      if (is_it && of_path_[path] >= 0.5 * functions_[function].ticks) {
        return regions_to(model_, path);
      }
    }
    return {trace::Region(function)};
  }
  /// The costliest call with as much before and behind it, where some calls take longer than most;
  /// else all of the window.
  [[nodiscard]] Window seen(size_t function) const {
    const FunctionCost& of = functions_[function];
    const Window& all = model_.window;
    if (2 * of.typical_ticks > of.ticks) return all;
    const uint64_t begin = model_.begin(of.costliest);
    const uint64_t end = model_.end(of.costliest);
    const uint64_t ticks = end - begin;
    return {begin - std::min(begin - std::min(begin, all.begin_ticks), ticks),
            end + std::min(all.end_ticks - std::min(end, all.end_ticks), ticks)};
  }

 private:
  const Model& model_;
  std::vector<FunctionCost> functions_;
  std::vector<double> of_path_;  // By index into Model::call_paths: ticks.
};

/// Time in MPI calls beyond waiting, function by function.
///
/// slow  whether the network or MPI take too long altogether, and all that calls cost is looked at:
///       else only fences count, and of them what most calls cost, so that a single interruption
///       is none of their fault
void add_costs(const Model& model, const WhatIf& what_if, bool slow, std::vector<Finding>& found) {
  constexpr double kLeastRest = 0.02;
  const auto& regions = model.trace->definitions.regions;
  const bool any_fence =
      std::any_of(regions.begin(), regions.end(), [](const trace::RegionDefinition& region) {
        return kind_of(region) == FindingKind::kFenceCost;
      });
  if (!slow && !any_fence) return;
  const base::Column<uint64_t> costs = what_if.costs(slow ? CallCost::kRest : CallCost::kTypical);
  const FunctionCosts functions =
      slow ? FunctionCosts(model, costs, what_if.costs()) : FunctionCosts(model, costs, costs);
  const double ticks = static_cast<double>(slow ? what_if.ticks_with(costs) : what_if.ticks());
  const double whole = model.rank_count() * static_cast<double>(model.window.ticks());
  for (size_t function = 0; function < functions.size(); ++function) {
    const FunctionCost& cost = functions[function];
    if (cost.ticks < kLeastRest * whole || cost.ticks == 0) continue;
    const FindingKind kind = kind_of(regions[function]);
    if (!slow && kind != FindingKind::kFenceCost) continue;
    base::Column<uint64_t> without(costs.size());
    for (size_t call = 0; call < costs.size(); ++call) {
      without[call] = functions.function(static_cast<uint32_t>(call)) == function ? 0 : costs[call];
    }
    Finding finding;
    finding.kind = kind;
    finding.recoverable_ticks = ticks - static_cast<double>(what_if.ticks_with(without));
    finding.cost_ticks = cost.ticks;
    finding.path = functions.path(function);
    finding.seen = functions.seen(function);
    finding.evidence = {{"share_of_rank_time", cost.ticks / whole},
                        {"share_of_slow_calls", (cost.ticks - cost.typical_ticks) / whole}};
    if (finding.recoverable_ticks > 0) found.push_back(std::move(finding));
  }
}

void add_threads(const Model& model, const Efficiency& efficiency, base::ThreadPool& pool,
                 std::vector<Finding>& found) {
  if (!efficiency.openmp) return;
  const ThreadTime time = thread_time(model, pool);
  if (time.threads == 0) return;
  const auto add = [&](FindingKind kind, uint64_t lost, double factor) {
    if (factor >= 0.9) return;
    Finding finding;
    finding.kind = kind;
    finding.recoverable_ticks = static_cast<double>(lost) / time.threads;
    finding.cost_ticks = static_cast<double>(lost);
    finding.seen = model.window;
    finding.evidence = {{"factor", factor}, {"threads", static_cast<double>(time.threads)}};
    found.push_back(std::move(finding));
  };
  add(FindingKind::kOmpImbalance, time.imbalance_ticks, efficiency.openmp->load_balance);
  add(FindingKind::kOmpSerial, time.serial_ticks, efficiency.openmp->serial);
}

}  // namespace

std::vector<Finding> cost_findings(const Model& model, const Efficiency& efficiency,
                                   const WhatIf& what_if, base::ThreadPool& pool) {
  std::vector<Finding> found;
  add_costs(model, what_if, efficiency.transfer < 0.9, found);
  add_threads(model, efficiency, pool, found);
  return found;
}

}  // namespace pathline::findings

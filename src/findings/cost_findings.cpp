// SPDX-License-Identifier: BSD-3-Clause
#include "findings/cost_findings.hpp"

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

/// Time in MPI calls beyond waiting, function by function.
///
/// slow  whether the network or MPI take too long altogether: else only fences count
void add_costs(const Model& model, const WhatIf& what_if, bool slow, std::vector<Finding>& found) {
  constexpr double kLeastRest = 0.02;
  const auto& regions = model.trace->definitions.regions;
  const comm::Dependencies& all = *model.all;
  const base::Column<uint64_t> costs = what_if.costs();
  std::vector<double> rest(regions.size() + 1);
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      const uint32_t region = all.calls.region[call];
      const size_t function =
          region < regions.size() ? uint32_t{regions[region].function} : regions.size();
      rest[function] += static_cast<double>(costs[call]);
    }
  }
  const double whole = model.rank_count() * static_cast<double>(model.window.ticks());
  for (size_t function = 0; function < regions.size(); ++function) {
    if (rest[function] < kLeastRest * whole || rest[function] == 0) continue;
    const FindingKind kind = kind_of(regions[function]);
    if (!slow && kind != FindingKind::kFenceCost) continue;
    base::Column<uint64_t> without(costs.size());
    for (size_t call = 0; call < costs.size(); ++call) {
      const uint32_t region = all.calls.region[call];
      const bool is_it = region < regions.size() && regions[region].function == function;
      without[call] = is_it ? 0 : costs[call];
    }
    Finding finding;
    finding.kind = kind;
    finding.recoverable_ticks =
        static_cast<double>(what_if.ticks()) - static_cast<double>(what_if.ticks_with(without));
    finding.cost_ticks = rest[function];
    finding.path = {trace::Region(function)};
    finding.seen = model.window;
    finding.evidence = {{"share_of_rank_time", rest[function] / whole}};
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

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/barrier_findings.hpp"

#include <algorithm>
#include <map>

namespace pathline::findings {
namespace {

constexpr double kNegligible = 0.5;  // Of what the barrier costs.
constexpr size_t kMostPaths = 8;

/// A barrier beside another operation of the same ranks.
struct Beside {
  uint32_t members = 0;
  uint64_t between_ticks = 0;  ///< Of all members.
};

uint64_t rest_ticks(const Model& model, uint32_t call) {
  return model.end(call) - std::min(model.end(call), model.wait_end(call));
}

class Neighbours {
 public:
  explicit Neighbours(const Model& model)
      : model_(model),
        all_(*model.all),
        next_(all_.group_kind.size()),
        before_(all_.group_kind.size()),
        rest_(all_.group_kind.size(), 0) {}

  std::vector<uint32_t> needless() {
    std::vector<uint32_t> barriers;
    for (const Model::Lane& lane : model_.lanes) look_along(lane, barriers);
    std::vector<uint32_t> calls;
    for (const uint32_t call : barriers) {
      if (is_needless(group_of(call, comm::WaitKind::kBarrier))) calls.push_back(call);
    }
    return calls;
  }

 private:
  void look_along(const Model::Lane& lane, std::vector<uint32_t>& barriers) {
    uint32_t last = comm::kNoCall;
    uint32_t last_group = kNone;
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      if (!all_.calls.is(call, comm::kTalks)) continue;
      const uint32_t barrier = group_of(call, comm::WaitKind::kBarrier);
      const uint32_t group =
          barrier != kNone ? barrier : group_of(call, comm::WaitKind::kCollective);
      if (barrier != kNone) {
        barriers.push_back(call);
        rest_[barrier] += rest_ticks(model_, call);
      }
      if (group != kNone && last_group != kNone && all_.group_set[group] == set(last_group)) {
        const uint64_t between = model_.begin(call) - model_.end(last);
        if (barrier != kNone) add(before_[barrier], between);
        if (barrier == kNone && is_barrier(last_group)) add(next_[last_group], between);
      }
      last = call;
      last_group = group;
    }
  }

  static void add(Beside& beside, uint64_t between) {
    ++beside.members;
    beside.between_ticks += between;
  }
  [[nodiscard]] uint32_t set(uint32_t group) const { return all_.group_set[group]; }
  [[nodiscard]] bool is_barrier(uint32_t group) const {
    return all_.group_kind[group] == comm::WaitKind::kBarrier;
  }

  /// The group of this kind in which the call begins and ends; kNone if there is none.
  [[nodiscard]] uint32_t group_of(uint32_t call, comm::WaitKind kind) const {
    for (uint32_t i = all_.first[call]; i < all_.first[call + 1]; ++i) {
      const comm::Dependency& one = all_.list[i];
      if (one.kind == kind && one.waits() && one.arrives()) return all_.group[one.target];
    }
    return kNone;
  }

  [[nodiscard]] bool is_needless(uint32_t group) const {
    const uint32_t members = all_.group_first[group + 1] - all_.group_first[group];
    const double most = kNegligible * static_cast<double>(rest_[group]);
    const auto is_close = [&](const Beside& beside) {
      return beside.members == members && static_cast<double>(beside.between_ticks) <= most;
    };
    return members > 1 && (is_close(next_[group]) || is_close(before_[group]));
  }

  const Model& model_;
  const comm::Dependencies& all_;
  std::vector<Beside> next_;  // By group, of barriers.
  std::vector<Beside> before_;
  std::vector<uint64_t> rest_;
};

/// Barriers of one call path.
struct AtPath {
  std::vector<uint32_t> calls;
  uint64_t rest_ticks = 0;
  uint64_t longest_ticks = 0;
  Window seen{0, 0};
};

}  // namespace

std::vector<uint32_t> needless_barriers(const Model& model) { return Neighbours(model).needless(); }

std::vector<Finding> barrier_findings(const Model& model, const WhatIf& what_if) {
  std::map<uint32_t, AtPath> paths;
  for (const uint32_t call : needless_barriers(model)) {
    AtPath& at = paths[model.call_path[call]];
    const uint64_t rest = rest_ticks(model, call);
    at.calls.push_back(call);
    at.rest_ticks += rest;
    if (rest < at.longest_ticks) continue;
    at.longest_ticks = rest;
    // With what stands beside it.
    const uint64_t begin = model.begin(call);
    at.seen = {std::max(model.window.begin_ticks, begin - std::min(begin, rest)),
               std::min(model.window.end_ticks, model.end(call) + rest)};
  }
  std::vector<std::pair<uint32_t, const AtPath*>> order;
  for (const auto& [path, at] : paths) order.emplace_back(path, &at);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second->rest_ticks > b.second->rest_ticks;
  });
  order.resize(std::min(order.size(), kMostPaths));
  std::vector<Finding> found;
  for (const auto& [path, at] : order) {
    Finding finding;
    finding.kind = FindingKind::kNeedlessBarrier;
    finding.recoverable_ticks = what_if.gain_without(at->calls);
    finding.cost_ticks = static_cast<double>(at->rest_ticks);
    finding.path = regions_to(model, path);
    finding.seen = at->seen;
    finding.evidence = {{"calls_of_a_rank",
                         static_cast<double>(at->calls.size()) / std::max(1U, model.rank_count())},
                        {"cost_of_a_rank_s", model.trace->span_seconds(at->rest_ticks) /
                                                 std::max(1U, model.rank_count())}};
    if (finding.recoverable_ticks > 0) found.push_back(std::move(finding));
  }
  return found;
}

void leave_out_costs_of(const std::vector<Finding>& needless, const trace::Trace& trace,
                        std::vector<Finding>& costs) {
  const auto function_of = [&](const Finding& finding) {
    const trace::Region region = finding.path.empty() ? trace::Region() : finding.path.back();
    return region.valid() ? trace.definitions.regions[region].function : region;
  };
  const auto is_of_needless = [&](const Finding& cost) {
    double ticks = 0;
    for (const Finding& finding : needless) {
      if (function_of(finding) == function_of(cost)) ticks += finding.cost_ticks;
    }
    return cost.kind == FindingKind::kCollectiveCost && 2 * ticks > cost.cost_ticks;
  };
  costs.erase(std::remove_if(costs.begin(), costs.end(), is_of_needless), costs.end());
}

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/step_causes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pathline::findings {
namespace {

/// Time of one call path in one step: index into Model::steps, index into Model::call_paths.
using Place = std::pair<uint32_t, uint32_t>;

struct Share {
  std::map<uint32_t, uint64_t> on_path;  ///< By lane.
  uint64_t on_path_ticks = 0;
  uint64_t all_ticks = 0;  ///< Of all ranks, waits left out.
};

class Causes {
 public:
  explicit Causes(const Model& model) : model_(model) {}

  std::vector<StepCause> run(const Efficiency& efficiency, const CriticalPath& critical) {
    for (const CriticalSegment& segment : critical.segments) charge(segment);
    add_all();
    std::vector<StepCause> causes;
    for (const StepEfficiency& step : efficiency.steps) {
      StepCause& cause = causes.emplace_back(StepCause{.step = step.step, .ticks = step.ticks});
      const uint32_t index = index_of(step.step);
      if (index < waits_.size()) cause.waits = waits_[index];
      for (auto at = shares_.lower_bound({index, 0}); at != shares_.end(); ++at) {
        if (at->first.first != index) break;
        keep_larger(at->first.second, at->second, cause);
      }
    }
    return causes;
  }

 private:
  [[nodiscard]] uint32_t index_of(uint32_t step) const {
    const auto at = std::lower_bound(model_.steps.begin(), model_.steps.end(), step);
    if (at == model_.steps.end() || *at != step) return kNone;
    return static_cast<uint32_t>(at - model_.steps.begin());
  }
  /// The step in which something begins on a lane; kNone outside of all.
  [[nodiscard]] uint32_t step_at(uint32_t lane, uint64_t ticks) const {
    const uint32_t rank = model_.all->calls.lanes[lane].rank;
    if (rank >= model_.step_windows.size()) return kNone;
    const auto& steps = model_.step_windows[rank];
    auto at = std::upper_bound(
        steps.begin(), steps.end(), ticks,
        [](uint64_t a, const trace::StepWindow& step) { return a < step.begin_ticks; });
    if (at == steps.begin() || (--at)->end_ticks <= ticks) return kNone;
    return index_of(at->step);
  }
  /// The end of a wait that somebody is known to be to blame for; else the begin.
  [[nodiscard]] uint64_t rest_begin(uint32_t call) const {
    return model_.cause_known(call) ? model_.wait_end(call) : model_.begin(call);
  }

  void charge(const CriticalSegment& segment) {
    const Model::Lane& of = model_.lanes[segment.lane];
    const auto& begins = model_.all->calls.begin_ticks;
    // The first call that may end in the segment.
    auto call =
        static_cast<uint32_t>(std::upper_bound(begins.begin() + of.first_call,
                                               begins.begin() + of.end_call, segment.begin_ticks) -
                              begins.begin());
    if (call > of.first_call) --call;
    for (; call <= of.end_call; ++call) {
      const uint64_t from = std::max(segment.begin_ticks, model_.gap_begin(call, of));
      const uint64_t until =
          call == of.end_call ? segment.end_ticks : std::min(segment.end_ticks, model_.begin(call));
      if (from < until) charge_gap(segment.lane, Model::gap(call, segment.lane), until - from);
      if (call == of.end_call || model_.begin(call) >= segment.end_ticks) break;
      const uint64_t begin = std::max(segment.begin_ticks, rest_begin(call));
      const uint64_t end = std::min(segment.end_ticks, model_.end(call));
      if (begin < end) {
        add(segment.lane, step_at(segment.lane, model_.begin(call)), model_.call_path[call],
            end - begin);
      }
    }
  }
  void charge_gap(uint32_t lane, size_t gap, uint64_t ticks) {
    for (uint32_t i = model_.first_piece[gap + 1]; i-- > model_.first_piece[gap] && ticks > 0;) {
      const uint64_t taken = std::min(ticks, model_.piece_ticks[i]);
      add(lane, model_.piece_step[i], model_.piece_path[i], taken);
      ticks -= taken;
    }
  }
  void add(uint32_t lane, uint32_t step, uint32_t path, uint64_t ticks) {
    if (step == kNone) return;
    Share& share = shares_[{step, path}];
    share.on_path[lane] += ticks;
    share.on_path_ticks += ticks;
  }

  /// What all ranks have of what is on the path, and their waits.
  void add_all() {
    waits_.resize(model_.steps.size());
    const auto add_to = [&](uint32_t step, uint32_t path, uint64_t ticks) {
      const auto at = shares_.find({step, path});
      if (at != shares_.end()) at->second.all_ticks += ticks;
    };
    for (size_t i = 0; i < model_.piece_path.size(); ++i) {
      if (model_.piece_step[i] == kNone) continue;
      add_to(model_.piece_step[i], model_.piece_path[i], model_.piece_ticks[i]);
    }
    for (uint32_t lane = 0; lane < model_.lanes.size(); ++lane) {
      const Model::Lane& of = model_.lanes[lane];
      for (uint32_t call = of.first_call; call < of.end_call; ++call) {
        const uint32_t step = step_at(lane, model_.begin(call));
        if (step == kNone) continue;
        add_to(step, model_.call_path[call], model_.end(call) - model_.wait_end(call));
        const uint64_t wait = model_.wait_ticks(call);
        if (wait > 0) waits_[step][static_cast<size_t>(model_.all->kind[call])] += wait;
      }
    }
  }

  void keep_larger(uint32_t path, const Share& share, StepCause& cause) const {
    const double beyond = static_cast<double>(share.on_path_ticks) -
                          static_cast<double>(share.all_ticks) / std::max(1U, model_.rank_count());
    if (beyond <= cause.beyond_ticks) return;
    cause.beyond_ticks = beyond;
    cause.path = path;
    uint64_t most = 0;
    for (const auto& [lane, ticks] : share.on_path) {
      if (ticks <= most) continue;
      most = ticks;
      cause.lane = lane;
    }
  }

  const Model& model_;
  std::map<Place, Share> shares_;
  std::vector<std::array<uint64_t, comm::kWaitKindCount>> waits_;  // By index of the step.
};

}  // namespace

std::vector<StepCause> step_causes(const Model& model, const Efficiency& efficiency,
                                   const CriticalPath& critical) {
  return Causes(model).run(efficiency, critical);
}

}  // namespace pathline::findings

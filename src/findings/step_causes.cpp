// SPDX-License-Identifier: BSD-3-Clause
#include "findings/step_causes.hpp"

#include <algorithm>
#include <utility>

namespace pathline::findings {
namespace {

constexpr uint32_t kRoot = 0;  // Outside of all calls.

}  // namespace

/// Adds one part.
class GrowingStepCauses::Add {
 public:
  Add(const Model& part, GrowingStepCauses& all, bool is_whole)
      : part_(part), all_(all), steps_(part.steps.size()), goes_on_(part.steps.size()) {
    const bool is_last = part.part.end_ticks == part.window.end_ticks;
    for (const auto& of_rank : part.step_windows) {
      for (const trace::StepWindow& step : of_rank) {
        const uint32_t index = index_of(step.step);
        // It knows steps behind it, too.
        if (index == kNone || (!is_last && step.begin_ticks >= part.part.end_ticks)) continue;
        comes_again_ = comes_again_ || all.causes_.contains(step.step);
        steps_[index] = &all.open_[step.step];
        if (!is_whole && step.begin_ticks < part.part.begin_ticks) goes_on_[index] = true;
      }
    }
  }

  [[nodiscard]] bool comes_again() const { return comes_again_; }

  /// What was left of calls that cross the end of the part.
  void add_crossing() {
    for (uint32_t lane = 0; lane < part_.lanes.size(); ++lane) {
      const Model::Lane& of = part_.lanes[lane];
      if (of.first_call == of.end_call) continue;
      const uint64_t ticks = std::exchange(all_.crossing_[lane], 0);
      if (ticks > 0) add_call(lane, of.end_call - 1, ticks);
    }
  }

  /// A stretch of the critical path in the part.
  void charge(const CriticalSegment& segment) {
    const Model::Lane& of = part_.lanes[segment.lane];
    if (segment.begin_ticks < of.begin_ticks) {
      all_.crossing_[segment.lane] +=
          std::min(segment.end_ticks, of.begin_ticks) - segment.begin_ticks;
    }
    const auto& begins = part_.all->calls.begin_ticks;
    // The first call that may end in the segment.
    auto call =
        static_cast<uint32_t>(std::upper_bound(begins.begin() + of.first_call,
                                               begins.begin() + of.end_call, segment.begin_ticks) -
                              begins.begin());
    if (call > of.first_call) --call;
    for (; call <= of.end_call; ++call) {
      const uint64_t from = std::max(segment.begin_ticks, part_.gap_begin(call, of));
      const uint64_t until =
          call == of.end_call ? segment.end_ticks : std::min(segment.end_ticks, part_.begin(call));
      if (from < until) charge_gap(segment.lane, Model::gap(call, segment.lane), until - from);
      if (call == of.end_call || part_.begin(call) >= segment.end_ticks) break;
      const uint64_t begin = std::max(segment.begin_ticks, rest_begin(call));
      const uint64_t end = std::min(segment.end_ticks, part_.end(call));
      if (begin < end) add_call(segment.lane, call, end - begin);
    }
  }

  /// What all ranks have of what is on the path, or may be in a part before; and their waits.
  void add_all() {
    const auto add_to = [&](uint32_t step, uint32_t path, uint64_t ticks) {
      if (goes_on_[step]) {
        share(step, path).all_ticks += ticks;
        return;
      }
      std::map<uint32_t, Share>& shares = steps_[step]->shares;
      const auto at = shares.find(node_of(path));
      if (at != shares.end()) at->second.all_ticks += ticks;
    };
    for (size_t i = 0; i < part_.piece_path.size(); ++i) {
      if (part_.piece_step[i] == kNone) continue;
      add_to(part_.piece_step[i], part_.piece_path[i], part_.piece_ticks[i]);
    }
    for (uint32_t lane = 0; lane < part_.lanes.size(); ++lane) {
      const Model::Lane& of = part_.lanes[lane];
      for (uint32_t call = of.first_call; call < of.end_call; ++call) {
        const uint32_t step = step_at(lane, part_.begin(call));
        if (step == kNone) continue;
        add_to(step, part_.call_path[call], part_.end(call) - part_.wait_end(call));
        const uint64_t wait = part_.wait_ticks(call);
        if (wait > 0) steps_[step]->waits[static_cast<size_t>(part_.all->kind[call])] += wait;
      }
    }
  }

  /// Concludes what makes those steps long of which no part before has anything.
  void conclude() {
    for (auto at = all_.open_.begin(); at != all_.open_.end();) {
      const uint32_t index = index_of(at->first);
      if (index != kNone && goes_on_[index]) {
        ++at;
        continue;
      }
      all_.causes_[at->first] = all_.cause_of(at->second);
      at = all_.open_.erase(at);
    }
  }

 private:
  [[nodiscard]] uint32_t index_of(uint32_t step) const {
    const auto at = std::lower_bound(part_.steps.begin(), part_.steps.end(), step);
    if (at == part_.steps.end() || *at != step) return kNone;
    return static_cast<uint32_t>(at - part_.steps.begin());
  }
  [[nodiscard]] uint32_t node_of(uint32_t path) const {
    return path == kNone ? kRoot : all_.nodes_[path];
  }
  /// The step in which something begins on a lane, as an index; kNone outside of all.
  [[nodiscard]] uint32_t step_at(uint32_t lane, uint64_t ticks) const {
    const uint32_t rank = part_.all->calls.lanes[lane].rank;
    if (rank >= part_.step_windows.size()) return kNone;
    const auto& windows = part_.step_windows[rank];
    auto at = std::upper_bound(
        windows.begin(), windows.end(), ticks,
        [](uint64_t a, const trace::StepWindow& step) { return a < step.begin_ticks; });
    if (at == windows.begin() || (--at)->end_ticks <= ticks) return kNone;
    return index_of(at->step);
  }
  /// The end of a wait that somebody is known to be to blame for; else the begin.
  [[nodiscard]] uint64_t rest_begin(uint32_t call) const {
    return part_.cause_known(call) ? part_.wait_end(call) : part_.begin(call);
  }
  [[nodiscard]] Share& share(uint32_t step, uint32_t path) {
    return steps_[step]->shares[node_of(path)];
  }

  void charge_gap(uint32_t lane, size_t gap, uint64_t ticks) {
    for (uint32_t i = part_.first_piece[gap + 1]; i-- > part_.first_piece[gap] && ticks > 0;) {
      const uint64_t taken = std::min(ticks, part_.piece_ticks[i]);
      add(lane, part_.piece_step[i], part_.piece_path[i], taken);
      ticks -= taken;
    }
  }
  void add_call(uint32_t lane, uint32_t call, uint64_t ticks) {
    add(lane, step_at(lane, part_.begin(call)), part_.call_path[call], ticks);
  }
  void add(uint32_t lane, uint32_t step, uint32_t path, uint64_t ticks) {
    if (step == kNone) return;
    Share& of = share(step, path);
    of.on_path[lane] += ticks;
    of.on_path_ticks += ticks;
  }

  const Model& part_;
  GrowingStepCauses& all_;
  std::vector<Step*> steps_;   // By index into Model::steps.
  std::vector<bool> goes_on_;  // The same: in a part before.
  bool comes_again_ = false;   // A number of a step that was concluded.
};

void GrowingStepCauses::begin(const Model& part) {
  ranks_ = part.rank_count();
  crossing_.resize(part.lanes.size());
  nodes_ = add_paths(part.call_paths, tree_);
}

bool GrowingStepCauses::add(const Model& part, const GrowingCriticalPath& critical) {
  begin(part);
  Add add(part, *this, false);
  if (add.comes_again()) return false;
  add.add_crossing();
  const std::vector<CriticalSegment>& segments = critical.segments_from_the_end();
  for (auto at = segments.rbegin(); at != segments.rend(); ++at) {
    if (at->begin_ticks >= part.part.end_ticks) break;
    const CriticalSegment inside{at->lane, std::max(at->begin_ticks, part.part.begin_ticks),
                                 std::min(at->end_ticks, part.part.end_ticks)};
    if (inside.begin_ticks < inside.end_ticks) add.charge(inside);
  }
  add.add_all();
  add.conclude();
  return true;
}

std::vector<trace::Region> GrowingStepCauses::regions_to(uint32_t node) const {
  std::vector<trace::Region> regions;
  for (; node != kRoot; node = tree_.nodes()[node].parent) {
    regions.push_back(tree_.nodes()[node].region);
  }
  std::reverse(regions.begin(), regions.end());
  return regions;
}

StepCause GrowingStepCauses::cause_of(const Step& step) const {
  StepCause cause{.waits = step.waits};
  // Of several that are equal the first one in the order of call paths, what is outside of all
  // last.
  const auto comes_first = [&](uint32_t a, uint32_t b) {
    if (a == kRoot || b == kRoot) return b == kRoot;
    return regions_to(a) < regions_to(b);
  };
  for (const auto& [node, share] : step.shares) {
    const double beyond = static_cast<double>(share.on_path_ticks) -
                          static_cast<double>(share.all_ticks) / std::max(1U, ranks_);
    if (beyond <= 0 || beyond < cause.beyond_ticks) continue;
    if (beyond == cause.beyond_ticks && !comes_first(node, cause.path)) continue;
    cause.beyond_ticks = beyond;
    cause.path = node;
    uint64_t most = 0;
    for (const auto& [lane, ticks] : share.on_path) {
      if (ticks <= most) continue;
      most = ticks;
      cause.lane = lane;
    }
  }
  return cause;
}

std::vector<StepCause> GrowingStepCauses::finish(const std::vector<StepEfficiency>& steps) const {
  std::vector<profile::CallPathNode> call_paths;
  const std::vector<uint32_t> number = number_paths(tree_, call_paths);
  std::vector<StepCause> causes;
  for (const StepEfficiency& step : steps) {
    const auto open = open_.find(step.step);
    const auto known = causes_.find(step.step);
    StepCause cause;
    if (open != open_.end()) {
      cause = cause_of(open->second);
    } else if (known != causes_.end()) {
      cause = known->second;
    }
    cause.step = step.step;
    cause.ticks = step.ticks;
    if (cause.path != kNone) cause.path = number[cause.path];
    causes.push_back(cause);
  }
  return causes;
}

std::vector<StepCause> step_causes(const Model& model, const std::vector<StepEfficiency>& steps,
                                   const CriticalPath& critical) {
  GrowingStepCauses growing;
  growing.begin(model);
  GrowingStepCauses::Add add(model, growing, true);
  for (const CriticalSegment& segment : critical.segments) add.charge(segment);
  add.add_all();
  return growing.finish(steps);
}

}  // namespace pathline::findings

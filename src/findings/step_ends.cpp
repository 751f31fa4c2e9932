// SPDX-License-Identifier: BSD-3-Clause
#include "findings/step_ends.hpp"

#include <algorithm>

namespace pathline::findings {

void GrowingStepEnds::add(const Model& part, const CallNumbers& numbers) {
  const Window& time = part.part;
  const bool is_last = time.end_ticks == part.window.end_ticks;
  ranks_ = part.rank_count();
  open_.resize(part.step_windows.size());
  ended_.resize(part.step_windows.size());
  for (uint32_t rank = 0; rank < part.step_windows.size(); ++rank) {
    for (const trace::StepWindow& step : part.step_windows[rank]) {
      const auto [at, is_new] = slots_.try_emplace(step.step, static_cast<uint32_t>(steps_.size()));
      if (is_new) steps_.emplace_back();
      // A number may come again in another loop.
      if (step.end_ticks <= part.window.begin_ticks) continue;
      if (step.begin_ticks >= part.window.end_ticks) continue;
      Step& of = steps_[at->second];
      of.begin_ticks = std::min(of.begin_ticks, step.begin_ticks);
      of.ticks = std::max(of.ticks, step.end_ticks);
    }
    if (!part.lanes[rank].recorded) continue;
    std::vector<Open> open;
    for (const trace::StepWindow& step : part.step_windows[rank]) {
      if (step.end_ticks < time.begin_ticks) continue;
      if (!is_last && step.begin_ticks >= time.end_ticks) continue;
      Open one{step, {}};
      for (const Open& before : open_[rank]) {
        if (before.window.begin_ticks == step.begin_ticks && before.window.step == step.step) {
          one.last = before.last;
        }
      }
      if (const auto last = last_of(part, numbers, rank, step)) one.last = last;
      if (is_last || step.end_ticks < time.end_ticks) {
        end(rank, one);
      } else {
        open.push_back(one);
      }
    }
    open_[rank] = std::move(open);
  }
}

/// The last call in a step that talks to anybody, of those of the part.
std::optional<GrowingStepEnds::Last> GrowingStepEnds::last_of(const Model& part,
                                                              const CallNumbers& numbers,
                                                              uint32_t rank,
                                                              const trace::StepWindow& step) {
  const comm::Dependencies& all = *part.all;
  const auto& ends = all.calls.end_ticks;
  const Model::Lane& lane = part.lanes[rank];
  auto call = static_cast<uint32_t>(std::upper_bound(ends.begin() + lane.first_call,
                                                     ends.begin() + lane.end_call, step.end_ticks) -
                                    ends.begin());
  while (call-- > lane.first_call && all.calls.begin_ticks[call] >= step.begin_ticks) {
    if (!all.calls.is(call, comm::kTalks)) continue;
    for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
      const comm::Dependency& one = all.list[i];
      if (!one.of_group() || one.kind == comm::WaitKind::kEarlyScan || !one.waits()) continue;
      const uint32_t group = all.group[one.target];
      const auto key = numbers.key_of_group(group);
      return Last{key.value_or(kNoGroup), all.group_first[group + 1] - all.group_first[group]};
    }
    return Last{kNoGroup, 0};
  }
  return std::nullopt;
}

void GrowingStepEnds::end(uint32_t rank, const Open& step) {
  const uint32_t slot = slots_.at(step.window.step);
  std::vector<bool>& ended = ended_[rank];
  ended.resize(steps_.size());
  if (ended[slot]) return;
  ended[slot] = true;
  if (!step.last || step.last->key == kNoGroup) return;
  Step& of = steps_[slot];
  of.differs = of.differs || (of.ranks > 0 && of.key != step.last->key);
  of.key = step.last->key;
  of.size = step.last->size;
  ++of.ranks;
}

std::map<uint32_t, StepEnd> GrowingStepEnds::finish() const {
  std::map<uint32_t, StepEnd> ends;
  for (const auto& [number, slot] : slots_) {
    const Step& step = steps_[slot];
    const bool together = !step.differs && step.ranks == ranks_ && step.size == ranks_;
    ends.emplace(number, StepEnd{step.begin_ticks, step.ticks, together});
  }
  return ends;
}

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/what_if.hpp"

#include <algorithm>

namespace pathline::findings {

WhatIf::WhatIf(const Model& model, const Replay& replay, bool until_last_step)
    : model_(model),
      replay_(replay),
      cost_of_(model, CallCost::kTypical),
      end_call_(until_last_step ? behind_steps()
                                : std::vector<uint32_t>(model.lanes.size(), kNone)),
      times_(replay.times([&](uint32_t lane, uint32_t call) { return gap_ticks(lane, call); },
                          [&](uint32_t lane, uint32_t call) { return cost(lane, call); })),
      row_of_piece_(replay.rows_of_pieces()),
      ticks_(replay.play(times_).ticks) {}

/// Per lane the first call of those that begin behind its last step; kNone without steps.
std::vector<uint32_t> WhatIf::behind_steps() const {
  std::vector<uint32_t> first(model_.lanes.size(), kNone);
  const StepWindows& steps = model_.step_windows;
  for (uint32_t lane = 0; lane < first.size(); ++lane) {
    const Model::Lane& of = model_.lanes[lane];
    const uint32_t rank = model_.all->calls.lanes[lane].rank;
    if (rank >= steps.size() || steps[rank].empty()) continue;
    const uint64_t end = steps[rank].back().end_ticks;
    // What the last step ends in is behind the call before.
    first[lane] = of.end_call;
    while (first[lane] > of.first_call && model_.begin(first[lane] - 1) >= end) --first[lane];
  }
  return first;
}

uint64_t WhatIf::gap_ticks(uint32_t lane, uint32_t call) const {
  if (call < end_call_[lane]) return model_.gap_ticks(call, lane);
  const size_t gap = Model::gap(call, lane);
  uint64_t ticks = 0;
  for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
    if (model_.piece_step[i] != kNone) ticks += model_.piece_ticks[i];
  }
  return ticks;
}

base::Column<uint64_t> WhatIf::costs(CallCost cost) const {
  base::Column<uint64_t> costs = call_costs(model_, cost);
  for (uint32_t lane = 0; lane < end_call_.size(); ++lane) {
    for (uint32_t call = end_call_[lane]; call < model_.lanes[lane].end_call; ++call) {
      costs[call] = 0;
    }
  }
  return costs;
}

base::Column<uint64_t> WhatIf::gaps() const {
  base::Column<uint64_t> gaps = findings::gap_ticks(model_);
  for (uint32_t lane = 0; lane < end_call_.size(); ++lane) {
    for (uint32_t call = end_call_[lane]; call <= model_.lanes[lane].end_call; ++call) {
      gaps[Model::gap(call, lane)] = gap_ticks(lane, call);
    }
  }
  return gaps;
}

uint64_t WhatIf::ticks_with(const base::Column<uint64_t>& costs) const {
  return replay_
      .play(replay_.times([&](uint32_t lane, uint32_t call) { return gap_ticks(lane, call); },
                          [&](uint32_t, uint32_t call) { return costs[call]; }))
      .ticks;
}

double WhatIf::gain(const base::Column<uint64_t>& gaps) const {
  return gain_of(replay_.play(
      replay_.times([&](uint32_t lane, uint32_t call) { return gaps[Model::gap(call, lane)]; },
                    [&](uint32_t lane, uint32_t call) { return cost(lane, call); })));
}

double WhatIf::gain_without(comm::WaitKind kind) const {
  return gain_of(replay_.play(times_, kind));
}

double WhatIf::gain_without(const std::vector<uint32_t>& calls) const {
  base::Column<uint64_t> costs = this->costs();
  for (const uint32_t call : calls) costs[call] = 0;
  return gain_of(Replay(model_, calls).run(gaps(), costs));
}

double WhatIf::gain(const Repair& repair) const { return Repaired(*this).add(repair); }

double WhatIf::gain_in_any_order(const Repair& repair) const {
  return Repaired(*this, comm::WaitKind::kLateReceiver).add(repair);
}

WhatIf::Repaired::Repaired(const WhatIf& what_if, comm::WaitKind without)
    : what_if_(what_if),
      without_(without),
      ticks_(without == comm::kNoWait ? what_if.ticks_
                                      : what_if.replay_.play(what_if.times_, without).ticks),
      pieces_(what_if.model_.piece_ticks.size()),
      times_(what_if.times_.size()) {
  std::copy(what_if.times_.begin(), what_if.times_.end(), times_.begin());
  const Model& model = what_if.model_;
  std::copy(model.piece_ticks.begin(), model.piece_ticks.end(), pieces_.begin());
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    const uint32_t call = what_if.end_call_[lane];
    if (call == kNone) continue;
    const size_t end = model.first_piece[Model::gap(model.lanes[lane].end_call, lane) + 1];
    for (size_t i = model.first_piece[Model::gap(call, lane)]; i < end; ++i) {
      if (model.piece_step[i] == kNone) pieces_[i] = 0;
    }
  }
}

double WhatIf::Repaired::add(const Repair& repair) {
  for (const uint32_t path : repair.paths) {
    for (const auto& [piece, ticks] :
         changed_pieces(what_if_.model_, path, repair.change, repair.ranks)) {
      // What is not there any more cannot get shorter.
      const int64_t known = static_cast<int64_t>(pieces_[piece]);
      const int64_t changed = std::max<int64_t>(0, known + ticks);
      pieces_[piece] = static_cast<uint64_t>(changed);
      times_[what_if_.row_of_piece_[piece]] += static_cast<uint64_t>(changed - known);
    }
  }
  return static_cast<double>(ticks_) -
         static_cast<double>(what_if_.replay_.play(times_, without_).ticks);
}

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/useful_time.hpp"

#include <algorithm>

namespace pathline::findings {

void GrowingUsefulTime::add(const Model& part) {
  std::vector<uint32_t> lanes;
  for (uint32_t lane = 0; lane < part.lanes.size(); ++lane) {
    if (part.lanes[lane].recorded && part.lanes[lane].first_of_rank) lanes.push_back(lane);
  }
  if (ranks_.empty()) {
    for (const uint32_t lane : lanes) ranks_.push_back(part.all->calls.lanes[lane].rank);
    by_slot_.resize(ranks_.size());
  }
  const std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  by_node_.resize(tree_.nodes().size());
  std::vector<uint32_t> slots;
  for (const uint32_t step : part.steps) {
    slots.push_back(
        slots_.try_emplace(step, static_cast<uint32_t>(slots_.size() + 1)).first->second);
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    const Model::Lane& of = part.lanes[lanes[i]];
    std::vector<uint64_t>& by_slot = by_slot_[i];
    by_slot.resize(slots_.size() + 1);
    const size_t end = part.first_piece[Model::gap(of.end_call, lanes[i]) + 1];
    for (size_t k = part.first_piece[Model::gap(of.first_call, lanes[i])]; k < end; ++k) {
      const uint64_t ticks = part.piece_ticks[k];
      const uint32_t step = part.piece_step[k];
      by_slot[step == kNone ? 0 : slots[step]] += ticks;
      std::vector<uint64_t>& of_node =
          by_node_[part.piece_path[k] == kNone ? 0 : nodes[part.piece_path[k]]];
      of_node.resize(ranks_.size());
      of_node[i] += ticks;
    }
  }
}

UsefulTime GrowingUsefulTime::finish() const {
  UsefulTime useful{.ranks = ranks_, .call_paths = {}, .by_path = {}, .steps = {}, .by_step = {}};
  const std::vector<uint32_t> number = number_paths(tree_, useful.call_paths);
  useful.by_path.resize(useful.call_paths.size() + 1);
  for (size_t node = 0; node < by_node_.size(); ++node) {
    useful.by_path[node == 0 ? useful.call_paths.size() : number[node]] = by_node_[node];
  }
  for (const auto& [step, slot] : slots_) useful.steps.push_back(step);
  useful.by_step.resize(ranks_.size());
  for (size_t i = 0; i < ranks_.size(); ++i) {
    std::vector<uint64_t> of_slot = by_slot_[i];
    of_slot.resize(slots_.size() + 1);
    for (const auto& [step, slot] : slots_) useful.by_step[i].push_back(of_slot[slot]);
    useful.by_step[i].push_back(of_slot[0]);
  }
  return useful;
}

}  // namespace pathline::findings

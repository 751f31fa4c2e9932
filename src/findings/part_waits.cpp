// SPDX-License-Identifier: BSD-3-Clause
#include "findings/part_waits.hpp"

#include "findings/group_operations.hpp"

namespace pathline::findings {
const PartWaits::OperationsOfSet* PartWaits::operations(uint32_t lane, uint32_t set) const {
  const auto at = set_at(sets_[lane], set);
  return at != sets_[lane].end() && at->set == set ? &*at : nullptr;
}

bool PartWaits::sort() {
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return a.end_ticks != b.end_ticks ? a.end_ticks < b.end_ticks : a.lane < b.lane;
  });
  for (size_t begin = 0; begin < waits_.size();) {
    size_t end = begin + 1;
    while (end < waits_.size() && waits_[end].end_ticks == waits_[begin].end_ticks) ++end;
    if (end - begin > 1 && !sort_equal(begin, end)) return false;
    begin = end;
  }
  return true;
}

uint64_t PartWaits::known_wait_ticks(uint32_t lane) const {
  uint64_t ticks = 0;
  const Model::Lane& of = model_.lanes[lane];
  for (uint32_t call = of.first_call; call < of.end_call; ++call) {
    if (model_.cause_known(call)) ticks += model_.wait_ticks(call);
  }
  return ticks;
}

const std::vector<int64_t>& PartWaits::between(uint32_t lane, uint32_t first, uint32_t last,
                                               uint32_t other_lane, uint32_t other_first,
                                               uint32_t other_last) {
  std::fill(by_slot_.begin(), by_slot_.end(), 0);
  add_between(lane, first, last, 1);
  add_between(other_lane, other_first, other_last, -1);
  return by_slot_;
}

void PartWaits::add_until(uint32_t lane, uint32_t call, int64_t sign, std::vector<int64_t>& times) {
  std::fill(by_slot_.begin(), by_slot_.end(), 0);
  add_between(lane, kNone, call, sign);
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (by_slot_[slot] != 0) add(slot_column(slot), by_slot_[slot], times);
  }
}

void PartWaits::add_all(uint32_t lane, std::vector<int64_t>& times) const {
  const Model::Lane& of = model_.lanes[lane];
  const uint32_t end = model_.first_piece[Model::gap(of.end_call, lane) + 1];
  for (uint32_t i = model_.first_piece[Model::gap(of.first_call, lane)]; i < end; ++i) {
    add(column(model_.piece_path[i]), static_cast<int64_t>(model_.piece_ticks[i]), times);
  }
  for (uint32_t call = of.first_call; call < of.end_call; ++call) {
    const uint64_t ticks = model_.end(call) - model_.wait_end(call);
    add(column(model_.call_path[call]), static_cast<int64_t>(ticks), times);
  }
}

std::vector<uint32_t> PartWaits::chosen_of(const std::vector<uint32_t>& columns) {
  std::vector<uint32_t> chosen;
  for (uint32_t path = 0; path < columns.size(); ++path) {
    if (columns[path] != 0) chosen.push_back(path);
  }
  return chosen;
}

bool PartWaits::add_operations(uint32_t lane, uint32_t call) {
  bool fits = true;
  for_each_operation(model_, call, [&](const comm::Dependency& one, uint32_t set, uint64_t ticks) {
    // All have come and none has left: so it is no operation that goes on beside the program.
    fits = fits && ticks >= model_.begin(call) && ticks <= model_.end(call);
    // Sets of windows of memory are numbered by each part in its own way.
    fits = fits && one.kind != comm::WaitKind::kFence;
    set_in(sets_[lane], set).operations.push_back({call, ticks});
  });
  return fits;
}

bool PartWaits::sort_equal(size_t begin, size_t end) {
  const size_t count = end - begin;
  const Wait* const waits = &waits_[begin];
  std::vector<uint32_t> next(count, kNone);
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    const auto at = std::lower_bound(waits, waits + count, waits[i].cause_lane,
                                     [](const Wait& a, uint32_t b) { return a.lane < b; });
    if (at == waits + count || at->lane != waits[i].cause_lane) continue;
    if (at->call != kNone && at->call >= waits[i].cause) continue;
    next[i] = static_cast<uint32_t>(at - waits);
    any = true;
  }
  if (!any) return true;
  std::vector<Wait> ordered;
  std::vector<bool> is_done(count);
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = i; k != kNone && !is_done[k]; k = next[k]) {
      if (open.size() == count) return false;
      open.push_back(k);
    }
    for (; !open.empty(); open.pop_back()) {
      ordered.push_back(waits[open.back()]);
      is_done[open.back()] = true;
    }
  }
  std::copy(ordered.begin(), ordered.end(), waits_.begin() + static_cast<ptrdiff_t>(begin));
  return true;
}

}  // namespace pathline::findings

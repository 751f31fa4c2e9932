// SPDX-License-Identifier: BSD-3-Clause
#include "findings/intervals.hpp"

#include <numeric>

namespace pathline::findings {

std::vector<uint64_t> ticks_of_paths(const Model& model) {
  std::vector<uint64_t> ticks(model.call_paths.size(), 0);
  for (size_t i = 0; i < model.piece_path.size(); ++i) {
    if (model.piece_path[i] != kNone) ticks[model.piece_path[i]] += model.piece_ticks[i];
  }
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      if (model.call_path[call] == kNone) continue;
      ticks[model.call_path[call]] += model.end(call) - model.wait_end(call);
    }
  }
  return ticks;
}

std::vector<uint32_t> paths_with_slots(const std::vector<uint64_t>& ticks) {
  std::vector<uint32_t> order(ticks.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() < Slots::kMost) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ticks[a] > ticks[b]; });
  order.resize(Slots::kMost - 1);
  std::sort(order.begin(), order.end());
  return order;
}

Slots::Slots(const Model& model)
    : Slots(model, paths_with_slots(model.call_paths.size() < kMost
                                        ? std::vector<uint64_t>(model.call_paths.size())
                                        : ticks_of_paths(model))) {}

Slots::Slots(const Model& model, std::vector<uint32_t> chosen)
    : of_path_(model.call_paths.size() + 1), path_(std::move(chosen)) {
  const auto other = static_cast<uint8_t>(path_.size());
  std::fill(of_path_.begin(), of_path_.end(), other);
  for (uint8_t slot = 0; slot < other; ++slot) of_path_[path_[slot]] = slot;
  path_.push_back(kNone);
}

Intervals::Intervals(const Model& model, const Slots& slots)
    : model_(model), slots_(slots), stride_(std::max<size_t>(128, slots.size())) {
  ticks_.resize(model.piece_path.size() + model.call_path.size());
  slot_.resize(ticks_.size());
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) fill(lane);
  add_up();
}

void Intervals::fill(uint32_t lane) {
  const uint32_t begin = model_.all->calls.first[lane];
  const uint32_t end = model_.all->calls.first[lane + 1];
  const Model::Lane& of = model_.lanes[lane];
  size_t part = gap_part(begin, lane);
  for (uint32_t call = begin;; ++call) {
    const size_t gap = Model::gap(call, lane);
    for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
      ticks_[part] = model_.piece_ticks[i];
      slot_[part++] = static_cast<uint8_t>(slots_.of(model_.piece_path[i]));
    }
    if (call == end) break;
    const bool inside = call >= of.first_call && call < of.end_call;
    ticks_[part] = inside ? model_.end(call) - model_.wait_end(call) : 0;
    slot_[part++] = static_cast<uint8_t>(slots_.of(model_.call_path[call]));
  }
}

void Intervals::add_up() {
  const size_t slots = slots_.size();
  sums_.resize((ticks_.size() / stride_ + 1) * slots);
  std::vector<uint64_t> sum(slots, 0);
  for (size_t part = 0; part < ticks_.size(); ++part) {
    if (part % stride_ == 0) std::copy(sum.begin(), sum.end(), &sums_[part / stride_ * slots]);
    sum[slot_[part]] += ticks_[part];
  }
  if (ticks_.size() % stride_ == 0) {
    std::copy(sum.begin(), sum.end(), &sums_[ticks_.size() / stride_ * slots]);
  }
}

void Intervals::add(uint32_t lane, uint64_t from, uint32_t first, uint32_t last, int64_t sign,
                    std::vector<int64_t>& times) const {
  const Model::Lane& of = model_.lanes[lane];
  from = std::max(from, model_.window.begin_ticks);
  if (from < of.begin_ticks) {
    const uint64_t until = std::min(of.begin_ticks, model_.begin(last));
    if (from < until) times[slots_.of(kNone)] += sign * static_cast<int64_t>(until - from);
  }
  const size_t end = call_part(last, lane);
  if (from <= of.begin_ticks) {
    add_parts(gap_part(of.first_call, lane), end, sign, times);
  } else if (first != kNone) {
    add_parts(call_part(first, lane), end, sign, times);
  } else if (from < model_.begin(last)) {
    const uint32_t call = call_after(lane, from);
    add_cut(lane, call, from, call < last, sign, times);
    if (call < last) add_parts(gap_part(call + 1, lane), end, sign, times);
  }
}

/// Adds a gap and maybe the call behind it from a time on.
void Intervals::add_cut(uint32_t lane, uint32_t call, uint64_t from, bool with_call, int64_t sign,
                        std::vector<int64_t>& times) const {
  const uint64_t gap_begin = model_.gap_begin(call, model_.lanes[lane]);
  uint64_t skipped = from > gap_begin ? from - gap_begin : 0;
  const size_t gap = Model::gap(call, lane);
  for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
    const uint64_t cut = std::min(skipped, model_.piece_ticks[i]);
    skipped -= cut;
    times[slots_.of(model_.piece_path[i])] +=
        sign * static_cast<int64_t>(model_.piece_ticks[i] - cut);
  }
  if (!with_call) return;
  const uint64_t begin = std::max(model_.wait_end(call), from);
  if (begin >= model_.end(call)) return;
  times[slots_.of(model_.call_path[call])] += sign * static_cast<int64_t>(model_.end(call) - begin);
}

void Intervals::add_parts(size_t begin, size_t end, int64_t sign,
                          std::vector<int64_t>& times) const {
  const auto add_each = [&](size_t until) {
    for (; begin < until; ++begin) {
      times[slot_[begin]] += sign * static_cast<int64_t>(ticks_[begin]);
    }
  };
  if (begin + 2 * stride_ < end) {
    // From here to the next border, from border to border, and on from the last border.
    const size_t first = (begin + stride_ - 1) / stride_;
    const size_t last = end / stride_;
    add_each(first * stride_);
    const uint64_t* from = &sums_[first * slots_.size()];
    const uint64_t* until = &sums_[last * slots_.size()];
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
      times[slot] += sign * static_cast<int64_t>(until[slot] - from[slot]);
    }
    begin = last * stride_;
  }
  add_each(end);
}

uint32_t Intervals::call_after(uint32_t lane, uint64_t ticks) const {
  const Model::Lane& of = model_.lanes[lane];
  const auto& ends = model_.all->calls.end_ticks;
  return static_cast<uint32_t>(
      std::upper_bound(ends.begin() + of.first_call, ends.begin() + of.end_call, ticks) -
      ends.begin());
}

}  // namespace pathline::findings

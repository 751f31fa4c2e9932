// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/folded_axis.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::figure {
namespace {

/// Items in a row that do not matter.
struct Run {
  uint32_t first = 0;
  uint32_t count = 0;
};

std::vector<Run> runs_of(const std::vector<bool>& matters) {
  std::vector<Run> runs;
  for (uint32_t i = 0; i < matters.size(); ++i) {
    if (matters[i]) continue;
    if (runs.empty() || runs.back().first + runs.back().count != i) runs.push_back({i, 0});
    ++runs.back().count;
  }
  return runs;
}

/// Those that take more room than a stripe, given that the others are folded.
std::vector<Run> worth_folding(const std::vector<Run>& runs, size_t item_count, double room_px,
                               double stripe_px) {
  constexpr double kGain = 1.5;         // Times the stripe.
  constexpr double kMostStripes = 0.3;  // Of the room.
  std::vector<Run> chosen;
  for (double per_item = room_px / static_cast<double>(item_count);;) {
    std::vector<Run> better;
    size_t left = item_count;
    for (const Run& run : runs) {
      if (run.count < 2 || run.count * per_item <= kGain * stripe_px) continue;
      better.push_back(run);
      left -= run.count;
    }
    const double stripes_px = stripe_px * static_cast<double>(better.size());
    if (stripes_px > kMostStripes * room_px || better.size() <= chosen.size()) return chosen;
    chosen = std::move(better);
    per_item = (room_px - stripes_px) / static_cast<double>(std::max<size_t>(left, 1));
  }
}

}  // namespace

FoldedAxis::FoldedAxis(const std::vector<bool>& matters, double room_px) {
  if (matters.empty()) return;
  constexpr double kBetter = 1.5;  // What a narrower stripe must bring.
  fold(matters, room_px, 7);
  for (const double stripe_px : {3.0, 1.0}) {
    FoldedAxis other = *this;
    other.fold(matters, room_px, stripe_px);
    if (other.slot_px_ / other.per_slot_ > kBetter * slot_px_ / per_slot_) *this = other;
  }
}

void FoldedAxis::fold(const std::vector<bool>& matters, double room_px, double stripe_px) {
  slots_.clear();
  slot_of_.resize(matters.size());
  length_px_ = 0;
  folded_count_ = 0;
  const auto item_count = static_cast<uint32_t>(matters.size());
  const std::vector<Run> folds = worth_folding(runs_of(matters), item_count, room_px, stripe_px);
  for (const Run& run : folds) folded_count_ += run.count;
  const double room = room_px - stripe_px * static_cast<double>(folds.size());
  per_slot_ = static_cast<uint32_t>(
      std::max(1.0, std::ceil((item_count - folded_count_) / std::max(room, 1.0))));
  auto next = folds.begin();
  for (uint32_t i = 0; i < item_count;) {
    Slot slot{.first = i, .count = 1};
    if (next != folds.end() && next->first == i) {
      slot.count = next->count;
      slot.folded = true;
      ++next;
    } else {
      // Multiples of per_slot_, so that blocks of coordinates are cut alike.
      uint32_t end = std::min(item_count, (i / per_slot_ + 1) * per_slot_);
      if (next != folds.end()) end = std::min(end, next->first);
      slot.count = end - i;
    }
    std::fill_n(slot_of_.begin() + i, slot.count, static_cast<uint32_t>(slots_.size()));
    i += slot.count;
    slots_.push_back(slot);
  }
  const auto open = static_cast<double>(slots_.size() - folds.size());
  slot_px_ = room / std::max(open, 1.0);
  // Slots of whole pixels look alike; those of a pixel and a half do not.
  constexpr double kMayLose = 0.8;
  if (std::floor(slot_px_) >= kMayLose * slot_px_) slot_px_ = std::floor(slot_px_);
  constexpr double kLargest = 200;
  slot_px_ = std::min(slot_px_, kLargest);
  for (Slot& slot : slots_) {
    slot.begin_px = length_px_;
    slot.size_px = slot.folded ? stripe_px : slot_px_;
    length_px_ += slot.size_px;
  }
}

}  // namespace pathline::figure

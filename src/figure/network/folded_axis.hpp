// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace pathline::figure {

/// Places on an axis for many items in a row: items that matter get equally much room, alone or
/// neighbours together where there are more than pixels; stretches of others are folded to a
/// stripe when that pays, to the narrower a stripe the more there are.
class FoldedAxis {
 public:
  struct Slot {
    uint32_t first = 0;  ///< Item.
    uint32_t count = 0;  ///< Items that share it.
    double begin_px = 0;
    double size_px = 0;
    bool folded = false;

    [[nodiscard]] double middle_px() const { return begin_px + size_px / 2; }
  };
  /// matters  per item.
  /// room_px  at most this long; shorter when that makes slots whole pixels.
  FoldedAxis(const std::vector<bool>& matters, double room_px);

  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  [[nodiscard]] uint32_t slot_of(uint32_t item) const { return slot_of_[item]; }
  [[nodiscard]] const Slot& place(uint32_t item) const { return slots_[slot_of_[item]]; }
  [[nodiscard]] double length_px() const { return length_px_; }
  /// Of a slot that is not folded.
  [[nodiscard]] double slot_px() const { return slot_px_; }
  [[nodiscard]] uint32_t items_per_slot() const { return per_slot_; }
  [[nodiscard]] uint32_t folded_count() const { return folded_count_; }

 private:
  void fold(const std::vector<bool>& matters, double room_px, double stripe_px);

  std::vector<Slot> slots_;
  std::vector<uint32_t> slot_of_;
  double length_px_ = 0;
  double slot_px_ = 0;
  uint32_t per_slot_ = 1;
  uint32_t folded_count_ = 0;
};

}  // namespace pathline::figure

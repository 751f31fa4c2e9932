// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pathline::findings {

/// Values by two lanes, in either order. For one thread.
template <class Value>
class PairTable {
 public:
  /// expected  pairs there may be; it grows with more.
  explicit PairTable(size_t expected) {
    slots_.resize(std::bit_ceil(std::max<size_t>(64, 2 * expected)));
  }

  void prefetch(uint32_t a, uint32_t b) const { __builtin_prefetch(&slots_[place(key_of(a, b))]); }
  /// The value of a pair, a new one if it had none. Valid until the next call.
  Value& at(uint32_t a, uint32_t b) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    const uint64_t key = key_of(a, b);
    Slot& found = slots_[index_of(key)];
    if (found.key != key) {
      found.key = key;
      ++used_;
    }
    return found.value;
  }
  /// nullptr for a pair that has none.
  [[nodiscard]] const Value* find(uint32_t a, uint32_t b) const {
    const uint64_t key = key_of(a, b);
    const Slot& found = slots_[index_of(key)];
    return found.key == key ? &found.value : nullptr;
  }
  /// Calls visit(lower lane, higher lane, value), in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    each(*this, visit);
  }
  template <class Visit>
  void for_each(Visit visit) {
    each(*this, visit);
  }
  [[nodiscard]] size_t size() const { return used_; }

 private:
  static constexpr uint64_t kFree = UINT64_MAX;
  struct Slot {
    uint64_t key = kFree;
    Value value{};
  };

  template <class Table, class Visit>
  static void each(Table& table, Visit visit) {
    for (auto& slot : table.slots_) {
      if (slot.key == kFree) continue;
      visit(static_cast<uint32_t>(slot.key >> 32U), static_cast<uint32_t>(slot.key), slot.value);
    }
  }
  static uint64_t key_of(uint32_t a, uint32_t b) {
    return uint64_t{std::min(a, b)} << 32U | std::max(a, b);
  }
  [[nodiscard]] size_t place(uint64_t key) const {
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & (slots_.size() - 1);
  }
  [[nodiscard]] size_t index_of(uint64_t key) const {
    size_t i = place(key);
    while (slots_[i].key != kFree && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key != kFree) slots_[index_of(slot.key)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  // A power of two, at most half full.
  size_t used_ = 0;
};

}  // namespace pathline::findings

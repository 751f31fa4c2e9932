// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

#include "record/process.hpp"

namespace pathline::record {

/// Any MPI handle as a number: a pointer in Open MPI, an int in MPICH. 0 is never a handle.
template <class Handle>
uint64_t key_of(Handle handle) {
  uint64_t key = 0;
  static_assert(sizeof handle <= sizeof key);
  std::memcpy(&key, &handle, sizeof handle);
  return key;
}

/// Values by handle. Finding takes no lock and may happen while another thread puts or removes;
/// these take one. Grows; what it outgrew is not given back, as somebody may still be reading it.
class HandleTable {
 public:
  /// returns  0 if there is none.
  uint64_t find(uint64_t key) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) return 0;
    for (uint64_t i = place(key, slots->mask);; i = (i + 1) & slots->mask) {
      const uint64_t there = slots->at[i].key.load(std::memory_order_acquire);
      if (there == key) return slots->at[i].value.load(std::memory_order_acquire);
      if (there == 0) return 0;
    }
  }
  /// value  not 0.
  void put(uint64_t key, uint64_t value) {
    const Lock guard(lock_);
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr || (used_ + 1) * 2 > slots->mask) {
      slots = grow(slots);
      if (slots == nullptr) return;
    }
    insert(*slots, key, value);
  }
  void remove(uint64_t key) {
    // The key stays as a grave, so that what lies behind it is still found; value 0 is "none".
    const Lock guard(lock_);
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr) return;
    for (uint64_t i = place(key, slots->mask);; i = (i + 1) & slots->mask) {
      const uint64_t there = slots->at[i].key.load(std::memory_order_relaxed);
      if (there == key) slots->at[i].value.store(0, std::memory_order_release);
      if (there == key || there == 0) return;
    }
  }

 private:
  struct Slot {
    std::atomic<uint64_t> key;
    std::atomic<uint64_t> value;
  };
  struct Slots {
    uint64_t mask;
    Slot at[1];
  };

  static uint64_t place(uint64_t key, uint64_t mask) {
    return (key * 0x9e3779b97f4a7c15ULL >> 32U) & mask;
  }
  void insert(Slots& slots, uint64_t key, uint64_t value) {
    for (uint64_t i = place(key, slots.mask);; i = (i + 1) & slots.mask) {
      const uint64_t there = slots.at[i].key.load(std::memory_order_relaxed);
      if (there != key && there != 0) continue;
      slots.at[i].value.store(value, std::memory_order_release);
      if (there == 0) {
        slots.at[i].key.store(key, std::memory_order_release);
        ++used_;
      }
      return;
    }
  }
  Slots* grow(const Slots* old) {
    const uint64_t size = old == nullptr ? 128 : (old->mask + 1) * 2;
    void* memory = mmap(nullptr, sizeof(Slots) + size * sizeof(Slot), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* slots = static_cast<Slots*>(memory);  // All zero.
    slots->mask = size - 1;
    used_ = 0;
    for (uint64_t i = 0; old != nullptr && i <= old->mask; ++i) {
      const uint64_t value = old->at[i].value.load(std::memory_order_relaxed);
      if (value != 0) insert(*slots, old->at[i].key.load(std::memory_order_relaxed), value);
    }
    slots_.store(slots, std::memory_order_release);
    return slots;
  }

  std::atomic<Slots*> slots_{nullptr};
  Mutex lock_;
  uint64_t used_ = 0;
};

/// What a table has under a handle that MPI is asked to free: out of it before the call, as another
/// thread may be given the same handle at once, and back in it if MPI refuses.
template <class Handle>
class Freed {
 public:
  /// handle  nullptr for none
  Freed(HandleTable& table, const Handle* handle)
      : table_(table), key_(handle == nullptr ? 0 : key_of(*handle)), value_(table.find(key_)) {
    if (value_ != 0) table_.remove(key_);
  }
  void keep() const {
    if (value_ != 0) table_.put(key_, value_);
  }
  /// 0 if there was nothing.
  [[nodiscard]] uint64_t value() const { return value_; }

 private:
  HandleTable& table_;
  uint64_t key_;
  uint64_t value_;
};

}  // namespace pathline::record

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/arena.hpp"
#include "base/column.hpp"
#include "base/id_map.hpp"

namespace pathline::trace {

/// What the sends or the receives of one rank have in common that may meet the same ends of another
/// rank.
struct Channel {
  uint32_t peer;  ///< Rank.
  uint32_t comm;  ///< Index.
  uint32_t tag;
};

/// The channels of one rank's sends or receives, numbered in the order of their first use: a hash
/// table of numbers into a list.
class Channels {
 public:
  static constexpr uint32_t kNone = base::IdMap::kNone;

  Channels() = default;
  /// arena  where they will live; must outlive them.
  explicit Channels(base::Arena& arena) : arena_(&arena) {}

  /// Adds it if it is new.
  uint32_t number(const Channel& channel) {
    if (2 * (list_.size() + 1) > slots_.size()) grow();
    uint32_t& number = slots_[slot(channel)];
    if (number == kNone) {
      number = static_cast<uint32_t>(list_.size());
      list_.push_back(channel);
    }
    return number;
  }
  /// returns  its number, kNone if there is no such channel.
  [[nodiscard]] uint32_t find(const Channel& channel) const {
    return slots_.empty() ? kNone : slots_[slot(channel)];
  }
  [[nodiscard]] size_t size() const { return list_.size(); }
  [[nodiscard]] const Channel& operator[](uint32_t number) const { return list_[number]; }

 private:
  [[nodiscard]] size_t slot(const Channel& wanted) const {
    uint64_t hash = (uint64_t{wanted.peer} << 32U | wanted.tag) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ wanted.comm) * 0xd6e8feb86659fd93ULL;
    const size_t mask = slots_.size() - 1;
    for (size_t i = (hash >> 32U) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == kNone) return i;
      const Channel& channel = list_[slots_[i]];
      if (channel.peer == wanted.peer && channel.tag == wanted.tag && channel.comm == wanted.comm) {
        return i;
      }
    }
  }
  void grow() {
    const size_t size = std::max<size_t>(32, 2 * slots_.size());
    base::Column<uint32_t> slots = column<uint32_t>(size);
    slots.resize(size);
    std::fill(slots.begin(), slots.end(), kNone);
    base::Column<Channel> list = column<Channel>(size / 2);
    list.resize(list_.size());
    std::copy(list_.begin(), list_.end(), list.begin());
    slots_ = std::move(slots);
    list_ = std::move(list);
    for (uint32_t number = 0; number < list_.size(); ++number) slots_[slot(list_[number])] = number;
  }
  template <class T>
  [[nodiscard]] base::Column<T> column(size_t capacity) const {
    base::Column<T> column;
    arena_ != nullptr ? column.reserve(capacity, *arena_) : column.reserve(capacity);
    return column;
  }

  base::Arena* arena_ = nullptr;
  base::Column<Channel> list_;
  base::Column<uint32_t> slots_;  // Numbers of channels; a power of two, at most half full.
};

}  // namespace pathline::trace

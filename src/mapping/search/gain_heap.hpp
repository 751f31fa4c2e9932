// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace pathline::mapping {

/// Numbers 0 .. count - 1 with a gain each, the largest on top; gains can change. Among equal gains
/// the order depends on the history only. O(log count) for each change.
class GainHeap {
 public:
  explicit GainHeap(uint32_t count) : at_(count, kAbsent) {}

  void clear() {
    for (const Entry& entry : heap_) at_[entry.number] = kAbsent;
    heap_.clear();
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] bool contains(uint32_t number) const { return at_[number] != kAbsent; }
  [[nodiscard]] uint32_t top() const { return heap_.front().number; }
  [[nodiscard]] float top_gain() const { return heap_.front().gain; }

  /// Adds a number or changes its gain.
  void set(uint32_t number, float gain) {
    uint32_t at = at_[number];
    if (at == kAbsent) {
      at = static_cast<uint32_t>(heap_.size());
      heap_.push_back({gain, number});
      at_[number] = at;
    }
    const bool up = gain >= heap_[at].gain;
    heap_[at].gain = gain;
    up ? rise(at) : sink(at);
  }
  void remove(uint32_t number) {
    const uint32_t at = at_[number];
    if (at == kAbsent) return;
    at_[number] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    heap_[at] = last;
    at_[last.number] = at;
    rise(at);
    sink(at_[last.number]);
  }

 private:
  struct Entry {
    float gain;
    uint32_t number;
  };
  static constexpr uint32_t kAbsent = UINT32_MAX;

  void rise(uint32_t at) {
    const Entry entry = heap_[at];
    while (at > 0) {
      const uint32_t parent = (at - 1) / 2;
      if (heap_[parent].gain >= entry.gain) break;
      heap_[at] = heap_[parent];
      at_[heap_[at].number] = at;
      at = parent;
    }
    heap_[at] = entry;
    at_[entry.number] = at;
  }
  void sink(uint32_t at) {
    const Entry entry = heap_[at];
    const auto count = static_cast<uint32_t>(heap_.size());
    while (2 * at + 1 < count) {
      uint32_t child = 2 * at + 1;
      if (child + 1 < count && heap_[child + 1].gain > heap_[child].gain) ++child;
      if (heap_[child].gain <= entry.gain) break;
      heap_[at] = heap_[child];
      at_[heap_[at].number] = at;
      at = child;
    }
    heap_[at] = entry;
    at_[entry.number] = at;
  }

  std::vector<Entry> heap_;
  std::vector<uint32_t> at_;  // Where a number is in the heap.
};

}  // namespace pathline::mapping

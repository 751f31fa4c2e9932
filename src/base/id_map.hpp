// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pathline::base {

/// From ids in a file, which may be any 64-bit numbers, to indices 0, 1, 2 ... in order of arrival.
/// Small ids, the usual ones, are looked up in a table of at most a few times the number of ids;
/// the others in a hash map, so that a single id of 2^60 costs no memory.
class IdMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Gives `id` the next index. returns false, and changes nothing, if the id is there already.
  bool insert(uint64_t id) {
    if (find(id) != kNone) return false;
    const uint32_t index = size_++;
    if (id < kAlwaysDense || id < 4ULL * size_) {
      if (id >= dense_.size()) dense_.resize(id + 1, kNone);
      dense_[id] = index;
    } else {
      sparse_.emplace(id, index);
    }
    return true;
  }
  /// returns the index of `id`, or kNone.
  [[nodiscard]] uint32_t find(uint64_t id) const {
    if (id < dense_.size() && dense_[id] != kNone) return dense_[id];
    if (sparse_.empty()) return kNone;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kNone : found->second;
  }
  [[nodiscard]] uint32_t size() const { return size_; }

 private:
  static constexpr uint64_t kAlwaysDense = 1024;
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
  uint32_t size_ = 0;
};

}  // namespace pathline::base

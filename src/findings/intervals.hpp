// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// Per call path: what all lanes did there outside of waits, in ticks.
///
/// cost  O(pieces + calls).
std::vector<uint64_t> ticks_of_paths(const Model& model);
/// Those that have a slot of their own, ascending: all, or the 255 with most time.
std::vector<uint32_t> paths_with_slots(const std::vector<uint64_t>& ticks);

/// Call paths by a small number each: those with most time outside of waits, and the last one for
/// all others.
class Slots {
 public:
  static constexpr size_t kMost = 256;

  explicit Slots(const Model& model);
  /// chosen  the paths that have one of their own, ascending and less than kMost.
  Slots(const Model& model, std::vector<uint32_t> chosen);
  [[nodiscard]] uint32_t of(uint32_t path) const {
    return path == kNone ? of_path_.back() : of_path_[path];
  }
  [[nodiscard]] uint32_t path(uint32_t slot) const { return path_[slot]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(path_.size()); }

 private:
  std::vector<uint8_t> of_path_;
  std::vector<uint32_t> path_;
};

/// How long each lane was at each path outside of waits, between any two times.
///
/// Memory: 9 bytes for each call and piece of useful time, and 8 bytes for each of them but with
/// few paths.
class Intervals {
 public:
  /// model, slots  must outlive this.
  Intervals(const Model& model, const Slots& slots);

  /// Adds `sign` times what `lane` did from `from` until the begin of `last` without waiting.
  ///
  /// first  the call that it was in at `from`, which then was the end of its wait or before that;
  ///        or, at the lane's begin, its first one. kNone: to be looked for.
  /// times  by slot.
  /// cost   O(calls), at most some hundred, and O(slots).
  void add(uint32_t lane, uint64_t from, uint32_t first, uint32_t last, int64_t sign,
           std::vector<int64_t>& times) const;

  /// Asks for where the times of a call stand, and then for those that `last` ends.
  void prefetch(uint32_t lane, uint32_t call) const {
    __builtin_prefetch(&model_.first_piece[Model::gap(call, lane)]);
  }
  void prefetch_parts(uint32_t lane, uint32_t last) const {
    constexpr size_t kInLine = 8;
    const size_t part = call_part(last, lane);
    __builtin_prefetch(&slot_[part]);
    for (size_t line = 0; line <= std::min<size_t>(part, 4 * kInLine); line += kInLine) {
      __builtin_prefetch(&ticks_[part - line]);
    }
  }

  /// The lane's first call that ends behind `ticks`, or its end.
  [[nodiscard]] uint32_t call_after(uint32_t lane, uint64_t ticks) const;

 private:
  // Parts of a lane: the pieces of a gap, then what the call behind it takes beside its wait.
  [[nodiscard]] size_t gap_part(uint32_t call, uint32_t lane) const {
    return size_t{model_.first_piece[Model::gap(call, lane)]} + call;
  }
  [[nodiscard]] size_t call_part(uint32_t call, uint32_t lane) const {
    return size_t{model_.first_piece[Model::gap(call, lane) + 1]} + call;
  }
  void fill(uint32_t lane);
  void add_up();
  void add_cut(uint32_t lane, uint32_t call, uint64_t from, bool with_call, int64_t sign,
               std::vector<int64_t>& times) const;
  void add_parts(size_t begin, size_t end, int64_t sign, std::vector<int64_t>& times) const;

  const Model& model_;
  const Slots& slots_;
  const size_t stride_;
  base::Column<uint64_t> ticks_;  // Per part.
  base::Column<uint8_t> slot_;
  base::Column<uint64_t> sums_;  // Per `stride_` parts: by slot, of all before, of all lanes.
};

}  // namespace pathline::findings

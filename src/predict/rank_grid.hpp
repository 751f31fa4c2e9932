// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/application.hpp"

namespace pathline::predict {

inline constexpr uint32_t kNobody = UINT32_MAX;

/// Ranks in their grid.
class RankGrid {
 public:
  RankGrid(std::span<const uint32_t> cells, std::span<const uint32_t> ranks,
           const std::vector<bool>& periodic)
      : cells_(cells.begin(), cells.end()),
        ranks_(ranks.begin(), ranks.end()),
        periodic_(periodic) {
    uint32_t stride = 1;
    for (const uint32_t count : ranks_) {
      strides_.push_back(stride);
      stride *= count;
    }
    count_ = stride;
  }

  [[nodiscard]] uint32_t count() const { return count_; }
  [[nodiscard]] uint32_t coordinate(uint32_t rank, size_t axis) const {
    return rank / strides_[axis] % ranks_[axis];
  }
  /// Cells of a rank; the first ranks of an axis have one more where they do not divide evenly.
  [[nodiscard]] std::array<uint32_t, kMaxAxes> local(uint32_t rank) const {
    std::array<uint32_t, kMaxAxes> local = {1, 1, 1};
    for (size_t axis = 0; axis < ranks_.size(); ++axis) {
      local[axis] = cells_[axis] / ranks_[axis] +
                    (coordinate(rank, axis) < cells_[axis] % ranks_[axis] ? 1 : 0);
    }
    return local;
  }
  /// The rank above or below along an axis, kNobody at a wall.
  [[nodiscard]] uint32_t neighbour(uint32_t rank, size_t axis, bool above) const {
    const uint32_t at = coordinate(rank, axis);
    const uint32_t size = ranks_[axis];
    if (!periodic_[axis] && (above ? at + 1 == size : at == 0)) return kNobody;
    const uint32_t to = above ? (at + 1) % size : (at + size - 1) % size;
    return rank - at * strides_[axis] + to * strides_[axis];
  }

 private:
  std::vector<uint32_t> cells_, ranks_, strides_;
  std::vector<bool> periodic_;
  uint32_t count_ = 1;
};

}  // namespace pathline::predict

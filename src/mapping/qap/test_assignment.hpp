// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pathline::mapping {

/// The cheapest way to give each row a column of its own: shortest augmenting paths with prices for
/// rows and columns (Jonker & Volgenant, Computing 38, 1987, without their start). Keeps its memory
/// from one problem to the next.
class Assignment {
 public:
  /// cost     size * size numbers, by rows; sums of them must fit in 62 bits.
  /// returns  the cost of the best assignment.
  /// time     O(size^3).
  int64_t solve(std::span<const int64_t> cost, uint32_t size);

  /// How much more than its row's and column's price an entry costs: at least 0. Choosing it makes
  /// an assignment dearer by that at the least.
  [[nodiscard]] int64_t reduced_cost(uint32_t row, uint32_t column) const {
    return cost_[size_t{row} * size_ + column] - row_price_[row] - column_price_[column];
  }
  [[nodiscard]] uint32_t column_of(uint32_t row) const { return column_of_[row]; }

 private:
  void assign(uint32_t row);

  uint32_t size_ = 0;
  std::vector<int64_t> cost_;
  std::vector<int64_t> row_price_;
  std::vector<int64_t> column_price_;
  std::vector<uint32_t> column_of_;  // Per row.
  std::vector<uint32_t> row_of_;     // Per column.
  // Of the search for one row, per column: price of the cheapest way there, the column before.
  std::vector<int64_t> way_cost_;
  std::vector<uint32_t> way_from_;
  std::vector<bool> done_;
};

}  // namespace pathline::mapping

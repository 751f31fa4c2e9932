// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/test_assignment.hpp"

#include <limits>

namespace pathline::mapping {
namespace {
constexpr uint32_t kNone = UINT32_MAX;
}

int64_t Assignment::solve(std::span<const int64_t> cost, uint32_t size) {
  size_ = size;
  cost_.assign(cost.begin(), cost.end());
  row_price_.assign(size, 0);
  column_price_.assign(size, 0);
  column_of_.assign(size, kNone);
  row_of_.assign(size, kNone);
  for (uint32_t row = 0; row < size; ++row) assign(row);
  int64_t sum = 0;
  for (uint32_t row = 0; row < size; ++row) sum += cost_[size_t{row} * size + column_of_[row]];
  return sum;
}

/// Dijkstra over reduced costs from `row` to the nearest free column, then one more row has one.
void Assignment::assign(uint32_t row) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  way_cost_.assign(size_, kFar);
  way_from_.assign(size_, kNone);
  done_.assign(size_, false);
  int64_t here_cost = 0;
  uint32_t here = kNone;  // The column whose row is looked from; none for `row` itself.
  for (;;) {
    const uint32_t from = here == kNone ? row : row_of_[here];
    uint32_t nearest = kNone;
    for (uint32_t column = 0; column < size_; ++column) {
      if (done_[column]) continue;
      const int64_t cost = here_cost + reduced_cost(from, column);
      if (cost < way_cost_[column]) {
        way_cost_[column] = cost;
        way_from_[column] = here;
      }
      if (nearest == kNone || way_cost_[column] < way_cost_[nearest]) nearest = column;
    }
    here = nearest;
    here_cost = way_cost_[here];
    done_[here] = true;
    if (row_of_[here] == kNone) break;
  }
  // Prices such that the way costs nothing and nothing costs less.
  row_price_[row] += here_cost;
  for (uint32_t column = 0; column < size_; ++column) {
    if (!done_[column] || column == here) continue;
    const int64_t nearer = here_cost - way_cost_[column];
    column_price_[column] -= nearer;
    row_price_[row_of_[column]] += nearer;
  }
  while (here != kNone) {
    const uint32_t before = way_from_[here];
    const uint32_t owner = before == kNone ? row : row_of_[before];
    row_of_[here] = owner;
    column_of_[owner] = here;
    here = before;
  }
}

}  // namespace pathline::mapping

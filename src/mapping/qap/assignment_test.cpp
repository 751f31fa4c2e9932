// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "mapping/problem.hpp"
#include "mapping/qap/test_assignment.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {
namespace {

int64_t cost_of(const std::vector<int64_t>& cost, const Permutation& column_of) {
  int64_t sum = 0;
  for (size_t row = 0; row < column_of.size(); ++row) {
    sum += cost[row * column_of.size() + column_of[row]];
  }
  return sum;
}

TEST(Assignment, IsTheCheapestOfAll) {
  Random random(3);
  Assignment assignment;
  for (uint32_t round = 0; round < 200; ++round) {
    const uint32_t size = 1 + round % 6;
    std::vector<int64_t> cost(size_t{size} * size);
    for (int64_t& value : cost) value = static_cast<int64_t>(random.below(30)) - 10;
    Permutation columns = identity(size);
    int64_t least = INT64_MAX;
    do {
      least = std::min(least, cost_of(cost, columns));
    } while (std::next_permutation(columns.begin(), columns.end()));

    EXPECT_EQ(assignment.solve(cost, size), least);
    for (uint32_t row = 0; row < size; ++row) columns[row] = assignment.column_of(row);
    ASSERT_TRUE(is_permutation(columns, size));
    EXPECT_EQ(cost_of(cost, columns), least);
  }
}

TEST(Assignment, PricesAreABoundForEveryOther) {
  Random random(4);
  constexpr uint32_t kSize = 6;
  std::vector<int64_t> cost(kSize * kSize);
  for (int64_t& value : cost) value = static_cast<int64_t>(random.below(100));
  Assignment assignment;
  const int64_t least = assignment.solve(cost, kSize);
  for (uint32_t row = 0; row < kSize; ++row) {
    EXPECT_EQ(assignment.reduced_cost(row, assignment.column_of(row)), 0);
    for (uint32_t column = 0; column < kSize; ++column) {
      EXPECT_GE(assignment.reduced_cost(row, column), 0);
    }
  }
  Permutation columns = identity(kSize);
  do {
    for (uint32_t row = 0; row < kSize; ++row) {
      EXPECT_GE(cost_of(cost, columns), least + assignment.reduced_cost(row, columns[row]));
    }
  } while (std::next_permutation(columns.begin(), columns.end()));
}

}  // namespace
}  // namespace pathline::mapping

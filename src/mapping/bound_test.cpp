// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/bound.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "mapping/test_problem.hpp"

namespace pathline::mapping {
namespace {

TEST(LowerBound, CountsShells) {
  // Item 0 has three partners and two places beside it in a ring of five: 30, 20 one link away, 10
  // two. The others have one partner each.
  const TestProblem test =
      test_problem(test_torus({5}), {{0, 1, 1, 10}, {0, 2, 1, 20}, {3, 0, 1, 30}});
  EXPECT_EQ(lower_bound(*test.problem), (30 + 20 + 2 * 10 + 10 + 20 + 30) / 2);
}

TEST(LowerBound, IsNoMoreThanTheOptimum) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    auto network = test_torus({7}, {seed % 2 == 0});
    const auto nodes = all_nodes(*network);
    const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 2, seed));
    const Problem& problem = *test.problem;
    EXPECT_LE(lower_bound(problem),
              brute_force(7, [&](const Permutation& places) { return problem.cost(places); }));
    EXPECT_GT(lower_bound(problem), 0);
  }
}

TEST(LowerBound, OfNothingIsNothing) {
  EXPECT_EQ(lower_bound(*test_problem(test_torus({1}), {}).problem), 0);
  EXPECT_EQ(lower_bound(*test_problem(test_torus({4}), {}).problem), 0);
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/anneal.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "mapping/load.hpp"
#include "mapping/search/block_search.hpp"
#include "mapping/test_problem.hpp"

namespace pathline::mapping {
namespace {

TestProblem random_torus(std::vector<uint32_t> sizes, uint32_t pairs_per_node, uint64_t seed) {
  auto network = test_torus(std::move(sizes));
  const auto nodes = all_nodes(*network);
  return test_problem(std::move(network), random_pairs(nodes, pairs_per_node, seed));
}

TEST(SwapDelta, IsTheDifferenceOfTheCosts) {
  const TestProblem test = random_torus({3, 4, 5}, 4, 1);
  const Problem& problem = *test.problem;
  const Weights weights(problem);
  const Permutation begin = identity(problem.size() + 1);
  const Parts<uint16_t> parts{problem.size(), problem.distances(0), begin, {}, 0};
  Seats seats{identity(60), identity(60), identity(60)};
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const uint32_t a = random.below(60);
    const uint32_t b = random.below(60);
    if (a == b) continue;
    const int64_t before = problem.cost(seats.part_of_item);
    const double delta = swap_delta(weights, parts, seats, a, b);
    seats.swap(a, b);
    EXPECT_EQ(delta, static_cast<double>(problem.cost(seats.part_of_item) - before));
  }
  EXPECT_TRUE(is_permutation(seats.part_of_item, 60));
}

TEST(LinkLoads, FollowSwapsExactly) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const TestProblem test = random_torus({4, 3, 3}, 3, seed);
    Permutation places = identity(36);
    LinkLoads loads(*test.problem, places);
    Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const uint32_t a = random.below(36);
      const uint32_t b = random.below(36);
      loads.preview(a, b);
      // Some are looked at only.
      if (random.below(3) == 0) continue;
      loads.apply();
      std::swap(places[a], places[b]);
      const LinkLoads fresh(*test.problem, places);
      ASSERT_TRUE(std::equal(fresh.loads().begin(), fresh.loads().end(), loads.loads().begin()));
      ASSERT_EQ(fresh.max(), loads.max());
    }
  }
}

TEST(LinkLoads, AddUpToTheHopBytes) {
  const TestProblem test = random_torus({4, 4}, 3, 2);
  const LinkLoads loads(*test.problem, identity(16));
  int64_t sum = 0;
  for (const int64_t load : loads.loads()) sum += load;
  EXPECT_EQ(sum, test.problem->cost(identity(16)));
}

TEST(LinkLoads, AreThoseOfTheRoutes) {
  // In a row 0 - 1 - 2 the link from 0 to 1 carries what 0 sends to both.
  const TestProblem test = test_problem(test_torus({3}, {false}), {{0, 1, 1, 5}, {0, 2, 1, 7}});
  EXPECT_EQ(max_link_load(*test.problem, identity(3)), 12);
  EXPECT_EQ(max_link_load(*test.problem, std::vector<uint32_t>{1, 0, 2}), 7);
}

TEST(Anneal, IsRepeatableAndNeverMakesItWorse) {
  const TestProblem test = random_torus({4, 4, 4}, 4, 3);
  const Permutation given = identity(64);
  for (const Objective objective :
       {Objective::kHopBytes, Objective::kMaxLinkLoad, Objective::kWeighted}) {
    SearchOptions options{.seed = 3, .objective = objective, .hop_weight = 0.5};
    const Judge judge(*test.problem, objective, 0.5);
    const Cooling cooling{0.1, 0.001, 20000};
    const SearchResult found = anneal(*test.problem, given, options, cooling);
    EXPECT_TRUE(is_permutation(found.place_of_item, 64));
    EXPECT_TRUE(judge.score(found.place_of_item) < judge.score(given));
    EXPECT_EQ(anneal(*test.problem, given, options, cooling).place_of_item, found.place_of_item);
    // Red hot it ends anywhere: then the given placement is the answer.
    const SearchResult hot =
        anneal(*test.problem, found.place_of_item, options, {1000, 1000, 1000});
    EXPECT_FALSE(judge.score(found.place_of_item) < judge.score(hot.place_of_item));
  }
}

TEST(Anneal, StopsWhenToldTo) {
  const TestProblem test = random_torus({4, 4, 4}, 4, 3);
  const Cooling cooling{0.1, 0.001, 1000000};
  const SearchResult found = anneal(*test.problem, identity(64), {.time_limit_s = 0.0}, cooling);
  EXPECT_TRUE(found.timed_out);
  EXPECT_EQ(found.place_of_item, identity(64));
}

TEST(AnnealBlocks, NeverMakesItWorse) {
  for (const std::vector<uint32_t>& sizes :
       {std::vector<uint32_t>{2}, {3}, {5, 3}, {4, 4, 2}, {4, 7}}) {
    const TestProblem test = random_torus(sizes, 3, 4);
    const Weights weights(*test.problem);
    Permutation places = identity(test.problem->size());
    const int64_t before = test.problem->cost(places);
    Random random(1);
    Deadline deadline(std::nullopt, {});
    anneal_blocks(*test.problem, weights, {0.1, 0.01, 5000}, random, deadline, places);
    EXPECT_TRUE(is_permutation(places, test.problem->size()));
    EXPECT_LE(test.problem->cost(places), before);
  }
}

}  // namespace
}  // namespace pathline::mapping

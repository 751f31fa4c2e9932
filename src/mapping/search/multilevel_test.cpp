// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/multilevel.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "mapping/bound.hpp"
#include "mapping/load.hpp"
#include "mapping/search/anneal.hpp"
#include "mapping/test_problem.hpp"
#include "network/dragonfly.hpp"
#include "network/fat_tree.hpp"

namespace pathline::mapping {
namespace {

Permutation shuffled(uint32_t size, uint64_t seed) {
  Permutation places = identity(size);
  Random(seed).shuffle(places);
  return places;
}

SearchResult search(const Problem& problem, const Permutation& given, SearchOptions options = {},
                    unsigned threads = 1) {
  base::ThreadPool pool(threads);
  return multilevel(problem, given, options, pool);
}

TEST(Multilevel, FindsTheOptimumOfSmallProblems) {
  const std::vector<std::vector<uint32_t>> shapes = {{2}, {3}, {4}, {5}, {2, 3}, {7}, {2, 2, 2}};
  for (const auto& shape : shapes) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      auto network = test_torus(shape, std::vector<bool>(shape.size(), seed % 2 == 0));
      const auto nodes = all_nodes(*network);
      const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 2, seed));
      const Problem& problem = *test.problem;
      const int64_t best = brute_force(
          problem.size(), [&](const Permutation& places) { return problem.cost(places); });
      const SearchResult found = search(problem, identity(problem.size()), {.effort = 0});
      EXPECT_TRUE(is_permutation(found.place_of_item, problem.size()));
      EXPECT_EQ(problem.cost(found.place_of_item), best) << test.network->spec() << " " << seed;
      EXPECT_FALSE(found.timed_out);
    }
  }
}

TEST(Multilevel, FindsTheLeastMaximumLoadOfSmallProblems) {
  auto network = test_torus({7});
  const auto nodes = all_nodes(*network);
  const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 1, 11));
  const Problem& problem = *test.problem;
  const int64_t best = brute_force(
      problem.size(), [&](const Permutation& places) { return max_link_load(problem, places); });
  const SearchResult found =
      search(problem, identity(7), {.effort = 1, .objective = Objective::kMaxLinkLoad});
  EXPECT_EQ(max_link_load(problem, found.place_of_item), best);
}

TEST(Multilevel, FoldsAProcessGridIntoATorus) {
  // 8 x 8 processes on 4 x 4 x 2 x 2 nodes: Gray codes bring all neighbours one link apart.
  const TestProblem test = test_problem(test_torus({4, 4, 2, 2}), stencil(8, 8));
  const SearchResult found = search(*test.problem, shuffled(64, 3), {.effort = 0});
  EXPECT_EQ(test.problem->cost(found.place_of_item), 64 * 2 * 100);
  EXPECT_EQ(lower_bound(*test.problem), 64 * 2 * 100);
}

TEST(Multilevel, NeverMakesItWorse) {
  // All is optimal already where everybody talks to everybody.
  std::vector<graph::Pair> pairs;
  for (uint32_t a = 0; a < 12; ++a) {
    for (uint32_t b = 0; b < 12; ++b) pairs.push_back({a, b, 1, 10});
  }
  const TestProblem test = test_problem(test_torus({3, 4}), pairs);
  const Permutation given = shuffled(12, 5);
  for (const Objective objective :
       {Objective::kHopBytes, Objective::kMaxLinkLoad, Objective::kWeighted}) {
    const SearchOptions options{.effort = 0, .objective = objective};
    EXPECT_EQ(search(*test.problem, given, options).place_of_item, given);
  }
}

TEST(Multilevel, TakesProblemsOfAnySizeAndShape) {
  const std::vector<std::vector<uint32_t>> shapes = {{1},       {2},    {3},       {5, 3},
                                                     {3, 3, 5}, {97},   {9, 11},   {16, 9},
                                                     {4, 4, 6}, {1, 8}, {2, 3, 7}, {13, 5}};
  for (const auto& shape : shapes) {
    if (base::kIsSanitized && shape.back() > 8) continue;
    auto network = test_torus(shape);
    const auto nodes = all_nodes(*network);
    const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 3, 1));
    const uint32_t size = test.problem->size();
    const Permutation given = shuffled(size, 2);
    for (const Objective objective : {Objective::kHopBytes, Objective::kMaxLinkLoad}) {
      const Judge judge(*test.problem, objective, 0);
      const SearchOptions options{.effort = 0, .objective = objective};
      const SearchResult found = search(*test.problem, given, options);
      EXPECT_TRUE(is_permutation(found.place_of_item, size)) << test.network->spec();
      EXPECT_FALSE(judge.score(given) < judge.score(found.place_of_item)) << test.network->spec();
    }
  }
}

TEST(Multilevel, FoldsAProcessGridIntoATorusOfOtherSizes) {
  for (const auto& [rows, columns] : {std::pair{6U, 10U}, {10U, 6U}}) {
    const TestProblem test = test_problem(test_torus({10, 6}), stencil(rows, columns));
    const SearchResult found = search(*test.problem, shuffled(60, 3), {.effort = 0});
    EXPECT_EQ(test.problem->cost(found.place_of_item), lower_bound(*test.problem));
  }
}

TEST(Multilevel, NeedsRankOrderToSeeAGridBehindAnArbitraryMapping) {
  const Permutation node_of_rank = shuffled(144, 4);
  std::vector<graph::Pair> pairs = stencil(12, 12);
  for (graph::Pair& pair : pairs) {
    pair.sender = node_of_rank[pair.sender];
    pair.receiver = node_of_rank[pair.receiver];
  }
  Permutation rank_of_node(144);
  for (uint32_t rank = 0; rank < 144; ++rank) rank_of_node[node_of_rank[rank]] = rank;
  const TestProblem test = test_problem(test_torus({12, 12}), std::move(pairs));
  base::ThreadPool pool(1);
  const SearchResult found =
      multilevel(*test.problem, identity(144), {.effort = 0}, pool, {}, rank_of_node);
  EXPECT_EQ(test.problem->cost(found.place_of_item), lower_bound(*test.problem));
}

TEST(Multilevel, FillsTheSwitchesOfAFatTreeWithBlocks) {
  // 8 x 8 processes, eight to a switch: 2 x 4 of them exchange less with others than a row does.
  const TestProblem test =
      test_problem(std::move(network::FatTree::make(8, 2).value()), stencil(8, 8));
  const SearchResult found = search(*test.problem, identity(64), {.effort = 0});
  // Of a block's 32 neighbours 20 are in it, two links away; the others are four away.
  EXPECT_LE(test.problem->cost(found.place_of_item), 8 * (20 * 2 + 12 * 4) / 2 * 100);
}

TEST(Multilevel, TakesDragonflies) {
  auto network = std::move(network::Dragonfly::make({4, 2, 1}).value());
  const auto nodes = all_nodes(*network);
  const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 3, 5));
  const uint32_t size = test.problem->size();
  const SearchResult found = search(*test.problem, identity(size), {.effort = 0});
  EXPECT_TRUE(is_permutation(found.place_of_item, size));
  EXPECT_LT(test.problem->cost(found.place_of_item), test.problem->cost(identity(size)));
}

TEST(Multilevel, LeavesNothingToDoAsItIs) {
  const TestProblem silent = test_problem(test_torus({4, 3}), {});
  const Permutation given = shuffled(12, 1);
  EXPECT_EQ(search(*silent.problem, given).place_of_item, given);
  const TestProblem one = test_problem(test_torus({1}), {{0, 0, 1, 100}});
  EXPECT_EQ(search(*one.problem, {0}).place_of_item, Permutation{0});
}

TEST(Multilevel, BringsFewTalkersTogether) {
  // Two that talk, at the far ends of many places; the others say nothing.
  const TestProblem test = test_problem(test_torus({8, 8}), {{0, 36, 1, 1000}});
  const SearchResult found = search(*test.problem, identity(64), {.effort = 0});
  EXPECT_EQ(test.problem->cost(found.place_of_item), 1000);
}

TEST(Multilevel, UsesTheGivenPlacesOnly) {
  // Every third node of a torus, and groups that do not talk to each other.
  auto network = test_torus({6, 6, 3});
  std::vector<network::Vertex> places;
  for (uint32_t node = 0; node < network->node_count(); node += 3) places.emplace_back(node);
  std::vector<graph::Pair> pairs;
  for (uint32_t i = 0; i + 9 < places.size(); ++i) {
    pairs.push_back({places[i], places[i + 9], 1, 50});
  }
  const TestProblem test = test_problem(std::move(network), pairs, places);
  const SearchResult found = search(*test.problem, identity(36), {.effort = 0});
  EXPECT_TRUE(is_permutation(found.place_of_item, 36));
  EXPECT_LT(test.problem->cost(found.place_of_item), test.problem->cost(identity(36)));
}

TEST(Multilevel, GivesTheSameForAnyNumberOfThreads) {
  auto network = test_torus({4, 4, 4});
  const auto nodes = all_nodes(*network);
  const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 4, 9));
  for (const Objective objective : {Objective::kHopBytes, Objective::kWeighted}) {
    const SearchOptions options{.seed = 7, .effort = 0, .objective = objective};
    const Permutation one = search(*test.problem, identity(64), options).place_of_item;
    EXPECT_EQ(search(*test.problem, identity(64), options, 2).place_of_item, one);
    EXPECT_EQ(search(*test.problem, identity(64), options, 4).place_of_item, one);
  }
}

TEST(Multilevel, SaysThatItWasStopped) {
  auto network = test_torus({8, 8});
  const auto nodes = all_nodes(*network);
  const TestProblem test = test_problem(std::move(network), random_pairs(nodes, 4, 9));
  const SearchResult late = search(*test.problem, identity(64), {.time_limit_s = 0.0});
  EXPECT_TRUE(late.timed_out);
  EXPECT_TRUE(is_permutation(late.place_of_item, 64));
  EXPECT_LE(test.problem->cost(late.place_of_item), test.problem->cost(identity(64)));

  base::ThreadPool pool(2);
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(multilevel(*test.problem, identity(64), {}, pool, source.get_token()).timed_out);
}

struct RealCase {
  const char* name;
  std::vector<uint32_t> sizes;
  double least_percent;
};

class MultilevelOnData : public testing::TestWithParam<RealCase> {};

TEST_P(MultilevelOnData, ReachesItsGoal) {
  const RealCase& real = GetParam();
  std::vector<graph::Pair> pairs = hop_byte_pairs(real.name, 1);
  if (pairs.empty()) GTEST_SKIP() << base::kNeedsThirdPartyData;
  const TestProblem test = test_problem(test_torus(real.sizes), std::move(pairs));
  const Permutation given = identity(test.problem->size());
  const auto before = static_cast<double>(test.problem->cost(given));
  const SearchResult found = search(*test.problem, given, {.effort = 0}, 0);
  const auto after = static_cast<double>(test.problem->cost(found.place_of_item));
  EXPECT_GE(100 - 100 * after / before, real.least_percent);
  EXPECT_GE(test.problem->cost(found.place_of_item), lower_bound(*test.problem));
}

// Scotch 7 reached 29.4 % and, for MiniMD with other input, the optimum; 36.8 % is the bound.
INSTANTIATE_TEST_SUITE_P(
    ParComm, MultilevelOnData,
    testing::Values(RealCase{"MiniAMR_Vesta_n256_c1_s2", {4, 2, 4, 4, 2}, 36.0},
                    RealCase{"MiniMD_Vesta_n512_c1_w", {4, 4, 4, 4, 2}, 36.8},
                    RealCase{"MiniMD_Mira_n2048_c1_s1", {4, 4, 4, 16, 2}, 66.0}));

}  // namespace
}  // namespace pathline::mapping

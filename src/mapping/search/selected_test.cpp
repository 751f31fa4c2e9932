// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/search/selected.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/test_traffic.hpp"

namespace pathline::mapping {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Routes = std::vector<std::pair<uint32_t, uint32_t>>;

/// Tries all ways to give the items the places; those that give way exchange nothing.
int64_t least_cost(const Problem& problem, const Permutation& given, const Selection& selection) {
  std::vector<uint32_t> all;  // Items on the places of the selection.
  for (const uint32_t place : selection.places) {
    all.push_back(
        static_cast<uint32_t>(std::find(given.begin(), given.end(), place) - given.begin()));
  }
  std::vector<uint32_t> places = selection.places;
  int64_t least = INT64_MAX;
  do {
    Permutation tried = given;
    for (size_t i = 0; i < all.size(); ++i) tried[all[i]] = places[i];
    least = std::min(least, problem.cost(tried));
  } while (std::next_permutation(places.begin(), places.end()));
  return least;
}

Permutation shuffled(uint32_t size, Random random) {
  Permutation places = identity(size);
  random.shuffle(places);
  return places;
}

void expect_only_selected_moved(const Permutation& given, const Permutation& found,
                                const Selection& selection) {
  ASSERT_TRUE(is_permutation(found, static_cast<uint32_t>(given.size())));
  for (uint32_t item = 0; item < given.size(); ++item) {
    if (std::binary_search(selection.places.begin(), selection.places.end(), given[item])) continue;
    EXPECT_EQ(found[item], given[item]);
  }
}

TEST(Selected, AreTheEndsOfRoutes) {
  const Permutation places = {3, 2, 1, 0};
  const Selection selection = select_ends(Routes{{0, 1}, {1, 0}, {3, 1}}, places);
  EXPECT_THAT(selection.items, ElementsAre(0, 1, 3));
  EXPECT_THAT(selection.places, ElementsAre(0, 2, 3));
}

TEST(Selected, ExactlyIsAsGoodAsAllPermutations) {
  const auto network = torus({4, 3, 2});
  for (uint64_t round = 0; round < 20; ++round) {
    Random random(round);
    const Problem problem = problem_of(*network, random_traffic(24, 80, random));
    const Permutation given = shuffled(24, random);
    Routes routes;
    for (uint32_t i = 0; i < 1 + round % 4; ++i) {
      routes.emplace_back(random.below(24), random.below(24));
    }
    const Selection selection = select_ends(routes, given);
    const int64_t least = least_cost(problem, given, selection);

    const auto exact = place_selected_exactly(problem, given, selection);
    ASSERT_TRUE(exact.ok()) << exact.error().message;
    EXPECT_FALSE(exact.value().timed_out);
    EXPECT_EQ(problem.cost(exact.value().place_of_item), least);
    expect_only_selected_moved(given, exact.value().place_of_item, selection);

    const SearchResult found = place_selected_at_random(problem, given, selection, 20'000, round);
    EXPECT_EQ(problem.cost(found.place_of_item), least);
    expect_only_selected_moved(given, found.place_of_item, selection);
  }
}

TEST(Selected, MayTakeIdlePlaces) {
  const auto network = torus({6, 2});
  for (uint64_t round = 0; round < 10; ++round) {
    Random random(round);
    // Ranks on the first eight nodes only.
    graph::Traffic busy = random_traffic(8, 30, random);
    busy.row.resize(13, busy.row.back());
    const Problem problem = problem_of(*network, busy);
    const Permutation given = identity(12);
    Selection selection = select_ends(Routes{{0, 1}, {2, 1}}, given);
    ASSERT_TRUE(add_places(problem, given, std::vector<uint32_t>{8, 9, 11}, selection).ok());
    EXPECT_THAT(selection.places, ElementsAre(0, 1, 2, 8, 9, 11));
    const int64_t least = least_cost(problem, given, selection);
    const auto exact = place_selected_exactly(problem, given, selection);
    ASSERT_TRUE(exact.ok()) << exact.error().message;
    EXPECT_EQ(problem.cost(exact.value().place_of_item), least);
    expect_only_selected_moved(given, exact.value().place_of_item, selection);
    const SearchResult found = place_selected_at_random(problem, given, selection, 20'000, round);
    EXPECT_EQ(problem.cost(found.place_of_item), least);
  }
}

TEST(Selected, NeverComesOutWorse) {
  const auto network = torus({5, 5});
  for (uint64_t round = 0; round < 10; ++round) {
    const Problem problem = problem_of(*network, random_traffic(25, 100, Random(round)));
    Routes routes;
    for (uint32_t i = 0; i < 24; ++i) routes.emplace_back(i, i + 1);
    const Permutation given = shuffled(25, Random(round));
    const Selection selection = select_ends(routes, given);
    int64_t before = problem.cost(given);
    for (const uint64_t trials : {0, 1, 10, 1000, 10'000}) {
      const auto found = place_selected_at_random(problem, given, selection, trials, round);
      const int64_t cost = problem.cost(found.place_of_item);
      EXPECT_LE(cost, before) << "more trials are no worse";
      before = cost;
    }
  }
}

TEST(Selected, DependsOnTheSeedOnly) {
  const auto network = torus({5, 5});
  const Problem problem = problem_of(*network, random_traffic(25, 100, Random(1)));
  Routes routes;
  for (uint32_t i = 0; i < 24; ++i) routes.emplace_back(i, i + 1);
  const Selection selection = select_ends(routes, identity(25));
  const auto with = [&](uint64_t seed) {
    return place_selected_at_random(problem, identity(25), selection, 3000, seed).place_of_item;
  };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

TEST(Selected, TooManyAreRefusedWithAdvice) {
  const auto network = torus({40});
  const Problem problem = problem_of(*network, random_traffic(40, 100, Random(1)));
  const auto many = place_selected_exactly(
      problem, identity(40),
      select_ends(Routes{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {0, 10}}, identity(40)));
  ASSERT_FALSE(many.ok());
  EXPECT_THAT(many.error().message, HasSubstr("have 11 end nodes; at most 10"));
  EXPECT_THAT(many.error().advice, HasSubstr("random swaps"));
  const Problem idle = problem_of(*network, graph::traffic_of(40, {{0, 1, 1, 1}}));
  Selection wide = select_ends(Routes{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, identity(40));
  ASSERT_TRUE(add_places(idle, identity(40), identity(40), wide).ok());
  EXPECT_THAT(place_selected_exactly(idle, identity(40), wide).error().message,
              HasSubstr("8 end nodes on 40 places can be arranged in 3.1e+12 ways"));
}

TEST(Selected, BusyPlacesAreNotOffered) {
  const auto network = torus({4});
  const Problem problem = problem_of(*network, graph::traffic_of(4, {{0, 1, 1, 5}, {2, 3, 1, 5}}));
  Selection selection = select_ends(Routes{{0, 1}}, identity(4));
  EXPECT_THAT(add_places(problem, identity(4), std::vector<uint32_t>{2}, selection).error().message,
              HasSubstr("(2) cannot be offered: it holds ranks"));
  EXPECT_THAT(add_places(problem, identity(4), std::vector<uint32_t>{7}, selection).error().message,
              HasSubstr("no place 7: there are 4"));
  EXPECT_THAT(selection.places, SizeIs(2));
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.hpp"

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::EventKind;
using trace::Region;
using trace::Selection;
using trace::TestTrace;
using trace::Trace;

constexpr uint32_t kNone = UINT32_MAX;

struct Row {
  uint32_t region;
  uint64_t visits;
  uint64_t inclusive;
  uint64_t exclusive;
  friend bool operator==(const Row&, const Row&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << "{region " << row.region << ", " << row.visits << " visits, " << row.inclusive
               << " inclusive, " << row.exclusive << " exclusive}";
  }
};
std::vector<Row> rows(const std::vector<FlatRow>& flat) {
  std::vector<Row> result;
  for (const FlatRow& row : flat) {
    result.push_back({row.region, row.visits, row.inclusive_ticks, row.exclusive_ticks});
  }
  return result;
}

Profile profile_of(const Trace& trace, const Selection& selection = {}, unsigned threads = 1) {
  base::ThreadPool pool(threads);
  return from_trace(trace, selection, pool);
}
std::vector<FlatRow> regions_of(const Trace& trace, const Selection& selection = {}) {
  return by_region(trace, selection, profile_of(trace, selection));
}
std::vector<FlatRow> paths_of(const Trace& trace, const Selection& selection = {}) {
  return by_call_path(trace, selection, profile_of(trace, selection));
}

class ProfileOfCalls : public ::testing::Test {
 protected:
  TestTrace test{2};
  Region main = test.region("main");    // 0
  Region solve = test.region("solve");  // 1
  Region send = test.region("send");    // 2
};

TEST_F(ProfileOfCalls, SplitsTimeBetweenACallAndTheCallsInside) {
  test.on(0).enter(100, main).enter(110, solve).enter(115, send).leave(118, send);
  test.on(0).leave(150, solve).enter(150, send).leave(157, send).leave(200, main);
  const Trace trace = test.finish();
  // Main: 100 in all, 40 in solve and 7 in send. Solve: 40, of which 3 in send.
  EXPECT_THAT(rows(regions_of(trace)),
              ElementsAre(Row{0, 1, 100, 53}, Row{1, 1, 40, 37}, Row{2, 2, 10, 10}));
  EXPECT_THAT(rows(paths_of(trace)),
              ElementsAre(Row{0, 1, 100, 53}, Row{1, 1, 40, 37}, Row{2, 1, 3, 3}, Row{2, 1, 7, 7}));
}

TEST_F(ProfileOfCalls, ListsCallPathsDepthFirstAndChildrenByRegion) {
  test.on(0).enter(1, solve).enter(2, send).leave(3, send).enter(3, main).leave(5, main);
  test.on(0).leave(6, solve);
  test.on(1).enter(1, main).leave(2, main).enter(2, solve).enter(3, send).leave(5, send);
  test.on(1).leave(6, solve);
  const Trace trace = test.finish();
  const Profile profile = profile_of(trace);
  const std::vector<FlatRow> flat = by_call_path(trace, {}, profile);
  EXPECT_THAT(rows(flat),
              ElementsAre(Row{0, 1, 1, 1}, Row{1, 2, 9, 4}, Row{0, 1, 2, 2}, Row{2, 2, 3, 3}));
  const auto parent = [&](size_t i) { return profile.call_paths[flat[i].call_path].parent; };
  EXPECT_FALSE(parent(0).valid());
  EXPECT_FALSE(parent(1).valid());
  EXPECT_EQ(parent(2), flat[1].call_path);
  EXPECT_EQ(parent(3), flat[1].call_path);
}

TEST_F(ProfileOfCalls, CountsTheInclusiveTimeOfRecursionOnce) {
  // solve(solve(main(solve))): 10 + 20 + 5 + 3.
  test.on(0).enter(0, solve).enter(4, solve).enter(14, main).enter(16, solve).leave(19, solve);
  test.on(0).leave(22, main).leave(32, solve).leave(38, solve);
  EXPECT_THAT(rows(regions_of(test.finish())), ElementsAre(Row{1, 3, 38, 33}, Row{0, 1, 8, 5}));
}

TEST_F(ProfileOfCalls, SortsRegionsByExclusiveTimeThenByRegion) {
  test.on(0).enter(0, send).leave(5, send).enter(5, solve).leave(10, solve);
  test.on(0).enter(10, main).leave(11, main);
  EXPECT_THAT(rows(regions_of(test.finish())),
              ElementsAre(Row{1, 1, 5, 5}, Row{2, 1, 5, 5}, Row{0, 1, 1, 1}));
}

TEST_F(ProfileOfCalls, KeepsACallThatTookNoTime) {
  test.on(0).enter(3, main).enter(3, send).leave(3, send).leave(4, main);
  EXPECT_THAT(rows(regions_of(test.finish())), ElementsAre(Row{0, 1, 1, 1}, Row{2, 1, 0, 0}));
}

TEST_F(ProfileOfCalls, ComparesRanksAndCountsThoseThatNeverCalledAsZero) {
  test.on(0).enter(0, main).leave(30, main).enter(30, solve).leave(40, solve);
  test.on(1).enter(0, main).leave(10, main);
  const auto flat = regions_of(test.finish());
  ASSERT_EQ(flat.size(), 2U);
  EXPECT_EQ(flat[0].exclusive_min_ticks, 10U);
  EXPECT_EQ(flat[0].exclusive_max_ticks, 30U);
  EXPECT_DOUBLE_EQ(flat[0].imbalance, 1.5);  // 30 over a mean of 20.
  EXPECT_EQ(flat[1].exclusive_min_ticks, 0U);
  EXPECT_EQ(flat[1].exclusive_max_ticks, 10U);
  EXPECT_DOUBLE_EQ(flat[1].imbalance, 2);  // 10 over a mean of 5.
}

TEST_F(ProfileOfCalls, ComparesOnlyTheChosenRanks) {
  test.on(0).enter(0, main).leave(30, main);
  test.on(1).enter(0, main).leave(10, main);
  Selection selection;
  selection.ranks = {false, true};
  const auto flat = regions_of(test.finish(), selection);
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].exclusive_ticks, 10U);
  EXPECT_EQ(flat[0].exclusive_min_ticks, 10U);
  EXPECT_DOUBLE_EQ(flat[0].imbalance, 1);
}

TEST_F(ProfileOfCalls, HasNoImbalanceWhereNoTimePassed) {
  test.on(0).enter(3, main).leave(3, main);
  const auto flat = regions_of(test.finish());
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].imbalance, 0);
  EXPECT_EQ(flat[0].exclusive_min_ticks, 0U);
}

class RegionLabels : public ::testing::Test {
 protected:
  Region region(std::string_view name, std::string_view file, uint32_t line) {
    return test.region(name, trace::RegionRole::kFunction, file, line);
  }
  std::vector<std::string> labels(std::initializer_list<Region> visited) {
    uint64_t ticks = 0;
    for (const Region called : visited) {
      test.on(0).enter(ticks, called).leave(ticks + 1, called);
      ++ticks;
    }
    const Trace trace = test.finish();
    return region_labels(trace, profile_of(trace));
  }
  TestTrace test{1};
};

TEST_F(RegionLabels, AreTheNamesWhereTheseDiffer) {
  const Region main = region("main", "a.cpp", 1);
  const Region solve = region("solve", "", 0);
  EXPECT_THAT(labels({main, solve}), ElementsAre("main", "solve"));
}

TEST_F(RegionLabels, AddThePlaceWhereANameIsShared) {
  const Region a = region("init", "/home/user/a.cpp", 12);
  const Region b = region("init", "a.cpp", 13);
  const Region c = region("init", "C:\\b.cpp", 0);
  const Region main = region("main", "a.cpp", 1);
  EXPECT_THAT(labels({a, b, c, main}),
              ElementsAre("init (a.cpp:12)", "init (a.cpp:13)", "init (b.cpp)", "main"));
}

TEST_F(RegionLabels, AddTheIdWhereThePlaceIsSharedOrNotKnown) {
  const Region a = region("init", "x/a.cpp", 12);
  const Region b = region("init", "y/a.cpp", 12);
  const Region c = region("init", "", 0);
  const Region d = region("init", "d.cpp", 3);
  EXPECT_THAT(labels({a, b, c, d}),
              ElementsAre("init (#200)", "init (#201)", "init (#202)", "init (d.cpp:3)"));
}

TEST_F(RegionLabels, StayDifferentWhenANameLooksLikeALabel) {
  const Region a = region("init", "a.cpp", 12);
  const Region b = region("init", "b.cpp", 12);
  const Region c = region("init (a.cpp:12)", "", 0);
  EXPECT_THAT(labels({a, b, c}),
              ElementsAre("init (#200)", "init (b.cpp:12)", "init (a.cpp:12) (#202)"));
}

TEST_F(RegionLabels, DoNotMindRegionsThatWereNeverCalled) {
  const Region a = region("init", "a.cpp", 12);
  region("init", "b.cpp", 12);
  EXPECT_THAT(labels({a}), ElementsAre("init", ""));
}

TEST_F(RegionLabels, CanBePrinted) {
  const Region a = region("\x1b", "\x1b.cpp", 1);
  const Region b = region("\x1b", "b.cpp", 1);
  EXPECT_THAT(labels({a, b}),
              ElementsAre("\xef\xbf\xbd (\xef\xbf\xbd.cpp:1)", "\xef\xbf\xbd (b.cpp:1)"));
}

TEST(ProfileOfThreads, SumsTheThreadsOfARankBeforeItComparesRanks) {
  TestTrace test(2, 2);
  const Region main = test.region("main");
  test.on(0, 0).enter(0, main).leave(10, main);
  test.on(0, 1).enter(0, main).leave(20, main);
  test.on(1, 0).enter(0, main).leave(25, main);
  const Trace trace = test.finish();
  const auto flat = regions_of(trace);
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].exclusive_ticks, 55U);
  EXPECT_EQ(flat[0].exclusive_min_ticks, 25U);
  EXPECT_EQ(flat[0].exclusive_max_ticks, 30U);
  const auto ranks = by_rank(trace, profile_of(trace));
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].rank, trace::Rank(0));
  EXPECT_EQ(ranks[0].visits, 2U);
  EXPECT_EQ(ranks[0].exclusive_ticks, 30U);
  EXPECT_EQ(ranks[0].inclusive_ticks, 30U);
  EXPECT_EQ(ranks[1].exclusive_ticks, 25U);
}

TEST(ProfileOfThreads, ComparesTheThreadsOfEachRank) {
  TestTrace test(2, 3);
  const Region main = test.region("main");
  test.on(0, 0).enter(0, main).leave(10, main);
  test.on(0, 1).enter(0, main).leave(20, main);
  test.on(1, 0).enter(0, main).leave(25, main);
  test.on(1, 2).enter(0, main).leave(5, main);
  Trace trace = test.finish();
  trace.locations[2].type = trace::LocationType::kMetric;  // Of rank 0; it never makes calls.
  const auto ranks = by_rank(trace, profile_of(trace));
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].exclusive_min_ticks, 10U);
  EXPECT_EQ(ranks[0].exclusive_max_ticks, 20U);
  EXPECT_DOUBLE_EQ(ranks[0].imbalance, 20 / 15.0);
  EXPECT_EQ(ranks[1].exclusive_min_ticks, 0U) << "a thread that was never busy";
  EXPECT_EQ(ranks[1].exclusive_max_ticks, 25U);
  EXPECT_DOUBLE_EQ(ranks[1].imbalance, 2.5);
}

TEST_F(ProfileOfCalls, HasNoImbalanceOfARankThatTookNoTime) {
  test.on(0).enter(3, main).leave(3, main);
  const Trace trace = test.finish();
  const auto ranks = by_rank(trace, profile_of(trace));
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].exclusive_min_ticks, 0U);
  EXPECT_EQ(ranks[0].imbalance, 0);
}

TEST_F(ProfileOfCalls, LeavesOutRanksThatRecordedNothing) {
  test.on(1).enter(0, main).leave(3, main);
  const Trace trace = test.finish();
  const auto ranks = by_rank(trace, profile_of(trace));
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, trace::Rank(1));
}

TEST_F(ProfileOfCalls, CountsOnlyTheTimeInsideTheWindow) {
  test.on(0).enter(10, main).enter(20, solve).leave(40, solve).enter(60, send).leave(70, send);
  test.on(0).leave(100, main);
  // [30, 65): main 30 cut at both ends; solve from 30 to 40, entered before; send from 60 to 65.
  const Selection selection{.from_ticks = 30, .until_ticks = 65, .ranks = {}};
  EXPECT_THAT(rows(paths_of(test.finish(), selection)),
              ElementsAre(Row{0, 0, 35, 20}, Row{1, 0, 10, 10}, Row{2, 1, 5, 5}));
}

TEST_F(ProfileOfCalls, IsEmptyInAWindowWithoutCalls) {
  test.on(0).enter(10, main).leave(20, main).enter(50, main).leave(60, main);
  const Selection selection{.from_ticks = 20, .until_ticks = 50, .ranks = {}};
  const Trace trace = test.finish();
  EXPECT_THAT(regions_of(trace, selection), IsEmpty());
  EXPECT_THAT(paths_of(trace, selection), IsEmpty());
  EXPECT_THAT(by_rank(trace, profile_of(trace, selection)), IsEmpty());
}

TEST_F(ProfileOfCalls, TakesCallsWithoutBeginOrEndFromFirstToLastEvent) {
  test.on(0).enter(10, solve).leave(14, solve).leave(20, main).enter(30, send);
  test.on(0).add(EventKind::kRmaWinCreate, 35, {1});
  // Main from 10 to 20 with solve inside, send from 30 to 35.
  EXPECT_THAT(rows(regions_of(test.finish())),
              ElementsAre(Row{0, 1, 10, 6}, Row{2, 1, 5, 5}, Row{1, 1, 4, 4}));
}

TEST_F(ProfileOfCalls, GivesNoRegionToACallingContextThatIsNotDefined) {
  test.on(0).enter(0, main).add(EventKind::kCallingContextEnter, 4, {99, 1});
  test.on(0).add(EventKind::kCallingContextLeave, 6, {99}).leave(10, main);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(paths_of(trace)), ElementsAre(Row{0, 1, 10, 8}, Row{kNone, 1, 2, 2}));
  EXPECT_THAT(rows(regions_of(trace)), ElementsAre(Row{0, 1, 10, 8}));
}

TEST_F(ProfileOfCalls, PutsParentsBeforeChildrenAndSortsCosts) {
  // Rank 1 knows first what rank 0 meets last.
  test.on(0).enter(0, main).enter(1, solve).leave(2, solve).leave(3, main);
  test.on(1).enter(0, main).enter(1, send).leave(2, send).enter(2, solve).leave(3, solve);
  test.on(1).leave(4, main).enter(4, solve).leave(5, solve);
  const Profile profile = profile_of(test.finish());
  for (size_t i = 0; i < profile.call_paths.size(); ++i) {
    const CallPath parent = profile.call_paths[i].parent;
    EXPECT_TRUE(!parent.valid() || parent < i) << "call path " << i;
  }
  ASSERT_EQ(profile.by_location.size(), 2U);
  for (const auto& costs : profile.by_location) {
    for (size_t i = 1; i < costs.size(); ++i) {
      EXPECT_LT(costs[i - 1].call_path, costs[i].call_path);
    }
  }
  EXPECT_EQ(profile.call_paths.size(), 4U);  // Both ranks share main and main/solve.
}

}  // namespace
}  // namespace pathline::profile

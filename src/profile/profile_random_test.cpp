// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of random calls against a slow one that is made from the calls themselves, as a tree in
// memory, and never sees an event.

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/profile.hpp"
#include "trace/test_trace.hpp"

namespace pathline::profile {
namespace {

using trace::Region;
using trace::Selection;
using trace::TestTrace;
using trace::Trace;

constexpr uint32_t kRegionCount = 4;

struct Call {
  uint32_t region;
  uint64_t begin;
  uint64_t end;
  std::vector<Call> inside;
};

class RandomCalls {
 public:
  explicit RandomCalls(uint32_t seed) : random_(seed) {}

  std::vector<Call> calls(uint32_t depth) {
    std::vector<Call> list(random_() % 4);
    for (Call& call : list) {
      ticks_ += random_() % 4;
      call.region = static_cast<uint32_t>(random_() % kRegionCount);
      call.begin = ticks_;
      if (depth > 0) call.inside = calls(depth - 1);
      ticks_ += random_() % 4;
      call.end = ticks_;
    }
    return list;
  }

 private:
  std::mt19937 random_;
  uint64_t ticks_ = 10;
};

void record(TestTrace::Thread& thread, const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    thread.enter(call.begin, Region(call.region));
    record(thread, call.inside);
    thread.leave(call.end, Region(call.region));
  }
}

struct Figures {
  uint64_t visits = 0;
  uint64_t inclusive = 0;
  uint64_t exclusive = 0;
  friend bool operator==(const Figures&, const Figures&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Figures& figures) {
    return out << figures.visits << " visits, " << figures.inclusive << " inclusive, "
               << figures.exclusive << " exclusive";
  }
};
using Path = std::vector<uint32_t>;

struct SlowProfile {
  Selection selection;
  std::map<uint32_t, Figures> by_region;
  std::map<Path, Figures> by_path;
  uint64_t total = 0;

  /// Ticks inside the window, counted one by one.
  uint64_t ticks(uint64_t begin, uint64_t end) const {
    uint64_t count = 0;
    for (uint64_t t = begin; t < end; ++t) count += selection.has_time(t) ? 1 : 0;
    return count;
  }
  void add(const std::vector<Call>& calls, const Path& around = {}) {
    for (const Call& call : calls) {
      Path path = around;
      path.push_back(call.region);
      const uint64_t inclusive = ticks(call.begin, call.end);
      uint64_t exclusive = inclusive;
      for (const Call& inner : call.inside) exclusive -= ticks(inner.begin, inner.end);
      const uint64_t visits = selection.has_time(call.begin) ? 1 : 0;
      const bool recursion = std::count(around.begin(), around.end(), call.region) > 0;
      for (Figures* figures : {&by_region[call.region], &by_path[path]}) {
        figures->visits += visits;
        figures->exclusive += exclusive;
      }
      by_path[path].inclusive += inclusive;
      if (!recursion) by_region[call.region].inclusive += inclusive;
      if (around.empty()) total += inclusive;
      add(call.inside, path);
    }
  }
  /// Rows that would show only zeros are not there.
  template <class Map>
  static Map without_zeros(Map map) {
    std::erase_if(
        map, [](const auto& row) { return row.second.visits == 0 && row.second.inclusive == 0; });
    return map;
  }
};

Path path_of(const Profile& profile, CallPath call_path) {
  Path path;
  for (; call_path.valid(); call_path = profile.call_paths[call_path].parent) {
    path.insert(path.begin(), profile.call_paths[call_path].region);
  }
  return path;
}

class ProfileOfRandomCalls : public ::testing::TestWithParam<uint32_t> {};

TEST_P(ProfileOfRandomCalls, AgreesWithASlowRecursion) {
  const uint32_t seed = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (uint32_t round = 0; round < 40; ++round) {
    std::mt19937 random(1000 * seed + round);
    TestTrace test(3);
    for (uint32_t i = 0; i < kRegionCount; ++i) test.region("r");
    SlowProfile slow;
    switch (seed % 3) {
      case 0: break;
      case 1:
        slow.selection.from_ticks = 10 + random() % 30;
        slow.selection.until_ticks = slow.selection.from_ticks + 1 + random() % 30;
        break;
      default: slow.selection.ranks = {true, false, true}; break;
    }
    std::map<uint32_t, uint64_t> by_rank_expected;
    for (uint32_t rank = 0; rank < 3; ++rank) {
      const std::vector<Call> calls = RandomCalls(static_cast<uint32_t>(random())).calls(5);
      record(test.on(rank), calls);
      if (!slow.selection.has_rank(rank)) continue;
      const uint64_t before = slow.total;
      slow.add(calls);
      by_rank_expected[rank] = slow.total - before;
    }
    const Trace trace = test.finish();
    base::ThreadPool pool(2);
    const Profile profile = from_trace(trace, slow.selection, pool);

    std::map<uint32_t, Figures> regions;
    uint64_t sum = 0;
    for (const FlatRow& row : by_region(trace, slow.selection, profile)) {
      EXPECT_EQ(regions.count(row.region), 0U);
      regions[row.region] = {row.visits, row.inclusive_ticks, row.exclusive_ticks};
      sum += row.exclusive_ticks;
    }
    ASSERT_EQ(regions, SlowProfile::without_zeros(slow.by_region)) << "round " << round;
    ASSERT_EQ(sum, slow.total) << "exclusive times must sum to the time in calls";

    std::map<Path, Figures> paths;
    for (const FlatRow& row : by_call_path(trace, slow.selection, profile)) {
      const Path path = path_of(profile, row.call_path);
      EXPECT_EQ(paths.count(path), 0U);
      EXPECT_TRUE(paths.empty() || paths.rbegin()->first < path) << "not depth first";
      paths[path] = {row.visits, row.inclusive_ticks, row.exclusive_ticks};
    }
    ASSERT_EQ(paths, SlowProfile::without_zeros(slow.by_path)) << "round " << round;

    for (const FlatRow& row : by_rank(trace, profile)) {
      ASSERT_EQ(row.exclusive_ticks, by_rank_expected[row.rank]) << "rank " << row.rank;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ProfileOfRandomCalls, ::testing::Range(1U, 13U));

TEST(ProfileOfManyLocations, IsNumberedTheSameWithAnyNumberOfThreads) {
  const auto build = [](unsigned threads) {
    TestTrace test(30);
    for (uint32_t i = 0; i < kRegionCount; ++i) test.region("r");
    for (uint32_t rank = 0; rank < 30; ++rank) record(test.on(rank), RandomCalls(rank).calls(4));
    base::ThreadPool pool(threads);
    return from_trace(test.finish(), {}, pool);
  };
  const Profile one = build(1);
  for (const unsigned threads : {2U, 8U}) {
    const Profile many = build(threads);
    ASSERT_EQ(many.call_paths.size(), one.call_paths.size());
    for (size_t i = 0; i < one.call_paths.size(); ++i) {
      ASSERT_EQ(many.call_paths[i].parent, one.call_paths[i].parent);
      ASSERT_EQ(many.call_paths[i].region, one.call_paths[i].region);
    }
    for (size_t l = 0; l < one.by_location.size(); ++l) {
      ASSERT_EQ(many.by_location[l].size(), one.by_location[l].size());
      for (size_t c = 0; c < one.by_location[l].size(); ++c) {
        ASSERT_EQ(many.by_location[l][c].call_path, one.by_location[l][c].call_path);
        ASSERT_EQ(many.by_location[l][c].exclusive_ticks, one.by_location[l][c].exclusive_ticks);
      }
    }
  }
}

}  // namespace
}  // namespace pathline::profile

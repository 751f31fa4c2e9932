// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/work_queue.hpp"

#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::Each;

constexpr uint32_t kNone = UINT32_MAX;

TEST(WorkQueue, GivesThoseThatAreReadyInTheirOrder) {
  WorkQueue queue({1, 2, 1, 1}, 0);
  for (const uint32_t package : {3U, 1U, 0U}) queue.make_ready(package);
  EXPECT_EQ(queue.take(), 0U);
  EXPECT_EQ(queue.take(), 1U);
  EXPECT_EQ(queue.take(), 3U);
  EXPECT_FALSE(queue.any_ready());
  EXPECT_EQ(queue.take(), kNone);
}

TEST(WorkQueue, LetsANarrowOnePassAWideOneThatDoesNotFit) {
  WorkQueue queue({3, 3, 1}, 4);
  for (const uint32_t package : {0U, 1U, 2U}) queue.make_ready(package);
  EXPECT_EQ(queue.take(), 0U);
  EXPECT_EQ(queue.take(), 2U);
  EXPECT_EQ(queue.take(), kNone);
  EXPECT_TRUE(queue.any_ready());
  queue.give_back(2);
  EXPECT_EQ(queue.take(), kNone) << "three of four cores are in use";
  queue.give_back(0);
  EXPECT_EQ(queue.take(), 1U);
}

TEST(WorkQueue, RunsWhatIsTooWideAlone) {
  WorkQueue queue({1, 8, 1}, 4);
  EXPECT_TRUE(queue.is_too_wide(1));
  EXPECT_FALSE(queue.is_too_wide(0));
  for (const uint32_t package : {0U, 1U, 2U}) queue.make_ready(package);
  EXPECT_EQ(queue.take(), 0U);
  EXPECT_EQ(queue.take(), 2U);
  EXPECT_EQ(queue.take(), kNone);
  queue.give_back(0);
  EXPECT_EQ(queue.take(), kNone);
  queue.give_back(2);
  EXPECT_EQ(queue.take(), 1U);
  queue.make_ready(0);
  EXPECT_EQ(queue.take(), kNone) << "nothing runs beside it";
  queue.give_back(1);
  EXPECT_EQ(queue.take(), 0U);
}

TEST(WorkQueue, WithoutABudgetHasRoomForAll) {
  WorkQueue queue({4'000'000'000, 4'000'000'000, 1}, 0);
  EXPECT_FALSE(queue.is_too_wide(0));
  for (const uint32_t package : {0U, 1U, 2U}) queue.make_ready(package);
  EXPECT_EQ(queue.take(), 0U);
  EXPECT_EQ(queue.take(), 1U);
  EXPECT_EQ(queue.take(), 2U);
}

TEST(WorkQueue, CountsWhatAPackageWaitsFor) {
  WorkQueue queue({1, 1, 1}, 0);
  queue.comes_after(2, 0, false);
  queue.comes_after(2, 1, true);
  EXPECT_TRUE(queue.may_begin(0));
  EXPECT_FALSE(queue.may_begin(2));
  EXPECT_THAT(queue.behind(0), testing::ElementsAre(2));
  EXPECT_THAT(queue.behind(1), testing::ElementsAre(2));
  queue.one_done(2);
  EXPECT_TRUE(queue.may_begin(2));
}

/// Runs packages that wait for others at random, and says how often each was taken.
std::vector<int> times_taken(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const uint32_t count = 1 + below(60);
  const uint32_t budget = 1 + below(8);
  std::vector<uint32_t> cores(count);
  for (uint32_t& of_one : cores) of_one = 1 + below(10);
  WorkQueue queue(cores, budget);
  std::vector<std::vector<uint32_t>> before(count);
  for (uint32_t i = 1; i < count; ++i) {
    for (uint32_t k = below(3); k-- > 0;) {
      before[i].push_back(below(i));
      queue.comes_after(i, before[i].back(), false);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (queue.may_begin(i)) queue.make_ready(i);
  }
  std::vector<int> taken(count, 0);
  std::vector<bool> done(count, false);
  std::vector<uint32_t> running;
  while (queue.any_ready() || !running.empty()) {
    for (uint32_t i = queue.take(); i != kNone; i = queue.take()) {
      ++taken[i];
      running.push_back(i);
      for (const uint32_t one : before[i]) EXPECT_TRUE(done[one]) << i << " before " << one;
    }
    if (running.empty()) break;  // Something is ready, and nothing fits: taken too seldom.
    uint64_t used = 0;
    for (const uint32_t i : running) used += cores[i];
    if (running.size() > 1) {
      EXPECT_LE(used, budget);
    }
    const uint32_t which = below(static_cast<uint32_t>(running.size()));
    const uint32_t ended = running[which];
    running.erase(running.begin() + which);
    done[ended] = true;
    queue.give_back(ended);
    for (const uint32_t next : queue.behind(ended)) {
      queue.one_done(next);
      if (queue.may_begin(next)) queue.make_ready(next);
    }
  }
  return taken;
}

TEST(WorkQueue, TakesEachOnceBehindWhatItWaitsForWithinTheBudget) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    EXPECT_THAT(times_taken(seed), Each(1)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pathline::campaign

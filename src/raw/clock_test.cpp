// SPDX-License-Identifier: BSD-3-Clause
#include "raw/clock.hpp"

#include <random>

#include <gtest/gtest.h>

namespace pathline::raw {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(TickClock, IsLinearBetweenPairsAndBeyondThem) {
  // 2 GHz as the header says; the pairs say 10 ticks are 5 ns, then 10 ticks are 4.9 ns.
  const TickClock clock(2 * kSecond, {{1000, 500}, {2000, 1000}, {3000, 1490}}, {});
  EXPECT_EQ(clock.ns(1000), 500U);
  EXPECT_EQ(clock.ns(1500), 750U);
  EXPECT_EQ(clock.ns(2000), 1000U);
  EXPECT_EQ(clock.ns(2500), 1245U);
  EXPECT_EQ(clock.ns(3000), 1490U);
  EXPECT_EQ(clock.ns(800), 400U) << "before: as fast as in the first part";
  EXPECT_EQ(clock.ns(5000), 2480U) << "behind: 0.495 ns a tick, the mean of all";
  EXPECT_EQ(clock.ignored_pairs(), 0U);
}

TEST(TickClock, TakesTheFrequencyOfTheHeaderWithOnePair) {
  const TickClock clock(2 * kSecond, {{1'000'000, 77}}, {});
  EXPECT_EQ(clock.ns(1'000'000 + 4 * kSecond), 77 + 2 * kSecond);
}

TEST(TickClock, LearnsTheFrequencyFromTheEarliestOfLatePairs) {
  // True: 0.500001 ns a tick. The pairs are late by 70, 40 and 900 us; one is nonsense.
  const auto truth = [](uint64_t ticks) {
    return 1000 + static_cast<uint64_t>(0.500001 * static_cast<double>(ticks));
  };
  std::vector<TickPair> late;
  for (const auto& [seconds, late_ns] :
       {std::pair{40, 900'000}, std::pair{30, 40'000}, std::pair{25, 70'000}}) {
    const uint64_t ticks = 2 * kSecond * static_cast<uint64_t>(seconds);
    late.push_back({ticks, truth(ticks) + static_cast<uint64_t>(late_ns)});
  }
  late.push_back({100, 40 * kSecond});
  const TickClock clock(2 * kSecond, {{0, 1000}}, late);
  const uint64_t ticks = 60 * kSecond;
  const auto error = static_cast<int64_t>(clock.ns(ticks) - truth(ticks));
  EXPECT_GE(error, 0);
  EXPECT_LE(error, 40'001) << "as good as the best of them; the header alone is 30 us off as well";
}

TEST(TickClock, DoesNotBelievePairsThatContradictEachOther) {
  const TickClock clock(kSecond, {{1000, 1000}, {3'001'000, 5'000'000}, {5'001'000, 5'001'000}},
                        {});
  EXPECT_EQ(clock.ignored_pairs(), 1U);
  EXPECT_EQ(clock.ns(3'001'000), 3'001'000U);
}

TEST(TickClock, NeverRunsBackwards) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<TickPair> pairs;
    std::vector<TickPair> chunks;
    for (int i = 0; i < 6; ++i) {
      // Some likely, some wild.
      const uint64_t ticks = random() >> (random() % 64);
      pairs.push_back({ticks, ticks / 2 + random() % 2000});
      chunks.push_back({random() >> (random() % 64), random() >> (random() % 64)});
    }
    const TickClock clock(1 + (random() >> (random() % 64)), pairs, chunks);
    std::vector<uint64_t> ticks;
    for (int i = 0; i < 300; ++i) ticks.push_back(random() >> (random() % 64));
    for (const TickPair& pair : pairs) {
      ticks.insert(ticks.end(), {pair.ticks - 1, pair.ticks, pair.ticks + 1});
    }
    std::sort(ticks.begin(), ticks.end());
    uint64_t last = 0;
    size_t hint = 0;
    for (const uint64_t now : ticks) {
      const uint64_t ns = clock.ns(now, hint);
      ASSERT_EQ(ns, clock.ns(now));
      ASSERT_GE(ns, last) << "round " << round << ", ticks " << now;
      last = ns;
    }
  }
}

TEST(UsableOffsets, AreInOrderAndApplyForAllTimes) {
  size_t ignored = 0;
  const auto offsets = usable_offsets({{3000, 30, 2}, {1000, 10, 1}}, ignored);
  ASSERT_EQ(offsets.size(), 2U);
  OffsetClock clock(offsets);
  EXPECT_EQ(clock.global_ns(500), 505U);
  EXPECT_EQ(clock.global_ns(2000), 2020U);
  EXPECT_EQ(clock.global_ns(4000), 4040U);
  EXPECT_EQ(ignored, 0U);
}

TEST(UsableOffsets, OneHoldsForAllTimes) {
  size_t ignored = 0;
  const auto offsets = usable_offsets({{1000, -7, 1}}, ignored);
  OffsetClock clock(offsets);
  EXPECT_EQ(clock.global_ns(100), 93U);
  EXPECT_EQ(clock.global_ns(50'000'000'000), 49'999'999'993U);
}

TEST(UsableOffsets, LeavesOutWhatCannotBe) {
  size_t ignored = 0;
  const auto offsets = usable_offsets({{1000, 5, 0},
                                       {1000, 9, 0},          // The same time.
                                       {2000, 900, 0},        // A jump.
                                       {3000, INT64_MIN, 0},  // Nonsense.
                                       {UINT64_MAX, 5, 0},
                                       {4000, 11, 0}},
                                      ignored);
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_EQ(offsets[1].local_ticks, 4000U);
  EXPECT_EQ(ignored, 4U);
}

}  // namespace
}  // namespace pathline::raw

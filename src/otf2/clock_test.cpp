// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/clock.hpp"

#include <random>

#include <gtest/gtest.h>

namespace pathline::otf2 {
namespace {

/// The offsets of a Score-P trace, taken at MPI_Init and MPI_Finalize.
const std::vector<trace::ClockOffset> kPingPong = {{7397467382659157, -30, 0},
                                                   {7397467395149135, -19, 0}};

TEST(CorrectedTicks, ExtrapolatesBeforeTheFirstOffsetAsScorePTracesNeed) {
  EXPECT_EQ(corrected_ticks(7397466976978187, kPingPong), 7397466976977800);
}

TEST(CorrectedTicks, AddsTheOffsetsWhereTheyWereMeasured) {
  EXPECT_EQ(corrected_ticks(7397467382659157, kPingPong), 7397467382659157 - 30);
  EXPECT_EQ(corrected_ticks(7397467395149135, kPingPong), 7397467395149135 - 19);
}

TEST(CorrectedTicks, ChangesNothingWithFewerThanTwoOffsets) {
  EXPECT_EQ(corrected_ticks(12345, {}), 12345);
  EXPECT_EQ(corrected_ticks(12345, std::vector<trace::ClockOffset>{{1000, 77, 0}}), 12345);
}

TEST(CorrectedTicks, TakesTheIntervalThatEndsAtTheTime) {
  const std::vector<trace::ClockOffset> offsets = {{0, 0, 0}, {100, 100, 0}, {200, 0, 0}};
  EXPECT_EQ(corrected_ticks(50, offsets), 100);
  EXPECT_EQ(corrected_ticks(100, offsets), 200);
  EXPECT_EQ(corrected_ticks(150, offsets), 200);
  EXPECT_EQ(corrected_ticks(250, offsets), 200) << "the last interval goes on";
}

TEST(CorrectedTicks, RoundsHalvesToEven) {
  const std::vector<trace::ClockOffset> offsets = {{0, 0, 0}, {4, 2, 0}};
  EXPECT_EQ(corrected_ticks(1, offsets), 1 + 0);
  EXPECT_EQ(corrected_ticks(3, offsets), 3 + 2);
}

TEST(CorrectedTicks, SurvivesTwoOffsetsOfTheSameTime) {
  const std::vector<trace::ClockOffset> offsets = {{100, 5, 0}, {100, 9, 0}};
  EXPECT_EQ(corrected_ticks(50, offsets), 55);
  EXPECT_EQ(corrected_ticks(150, offsets), 155);
}

TEST(LocalTicks, FindsATimeThatIsCorrectedToTheGlobalOne) {
  constexpr uint32_t kSeed = 20261121;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<trace::ClockOffset> offsets;
    uint64_t time = 1'000'000'000'000 + random() % 1'000'000'000;
    for (uint64_t i = 0; i < 2 + random() % 4; ++i) {
      offsets.push_back({time, static_cast<int64_t>(random() % 200'000) - 100'000, 0});
      time += 1'000'000'000 + random() % 100'000'000'000;
    }
    const uint64_t local = offsets[0].local_ticks - 1'000'000 + random() % 200'000'000'000;
    const uint64_t global = corrected_ticks(local, offsets);
    const auto found = local_ticks(global, offsets);
    ASSERT_TRUE(found) << "round " << round << " of seed " << kSeed;
    EXPECT_EQ(corrected_ticks(*found, offsets), global);
  }
}

}  // namespace
}  // namespace pathline::otf2

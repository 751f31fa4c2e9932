// SPDX-License-Identifier: BSD-3-Clause
#include "record/polls.hpp"

#include <gtest/gtest.h>

namespace pathline::record {
namespace {

constexpr uint64_t kPoll = 100;
constexpr uint64_t kLoop = 50;
constexpr uint64_t kLong = 1'000'000;

/// Polls with these pauses before each but the first.
class PollsTest : public ::testing::Test {
 protected:
  Polls polls;
  uint64_t now = 7;

  void poll(uint64_t pause = 0) {
    now += pause;
    polls.add(now, now + kPoll);
    now += kPoll;
  }
  void loop(unsigned count) {
    for (unsigned i = 0; i < count; ++i) poll(kLoop);
  }
};

TEST_F(PollsTest, AreFromTheFirstToTheLast) {
  loop(3);
  EXPECT_EQ(polls.count, 3U);
  EXPECT_EQ(polls.first_ticks, 7U + kLoop);
  EXPECT_EQ(polls.last_ticks, now);
  EXPECT_EQ(polls.work_ticks, 0U);
}

TEST_F(PollsTest, WithWorkBetweenAllOfThem) {
  for (int i = 0; i < 5; ++i) poll(kLong);
  EXPECT_EQ(polls.work_ticks, 4 * kLong) << "what came before the first is not between";
}

TEST_F(PollsTest, WithWorkBetweenAFew) {
  for (int i = 0; i < 5; ++i) {
    poll(kLong);
    loop(20);
  }
  EXPECT_EQ(polls.work_ticks, 4 * kLong);
}

TEST_F(PollsTest, ThatLoseTheirCoreDoNotWork) {
  loop(1000);
  for (int i = 0; i < 5; ++i) {
    poll(kLong);
    loop(1000);
  }
  EXPECT_EQ(polls.work_ticks, 0U);
}

TEST_F(PollsTest, ThatWorkAfterALongLoopHaveAllOfTheirWork) {
  loop(1000);
  for (int i = 0; i < 3; ++i) poll(kLong);
  EXPECT_EQ(polls.work_ticks, 3 * kLong);
  loop(1000);
  EXPECT_EQ(polls.work_ticks, 3 * kLong);
}

}  // namespace
}  // namespace pathline::record

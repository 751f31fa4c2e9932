// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/testing.hpp"

namespace pathline::trace {
namespace {

using testing::TraceMaker;

/// "0@10 1@12 )@15 )@20": calls and their ends as walk_calls tells them.
std::string walk(const Trace& trace, uint32_t location = 0) {
  std::string text;
  walk_calls(
      trace.definitions, trace.locations[location].events,
      [&](Region region, uint64_t ticks) {
        text += std::to_string(uint32_t{region}) + "@" + std::to_string(ticks) + " ";
      },
      [&](uint64_t ticks) { text += ")@" + std::to_string(ticks) + " "; });
  return text;
}

TEST(WalkCalls, EntersCallsThatHadBegunBeforeTheTrace) {
  TraceMaker maker(1);
  maker.enter(0, 10, 3);
  maker.leave(0, 11, 3);
  maker.leave(0, 12, 2);  // Inner one of two.
  maker.leave(0, 15, 1);
  const Trace trace = maker.take();
  EXPECT_EQ(walk(trace), "1@10 2@10 3@10 )@11 )@12 )@15 ");
}

TEST(WalkCalls, LeavesCallsThatAreOpenAtTheEnd) {
  TraceMaker maker(1);
  maker.enter(0, 10, 1);
  maker.enter(0, 12, 2);
  maker.send(0, 20, 0, 8);
  const Trace trace = maker.take();
  EXPECT_EQ(walk(trace), "1@10 2@12 )@20 )@20 ");
  EXPECT_EQ(trace.locations[0].events.open_calls, 2);
}

TEST(WalkCalls, LeavesCallsWhoseLeaveGotLostWithTheCallAround) {
  TraceMaker maker(1);
  maker.enter(0, 10, 1);
  maker.enter(0, 12, 2);
  maker.enter(0, 13, 3);
  maker.leave(0, 20, 1);
  maker.enter(0, 30, 4);
  maker.leave(0, 31, 4);
  const Trace trace = maker.take();
  EXPECT_EQ(walk(trace), "1@10 2@12 3@13 )@20 )@20 )@20 4@30 )@31 ");
  EXPECT_EQ(trace.locations[0].events.misplaced_leaves, 1);
}

TEST(WalkCalls, NestsWhateverTheEventsDo) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TraceMaker maker(1);
    uint64_t enters = 0;
    for (uint64_t ticks = 100; ticks < 160; ++ticks) {
      const auto region = static_cast<uint32_t>(random() % 4);
      if (random() % 2 == 0) {
        maker.enter(0, ticks, region);
        ++enters;
      } else {
        maker.leave(0, ticks, region);
      }
    }
    const Trace trace = maker.take();
    int depth = 0;
    uint64_t calls = 0;
    uint64_t last = 0;
    walk_calls(
        trace.definitions, trace.locations[0].events,
        [&](Region, uint64_t ticks) {
          ++depth;
          ++calls;
          EXPECT_GE(ticks, last);
          last = ticks;
        },
        [&](uint64_t ticks) {
          EXPECT_GT(depth, 0);
          --depth;
          EXPECT_GE(ticks, last);
          last = ticks;
        });
    EXPECT_EQ(depth, 0);
    EXPECT_EQ(calls, enters + trace.locations[0].events.leaves_of_earlier_calls.size());
  }
}

TEST(MarkedSteps, NumbersStepsByTheirParameterOrInOrder) {
  TraceMaker maker(2);
  maker.enter(0, 10, TraceMaker::kStepRegion);
  maker.step_number(0, 11, 40);
  maker.step_number(0, 12, 99);  // Only the first one counts.
  maker.leave(0, 20, TraceMaker::kStepRegion);
  maker.step_number(0, 25, 7);  // Outside of any step.
  maker.enter(0, 30, TraceMaker::kStepRegion);
  maker.leave(0, 35, TraceMaker::kStepRegion);
  maker.enter(1, 10, 1);
  maker.enter(1, 12, TraceMaker::kStepRegion);
  maker.leave(1, 20, 1);  // The step's own leave got lost.
  maker.enter(1, 30, TraceMaker::kStepRegion);
  maker.send(1, 50, 0, 8);  // Still open at the end.
  base::ThreadPool pool(1);
  const auto steps = marked_steps(maker.finish(pool));
  ASSERT_EQ(steps.size(), 2);
  ASSERT_EQ(steps[0].size(), 2);
  EXPECT_EQ(steps[0][0].step, 40);
  EXPECT_EQ(steps[0][0].begin_ticks, 10);
  EXPECT_EQ(steps[0][0].end_ticks, 20);
  EXPECT_EQ(steps[0][1].step, 1);
  ASSERT_EQ(steps[1].size(), 2);
  EXPECT_EQ(steps[1][0].end_ticks, 20);
  EXPECT_EQ(steps[1][1].begin_ticks, 30);
  EXPECT_EQ(steps[1][1].end_ticks, 50);
}

TEST(MarkedSteps, AreNoneInAProgramThatMarksNone) {
  TraceMaker maker(1);
  maker.enter(0, 10, 1);
  maker.leave(0, 20, 1);
  base::ThreadPool pool(1);
  const auto steps = marked_steps(maker.finish(pool));
  ASSERT_EQ(steps.size(), 1);
  EXPECT_TRUE(steps[0].empty());
}

}  // namespace
}  // namespace pathline::trace

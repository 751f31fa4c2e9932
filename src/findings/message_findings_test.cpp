// SPDX-License-Identifier: BSD-3-Clause
#include "findings/message_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/planted_plays.hpp"
#include "findings/test_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Finding> found_in(const TestRun& run) {
  return message_findings(run.model, delay_costs(run.model, run.measured),
                          WhatIf(run.model, run.replay));
}

/// Rank 0 receives from rank 2, which sends at 80, and needs 20 for it; then from rank 1, which
/// sent at 30, and needs 50. Rank 1 is busy until `until`.
trace::Trace wrong_order(uint64_t until, bool right = false) {
  trace::TestTrace test(3);
  Simulation run(3, 3, &test);
  run.work(1, "work", 30);
  run.send(1, 0);
  run.work(1, "work", until - 33);
  run.work(2, "work", 80);
  run.send(2, 0);
  run.recv(right ? 1 : 2, 0);
  run.work(0, "use", 20);
  run.recv(right ? 2 : 1, 0);
  run.work(0, "use", 50);
  run.finish();
  return test.finish();
}

TEST(WrongOrder, GainsWhatIsDoneBetweenTheReceives) {
  const TestRun run(wrong_order(100));
  const std::vector<Finding> found = found_in(run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kWrongOrder);
  EXPECT_THAT(found[0].ranks, ElementsAre(0));
  EXPECT_EQ(found[0].cost_ticks, 80 - 30);
  EXPECT_EQ(found[0].recoverable_ticks, 20);
}

TEST(WrongOrder, GainsNoMoreThanTheOthersLeave) {
  // It ends at 83 + 20 + 3 + 50.
  const std::vector<Finding> found = found_in(TestRun(wrong_order(150)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].recoverable_ticks, 156 - 150);
  EXPECT_THAT(found_in(TestRun(wrong_order(156))), IsEmpty());
}

TEST(WrongOrder, IsNoneWhereTheFirstMessageIsTakenFirst) {
  EXPECT_THAT(found_in(TestRun(wrong_order(100, true))), IsEmpty());
}

/// Rank 0 sends `count` messages of so many bytes to rank 1, in one step or in each of `count`.
trace::Trace many(uint32_t count, uint64_t bytes, bool in_steps, uint32_t large = 0) {
  trace::TestTrace test(2);
  Simulation run(2, 10, &test);
  for (uint32_t i = 0; i < count + large; ++i) {
    for (uint32_t rank = 0; rank < 2 && in_steps; ++rank) run.begin_step(rank, i);
    run.send(0, 1, i < count ? bytes : 1 << 20);
    run.recv(0, 1, i < count ? bytes : 1 << 20);
    for (uint32_t rank = 0; rank < 2 && in_steps; ++rank) run.end_step(rank);
  }
  run.finish();
  return test.finish();
}

TEST(TinyMessages, AreManyAtOnceAndMostOfAll) {
  const std::vector<Finding> found = found_in(TestRun(many(40, 64, false)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kTinyMessages);
  EXPECT_THAT(found[0].ranks, ElementsAre(0));
  // Each call takes 10 of both ranks, which goes on when the message was sent: one of 40 is left.
  EXPECT_DOUBLE_EQ(found[0].recoverable_ticks, 39 * 10);
  EXPECT_THAT(found_in(TestRun(many(40, 65, false))), IsEmpty());
  EXPECT_THAT(found_in(TestRun(many(19, 64, false))), IsEmpty());
  EXPECT_THAT(found_in(TestRun(many(40, 64, true))), IsEmpty());
  EXPECT_THAT(found_in(TestRun(many(40, 64, false, 41))), IsEmpty());
}

trace::Trace locks(uint64_t ticks, bool alone) {
  trace::TestTrace test(3);
  Simulation run(3, 3, &test);
  for (uint32_t rank = 0; rank < 3; ++rank) run.work(rank, "work", 1000 + rank);
  run.locked("update", {ticks, ticks, ticks}, alone);
  run.finish();
  return test.finish();
}

TEST(LockContention, IsOfThoseWhoHoldTheLock) {
  const std::vector<Finding> found = found_in(TestRun(locks(200, true)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kLockContention);
  EXPECT_THAT(found[0].ranks, ElementsAre(0, 1));
  EXPECT_THAT(found[0].waiting, ElementsAre(1, 2));
  // The last one would have it when it comes, 2 behind the first.
  EXPECT_EQ(found[0].recoverable_ticks, 2 * 203 - 2);
  EXPECT_THAT(found_in(TestRun(locks(200, false))), IsEmpty());
  EXPECT_THAT(found_in(TestRun(locks(10, true))), IsEmpty());
}

/// Rank 0 works 1000 and then takes what the others had for it at once; they work behind that.
trace::Trace handed_over(bool by_window, double before = 0) {
  trace::TestTrace test(3);
  Simulation run(3, 3, &test);
  hand_over(run, {1000, 1000, 1000}, 0, before, by_window, true);
  run.collective(Simulation::Operation::kBarrier);
  run.finish();
  return test.finish();
}

TEST(LatePostOfReceive, IsOfWhoReceivesLate) {
  const TestRun run(handed_over(false));
  const std::vector<Finding> found = found_in(run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kLatePostOfReceive);
  EXPECT_THAT(found[0].ranks, ElementsAre(0));
  EXPECT_THAT(found[0].waiting, ElementsAre(1, 2));
  EXPECT_EQ(run.trace.definitions.regions[found[0].path.back()].name, "MPI_Recv");
  // The second of two receives is posted 3 later. Nobody would wait for rank 0, which has 1006.
  EXPECT_EQ(found[0].cost_ticks, 1000 + 1003);
  EXPECT_EQ(found[0].recoverable_ticks, 1000);
  EXPECT_THAT(found_in(TestRun(handed_over(false, 1))), IsEmpty());
}

TEST(LatePost, IsOfWhoExposesItsWindowLate) {
  const TestRun run(handed_over(true));
  const std::vector<Finding> found = found_in(run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kLatePost);
  EXPECT_THAT(found[0].ranks, ElementsAre(0));
  EXPECT_THAT(found[0].waiting, ElementsAre(1, 2));
  EXPECT_EQ(run.trace.definitions.regions[found[0].path.back()].name, "MPI_Win_post");
  EXPECT_EQ(found[0].cost_ticks, 2 * 1000);
  EXPECT_EQ(found[0].recoverable_ticks, 1000);
  EXPECT_THAT(found_in(TestRun(handed_over(true, 1))), IsEmpty());
}

}  // namespace
}  // namespace pathline::findings

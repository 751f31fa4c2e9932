// SPDX-License-Identifier: BSD-3-Clause
#include "findings/barrier_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Operation = Simulation::Operation;

std::vector<Finding> found_in(const TestRun& run) {
  return barrier_findings(run.model, WhatIf(run.model, run.replay));
}

/// Ten rounds of `first`, `between` ticks on each of three ranks, and `second`.
trace::Trace rounds(Operation first, uint64_t between, Operation second) {
  trace::TestTrace test(3);
  Simulation run(3, 10, &test);
  for (int round = 0; round < 10; ++round) {
    for (uint32_t rank = 0; rank < 3; ++rank) run.work(rank, "work", 100 + rank);
    run.collective(first);
    for (uint32_t rank = 0; rank < 3; ++rank) run.work(rank, "between", between);
    run.collective(second);
  }
  run.finish();
  return test.finish();
}

TEST(NeedlessBarrier, StandsBesideAnOperationOfAllWithAll) {
  for (const bool before : {true, false}) {
    SCOPED_TRACE(before);
    const TestRun run(before ? rounds(Operation::kBarrier, 5, Operation::kAllreduce)
                             : rounds(Operation::kAllreduce, 5, Operation::kBarrier));
    EXPECT_THAT(needless_barriers(run.model), SizeIs(3 * 10));
    const std::vector<Finding> found = found_in(run);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].kind, FindingKind::kNeedlessBarrier);
    EXPECT_EQ(found[0].recoverable_ticks, 10 * 10);
    EXPECT_EQ(found[0].cost_ticks, 3 * 10 * 10);
    EXPECT_EQ(run.trace.definitions.regions[found[0].path.back()].name, "MPI_Barrier");
  }
}

TEST(NeedlessBarrier, OfTwoIsOne) {
  EXPECT_THAT(needless_barriers(TestRun(rounds(Operation::kBarrier, 0, Operation::kBarrier)).model),
              SizeIs(3 * 10));
}

TEST(NeedlessBarrier, IsNoneWithWorkBetween) {
  EXPECT_THAT(found_in(TestRun(rounds(Operation::kBarrier, 6, Operation::kAllreduce))), IsEmpty());
}

TEST(NeedlessBarrier, IsNoneBesideWhatMakesOnlySomeWait) {
  EXPECT_THAT(found_in(TestRun(rounds(Operation::kBarrier, 0, Operation::kBcast))), IsEmpty());
  EXPECT_THAT(found_in(TestRun(rounds(Operation::kReduce, 0, Operation::kBarrier))), IsEmpty());
}

TEST(NeedlessBarrier, IsNoneBesideAnOperationOfSomeRanks) {
  trace::TestTrace test(3);
  Simulation run(3, 10, &test);
  for (int round = 0; round < 10; ++round) {
    for (uint32_t rank = 0; rank < 3; ++rank) run.work(rank, "work", 100 + rank);
    run.collective(Operation::kBarrier);
    run.collective(Operation::kAllreduce, 0, 0, 2);
  }
  run.finish();
  EXPECT_THAT(found_in(TestRun(test.finish())), IsEmpty());
}

}  // namespace
}  // namespace pathline::findings

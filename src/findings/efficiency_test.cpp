// SPDX-License-Identifier: BSD-3-Clause
#include "findings/efficiency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;

TEST(EfficiencyByHand, OfALateSender) {
  TestRun run(late_sender_run());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_NEAR(found.load_balance, 0.8158, 5e-5);
  EXPECT_DOUBLE_EQ(found.communication, 0.95);
  EXPECT_EQ(found.ideal_ticks, 190U);
  EXPECT_DOUBLE_EQ(found.serialisation, 1);
  EXPECT_DOUBLE_EQ(found.transfer, 0.95);
  EXPECT_EQ(found.replayed_ticks, 200U);
  EXPECT_NEAR(found.parallel, found.load_balance * found.communication, 1e-12);
}

TEST(EfficiencyByHand, OfAChain) {
  TestRun run(chain_run());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_NEAR(found.load_balance, 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(found.communication, 1);
}

/// Four steps of 200 ticks in which another rank of two is slow each time.
trace::Trace moving_load() {
  TestTrace test(2);
  const Region step = test.region("time step");
  const Region barrier = test.region("MPI_Barrier");
  uint64_t begin = 0;
  for (uint32_t s = 0; s < 4; ++s) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      const uint64_t ticks = s % 2 == rank ? 200 : 100;
      test.on(rank).enter(begin, step).enter(begin + ticks, barrier);
      test.on(rank).collective(begin + ticks, begin + 200, 0).leave(begin + 200, barrier);
      test.on(rank).leave(begin + 200, step);
    }
    begin += 200;
  }
  return test.finish();
}

TEST(EfficiencyByHand, OfLoadThatMovesIsMigration) {
  TestRun run(moving_load());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_DOUBLE_EQ(found.load_balance, 1);
  EXPECT_DOUBLE_EQ(found.serialisation, 0.75);
  EXPECT_DOUBLE_EQ(found.migration, 0.75);
  EXPECT_DOUBLE_EQ(found.dependency, 1);
  ASSERT_EQ(found.steps.size(), 4U);
  uint64_t sum = 0;
  for (const StepEfficiency& one : found.steps) {
    EXPECT_DOUBLE_EQ(one.load_balance, 0.75);
    ASSERT_TRUE(one.communication);
    EXPECT_DOUBLE_EQ(*one.communication, 1);
    sum += one.ticks;
  }
  EXPECT_EQ(sum, found.measured_ticks);
  EXPECT_TRUE(found.steps[2].complete);
  EXPECT_FALSE(found.steps[3].complete);
}

TEST(EfficiencyByHand, HasNoStepsThatReachOutOfTheWindow) {
  // Numbers of steps, and how long they are.
  const auto steps = [](const Window& window) {
    TestRun run(moving_load(), 2, window);
    std::vector<std::pair<uint32_t, uint64_t>> found;
    for (const StepEfficiency& one :
         efficiency(run.model, run.replay, run.measured, run.pool).steps) {
      found.emplace_back(one.step, one.ticks);
    }
    return found;
  };
  EXPECT_THAT(steps({199, 601}), ElementsAre(Pair(1, 200), Pair(2, 200)));
  EXPECT_THAT(steps({150, 750}), ElementsAre(Pair(1, 200), Pair(2, 200)));
  EXPECT_THAT(steps({210, 600}), ElementsAre(Pair(2, 200)));
  EXPECT_THAT(steps({210, 390}), IsEmpty());
  // A hundredth of a step may be missing.
  EXPECT_THAT(steps({201, 600}), ElementsAre(Pair(1, 199), Pair(2, 200)));
}

TEST(EfficiencyByHand, OfAStepThatEndsWithMessagesHasNoCommunication) {
  TestTrace test(2);
  const Region step = test.region("time step");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, step).enter(50, send).send(50, 1, 8).leave(60, send).leave(100, step);
  test.on(1).enter(0, step).enter(40, recv).recv(70, 0, 8).leave(70, recv).leave(100, step);
  TestRun run(test.finish());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_FALSE(found.steps[0].communication);
}

/// Two steps of two ranks: the first ends with a message, or with a barrier that rank 0 leaves
/// early, the second with a barrier that all leave at 200.
Efficiency of_two_steps(bool ends_together) {
  TestTrace test(2);
  const Region step = test.region("time step");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  const Region barrier = test.region("MPI_Barrier");
  for (const uint32_t rank : {0, 1}) {
    const uint64_t end = rank == 0 ? 60 : 100;
    test.on(rank).enter(0, step);
    if (ends_together) {
      test.on(rank).enter(50, barrier).collective(50, end, 0).leave(end, barrier);
    } else if (rank == 0) {
      test.on(0).enter(50, send).send(50, 1, 8).leave(60, send);
    } else {
      test.on(1).enter(90, recv).recv(100, 0, 8).leave(100, recv);
    }
    test.on(rank).leave(end, step).enter(end, step);
    test.on(rank).enter(190, barrier).collective(190, 200, 0).leave(200, barrier).leave(200, step);
    test.on(rank).enter(200, step).leave(210, step);
  }
  TestRun run(test.finish());
  return efficiency(run.model, run.replay, run.measured, run.pool);
}

TEST(EfficiencyByHand, OfAStepThatSomeBeginEarlyHasNoCommunication) {
  const Efficiency found = of_two_steps(false);
  ASSERT_EQ(found.steps.size(), 3U);
  EXPECT_FALSE(found.steps[0].communication);
  // Rank 0 works 130 from 60 on, where the step lasts from 100 to 200.
  EXPECT_EQ(found.steps[1].ticks, 100U);
  EXPECT_FALSE(found.steps[1].communication);
}

TEST(EfficiencyByHand, OfAStepIsNeverAboveOne) {
  const Efficiency found = of_two_steps(true);
  ASSERT_EQ(found.steps.size(), 3U);
  ASSERT_TRUE(found.steps[0].communication);
  EXPECT_DOUBLE_EQ(*found.steps[0].communication, 0.5);
  ASSERT_TRUE(found.steps[1].communication);
  EXPECT_DOUBLE_EQ(*found.steps[1].communication, 1);
}

TEST(EfficiencyByHand, OfPollsHasARange) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region poll = test.region("MPI_Test");
  test.on(0).enter(0, main).enter(20, poll).leave(80, poll).leave(100, main);
  TestRun run(test.finish());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_DOUBLE_EQ(found.parallel, 0.4);
  EXPECT_DOUBLE_EQ(found.parallel_high, 1);
  EXPECT_EQ(lane_times(run.model)[0].polling_ticks, 60U);
}

TEST(EfficiencyByHand, OfPollsWithWorkBetweenThemHasTheWork) {
  constexpr uint32_t kWork = 78;
  TestTrace test(1);
  const Region main = test.region("main");
  const Region poll = test.region("MPI_Test");
  test.define(trace::DefinitionKind::kParameter, {kWork, test.text(trace::kWorkBetweenPolls), 2});
  test.on(0).enter(0, main).enter(20, poll);
  test.on(0).add(trace::EventKind::kParameterUnsignedInt, 20, {kWork, 45, 0}).leave(80, poll);
  test.on(0).leave(100, main);
  TestRun run(test.finish());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_DOUBLE_EQ(found.parallel, 0.85);
  EXPECT_DOUBLE_EQ(found.parallel_high, 0.85);
  const LaneTime time = lane_times(run.model)[0];
  EXPECT_EQ(time.useful_ticks, 85U);
  EXPECT_EQ(time.polling_ticks, 15U);
  EXPECT_EQ(time.unknown_polling_ticks, 0U);
  for (const uint32_t path : run.model.piece_path) EXPECT_EQ(run.path_name(path), "main");
}

TEST(EfficiencyByHand, OfPollsThatReceiveHasARangeOfTheWorkBetweenThem) {
  constexpr uint32_t kWork = 78;
  TestTrace test(2);
  const Region main = test.region("main");
  const Region poll = test.region("MPI_Test");
  const Region irecv = test.region("MPI_Irecv");
  const Region send = test.region("MPI_Send");
  test.define(trace::DefinitionKind::kParameter, {kWork, test.text(trace::kWorkBetweenPolls), 2});
  test.on(0).enter(0, main).enter(60, send).send(60, 1, 8).leave(60, send).leave(100, main);
  test.on(1).enter(0, main).enter(0, irecv).irecv_request(0, 5).leave(0, irecv).enter(20, poll);
  test.on(1).add(trace::EventKind::kParameterUnsignedInt, 20, {kWork, 45, 0});
  test.on(1).irecv(80, 5, 0, 8).leave(80, poll).leave(100, main);
  TestRun run(test.finish());
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  EXPECT_DOUBLE_EQ(found.parallel, 0.7);
  EXPECT_DOUBLE_EQ(found.parallel_high, 0.925);
  const LaneTime time = lane_times(run.model)[1];
  EXPECT_EQ(time.wait_ticks, 40U);
  EXPECT_EQ(time.polling_ticks, 20U);
  EXPECT_EQ(time.unknown_wait_ticks, 40U);
  EXPECT_EQ(time.unknown_polling_ticks, 5U);
}

TEST(EfficiencyByHand, OfThreadsIsAFactorOfItsOwn) {
  // 100 ticks: 20 serial, a region of 70 in which the threads work 60 and 40, 10 in MPI.
  constexpr uint8_t kOpenMp = 3;
  TestTrace test(1, 2);
  const Region main = test.region("main");
  const Region mpi = test.region("MPI_Get_count");
  const Region work = test.region("work");
  const Region barrier =
      test.region("!$omp implicit barrier", trace::RegionRole::kImplicitBarrier, "a.c", 1, kOpenMp);
  auto& first = test.on(0, 0);
  first.enter(0, main).add(EventKind::kThreadFork, 10, {3, 2}).enter(15, work).leave(75, work);
  first.enter(75, barrier).leave(79, barrier).add(EventKind::kThreadJoin, 80, {3});
  first.enter(85, mpi).leave(95, mpi).leave(100, main);
  test.on(0, 1).add(EventKind::kThreadTeamBegin, 12, {1}).enter(14, work).leave(52, work);
  test.on(0, 1).enter(52, barrier).leave(79, barrier).add(EventKind::kThreadTeamEnd, 79, {1});
  TestRun run(test.finish());
  const ThreadTime time = thread_time(run.model, run.pool);
  EXPECT_EQ(time.threads, 2U);
  EXPECT_EQ(time.all_ticks, 180U);
  EXPECT_EQ(time.serial_ticks, 20U);
  // The first thread works 10 to 75 and 79 to 80, the other one 12 to 52.
  EXPECT_EQ(time.imbalance_ticks, 66U - 40U);
  EXPECT_EQ(time.schedule_ticks, 2 * 4U);
  EXPECT_EQ(time.useful_ticks, 20U + 66U + 40U);
  EXPECT_EQ(time.useful_ticks + time.serial_ticks + time.imbalance_ticks + time.schedule_ticks,
            time.all_ticks);
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  ASSERT_TRUE(found.openmp);
  EXPECT_DOUBLE_EQ(found.openmp->parallel, 126.0 / 200);
  EXPECT_NEAR(found.openmp->parallel, found.parallel * found.openmp->openmp, 1e-12);
}

}  // namespace
}  // namespace pathline::findings

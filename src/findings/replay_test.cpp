// SPDX-License-Identifier: BSD-3-Clause
#include "findings/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using testing::ElementsAre;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;

Replayed replay_of(const TestRun& run, CallCost cost) {
  return Replay(run.model).run(gap_ticks(run.model), call_costs(run.model, cost));
}

TEST(ReplayByHand, OfWhatWasMeasuredLastsAsLong) {
  const TestRun run(late_sender_run());
  EXPECT_EQ(replay_of(run, CallCost::kRest).ticks, 200U);
  EXPECT_EQ(replay_of(run, CallCost::kRest).forced, 0U);
}

TEST(ReplayByHand, OnAnIdealNetworkLeavesOutWhatCallsCost) {
  const TestRun run(late_sender_run());
  EXPECT_EQ(replay_of(run, CallCost::kIdeal).ticks, 190U);
}

TEST(ReplayByHand, KeepsTheTimesOfEachLane) {
  const TestRun run(late_sender_run());
  const std::vector<LaneTime> times = lane_times(run.model);
  EXPECT_EQ(times[0].useful_ticks, 190U);
  EXPECT_EQ(times[0].rest_ticks, 10U);
  EXPECT_EQ(times[1].useful_ticks, 120U);
  EXPECT_EQ(times[1].wait_ticks, 60U);
  EXPECT_EQ(times[1].rest_ticks, 20U);
}

TEST(ReplayByHand, CountsFromInitToFinalize) {
  TestTrace test(2);
  const Region init = test.region("MPI_Init");
  const Region finalize = test.region("MPI_Finalize");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, init).leave(30, init).enter(35, send).send(35, 1, 8).leave(36, send);
  test.on(1).enter(10, init).leave(40, init).enter(50, recv).recv(52, 0, 8).leave(52, recv);
  test.on(0).enter(60, finalize).leave(90, finalize);
  test.on(1).enter(80, finalize).leave(95, finalize);
  const TestRun run(test.finish());
  EXPECT_EQ(run.model.window, (Window{40, 80}));
  const std::vector<LaneTime> times = lane_times(run.model);
  // What rank 0 had done before counts as done.
  EXPECT_EQ(times[0].useful_ticks, 20U);
  EXPECT_EQ(times[0].wait_ticks, 20U);
  EXPECT_EQ(times[1].useful_ticks, 10U + 28U);
  EXPECT_EQ(times[1].rest_ticks, 2U);
  EXPECT_EQ(replay_of(run, CallCost::kRest).ticks, 40U);
}

TEST(ReplayByHand, GoesOnWhereClocksMakeACircle) {
  // Each received before the other sent: impossible, but read from clocks that disagree.
  TestTrace test(2);
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < 2; ++rank) {
    test.on(rank).enter(10, recv).recv(20, 1 - rank, 8).leave(20, recv);
    test.on(rank).enter(30, send).send(30, 1 - rank, 8).leave(40, send);
  }
  const TestRun run(test.finish());
  EXPECT_EQ(run.all.violations, 2U);
  const Replayed replayed = replay_of(run, CallCost::kRest);
  EXPECT_EQ(replayed.forced, 1U);
}

TEST(ReplayByHand, IsExactWhereAMessageArrivedBeforeItWasSent) {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, main).enter(102, send).send(102, 1, 8).leave(103, send).leave(150, main);
  test.on(1).enter(0, main).enter(90, recv).recv(100, 0, 8).leave(100, recv).leave(200, main);
  const TestRun run(test.finish());
  EXPECT_EQ(replay_of(run, CallCost::kRest).ticks, 200U);
}

TEST(ReplayByHand, CutsAWaitForSomebodyBehindTheWindow) {
  const trace::Trace trace = late_sender_run();
  base::ThreadPool pool(1);
  const comm::Dependencies all = comm::dependencies(trace, pool);
  const Model part = model(trace, all, {20, 90}, {{}, {}}, pool);
  const std::vector<LaneTime> times = lane_times(part);
  EXPECT_EQ(times[1].useful_ticks, 20U);
  EXPECT_EQ(times[1].wait_ticks, 50U);
  const Replayed replayed = Replay(part).run(gap_ticks(part), call_costs(part, CallCost::kRest));
  EXPECT_EQ(replayed.ticks, 70U);
}

/// Two ranks with two steps: in the first rank 0 has 300, rank 1 has 100, in the second 100 and
/// 200.
struct ReplayOfChanges : testing::Test {
  static trace::Trace make() {
    TestTrace test(2);
    const Region main = test.region("main");
    const Region step = test.region("time step");
    const Region work = test.region("work");
    const Region barrier = test.region("MPI_Barrier");
    const uint64_t end[] = {300, 500};
    const uint64_t ticks[2][2] = {{300, 100}, {100, 200}};
    for (uint32_t rank = 0; rank < 2; ++rank) test.on(rank).enter(0, main);
    uint64_t begin = 0;
    for (uint32_t s = 0; s < 2; ++s) {
      for (uint32_t rank = 0; rank < 2; ++rank) {
        auto& on = test.on(rank);
        on.enter(begin, step).enter(begin, work).leave(begin + ticks[s][rank], work);
        on.enter(begin + ticks[s][rank], barrier);
        on.collective(begin + ticks[s][rank], end[s], 0).leave(end[s], barrier).leave(end[s], step);
      }
      begin = end[s];
    }
    for (uint32_t rank = 0; rank < 2; ++rank) test.on(rank).leave(500, main);
    return test.finish();
  }
  const TestRun run{make()};
  const uint32_t work = run.path("main/time step/work");

  uint64_t changed(Change change, const std::vector<bool>& ranks = {}) {
    return Replay(run.model)
        .run(changed_gaps(run.model, work, change, ranks),
             call_costs(run.model, CallCost::kTypical))
        .ticks;
  }
};

TEST_F(ReplayOfChanges, BalancesTheTotals) {
  // 400 and 300 become 350: by 7/8 and 7/6.
  EXPECT_EQ(changed(Change::kStatic), 262U + 233U);
}
TEST_F(ReplayOfChanges, BalancesEachStep) { EXPECT_EQ(changed(Change::kStep), 200U + 150U); }
TEST_F(ReplayOfChanges, RemovesAPath) {
  EXPECT_EQ(changed(Change::kRemove), 0U);
  EXPECT_EQ(changed(Change::kRemove, {true, false}), 100U + 200U);
}

TEST(CallCosts, AreAtMostTheMedianOfTheFunction) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Isend");
  const Region wait = test.region("MPI_Wait");
  test.on(0).enter(0, main);
  uint64_t at = 10;
  for (const uint64_t ticks : {3, 50, 5}) {
    test.on(0).enter(at, send).leave(at + ticks, send);
    at += 100;
  }
  test.on(0).enter(at, wait).leave(at + 40, wait).leave(at + 50, main);
  const TestRun run(test.finish());
  const auto costs = call_costs(run.model, CallCost::kTypical);
  EXPECT_THAT(costs.span(), ElementsAre(3, 5, 5, 40));
}

}  // namespace
}  // namespace pathline::findings

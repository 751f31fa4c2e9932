// SPDX-License-Identifier: BSD-3-Clause
#include "findings/delay_costs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {

inline void PrintTo(const DelayCost& cost, std::ostream* out) {
  *out << "lane " << cost.lane << " path " << cost.path << ": " << cost.short_ticks << " + "
       << cost.long_ticks;
}

namespace {

using testing::ElementsAre;
using trace::Region;
using trace::TestTrace;

TEST(DelayCostsByHand, OfALateSenderAreWhatItDidLonger) {
  const TestRun run(late_sender_run());
  const DelayCosts costs = delay_costs(run.model, run.measured);
  EXPECT_THAT(costs.rows, ElementsAre(DelayCost{0, run.path("main"), 60, 0}));
  EXPECT_EQ(costs.wait_ticks, 60U);
}

TEST(DelayCostsByHand, OfAChainGoBackToItsBegin) {
  const TestRun run(chain_run());
  const DelayCosts costs = delay_costs(run.model, run.measured);
  EXPECT_THAT(costs.rows, ElementsAre(DelayCost{0, run.path("main"), 60, 60},
                                      DelayCost{1, run.path("main"), 20, 0}));
  EXPECT_EQ(costs.wait_ticks, 140U);
}

TEST(DelayCostsByHand, CountFromTheLastTimeThatBothWereTogether) {
  // Rank 1 is late at the second barrier because of b, though it had less of a before the first.
  TestTrace test(2);
  const Region a = test.region("a");
  const Region b = test.region("b");
  const Region barrier = test.region("MPI_Barrier");
  const uint64_t begin[2][2] = {{100, 80}, {200, 260}};
  const uint64_t end[] = {110, 270};
  for (uint32_t rank = 0; rank < 2; ++rank) {
    auto& on = test.on(rank);
    on.enter(0, a).leave(begin[0][rank], a).enter(begin[0][rank], barrier);
    on.collective(begin[0][rank], end[0], 0).leave(end[0], barrier);
    on.enter(end[0], b).leave(begin[1][rank], b).enter(begin[1][rank], barrier);
    on.collective(begin[1][rank], end[1], 0).leave(end[1], barrier);
  }
  const TestRun run(test.finish());
  EXPECT_THAT(delay_costs(run.model, run.measured).rows,
              ElementsAre(DelayCost{0, run.path("a"), 20, 0}, DelayCost{1, run.path("b"), 60, 0}));
}

TEST(DelayCostsByHand, OfCallsAreBlamedOnTheirOwnPath) {
  // Rank 0 is late because its first send took long.
  TestTrace test(2);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, main).enter(10, send).send(10, 1, 8).leave(80, send);
  test.on(0).enter(90, send).send(90, 1, 8).leave(91, send).leave(100, main);
  test.on(1).enter(0, main).enter(10, recv).recv(12, 0, 8).leave(12, recv);
  test.on(1).enter(20, recv).recv(92, 0, 8).leave(92, recv).leave(100, main);
  const TestRun run(test.finish());
  // From 0: main 20 against 18, the send 70 against nothing.
  const DelayCosts costs = delay_costs(run.model, run.measured);
  ASSERT_EQ(costs.wait_ticks, 70U);
  EXPECT_THAT(costs.rows, ElementsAre(DelayCost{0, run.path("main"), 1, 0},
                                      DelayCost{0, run.path("main/MPI_Send"), 69, 0}));
}

TEST(DelayCostsByHand, OfLongIntervalsAreThoseOfShortOnes) {
  // 1,000 calls that nobody waits in, then one that waits: more than the sums are apart.
  TestTrace test(2);
  const Region main = test.region("main");
  const Region work = test.region("work");
  const Region look = test.region("MPI_Get_count");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < 2; ++rank) {
    auto& on = test.on(rank);
    const uint64_t each = rank == 0 ? 10 : 7;
    on.enter(0, main);
    for (uint64_t i = 0; i < 1000; ++i) {
      const uint64_t at = 20 * i;
      on.enter(at + 1, work).leave(at + 1 + each, work);
      on.enter(at + 12, look).leave(at + 14, look);
    }
  }
  test.on(0).enter(30'000, send).send(30'000, 1, 8).leave(30'001, send).leave(40'000, main);
  test.on(1).enter(25'000, recv).recv(30'000, 0, 8).leave(30'000, recv).leave(40'000, main);
  const TestRun run(test.finish());
  const DelayCosts costs = delay_costs(run.model, run.measured);
  // Rank 0: work 10,000, main 18,000; rank 1: 7,000 and 16,000.
  EXPECT_THAT(costs.rows, ElementsAre(DelayCost{0, run.path("main"), 2000, 0},
                                      DelayCost{0, run.path("main/work"), 3000, 0}));
}

TEST(DelayCostsByHand, OfManyWaitsAreHandedOnByTheirLength) {
  // Rank 1 waits 100 times for rank 0, in turn 3 and 7 ticks, and makes rank 2 wait for all of it.
  TestTrace test(3);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  uint64_t at = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t wait = i % 2 == 0 ? 3 : 7;
    test.on(0).enter(at + wait, send).send(at + wait, 1, 8).leave(at + wait, send);
    test.on(1).enter(at, recv).recv(at + wait, 0, 8).leave(at + wait, recv);
    at += wait;
  }
  test.on(1).enter(at, send).send(at, 2, 8).leave(at, send).leave(at, main);
  test.on(2).enter(0, recv).recv(at, 1, 8).leave(at, recv).leave(at, main);
  test.on(0).leave(at, main);
  const TestRun run(test.finish());
  const DelayCosts costs = delay_costs(run.model, run.measured);
  EXPECT_THAT(costs.rows, ElementsAre(DelayCost{0, run.path("main"), 500, 500}));
  EXPECT_EQ(costs.wait_ticks, 1000U);
}

/// Rank 1 waits `before` times for rank 0 and meets rank 2, then waits 90 times for what rank 0
/// does in three functions, and makes rank 2 wait for that.
trace::Trace handed_on(int before) {
  TestTrace test(3);
  const Region main = test.region("main");
  const Region work[] = {test.region("a"), test.region("b"), test.region("c")};
  const Region earlier = test.region("earlier");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  uint64_t at = 0;
  const auto wait = [&](uint64_t ticks, Region of) {
    test.on(0).enter(at, of).leave(at + ticks, of);
    test.on(0).enter(at + ticks, send).send(at + ticks, 1, 8).leave(at + ticks, send);
    test.on(1).enter(at, recv).recv(at + ticks, 0, 8).leave(at + ticks, recv);
    at += ticks;
  };
  const auto meet = [&](uint64_t since) {
    test.on(1).enter(at, send).send(at, 2, 8).leave(at, send);
    test.on(2).enter(since, recv).recv(at, 1, 8).leave(at, recv);
  };
  for (int i = 0; i < before; ++i) wait(5, earlier);
  meet(at - std::min<uint64_t>(at, 1));
  const uint64_t met = at;
  for (uint64_t i = 0; i < 90; ++i) wait(1 + i * i % 7, work[i % 3]);
  meet(met + 101);
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).leave(at, main);
  return test.finish();
}

TEST(DelayCostsByHand, OfWhatIsHandedOnDoNotDependOnTheWaitsBefore) {
  const TestRun first(handed_on(0));
  const DelayCosts costs = delay_costs(first.model, first.measured);
  uint64_t long_ticks = 0;
  for (const DelayCost& row : costs.rows) long_ticks += row.long_ticks;
  EXPECT_EQ(long_ticks, 271U - 101U);
  for (const int before : {1, 3, 40, 200}) {
    const TestRun run(handed_on(before));
    DelayCosts others = delay_costs(run.model, run.measured);
    const uint32_t earlier = run.path("main/earlier");
    std::erase_if(others.rows, [&](const DelayCost& row) { return row.path == earlier; });
    EXPECT_EQ(others.rows, costs.rows) << before;
  }
}

}  // namespace
}  // namespace pathline::findings

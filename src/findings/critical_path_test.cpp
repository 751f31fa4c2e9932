// SPDX-License-Identifier: BSD-3-Clause
#include "findings/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {

inline void PrintTo(const CriticalSegment& segment, std::ostream* out) {
  *out << "lane " << segment.lane << " " << segment.begin_ticks << "-" << segment.end_ticks;
}
inline void PrintTo(const CriticalPart& part, std::ostream* out) {
  *out << "path " << part.path << " lane " << part.lane << " " << part.ticks;
}

namespace {

using testing::ElementsAre;
using trace::Region;
using trace::TestTrace;

TEST(CriticalPathByHand, StaysWithTheLowestRankWhereNobodyWaits) {
  const TestRun run(late_sender_run());
  const CriticalPath path = critical_path(run.model);
  EXPECT_THAT(path.segments, ElementsAre(CriticalSegment{0, 0, 200}));
  EXPECT_THAT(path.parts, ElementsAre(CriticalPart{run.path("main"), 0, 190},
                                      CriticalPart{run.path("main/MPI_Send"), 0, 10}));
}

TEST(CriticalPathByHand, GoesToWhoeverWasWaitedFor) {
  // As the chain, but rank 2 ends last: the others are in MPI_Finalize.
  TestTrace test(3);
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  const Region finalize = test.region("MPI_Finalize");
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  test.on(0).enter(100, send).send(100, 1, 8).leave(103, send);
  test.on(1).enter(40, recv).recv(104, 0, 8).leave(104, recv);
  test.on(1).enter(120, send).send(120, 2, 8).leave(121, send);
  test.on(2).enter(40, recv).recv(125, 1, 8).leave(125, recv);
  const uint64_t end[] = {110, 130, 140};
  for (uint32_t rank = 0; rank < 3; ++rank) {
    test.on(rank).enter(end[rank], finalize).leave(150, finalize).leave(150, main);
  }
  const TestRun run(test.finish());
  const CriticalPath path = critical_path(run.model);
  EXPECT_THAT(path.segments, ElementsAre(CriticalSegment{0, 0, 100}, CriticalSegment{1, 100, 120},
                                         CriticalSegment{2, 120, 140}));
  EXPECT_THAT(path.parts,
              testing::UnorderedElementsAre(CriticalPart{run.path("main"), 0, 100},
                                            CriticalPart{run.path("main"), 1, 16},
                                            CriticalPart{run.path("main"), 2, 15},
                                            CriticalPart{run.path("main/MPI_Recv"), 1, 4},
                                            CriticalPart{run.path("main/MPI_Recv"), 2, 5}));
  // main: 107 + 65 + 55 of all ranks, 131 on the path.
  const auto total = std::find_if(path.totals.begin(), path.totals.end(),
                                  [&](const auto& one) { return one.path == run.path("main"); });
  ASSERT_NE(total, path.totals.end());
  EXPECT_EQ(total->on_path_ticks, 131U);
  EXPECT_EQ(total->all_ticks, 107U + 65U + 55U);
  EXPECT_DOUBLE_EQ(total->imbalance_ticks(3), 131.0 - 227.0 / 3);
}

}  // namespace
}  // namespace pathline::findings

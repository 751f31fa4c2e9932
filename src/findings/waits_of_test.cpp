// SPDX-License-Identifier: BSD-3-Clause
#include "findings/waits_of.hpp"

#include <gtest/gtest.h>

#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

/// Rank 1 waits for rank 0 from 100 to 1000, then for some ticks from 2000 on; both end at 3000.
trace::Trace two_waits(uint64_t second_ticks) {
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region recv = test.region("MPI_Recv");
  const uint64_t second = 2000 + second_ticks;
  test.on(0).enter(0, main).enter(1000, send).send(1000, 1, 8).leave(1010, send);
  test.on(0).enter(second, send).send(second, 1, 8).leave(second + 10, send).leave(3000, main);
  test.on(1).enter(0, main).enter(100, recv).recv(1012, 0, 8).leave(1012, recv);
  test.on(1).enter(2000, recv).recv(second + 12, 0, 8).leave(second + 12, recv).leave(3000, main);
  return test.finish();
}

Window seen_late(uint64_t second_ticks) {
  const TestRun run(two_waits(second_ticks), 1);
  return waits_of(run.model, {true, false}, Window{1500, 3000}).seen;
}

TEST(WaitsOf, AreShownInThePlaceThatIsAskedFor) {
  const Window seen = seen_late(300);
  EXPECT_EQ(seen.begin_ticks, 2000U - 150U);
  EXPECT_EQ(seen.end_ticks, 2300U + 150U);
}

TEST(WaitsOf, AreShownElsewhereIfThereAreOnlyShortOnes) {
  // As in the last step of a time that is judged, which ends before those who wait there do.
  const Window seen = seen_late(4);
  EXPECT_EQ(seen.begin_ticks, 0U);
  EXPECT_EQ(seen.end_ticks, 1000U + 450U);
}

}  // namespace
}  // namespace pathline::findings

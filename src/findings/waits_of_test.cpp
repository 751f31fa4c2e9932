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

/// Ranks 1 and 2 wait for rank 0, which was in `other` and, until 300, in `work`: the second one
/// longer, but it was in `work` as long as rank 0.
trace::Trace two_who_wait() {
  trace::TestTrace test(3);
  const trace::Region main = test.region("main");
  const trace::Region other = test.region("other");
  const trace::Region work = test.region("work");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, main).enter(50, work).leave(300, work).enter(300, other).leave(900, other);
  test.on(0).enter(900, send).send(900, 1, 8).leave(910, send);
  test.on(0).enter(910, send).send(910, 2, 8).leave(920, send).leave(2000, main);
  test.on(1).enter(0, main).enter(50, work).leave(100, work).enter(700, recv).recv(912, 0, 8);
  test.on(1).leave(912, recv).leave(2000, main);
  test.on(2).enter(0, main).enter(50, work).leave(300, work).enter(500, recv).recv(922, 0, 8);
  test.on(2).leave(922, recv).leave(2000, main);
  return test.finish();
}

TEST(WaitsOf, AreShownWithWhatTheCauseHadMoreOf) {
  const TestRun run(two_who_wait(), 1);
  const auto seen = [&](const AtPaths& to_blame) {
    return waits_of(run.model, {true, false, false}, {}, to_blame).seen;
  };
  const Window longest = {500 - 205, 910 + 205};
  EXPECT_EQ(seen({}), longest);
  const uint32_t work = run.path("main/work");
  EXPECT_EQ(seen({{work}, {250, 50, 250}}), (Window{50, 900 + 100}));
  // Nobody waits for what rank 0 has less of than others; and what it has is not in the time.
  EXPECT_EQ(seen({{work}, {250, 300, 300}}), longest);
  const WaitsOf late =
      waits_of(run.model, {true, false, false}, Window{400, 2000}, {{work}, {250, 50, 250}});
  EXPECT_EQ(late.seen, (Window{700 - 100, 900 + 100}));
}

}  // namespace
}  // namespace pathline::findings

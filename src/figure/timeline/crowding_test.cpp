// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/crowding.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

/// `count` messages from rank 0 to the last, each on its way for `flight` of `span` ticks.
trace::Trace messages_of(uint32_t ranks, uint64_t count, uint64_t span, uint64_t flight) {
  trace::TestTrace test(ranks);
  const trace::Region main = test.region("main");
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).enter(0, main);
  for (uint64_t i = 0; i < count; ++i) {
    test.on(0).send(i * span / count, ranks - 1, 8);
    test.on(ranks - 1).recv(i * span / count + flight, 0, 8);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).leave(span + flight, main);
  return test.finish();
}

TEST(Crowding, IsHowManyLinesShareThePlaceOfOne) {
  base::ThreadPool pool(1);
  // 10,000 upright lines over the whole height: 4 px of 1000 hold 40 of them.
  const trace::Trace trace = messages_of(4, 10'000, 100'000'000, 10);
  const Crowding crowding(trace, choose_rows(trace, {}), pool);
  EXPECT_NEAR(crowding.at(100'000'000, 1000, 500), 40, 2);
  EXPECT_NEAR(crowding.at(10'000'000, 1000, 500), 4, 0.3);
  EXPECT_NEAR(crowding.at(2'500'000, 1000, 500), 1, 0.3);
  // About one in each 4 px: 250 lines.
  EXPECT_GE(crowding.lines_window_ticks(1000, 500), 1'250'000U);
  EXPECT_LE(crowding.lines_window_ticks(1000, 500), 3'000'000U);
}

TEST(Crowding, GrowsWithTheTimeShown) {
  base::ThreadPool pool(2);
  const trace::Trace trace = messages_of(16, 5'000, 1'000'000, 3'000);
  const Crowding crowding(trace, choose_rows(trace, {}), pool);
  double before = 0;
  for (uint64_t window = 100; window <= 1'000'000; window *= 3) {
    const double now = crowding.at(window, 1200, 600);
    EXPECT_GE(now, before - 1e-9) << window;
    before = now;
  }
}

TEST(Crowding, NeverHasRoomForThousandsThatAreUnderWayAtOnce) {
  base::ThreadPool pool(1);
  const trace::Trace trace = messages_of(4, 10'000, 1'000'000, 900'000);
  const Crowding crowding(trace, choose_rows(trace, {}), pool);
  EXPECT_EQ(crowding.lines_window_ticks(1000, 500), 0U);
}

TEST(Crowding, IsTheSameForAnyNumberOfThreads) {
  base::ThreadPool one(1);
  base::ThreadPool four(4);
  const trace::Trace trace = messages_of(8, 3'000, 777'777, 50);
  const Rows rows = choose_rows(trace, {});
  EXPECT_EQ(Crowding(trace, rows, one).at(5'000, 900, 300),
            Crowding(trace, rows, four).at(5'000, 900, 300));
}

}  // namespace
}  // namespace pathline::figure

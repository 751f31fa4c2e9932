// SPDX-License-Identifier: BSD-3-Clause
#include "app/message_summary.hpp"

#include <gtest/gtest.h>

#include "summary/reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::TestTrace;

TEST(MessageSummary, PutsTogetherSimilarSizes) {
  TestTrace test(2);
  const trace::Region main = test.region("main");
  test.on(0).enter(0, main);
  test.on(1).enter(0, main);
  uint64_t time = 10;
  for (const uint64_t bytes : {0, 1, 7, 8, 63, 64, 4096}) {
    test.on(0).send(time, 1, bytes);
    test.on(1).recv(time + 5, 0, bytes);
    time += 10;
  }
  test.on(0).leave(1000, main);
  test.on(1).leave(1000, main);
  const MessageSummary summary = message_summary(test.finish(), {});
  ASSERT_EQ(summary.classes.size(), 5U);
  EXPECT_EQ(summary.classes[0].max_bytes, 0U);
  EXPECT_EQ(summary.classes[1].min_bytes, 1U);
  EXPECT_EQ(summary.classes[1].max_bytes, 7U);
  EXPECT_EQ(summary.classes[1].count, 2U);
  EXPECT_EQ(summary.classes[2].bytes, 71U);
  EXPECT_EQ(summary.classes[4].count, 1U);
  EXPECT_DOUBLE_EQ(summary.classes[4].mean_s, 5e-9);
  EXPECT_DOUBLE_EQ(summary.seconds, 1e-6);
  EXPECT_TRUE(summary.tiny.empty());
}

TEST(MessageSummary, CountsAnOperationOnceWithTheBytesOfAll) {
  TestTrace test(3);
  const trace::Region call = test.region("MPI_Allreduce");
  for (const uint32_t rank : {0, 1, 2}) {
    test.on(rank).enter(0, call).collective(0, 10, 11, 8, 8).leave(10, call);
    test.on(rank).enter(20, call).collective(20, 40, 11, 16, 16).leave(40, call);
    test.on(rank).enter(50, call).collective(50, 55, 0).leave(55, call);
  }
  const MessageSummary summary = message_summary(test.finish(), {});
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_EQ(summary.classes[0].kind, "MPI_Barrier");
  EXPECT_EQ(summary.classes[1].kind, "MPI_Allreduce");
  EXPECT_EQ(summary.classes[1].count, 2U);
  EXPECT_EQ(summary.classes[1].bytes, 72U);
  EXPECT_EQ(summary.classes[1].min_bytes, 8U);
  EXPECT_EQ(summary.classes[1].max_bytes, 16U);
  EXPECT_DOUBLE_EQ(summary.classes[1].mean_s, 15e-9);
}

TEST(MessageSummary, NamesPairsWithManyTinyMessages) {
  TestTrace test(3);
  const trace::Region main = test.region("main");
  for (const uint32_t rank : {0, 1, 2}) test.on(rank).enter(0, main);
  for (uint64_t i = 0; i < 1200; ++i) {
    test.on(0).send(10 + i, 1, 8);
    test.on(1).recv(11 + i, 0, 8);
    if (i % 2 == 0) continue;
    test.on(0).send(10 + i, 2, 8);
    test.on(2).recv(11 + i, 0, 8);
  }
  for (const uint32_t rank : {0, 1, 2}) test.on(rank).leave(5000, main);
  const MessageSummary summary = message_summary(test.finish(), {});
  ASSERT_EQ(summary.tiny.size(), 1U);
  EXPECT_EQ(summary.tiny[0].receiver, 1U);
  EXPECT_EQ(summary.tiny[0].count, 1200U);
  EXPECT_EQ(summary.tiny[0].bytes, 9600U);
}

TEST(MessageSummary, OfASummaryIsThatOfItsRun) {
  TestTrace test(3);
  const trace::Region main = test.region("main");
  const trace::Region call = test.region("MPI_Bcast");
  for (const uint32_t rank : {0, 1, 2}) test.on(rank).enter(0, main);
  for (uint64_t i = 0; i < 1200; ++i) {
    test.on(0).send(10 + i, 1, 8);
    test.on(1).recv(11 + i, 0, 8);
  }
  for (const uint32_t rank : {0, 1, 2}) {
    test.on(rank).enter(2000, call).collective(2000, 2100 + rank, 1, 8, 8).leave(2200, call);
    test.on(rank).leave(5000, main);
  }
  trace::Trace trace = test.finish();
  const MessageSummary expected = message_summary(trace, {});
  base::ThreadPool pool(1);
  const summary::RunSummary reduced = summary::reduce(std::move(trace), pool);
  const MessageSummary summary = message_summary(reduced, reduced.run);
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_EQ(summary.classes[1].kind, "MPI_Bcast");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(summary.classes[i].bytes, expected.classes[i].bytes);
    EXPECT_EQ(summary.classes[i].mean_s, expected.classes[i].mean_s);
  }
  ASSERT_EQ(summary.tiny.size(), 1U);
  EXPECT_EQ(summary.tiny[0].count, 1200U);
  EXPECT_EQ(summary.seconds, expected.seconds);
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::profile {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::Region;

std::vector<double> row(const MetricTable& table, size_t metric, size_t call_path) {
  const double* values = table.row(metric, call_path);
  return {values, values + table.location_count};
}

TEST(MetricTable, NamesCallPathsFromTheirRoot) {
  MetricTable table;
  table.call_paths = {{.parent = MetricNode::kNoParent, .region = "main"},
                      {.parent = 0, .region = "solve"},
                      {.parent = 1, .region = "MPI_Allreduce"},
                      {.parent = 0, .region = "solve"},
                      {.parent = MetricNode::kNoParent, .region = "thread"}};
  EXPECT_THAT(path_names(table), ElementsAre("main", "main->solve", "main->solve->MPI_Allreduce",
                                             "main->solve", "thread"));
  EXPECT_THAT(path_names({}), IsEmpty());
}

TEST(MetricTable, OfATraceHasTheLocationsThatMakeCalls) {
  trace::TestTrace test(3);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  test.on(0).enter(0, main).enter(2'000'000'000, solve).leave(3'000'000'000, solve);
  test.on(0).leave(3'500'000'000, main);
  test.on(2).enter(0, main).enter(1'000'000'000, solve).leave(1'250'000'000, solve);
  test.on(2).enter(2'000'000'000, solve).leave(2'250'000'000, solve).leave(3'000'000'000, main);
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);

  const MetricTable table = metric_table(trace, from_trace(trace, {}, pool));
  ASSERT_EQ(table.metrics.size(), 4U);
  EXPECT_EQ(table.metrics[0].name, "time");
  EXPECT_EQ(table.metrics[0].unit, "sec");
  EXPECT_EQ(table.metrics[1].name, "visits");
  EXPECT_EQ(table.metrics[1].unit, "occ");
  EXPECT_EQ(table.location_count, 2U);
  EXPECT_THAT(path_names(table), ElementsAre("main", "main->solve"));
  // One tick is a nanosecond. Rank 0 is 3.5 s in main, 1 of it in solve; rank 2: 3 s, 2 x 0.25.
  EXPECT_THAT(row(table, 0, 0), ElementsAre(2.5, 2.5));
  EXPECT_THAT(row(table, 0, 1), ElementsAre(1.0, 0.5));
  EXPECT_THAT(row(table, 1, 0), ElementsAre(1, 1));
  EXPECT_THAT(row(table, 1, 1), ElementsAre(1, 2));
}

TEST(MetricTable, OfATraceWithoutCallsIsEmpty) {
  const trace::Trace trace = trace::TestTrace(2).finish();
  base::ThreadPool pool(1);
  const MetricTable table = metric_table(trace, from_trace(trace, {}, pool));
  EXPECT_EQ(table.location_count, 0U);
  EXPECT_THAT(table.call_paths, IsEmpty());
  EXPECT_THAT(table.values, Each(IsEmpty()));
}

TEST(MetricTable, BytesBelongToTheCallThatMovedThem) {
  trace::TestTrace test(2);
  const Region send = test.region("MPI_Send");
  const Region receive = test.region("MPI_Recv");
  const Region reduce = test.region("MPI_Allreduce");
  test.on(0).enter(0, send).send(1, 1, 1'000).send(2, 1, 24).leave(3, send);
  test.on(0).enter(4, reduce).collective(5, 6, 11, 8, 16).leave(7, reduce);
  test.on(1).enter(0, receive).recv(2, 0, 1'000).recv(3, 0, 24).leave(4, receive);
  test.on(1).enter(5, reduce).collective(5, 6, 11, 8, 16).leave(7, reduce);
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);

  const MetricTable table = metric_table(trace, from_trace(trace, {}, pool));
  ASSERT_EQ(table.metrics[2].name, "bytes_sent");
  ASSERT_EQ(table.metrics[3].name, "bytes_received");
  EXPECT_THAT(path_names(table), ElementsAre("MPI_Send", "MPI_Allreduce", "MPI_Recv"));
  EXPECT_THAT(row(table, 2, 0), ElementsAre(1'024, 0));
  EXPECT_THAT(row(table, 2, 1), ElementsAre(8, 8));
  EXPECT_THAT(row(table, 2, 2), ElementsAre(0, 0));
  EXPECT_THAT(row(table, 3, 0), ElementsAre(0, 0));
  EXPECT_THAT(row(table, 3, 1), ElementsAre(16, 16));
  EXPECT_THAT(row(table, 3, 2), ElementsAre(0, 1'024));
}

}  // namespace
}  // namespace pathline::profile

// SPDX-License-Identifier: BSD-3-Clause
#include "app/call_path_matrix.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::TestTrace;

TEST(CallPathMatrix, AddsUpWhatEachCallPathSends) {
  TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region halo = test.region("halo");
  const trace::Region send = test.region("MPI_Send");
  test.on(0).enter(0, main).enter(5, halo).enter(10, send).send(10, 1, 100).leave(12, send);
  test.on(0).enter(20, send).send(20, 1, 200).leave(25, send).leave(26, halo);
  // Nobody receives the second of these.
  test.on(0).enter(30, send).send(30, 1, 50, 7).leave(31, send);
  test.on(0).enter(40, send).send(40, 1, 60, 8).leave(41, send);
  test.on(0).leave(50, main).send(60, 1, 1, 9);
  test.on(1).recv(15, 0, 100).recv(29, 0, 200).recv(33, 0, 50, 7).recv(70, 0, 1, 9);
  const trace::Trace trace = test.finish();
  for (const unsigned threads : {1U, 3U}) {
    base::ThreadPool pool(threads);
    const auto rows = call_path_matrix(trace, {}, {}, pool);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].call_path, "main->halo->MPI_Send");
    EXPECT_EQ(rows[0].messages, 2U);
    EXPECT_EQ(rows[0].bytes, 300U);
    EXPECT_DOUBLE_EQ(rows[0].min_s, 5e-9);
    EXPECT_DOUBLE_EQ(rows[0].mean_s, 7e-9);
    EXPECT_DOUBLE_EQ(rows[0].max_s, 9e-9);
    EXPECT_EQ(rows[1].call_path, "main->MPI_Send");
    EXPECT_EQ(rows[1].bytes, 50U);
    EXPECT_EQ(rows[2].call_path, "");
    EXPECT_EQ(rows[2].messages, 1U);
  }
  base::ThreadPool pool(1);
  const auto early = call_path_matrix(trace, {.until_ticks = 15}, {}, pool);
  ASSERT_EQ(early.size(), 1U);
  EXPECT_EQ(early[0].bytes, 100U);
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/rank_rows.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::Region;
using trace::TestTrace;

TEST(WorkRows, TellComputingFromMpiAndWaiting) {
  TestTrace test(4);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  const Region barrier = test.region("MPI_Barrier");
  const Region file = test.region("MPI_File_write", trace::RegionRole::kFileIo);
  const Region inner = test.region("progress");
  // Rank 2 computes for 700 ns, the others for 300; all leave the barrier at 800.
  for (const uint32_t rank : {0, 1, 2, 3}) {
    const uint64_t until = rank == 2 ? 700 : 300;
    test.on(rank).enter(0, main).enter(10, solve).leave(until, solve).enter(until, barrier);
    test.on(rank).enter(until + 10, inner).leave(until + 20, inner);  // Inside MPI: a part of it.
    test.on(rank).collective(until, 800, 0).leave(800, barrier);
    test.on(rank).enter(800, file).leave(850, file).leave(860, main);
  }
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);
  const trace::Selection selection;
  const auto profile = profile::from_trace(trace, selection, pool);
  const std::vector<WorkRow> rows =
      work_by_rank(trace, profile, comm::waits(trace, selection, pool));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_DOUBLE_EQ(rows[0].compute_s, 310e-9);
  EXPECT_DOUBLE_EQ(rows[0].mpi_s, 500e-9);
  EXPECT_DOUBLE_EQ(rows[0].wait_s, 400e-9);
  EXPECT_DOUBLE_EQ(rows[0].io_s, 50e-9);
  EXPECT_DOUBLE_EQ(rows[2].compute_s, 710e-9);
  EXPECT_DOUBLE_EQ(rows[2].wait_s, 0);
  for (const WorkRow& row : rows) EXPECT_EQ(row.stands_out, row.rank == 2) << row.rank;

  const std::vector<WorkRow> hosts = work_by_host(rows);
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].host, "n0");
  EXPECT_EQ(hosts[0].ranks, 4U);
  EXPECT_DOUBLE_EQ(hosts[0].compute_s, 3 * 310e-9 + 710e-9);
  EXPECT_FALSE(hosts[0].stands_out);
}

}  // namespace
}  // namespace pathline::app

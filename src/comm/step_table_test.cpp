// SPDX-License-Identifier: BSD-3-Clause
#include "comm/step_table.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/summary.hpp"
#include "trace/outer_calls.hpp"
#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using steps::Counters;
using testing::IsEmpty;
using testing::SizeIs;
using trace::EventKind;
using trace::Region;
using trace::RegionRole;
using trace::TestTrace;

steps::Table table_of(const trace::Trace& trace, const trace::Selection& selection = {}) {
  base::ThreadPool pool(2);
  return step_table(trace, trace::marked_steps(trace), selection, pool);
}

TEST(StepTable, HoldsTimeAndTrafficOfEachStepAndRank) {
  TestTrace test(2);
  const Region step = test.region("time step");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  const Region write = test.region("MPI_File_write", RegionRole::kFileIo);
  test.on(0).enter(10, step).enter(12, send).send(13, 1, 100).leave(15, send).leave(20, step);
  test.on(0).enter(20, step).enter(22, write).leave(28, write).leave(30, step);
  test.on(1).enter(10, step).leave(20, step).enter(20, step);
  test.on(1).enter(21, recv).recv(25, 0, 100).leave(26, recv).leave(30, step);
  const steps::Table table = table_of(test.finish());
  ASSERT_THAT(table.rows, SizeIs(4));
  const Counters expected[] = {{.mpi_ticks = 3, .sent_messages = 1, .sent_bytes = 100},
                               {},
                               {.io_ticks = 6},
                               {.mpi_ticks = 5, .received_messages = 1, .received_bytes = 100}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(table.rows[i].step, i / 2);
    EXPECT_EQ(table.rows[i].rank, i % 2);
    EXPECT_EQ(table.rows[i].begin_ticks, i / 2 == 0 ? 10U : 20U);
    EXPECT_TRUE(table.rows[i].counters == expected[i]) << i;
  }
}

TEST(StepTable, GivesTheInstantBetweenTwoStepsToTheLaterOne) {
  TestTrace test(2);
  const Region step = test.region("time step");
  test.on(0).enter(10, step).leave(20, step).enter(20, step).send(20, 1, 8).leave(30, step);
  test.on(0).send(30, 1, 8);
  test.on(1).recv(40, 0, 8).recv(41, 0, 8);
  const steps::Table table = table_of(test.finish());
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].counters.sent_messages, 0U);
  EXPECT_EQ(table.rows[1].counters.sent_messages, 2U);
  EXPECT_EQ(table.outside[1].received_messages, 2U);
}

TEST(StepTable, SharesACallOutAmongTheStepsThatItTouches) {
  TestTrace test(1);
  const Region call = test.region("MPI_Barrier");
  test.on(0).enter(5, call).leave(45, call);
  const trace::Trace trace = test.finish();
  base::ThreadPool pool(1);
  const auto table = step_table(trace, {{{0, 10, 20}, {1, 20, 30}, {2, 40, 60}}}, {}, pool);
  EXPECT_EQ(table.rows[0].counters.mpi_ticks, 10U);
  EXPECT_EQ(table.rows[1].counters.mpi_ticks, 10U);
  EXPECT_EQ(table.rows[2].counters.mpi_ticks, 5U);
  EXPECT_EQ(table.outside[0].mpi_ticks, 15U);
}

TEST(StepTable, CountsAStepInsideAnotherAsPartOfIt) {
  TestTrace test(1);
  const Region step = test.region("time step");
  test.on(0).enter(1, step).enter(2, step).leave(3, step).leave(8, step).enter(9, step);
  test.on(0).leave(12, step);
  const steps::Table table = table_of(test.finish());
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].end_ticks, 8U);
  EXPECT_EQ(table.rows[1].begin_ticks, 9U);
}

TEST(StepTable, SelectsWholeStepsByTheirBeginAndRanks) {
  TestTrace test(2);
  const Region step = test.region("time step");
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint64_t t = 0; t < 50; t += 10) test.on(rank).enter(t, step).leave(t + 10, step);
  }
  const trace::Trace trace = test.finish();
  const auto table = table_of(trace, {.from_ticks = 15, .until_ticks = 40, .ranks = {false, true}});
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].begin_ticks, 20U);
  EXPECT_EQ(table.rows[0].end_ticks, 30U);
  EXPECT_EQ(table.rows[0].rank, 1U);
  EXPECT_THAT(table_of(TestTrace(2).finish()).rows, IsEmpty());
}

/// A program of random calls, messages and transfers in and between steps of random length.
trace::Trace random_program(uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t rank_count = 2 + seed % 3;
  TestTrace test(rank_count, 2);
  const Region step = test.region("time step");
  const Region call = test.region("MPI_Something");
  const Region read = test.region("read", RegionRole::kFileIo);
  std::vector<uint64_t> clock(rank_count, 100);
  const auto number = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const auto at = [&](uint32_t rank) { return clock[rank] += number(3); };
  const auto one = [&](uint32_t rank) {
    const uint32_t peer = number(rank_count);
    const Region region = number(2) == 0 ? call : read;
    auto& thread = test.on(rank, number(2));
    thread.enter(at(rank), region);
    if (number(2) == 0) thread.send(at(rank), peer, number(1000));
    if (number(4) == 0) thread.recv(at(rank), peer, 0);
    const uint32_t handle = number(3);
    thread.add(EventKind::kIoOperationBegin, at(rank), {handle, number(3), 0, 0, 0, 5, 0});
    thread.add(EventKind::kIoOperationComplete, at(rank), {handle, number(90), 0, 5, 0});
    thread.leave(at(rank), region);
  };
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    for (uint32_t i = 0; i < 25; ++i) {
      const bool marked = number(4) > 0;
      if (marked) test.on(rank).enter(at(rank), step);
      for (uint32_t n = number(5); n > 0; --n) one(rank);
      if (marked) test.on(rank).leave(at(rank), step);
      for (uint32_t n = number(2); n > 0; --n) one(rank);
    }
  }
  return test.finish();
}

TEST(StepTable, AddsUpToTheWholeRun) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const trace::Trace trace = random_program(seed);
    const steps::Table table = table_of(trace);
    Counters sum;
    for (const steps::Row& row : table.rows) {
      sum += row.counters;
      EXPECT_LE(row.begin_ticks, row.end_ticks);
    }
    for (const Counters& counters : table.outside) sum += counters;
    base::ThreadPool pool(2);
    const Summary summary = summarise(trace, pool);
    Counters whole;
    whole.sent_messages = whole.received_messages = trace.messages.size();
    whole.sent_bytes = whole.received_bytes = summary.message_bytes;
    whole.read_bytes = summary.io_bytes_read;
    whole.written_bytes = summary.io_bytes_written;
    const auto classes = trace::call_classes(trace.definitions);
    for (const trace::Location& location : trace.locations) {
      trace::for_each_outer_call(
          location.events,
          [&](Region region) { return classes[region] != trace::CallClass::kOther; },
          [&](trace::CallEvents call) {
            const bool io =
                classes[location.events.region(call.enter)] == trace::CallClass::kFileIo;
            (io ? whole.io_ticks : whole.mpi_ticks) +=
                location.events.ticks[call.leave] - location.events.ticks[call.enter];
          });
    }
    EXPECT_GT(whole.sent_messages, 0U);
    EXPECT_GT(whole.read_bytes, 0U);
    EXPECT_TRUE(sum == whole);
  }
}

}  // namespace
}  // namespace pathline::comm

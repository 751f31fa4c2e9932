// SPDX-License-Identifier: BSD-3-Clause
#include "comm/summary.hpp"

#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;
using trace::TestTrace;

uint64_t count_of(const Summary& summary, EventKind kind) {
  return summary.events_by_kind[static_cast<size_t>(kind)];
}

Summary summary_of(const trace::Trace& trace) {
  base::ThreadPool pool(2);
  return summarise(trace, pool);
}

TEST(Summary, CountsEventsByKind) {
  TestTrace test(2);
  const trace::Region main = test.region("main");
  test.on(0).enter(1, main).send(2, 1, 100).send(3, 1, 23).leave(4, main);
  test.on(1).enter(1, main).recv(5, 0, 100).recv(6, 0, 23).leave(7, main).leave(8, main);
  const Summary summary = summary_of(test.finish());
  EXPECT_EQ(summary.events, 9U);
  EXPECT_EQ(count_of(summary, EventKind::kEnter), 2U);
  EXPECT_EQ(count_of(summary, EventKind::kLeave), 3U) << "one of them has no enter";
  EXPECT_EQ(count_of(summary, EventKind::kUnmatchedLeave), 0U);
  EXPECT_EQ(count_of(summary, EventKind::kMpiSend), 2U);
  EXPECT_EQ(count_of(summary, EventKind::kMpiRecv), 2U);
  EXPECT_EQ(
      std::accumulate(summary.events_by_kind.begin(), summary.events_by_kind.end(), uint64_t{0}),
      summary.events);
  EXPECT_EQ(summary.message_bytes, 123U);
}

TEST(Summary, CountsNothingInAnEmptyTrace) {
  const Summary summary = summary_of(trace::Trace());
  EXPECT_EQ(summary.events, 0U);
  EXPECT_EQ(summary.hosts, 0U);
  EXPECT_EQ(summary.cpu_threads, 0U);
  EXPECT_EQ(summary.streams, 0U);
  EXPECT_EQ(summary.communicators, 0U);
  EXPECT_EQ(summary.marked_steps, 0U);
}

TEST(Summary, KnowsWhenMpiBeganAndEnded) {
  TestTrace test(2);
  const trace::Region init = test.region("MPI_Init");
  const trace::Region finalize = test.region("MPI_Finalize");
  test.on(0).enter(1, init).leave(5, init).enter(20, finalize).leave(30, finalize);
  test.on(1).enter(1, init).leave(4, init).enter(22, finalize);
  test.on(1).collective(24, 30, 0).leave(30, finalize);
  const Summary summary = summary_of(test.finish());
  EXPECT_EQ(summary.init_end_ticks, 5U);
  EXPECT_EQ(summary.finalize_begin_ticks, 24U) << "its call begins with the operation";
}

TEST(Summary, CountsRegionsThatSomebodyEnteredOnce) {
  TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region solve = test.region("solve");
  test.region("never called");
  test.region("sampled");
  test.define(trace::DefinitionKind::kCallingContext,
              {80, TestTrace::kFirstRegion + 3, trace::kUndefined, trace::kUndefined});
  test.on(0).enter(1, main).enter(2, solve).leave(3, solve).leave(4, main);
  test.on(1).enter(1, main).leave(4, main);
  test.on(1).add(EventKind::kCallingContextEnter, 5, {80, 1});
  test.on(1).add(EventKind::kCallingContextEnter, 6, {99, 1});  // Not defined.
  EXPECT_EQ(summary_of(test.finish()).regions_visited, 3U);
}

TEST(Summary, CountsCommunicatorsOfMpiOnly) {
  TestTrace test(4);  // Has MPI_COMM_WORLD.
  test.self_communicator();
  test.communicator({0, 1});
  test.inter_communicator({0, 1}, {2, 3});
  const auto define_of = [&](uint32_t id, uint8_t paradigm) {
    test.define(trace::DefinitionKind::kGroup,
                {id, trace::kUndefined, static_cast<uint32_t>(trace::GroupType::kCommGroup),
                 paradigm, 0, 1, 0, 0});
    test.define(trace::DefinitionKind::kComm, {id, trace::kUndefined, id, trace::kUndefined, 0});
  };
  define_of(900, trace::kParadigmMeasurementSystem);
  define_of(901, /*OpenMP*/ 3);
  test.define(trace::DefinitionKind::kComm,
              {902, trace::kUndefined, /*no such group*/ 999, trace::kUndefined, 0});
  EXPECT_EQ(summary_of(test.finish()).communicators, 4U);
}

TEST(Summary, CountsHostsAndThreads) {
  TestTrace test(3, 2);  // All on one node.
  test.define(trace::DefinitionKind::kLocationGroup,
              {900, trace::kUndefined, 1, /*another node*/ 41, trace::kUndefined});
  test.define(trace::DefinitionKind::kLocationGroup,
              {901, trace::kUndefined, /*accelerator*/ 2, 42, 900});
  test.define(trace::DefinitionKind::kLocationGroup,
              {902, trace::kUndefined, 1, trace::kUndefined, trace::kUndefined});
  trace::Trace trace = test.finish();
  trace.locations[4].type = trace::LocationType::kAcceleratorStream;
  trace.locations[5].type = trace::LocationType::kMetric;
  const Summary summary = summary_of(trace);
  EXPECT_EQ(summary.hosts, 2U);
  EXPECT_EQ(summary.cpu_threads, 4U);
  EXPECT_EQ(summary.streams, 1U);
}

class SummaryOfIo : public ::testing::Test {
 protected:
  static constexpr uint32_t kRead = 0;
  static constexpr uint32_t kWrite = 1;
  static constexpr uint32_t kUnknown = UINT32_MAX;  // In both words: a size not known.

  void begin(uint64_t ticks, uint32_t handle, uint32_t mode, uint32_t id) {
    test.on(0).add(EventKind::kIoOperationBegin, ticks, {handle, mode, 0, 1000, 0, id, 0});
  }
  void complete(uint64_t ticks, uint32_t handle, uint32_t bytes, uint32_t id) {
    test.on(0).add(EventKind::kIoOperationComplete, ticks,
                   {handle, bytes, bytes == kUnknown ? kUnknown : 0, id, 0});
  }
  TestTrace test{1};
};

TEST_F(SummaryOfIo, CountsTheBytesThatWereReallyMoved) {
  begin(1, 3, kRead, 1);
  complete(2, 3, 10, 1);
  begin(3, 3, kWrite, 1);
  complete(4, 3, 200, 1);
  begin(5, 3, /*flush*/ 2, 1);
  complete(6, 3, 4000, 1);
  begin(7, 3, kWrite, 1);
  complete(8, 3, kUnknown, 1);
  begin(9, 3, kWrite, 1);  // Never completed.
  const Summary summary = summary_of(test.finish());
  EXPECT_EQ(summary.io_operations, 5U);
  EXPECT_EQ(summary.io_bytes_read, 10U);
  EXPECT_EQ(summary.io_bytes_written, 200U);
}

TEST_F(SummaryOfIo, TellsHandlesAndOperationsApart) {
  begin(1, 3, kRead, 1);
  begin(2, 4, kWrite, 1);
  begin(3, 3, kWrite, 2);
  complete(4, 3, 10, 1);
  complete(5, 3, 200, 2);
  complete(6, 4, 3000, 1);
  complete(7, 5, 40'000, 1);  // Nothing began on this handle.
  complete(8, 4, 40'000, 1);  // Nothing is left to complete.
  const Summary summary = summary_of(test.finish());
  EXPECT_EQ(summary.io_bytes_read, 10U);
  EXPECT_EQ(summary.io_bytes_written, 3200U);
}

TEST_F(SummaryOfIo, CompletesTheLatestOperationWhenAnIdIsUsedTwice) {
  begin(1, 3, kWrite, 1);  // Fprintf writes ...
  begin(2, 3, kRead, 1);   // ... and something inside it reads with the same id.
  complete(3, 3, 10, 1);
  complete(4, 3, 200, 1);
  const Summary summary = summary_of(test.finish());
  EXPECT_EQ(summary.io_bytes_read, 10U);
  EXPECT_EQ(summary.io_bytes_written, 200U);
}

TEST(Summary, CountsTheStepsOfTheRankThatMarkedMost) {
  TestTrace test(2);
  const trace::Region step = test.region("time step");
  test.on(0).enter(1, step).leave(2, step);
  test.on(1).enter(1, step).leave(2, step).enter(3, step).leave(4, step);
  EXPECT_EQ(summary_of(test.finish()).marked_steps, 2U);
}

}  // namespace
}  // namespace pathline::comm

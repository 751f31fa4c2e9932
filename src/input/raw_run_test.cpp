// SPDX-License-Identifier: BSD-3-Clause
//
// Raw files as the recorder writes them, and the traces they become.
#include "input/raw_run.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "input/input.hpp"
#include "input/test_raw.hpp"
#include "otf2/writer.hpp"
#include "trace/calls.hpp"

namespace pathline::input {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Kind = chunk::RecordKind;
using trace::EventKind;

constexpr uint64_t kMain = 1;
constexpr uint64_t kSendRegion = 2;
constexpr uint64_t kRecvRegion = 3;
constexpr uint64_t kWorld = 5;
constexpr uint8_t kMpi = 4;

class RawRunTest : public ::testing::Test {
 protected:
  base::ScratchFolder folder_;
  unsigned threads_ = 1;

  RawRun read() {
    base::ThreadPool pool(threads_);
    base::Progress progress;
    auto run = read_raw_run(raw_files(folder_.path()), pool, progress);
    EXPECT_TRUE(run.ok()) << run.error().message;
    return std::move(run).value();
  }

  RawProcessWriter process(RawProcessWriter::Options options) {
    RawProcessWriter writer(folder_.path(), options);
    writer.region(kMain, "main").region(kSendRegion, "MPI_Send", 28, kMpi);
    writer.region(kRecvRegion, "MPI_Recv", 28, kMpi);
    writer.world(kWorld, options.rank, options.rank_count);
    // 2 ticks a nanosecond: tick 0 is 1 s of CLOCK_MONOTONIC.
    writer.clock_pair(0, kZero, kWall).clock_pair(2'000'000, kZero + 1'000'000, kWall + 1'000'000);
    return writer;
  }
  static constexpr uint64_t kZero = 1'000'000'000;
  static constexpr uint64_t kWall = 1'790'000'000'000'000'000;
};

std::string describe(const trace::Trace& trace, const trace::Location& location) {
  std::string text;
  for (size_t i = 0; i < location.events.size(); ++i) {
    const EventKind kind = location.events.kind[i];
    text += fmt::format("{} {}", location.events.ticks[i] - trace.start_ticks, event_name(kind));
    const bool call = kind == EventKind::kEnter || kind == EventKind::kLeave ||
                      kind == EventKind::kUnmatchedLeave;
    if (call) text += fmt::format(" {}", trace.definitions.regions[location.events.region(i)].name);
    if (!call) {
      for (const uint32_t word : location.events.fields(i)) text += fmt::format(" {}", word);
    }
    text += '\n';
  }
  return text;
}

TEST_F(RawRunTest, JoinsSendsAndReceivesOfTwoProcesses) {
  for (uint32_t rank = 0; rank < 2; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 2});
    writer.event(rank * 100, Kind::kEnter, kMain);
    if (rank == 0) {
      writer.event(200, Kind::kEnter, kSendRegion);
      writer.event(200, Kind::kSend, kWorld, 1, 17, 4096).event(300, Kind::kLeave, kSendRegion);
    } else {
      writer.event(180, Kind::kEnter, kRecvRegion);
      writer.event(420, Kind::kRecv, kWorld, 0, 17, 4096).event(440, Kind::kLeave, kRecvRegion);
    }
    writer.event(1000, Kind::kLeave, kMain);
    writer.finish();
  }
  const RawRun run = read();
  const trace::Trace& trace = run.trace;
  EXPECT_THAT(trace.warnings, IsEmpty());
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.rank_count, 2U);
  ASSERT_EQ(trace.locations.size(), 2U);
  EXPECT_EQ(describe(trace, trace.locations[0]),
            "0 Enter main\n100 Enter MPI_Send\n100 MpiSend 1 0 17 4096 0\n150 Leave MPI_Send\n"
            "500 Leave main\n");
  EXPECT_EQ(describe(trace, trace.locations[1]),
            "50 Enter main\n90 Enter MPI_Recv\n210 MpiRecv 0 0 17 4096 0\n220 Leave MPI_Recv\n"
            "500 Leave main\n");
  ASSERT_EQ(trace.messages.size(), 1U);
  EXPECT_EQ(trace.messages.sender[0], 0U);
  EXPECT_EQ(trace.messages.receiver[0], 1U);
  EXPECT_EQ(trace.messages.recv_ticks[0] - trace.messages.send_ticks[0], 110U);
  EXPECT_EQ(trace.definitions.clock.realtime_ns, kWall);
  EXPECT_EQ(trace.definitions.regions.size(), 4U) << "one of each for both processes, and the step";
  EXPECT_EQ(trace.definitions.communicators.size(), 1U);
  EXPECT_EQ(trace.definitions.location_groups[1].name, "MPI Rank 1");
  EXPECT_EQ(trace.definitions.node(1)->name, "node1");
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].program, "/usr/bin/app");
}

}  // namespace
}  // namespace pathline::input

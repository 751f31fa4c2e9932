// SPDX-License-Identifier: BSD-3-Clause
//
// Raw files as the recorder writes them, and the traces they become.
//
// Long because each test is one thing that a recording may hold or lack, with one fixture.
#include <ctime>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "input/input.hpp"
#include "otf2/writer.hpp"
#include "raw/run.hpp"
#include "raw/test_raw.hpp"
#include "trace/calls.hpp"

namespace pathline::raw {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

  raw::Run read(const raw::RunOptions& options = {}) {
    base::ThreadPool pool(threads_);
    base::Progress progress;
    auto run = raw::read_run(raw::find_files(folder_.path()), pool, progress, options);
    EXPECT_TRUE(run.ok()) << run.error().message;
    return std::move(run).value();
  }

  raw::ProcessWriter process(raw::ProcessWriter::Options options) {
    raw::ProcessWriter writer(folder_.path(), options);
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
  const raw::Run run = read();
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
}

/// Lines of describe() without the times.
std::string calls(const raw::Run& run, size_t location = 0) {
  std::string text;
  const trace::Trace& trace = run.trace;
  const trace::Events& events = trace.locations.at(location).events;
  for (size_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind[i];
    const uint64_t ns = events.ticks[i] - trace.start_ticks;
    if (kind == EventKind::kEnter) text += fmt::format("{}+", ns);
    if (kind == EventKind::kLeave) text += fmt::format("{}-", ns);
    if (kind == EventKind::kUnmatchedLeave) text += fmt::format("{}?", ns);
    if (kind == EventKind::kParameterInt) text += fmt::format("#{} ", events.word64(i, 1));
    if (kind != EventKind::kParameterInt) {
      text += fmt::format("{} ", trace.definitions.regions[events.region(i)].name);
    }
  }
  return text;
}

TEST_F(RawRunTest, EndsTheLastStepWithMpiFinalize) {
  constexpr uint64_t kFinalize = 9;
  auto writer = process({});
  writer.region(kFinalize, "MPI_Finalize", 1, kMpi);
  writer.event(0, Kind::kStep, chunk::zigzag(1), 0);
  writer.event(20, Kind::kEnter, kMain);  // A call inside the step goes on without it.
  writer.event(40, Kind::kEnter, kFinalize).event(80, Kind::kLeave, kFinalize);
  writer.event(100, Kind::kLeave, kMain);
  writer.finish();
  EXPECT_EQ(calls(read()),
            "0+time step #1 10+main 20-main 20-time step 20+main 20+MPI_Finalize "
            "40-MPI_Finalize 50-main ");
}

TEST_F(RawRunTest, NestsStepsWithTheCallsAround) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain);
  writer.event(20, Kind::kStep, chunk::zigzag(-4), 0);
  writer.event(40, Kind::kEnter, kSendRegion);
  writer.event(60, Kind::kStep, chunk::zigzag(5), 0);  // A call is open inside the old step.
  writer.event(80, Kind::kLeave, kSendRegion);
  writer.event(100, Kind::kLeave, kMain);  // Was open before the step: it ends the step.
  writer.event(120, Kind::kEnter, kRecvRegion);
  writer.event(140, Kind::kStep, chunk::zigzag(6), 0);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(calls(run),
            "0+main 10+time step #18446744073709551612 20+MPI_Send "
            "30-MPI_Send 30-time step 30+time step #5 30+MPI_Send 40-MPI_Send "
            "50-time step 50-main 60+MPI_Recv 70+time step #6 70-time step 70-MPI_Recv ");
  const auto steps = trace::marked_steps(run.trace);
  ASSERT_EQ(steps.at(0).size(), 3U);
  EXPECT_EQ(steps[0][1].step, 5U);
  EXPECT_EQ(steps[0][1].begin_ticks - run.trace.start_ticks, 30U);
  EXPECT_EQ(steps[0][1].end_ticks - run.trace.start_ticks, 50U);
  EXPECT_EQ(run.trace.locations[0].events.misplaced_leaves, 0U);
  EXPECT_EQ(run.trace.locations[0].events.open_calls, 0U);
  EXPECT_TRUE(run.trace.complete);
}

TEST_F(RawRunTest, EndsAStepThatAnEarlierCallHeldWhenThatIsLeft) {
  auto writer = process({});
  writer.event(20, Kind::kStep, chunk::zigzag(1), 0);
  writer.event(60, Kind::kLeave, kMain);  // Began before the recording.
  writer.event(80, Kind::kEnter, kSendRegion).event(90, Kind::kLeave, kSendRegion);
  writer.finish();
  EXPECT_EQ(calls(read()), "0+time step #1 20-time step 20?main 30+MPI_Send 35-MPI_Send ");
}

TEST_F(RawRunTest, EndsInnerCallsWhoseLeaveIsLost) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain).event(20, Kind::kEnter, kSendRegion);
  writer.event(40, Kind::kLeave, kMain).event(50, Kind::kEnter, kMain);
  writer.event(60, Kind::kLeave, kRecvRegion).event(70, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(calls(run), "0+main 10+MPI_Send 20-MPI_Send 20-main 25+main 35-main ");
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("2 leaves do not fit the calls")));
}

TEST_F(RawRunTest, MakesACallOfABurstOfPolls) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain);
  writer.event(200, Kind::kPolls, kRecvRegion, 1234, 120);
  writer.event(300, Kind::kPolls, kRecvRegion, 5, 260);  // Not before what came before.
  writer.event(400, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]),
            "0 Enter main\n40 Enter MPI_Recv\n40 ParameterUnsignedInt 1 1234 0\n"
            "100 Leave MPI_Recv\n100 Enter MPI_Recv\n100 ParameterUnsignedInt 1 5 0\n"
            "150 Leave MPI_Recv\n200 Leave main\n");
  EXPECT_EQ(run.trace.definitions.parameter_name(1), "count");
}

TEST_F(RawRunTest, KeepsFlushesPausesAndCounters) {
  auto writer = process({});
  writer.define(Kind::kMetricSet, {3}, "cycles,misses");
  writer.event(0, Kind::kEnter, kMain).event(20, Kind::kFlush, 60);
  writer.event(100, Kind::kRecording, 0).event(140, Kind::kRecording, 1);
  writer.metric(160, 3, {7, 1ULL << 40U}).metric(170, 3, {7}).metric(180, 4, {7, 8});
  writer.event(200, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  const uint64_t flush_end = kZero + 40;
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]),
            fmt::format("0 Enter main\n10 BufferFlush {} {}\n50 MeasurementOnOff 2\n"
                        "70 MeasurementOnOff 1\n80 Metric 0 2 4 7 0 4 0 256\n100 Leave main\n",
                        static_cast<uint32_t>(flush_end), flush_end >> 32U));
  EXPECT_EQ(run.trace.definitions.metric_member(1)->name, "misses");
  EXPECT_THAT(run.warnings, Contains(StartsWith("the recording was switched off 1 time")));
  EXPECT_THAT(run.warnings, Contains(StartsWith("incomplete: 2 records contradict")));
}

TEST_F(RawRunTest, BringsTheClocksOfHostsTogether) {
  // The clock of node2 shows 5000 ns more than that of node1 at first, and goes 1 in 1000 too slow.
  auto first = process({.rank = 0, .rank_count = 3});
  auto second = process({.rank = 1, .rank_count = 3, .host = "node2"});
  second.clock_offset(kZero, -5000, 40).clock_offset(kZero + 1'000'000, -4000, 60);
  auto third = process({.rank = 2, .rank_count = 3, .host = "node2"});  // Its neighbour measured.
  for (raw::ProcessWriter* writer : {&first, &second, &third}) {
    writer->event(20'000, Kind::kEnter, kMain).event(1'020'000, Kind::kLeave, kMain);
    writer->finish();
  }
  const raw::Run run = read();
  EXPECT_THAT(run.warnings, IsEmpty());
  const auto time = [&](size_t rank, size_t event) {
    return run.trace.locations[rank].events.ticks[event] - kZero;
  };
  EXPECT_EQ(time(0, 0), 10'000U);
  EXPECT_EQ(time(0, 1), 510'000U);
  for (const size_t rank : {1, 2}) {
    EXPECT_EQ(time(rank, 0), 10'000U - 5000 + 10);
    EXPECT_EQ(time(rank, 1), 510'000U - 5000 + 510);
  }
  EXPECT_EQ(run.clocks.error_ns, 60U);
  EXPECT_EQ(run.trace.locations[1].clock_offsets.size(), 2U);

  // The archive holds local times and the offsets, and is read as the same times.
  base::ThreadPool pool(1);
  base::Progress progress;
  ASSERT_TRUE(otf2::write(run.trace, folder_.path() / "out", "traces", progress).ok());
  const auto again =
      input::need_trace(input::open(folder_.path() / "out", {}, pool, progress), "out");
  ASSERT_TRUE(again.ok()) << again.error().message;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(describe(again.value(), again.value().locations[i]),
              describe(run.trace, run.trace.locations[i]));
    EXPECT_EQ(again.value().locations[i].clock_offsets.size(), i == 0 ? 0U : 2U);
  }
}

TEST_F(RawRunTest, SaysWhereClocksAreNotKnown) {
  auto first = process({.rank = 0, .rank_count = 3});
  auto second = process({.rank = 1, .rank_count = 3, .host = "node2"});
  second.clock_offset(kZero, -5000, 40);
  auto third = process({.rank = 2, .rank_count = 3, .host = "node3"});
  for (raw::ProcessWriter* writer : {&first, &second, &third}) {
    writer->event(20'000, Kind::kEnter, kMain).event(1'020'000, Kind::kLeave, kMain);
    writer->finish();
  }
  const raw::Run run = read();
  EXPECT_THAT(run.warnings,
              ElementsAre(StartsWith("offset at end missing: the clock of rank 1 was compared"),
                          StartsWith("the clock of rank 2 was never compared")));
  EXPECT_FALSE(run.clocks.synchronised);
  EXPECT_EQ(run.trace.locations[1].events.ticks[1], kZero + 510'000 - 5000);
}

TEST_F(RawRunTest, NamesCommunicatorsOnceForAllTheirMembers) {
  constexpr uint64_t kOdd = 9;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 4});
    writer.define(Kind::kCommunicator, {rank + 20ULL, rank, 1, 0});  // MPI_COMM_SELF
    // Ranks 3 and 1, in this order, made by rank 3 as its second; each numbers it otherwise.
    if (rank % 2 == 1) {
      writer.define(Kind::kCommunicator, {kOdd + rank, 3, 2, 0});
      if (rank == 3) {
        writer.define_list(Kind::kMembers, {kOdd + 3, 0}, {3, chunk::zigzag(-2), 2});
        writer.define(Kind::kCommunicatorName, {kOdd + 3}, "odd");
      }
      writer.define(Kind::kWindow, {rank, kOdd + rank}).define(Kind::kWindow, {7, kOdd + rank});
    }
    if (rank == 3) writer.event(100, Kind::kSend, kOdd + 3, 1, 0, 8);
    if (rank == 1) writer.event(200, Kind::kRecv, kOdd + 1, 0, 0, 8);
    if (rank == 1) writer.event(300, Kind::kRmaPut, 7, 0, 64, 1);
    writer.event(400, Kind::kSend, rank + 20, 0, 0, 1).event(401, Kind::kRecv, rank + 20, 0, 0, 1);
    writer.finish();
  }
  const raw::Run run = read();
  const trace::Trace& trace = run.trace;
  EXPECT_THAT(trace.warnings, IsEmpty());
  ASSERT_EQ(trace.definitions.communicators.size(), 3U) << "world, self and odd";
  EXPECT_EQ(trace.definitions.communicators[2].name, "odd");
  ASSERT_EQ(trace.messages.size(), 5U);
  EXPECT_EQ(trace.messages.sender[0], 3U) << "its rank 0";
  EXPECT_EQ(trace.messages.receiver[0], 1U) << "its rank 1";
  for (size_t i = 1; i < 5; ++i) EXPECT_EQ(trace.messages.sender[i], trace.messages.receiver[i]);
  size_t windows = 0;
  for (size_t i = 0; i < trace.definitions.size(); ++i) {
    windows += trace.definitions.kind(i) == trace::DefinitionKind::kRmaWin ? 1 : 0;
  }
  EXPECT_EQ(windows, 2U) << "both members have the same two";
  const trace::Events& events = trace.locations[1].events;
  EXPECT_EQ(events.kind[1], EventKind::kRmaPut);
  EXPECT_EQ(events.fields(1)[0], 1U) << "the second one";
}

TEST_F(RawRunTest, MatchesAcrossAnInterCommunicator) {
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 3});
    writer.define(Kind::kCommunicator, {11, 0, 5, 1});
    if (rank == 0) writer.define_list(Kind::kMembers, {11, 0}, {0, 0, 1});
    if (rank == 1) writer.define_list(Kind::kMembers, {11, 1}, {1, chunk::zigzag(1), 2});
    if (rank == 0) writer.event(100, Kind::kSend, 11, 1, 0, 8);
    if (rank == 2) writer.event(200, Kind::kRecv, 11, 0, 0, 8);
    if (rank == 1) writer.event(0, Kind::kEnter, kMain);
    writer.finish();
  }
  const raw::Run run = read();
  ASSERT_EQ(run.trace.messages.size(), 1U);
  EXPECT_EQ(run.trace.messages.sender[0], 0U);
  EXPECT_EQ(run.trace.messages.receiver[0], 2U);
}

TEST_F(RawRunTest, PutsSpawnedWorldsBehindTheFirst) {
  const auto write = [&](uint32_t world, uint32_t rank, uint64_t wall_ns) {
    raw::ProcessWriter writer(folder_.path(),
                              {.rank = rank, .rank_count = 2, .world = world, .host = "node1"});
    writer.region(kMain, "main").world(kWorld, rank, 2).clock_pair(0, kZero, wall_ns);
    if (rank == 0) writer.event(0, Kind::kSend, kWorld, 1, 0, world);
    if (rank == 1) writer.event(9, Kind::kRecv, kWorld, 0, 0, world);
    writer.finish();
  };
  // The world of process 5 began later than that of 800.
  for (const uint32_t rank : {0U, 1U}) write(5, rank, kWall + 1'000'000);
  for (const uint32_t rank : {0U, 1U}) write(800, rank, kWall + rank);
  const raw::Run run = read();
  EXPECT_EQ(run.trace.rank_count, 4U);
  ASSERT_EQ(run.trace.messages.size(), 2U);
  EXPECT_EQ(run.trace.messages.sender[0], 0U);
  EXPECT_EQ(run.trace.messages.bytes[0], 800U);
  EXPECT_EQ(run.trace.messages.sender[1], 2U);
  EXPECT_EQ(run.trace.messages.receiver[1], 3U);
  EXPECT_EQ(run.trace.messages.bytes[1], 5U);
  EXPECT_EQ(run.trace.definitions.location_groups[3].name, "MPI Rank 1 of world 1");
  EXPECT_EQ(run.processes[3].world, 1U);
  EXPECT_EQ(run.processes[3].world_rank, 1U);
  EXPECT_TRUE(run.trace.complete);
}

TEST_F(RawRunTest, JoinsWorldsByTheCommunicatorsBetweenThem) {
  // One process that spawns two and then two again, which send to it; nothing but their number and
  // the time tells which communicator of the one is which of the others.
  raw::ProcessWriter parent(folder_.path(), {.rank = 0, .rank_count = 1, .world = 1});
  parent.region(kMain, "main").world(kWorld, 0, 1).clock_pair(0, kZero, kWall);
  for (uint64_t spawn = 1; spawn <= 2; ++spawn) {
    parent.define(Kind::kCommunicator, {10 + spawn, 0, 100 + spawn, 1});
    parent.define_list(Kind::kMembers, {10 + spawn, 0}, {0, 0, 1});
    parent.define(Kind::kOtherWorld, {10 + spawn, 0, 2, kWall + 1000 * spawn + 10});
    parent.event(1000 * spawn, Kind::kRecv, 10 + spawn, 1, 7, spawn);
  }
  parent.finish();
  for (uint32_t spawn = 1; spawn <= 2; ++spawn) {
    for (const uint32_t rank : {0U, 1U}) {
      raw::ProcessWriter child(folder_.path(),
                               {.rank = rank, .rank_count = 2, .world = 10 * spawn});
      child.region(kMain, "main").world(kWorld, rank, 2);
      child.clock_pair(0, kZero, kWall + uint64_t{spawn} * 1000);
      child.define(Kind::kCommunicator, {9, 0, 2, 1});
      if (rank == 0) child.define_list(Kind::kMembers, {9, 0}, {0, chunk::zigzag(1), 2});
      if (rank == 0) child.define(Kind::kOtherWorld, {9, 1, 1, kWall + uint64_t{spawn} * 1000});
      if (rank == 1) child.event(0, Kind::kSend, 9, 0, 7, spawn);
      if (rank == 0) child.event(0, Kind::kEnter, kMain);
      child.finish();
    }
  }
  const raw::Run run = read();
  EXPECT_TRUE(run.trace.complete) << testing::PrintToString(run.trace.warnings);
  ASSERT_EQ(run.trace.messages.size(), 2U);
  for (uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(run.trace.messages.receiver[i], 0U);
    EXPECT_EQ(run.trace.messages.sender[i], 2 * run.trace.messages.bytes[i]);
  }
}

TEST_F(RawRunTest, TakesBackASendThatMpiRefused) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kSendRegion).event(0, Kind::kSend, kWorld, 0, 1, 8);
  writer.event(10, Kind::kSendFailed).event(20, Kind::kLeave, kSendRegion);
  writer.event(30, Kind::kSendFailed);  // Of nothing.
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]), "0 Enter MPI_Send\n10 Leave MPI_Send\n");
  EXPECT_THAT(run.trace.warnings, ::testing::Not(IsEmpty()));
}

TEST_F(RawRunTest, NamesWhatIsNotDefined) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, 77).event(10, Kind::kSend, 66, 0, 0, 8);
  writer.event(20, Kind::kIoDestroy, 5).event(30, Kind::kWinDestroy, 6).event(40, Kind::kLeave, 77);
  writer.finish();
  const raw::Run run = read();
  const trace::Definitions& definitions = run.trace.definitions;
  EXPECT_EQ(definitions.regions.back().name, "<region 77 of rank 0>");
  EXPECT_EQ(calls(run).substr(0, 24), "0+<region 77 of rank 0> ");
  EXPECT_EQ(definitions.communicators.back().name, "<communicator 66 of rank 0>");
  EXPECT_EQ(run.trace.locations[0].events.point_to_point(1).comm,
            definitions.communicators.back().id);
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("incomplete: the definitions of 4 names")));
  EXPECT_FALSE(run.trace.complete);
}

TEST_F(RawRunTest, SaysWhatIsMissing) {
  auto first = process({.rank = 0, .rank_count = 5, .process_id = 0});
  first.event(0, Kind::kEnter, kMain).event(20, Kind::kIsend, kWorld, 1, 0, 8, 1);
  // Not finished.
  auto third = process({.rank = 2, .rank_count = 5});
  third.event(0, Kind::kEnter, kMain).event(20, Kind::kLeave, kMain);
  third.writer().lose(40, 17);
  third.finish();
  process({.rank = 4, .rank_count = 5}).finish();
  std::ofstream(folder_.path() / "3.raw") << "short";
  const raw::Run run = read();
  EXPECT_FALSE(run.trace.complete);
  EXPECT_THAT(
      run.warnings,
      ElementsAre(
          HasSubstr("3.raw: it has 5 bytes"), "incomplete: there is no raw file of ranks 1,3",
          "incomplete: rank 2: the recorder switched itself off; 17 events were not recorded",
          StartsWith("incomplete: rank 0 did not end its recording"),
          "incomplete: rank 4 recorded nothing",
          "1 call was open at the end of the recording and end there: main on rank 0",
          "incomplete: 1 request was never completed"));
  EXPECT_EQ(run.trace.rank_count, 5U);
  EXPECT_EQ(run.trace.locations.size(), 5U);
  EXPECT_EQ(calls(run, 2), "0+main 10-main ");
}

TEST_F(RawRunTest, PutsTheProgramAroundAllCallsOfItsFirstThread) {
  auto writer = process({.program = "/usr/bin/app"});
  writer.event(20, Kind::kEnter, kSendRegion).event(40, Kind::kLeave, kSendRegion);
  writer.event(60, Kind::kEnter, kMain).event(80, Kind::kLeave, kMain);
  writer.event_on(1, 30, Kind::kEnter, kMain).event_on(1, 70, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(calls(run), "0+app 0+MPI_Send 10-MPI_Send 20+main 30-main 30-app ");
  EXPECT_EQ(calls(run, 1), "5+main 25-main ");
  EXPECT_EQ(run.processes[0].program, "/usr/bin/app");
  EXPECT_THAT(run.warnings, IsEmpty());
}

TEST_F(RawRunTest, LetsOpenCallsOfAProcessThatDiedLastUntilItsCommandEnded) {
  // The recorder's last word was at 50 ns of the run; the command ended at 1000.
  for (uint32_t rank = 0; rank < 2; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 2, .program = "/usr/bin/app"});
    writer.event(0, Kind::kEnter, kMain).event(100, Kind::kEnter, kRecvRegion);
    if (rank == 0) writer.finish();
  }
  const raw::Run run = read({.ended_realtime_ns = kWall + 1000});
  EXPECT_EQ(calls(run), "0+app 0+main 50+MPI_Recv 50-MPI_Recv 50-main 50-app ");
  EXPECT_EQ(calls(run, 1), "0+app 0+main 50+MPI_Recv 1000-MPI_Recv 1000-main 1000-app ");
  EXPECT_THAT(run.warnings,
              Contains("2 calls were open at the end of the recording and end there: MPI_Recv on "
                       "rank 1"));
  // A clock that went backwards helps nobody.
  EXPECT_EQ(calls(read({.ended_realtime_ns = kWall - 1000}), 1),
            "0+app 0+main 50+MPI_Recv 50-MPI_Recv 50-main 50-app ");
}

TEST_F(RawRunTest, DoesNotBelieveADamagedFileAboutTheNumberOfRanks) {
  process({.rank = 0, .rank_count = 60'000}).event(0, Kind::kEnter, kMain).finish();
  process({.rank = 1, .rank_count = 2}).event(0, Kind::kEnter, kMain).finish();
  EXPECT_EQ(read().trace.rank_count, 2U) << "the smaller one of two that hold all files";
  process({.rank = 768, .rank_count = 2}).finish();
  const raw::Run run = read();
  EXPECT_EQ(run.trace.rank_count, 2U);
  EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("it states rank 768 of 2, which cannot be")));
}

TEST_F(RawRunTest, SaysThatARecordingHoldsNothing) {
  process({}).finish();
  const raw::Run run = read();
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("incomplete: the recording holds nothing")));
}

TEST_F(RawRunTest, SaysThatAProcessStillRuns) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  const auto now = static_cast<uint64_t>(time(nullptr)) * 1'000'000'000;
  raw::ProcessWriter writer(folder_.path(),
                            {.process_id = static_cast<uint32_t>(getpid()), .host = host});
  writer.region(kMain, "main").clock_pair(0, kZero, now).event(0, Kind::kEnter, kMain);
  raw::Run run = read();
  EXPECT_TRUE(run.alive);
  EXPECT_THAT(run.warnings, Contains(StartsWith("incomplete: rank 0 still runs")));

  // The number belongs to a process that began after the recording: ours was born long after 2001.
  base::ScratchFolder other;
  raw::ProcessWriter old(other.path(),
                         {.process_id = static_cast<uint32_t>(getpid()), .host = host});
  old.region(kMain, "main").clock_pair(0, kZero, 1'000'000'000'000'000'000);
  old.event(0, Kind::kEnter, kMain);
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto dead = raw::read_run(raw::find_files(other.path()), pool, progress);
  ASSERT_TRUE(dead.ok());
  EXPECT_FALSE(dead.value().alive);
}

TEST_F(RawRunTest, KeepsTheEndOfARing) {
  auto writer = process({.chunk_bytes = 4096, .buffering = chunk::Buffering::kRing});
  writer.event(0, Kind::kEnter, kMain);
  for (uint64_t i = 1; i <= 20'000; ++i) {
    writer.event(10 * i, Kind::kEnter, kSendRegion).event(10 * i + 4, Kind::kLeave, kSendRegion);
  }
  writer.event(300'000, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  const trace::Events& events = run.trace.locations[0].events;
  EXPECT_EQ(events.ticks[events.size() - 1], kZero + 150'000);
  // Main began before what is left, and perhaps a send.
  EXPECT_GE(events.leaves_of_earlier_calls.size(), 1U);
  EXPECT_LE(events.leaves_of_earlier_calls.size(), 2U);
  EXPECT_EQ(events.kind[events.size() - 1], EventKind::kUnmatchedLeave);
  EXPECT_THAT(run.warnings, ElementsAre("incomplete: rank 0: only the last part was kept (--buffer "
                                        "ring)"));
}

TEST_F(RawRunTest, IsTheSameForAnyNumberOfThreads) {
  for (uint32_t rank = 0; rank < 8; ++rank) {
    auto writer = process({.rank = rank, .rank_count = 8, .chunk_bytes = 4096});
    for (uint64_t i = 0; i < 500; ++i) {
      for (uint32_t thread = 0; thread < 3; ++thread) {
        writer.event_on(thread, 100 * i, Kind::kEnter, 2 + (i + rank) % 5);
        if (i % 7 == 0) {
          writer.event_on(thread, 100 * i, Kind::kSend, kWorld, (rank + 1) % 8, thread, 8);
        }
        writer.event_on(thread, 100 * i + 50, Kind::kLeave, 2 + (i + rank) % 5);
      }
    }
    writer.finish();
  }
  const auto text = [&](unsigned threads) {
    threads_ = threads;
    const raw::Run run = read();
    std::string all = fmt::format("{}", fmt::join(run.trace.warnings, "\n"));
    for (const auto& location : run.trace.locations) {
      all += fmt::format("{} {}\n", location.id, location.name) + describe(run.trace, location);
    }
    for (size_t i = 0; i < run.trace.definitions.size(); ++i) {
      all += fmt::format("{} {}\n", static_cast<int>(run.trace.definitions.kind(i)),
                         fmt::join(run.trace.definitions.words(i), " "));
    }
    return all;
  };
  const std::string one = text(1);
  EXPECT_GT(one.size(), 100'000U);
  EXPECT_EQ(one, text(7));
}

TEST_F(RawRunTest, DoesNotMakeManyEventsOfFewBytes) {
  auto writer = process({});
  for (uint64_t i = 0; i < 10'000; ++i) {
    if (i == 0) writer.event(0, Kind::kStep, 0, 0);
    writer.event(i, Kind::kEnter, kMain);
  }
  for (uint64_t i = 0; i < 10'000; ++i) writer.event(20'000 + i, Kind::kStep, 2 * i, 0);
  writer.finish();
  const raw::Run run = read();
  EXPECT_LT(run.trace.event_count(), 200'000U) << "and not 200 million";
  EXPECT_THAT(run.warnings, Contains(HasSubstr("records contradict")));
}

TEST_F(RawRunTest, KeepsCountedCalls) {
  auto writer = process({});
  writer.define(Kind::kProfile, {3, kSendRegion, 12, 4'000'000'000});
  writer.define(Kind::kSetting, {}, "mode=profile");
  writer.finish();
  const raw::Run run = read();
  ASSERT_EQ(run.counted.size(), 1U);
  EXPECT_EQ(run.counted[0].region, "MPI_Send");
  EXPECT_EQ(run.counted[0].thread, 3U);
  EXPECT_EQ(run.counted[0].calls, 12U);
  EXPECT_DOUBLE_EQ(run.counted[0].exclusive_s, 2.0);
  EXPECT_THAT(run.settings, ElementsAre(std::pair<std::string, std::string>("mode", "profile")));
  EXPECT_THAT(run.warnings, IsEmpty()) << "nothing but counting was wanted";
}

TEST_F(RawRunTest, FailsOnlyWhereNothingIsReadable) {
  base::ThreadPool pool(1);
  base::Progress progress;
  EXPECT_EQ(raw::read_run({}, pool, progress).error().code, base::ErrorCode::kNotFound);
  std::ofstream(folder_.path() / "0.raw") << "short";
  const auto run = raw::read_run(raw::find_files(folder_.path()), pool, progress);
  EXPECT_THAT(run.error().message, HasSubstr("0.raw: it has 5 bytes"));
  raw::ProcessWriter writer(folder_.path(), {.rank = 4'000'000'000});
  writer.finish();
  std::filesystem::remove(folder_.path() / "0.raw");
  const auto wrong = raw::read_run(raw::find_files(folder_.path()), pool, progress);
  EXPECT_THAT(wrong.error().message, HasSubstr("it states rank 4000000000 of 1, which cannot be"));
}

}  // namespace
}  // namespace pathline::raw

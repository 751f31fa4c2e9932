// SPDX-License-Identifier: BSD-3-Clause
//
// Raw files as the recorder writes them, and the traces they become.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "raw/test_run.hpp"
#include "trace/calls.hpp"

namespace pathline::raw {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RunTest : public ::testing::Test, protected Recording {};

TEST_F(RunTest, JoinsSendsAndReceivesOfTwoProcesses) {
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

TEST_F(RunTest, EndsTheLastStepWithMpiFinalize) {
  constexpr uint64_t kFinalize = 9;
  auto writer = process({});
  writer.region(kFinalize, "MPI_Finalize", 1, kMpi);
  writer.event(0, Kind::kStep, base::zigzag(1), 0);
  writer.event(20, Kind::kEnter, kMain);  // A call inside the step goes on without it.
  writer.event(40, Kind::kEnter, kFinalize).event(80, Kind::kLeave, kFinalize);
  writer.event(100, Kind::kLeave, kMain);
  writer.finish();
  EXPECT_EQ(calls(read()),
            "0+time step #1 10+main 20-main 20-time step 20+main 20+MPI_Finalize "
            "40-MPI_Finalize 50-main ");
}

TEST_F(RunTest, NestsStepsWithTheCallsAround) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain);
  writer.event(20, Kind::kStep, base::zigzag(-4), 0);
  writer.event(40, Kind::kEnter, kSendRegion);
  writer.event(60, Kind::kStep, base::zigzag(5), 0);  // A call is open inside the old step.
  writer.event(80, Kind::kLeave, kSendRegion);
  writer.event(100, Kind::kLeave, kMain);  // Was open before the step: it ends the step.
  writer.event(120, Kind::kEnter, kRecvRegion);
  writer.event(140, Kind::kStep, base::zigzag(6), 0);
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

TEST_F(RunTest, EndsAStepThatAnEarlierCallHeldWhenThatIsLeft) {
  auto writer = process({});
  writer.event(20, Kind::kStep, base::zigzag(1), 0);
  writer.event(60, Kind::kLeave, kMain);  // Began before the recording.
  writer.event(80, Kind::kEnter, kSendRegion).event(90, Kind::kLeave, kSendRegion);
  writer.finish();
  EXPECT_EQ(calls(read()), "0+time step #1 20-time step 20?main 30+MPI_Send 35-MPI_Send ");
}

TEST_F(RunTest, EndsInnerCallsWhoseLeaveIsLost) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain).event(20, Kind::kEnter, kSendRegion);
  writer.event(40, Kind::kLeave, kMain).event(50, Kind::kEnter, kMain);
  writer.event(60, Kind::kLeave, kRecvRegion).event(70, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(calls(run), "0+main 10+MPI_Send 20-MPI_Send 20-main 25+main 35-main ");
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("2 leaves do not fit the calls")));
}

TEST_F(RunTest, SaysOfMpiFunctionsWhatScorePSays) {
  auto writer = process({});
  writer.define(Kind::kFile, {8}, "main.c");
  writer.define(Kind::kRegion, {9, 1 | 1U << 8U, 3, 8}, "work");
  writer.event(0, Kind::kEnter, kMain).event(100, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  std::string files;
  for (const trace::RegionDefinition& region : run.trace.definitions.regions) {
    files += fmt::format("{}: {}\n", region.name, region.file);
  }
  EXPECT_EQ(files, "time step: \nmain: \nMPI_Send: MPI\nMPI_Recv: MPI\nwork: main.c\n");
}

TEST_F(RunTest, MakesACallOfABurstOfPolls) {
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

TEST_F(RunTest, KeepsTheWorkBetweenPolls) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kMain);
  writer.event(200, Kind::kPollsWithWork, kRecvRegion, 12, 120, 80);
  // Cut to half of its time by what came before, and so is the work; no more of it than time.
  writer.event(300, Kind::kPollsWithWork, kRecvRegion, 5, 200, 100);
  writer.event(340, Kind::kPollsWithWork, kRecvRegion, 2, 20, 21);
  writer.event(380, Kind::kPollsWithWork, kRecvRegion, 1, 0, 0);
  writer.event(400, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]),
            "0 Enter main\n"
            "40 Enter MPI_Recv\n40 ParameterUnsignedInt 1 12 0\n"
            "40 ParameterUnsignedInt 4 40 0\n100 Leave MPI_Recv\n"
            "100 Enter MPI_Recv\n100 ParameterUnsignedInt 1 5 0\n"
            "100 ParameterUnsignedInt 4 25 0\n150 Leave MPI_Recv\n"
            "160 Enter MPI_Recv\n160 ParameterUnsignedInt 1 2 0\n"
            "160 ParameterUnsignedInt 4 10 0\n170 Leave MPI_Recv\n"
            "190 Enter MPI_Recv\n190 ParameterUnsignedInt 1 1 0\n"
            "190 ParameterUnsignedInt 4 0 0\n190 Leave MPI_Recv\n200 Leave main\n");
  EXPECT_EQ(run.trace.definitions.parameter_name(4), trace::kWorkBetweenPolls);
}

TEST_F(RunTest, KeepsFlushesPausesAndCounters) {
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

TEST_F(RunTest, BringsTheClocksOfHostsTogether) {
  // The clock of node2 shows 5000 ns more than that of node1 at first, and goes 1 in 1000 too slow.
  auto first = process({.rank = 0, .rank_count = 3});
  auto second = process({.rank = 1, .rank_count = 3, .host = "node2"});
  second.clock_offset(kZero, -5000, 40).clock_offset(kZero + 1'000'000, -4000, 60);
  auto third = process({.rank = 2, .rank_count = 3, .host = "node2"});  // Its neighbour measured.
  for (ProcessWriter* writer : {&first, &second, &third}) {
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
  const auto again = otf2::read(folder_.path() / "out/traces.otf2", {}, pool, progress);
  ASSERT_TRUE(again.ok()) << again.error().message;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(describe(again.value(), again.value().locations[i]),
              describe(run.trace, run.trace.locations[i]));
    EXPECT_EQ(again.value().locations[i].clock_offsets.size(), i == 0 ? 0U : 2U);
  }
}

TEST_F(RunTest, TakesBackASendThatMpiRefused) {
  auto writer = process({});
  writer.event(0, Kind::kEnter, kSendRegion).event(0, Kind::kSend, kWorld, 0, 1, 8);
  writer.event(10, Kind::kSendFailed).event(20, Kind::kLeave, kSendRegion);
  writer.event(30, Kind::kSendFailed);  // Of nothing.
  writer.finish();
  const raw::Run run = read();
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]), "0 Enter MPI_Send\n10 Leave MPI_Send\n");
  EXPECT_THAT(run.trace.warnings, ::testing::Not(IsEmpty()));
}

TEST_F(RunTest, PutsTheProgramAroundAllCallsOfItsFirstThread) {
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

TEST_F(RunTest, KeepsTheEndOfARing) {
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

TEST_F(RunTest, IsTheSameForAnyNumberOfThreads) {
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

TEST_F(RunTest, KeepsCountedCalls) {
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

}  // namespace
}  // namespace pathline::raw

// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings that lack something or are damaged, and what is said of them.
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw/test_run.hpp"

namespace pathline::raw {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MissingTest : public ::testing::Test, protected Recording {};

TEST_F(MissingTest, SaysWhereClocksAreNotKnown) {
  auto first = process({.rank = 0, .rank_count = 3});
  auto second = process({.rank = 1, .rank_count = 3, .host = "node2"});
  second.clock_offset(kZero, -5000, 40);
  auto third = process({.rank = 2, .rank_count = 3, .host = "node3"});
  for (ProcessWriter* writer : {&first, &second, &third}) {
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

TEST_F(MissingTest, NamesWhatIsNotDefined) {
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

TEST_F(MissingTest, SaysWhatIsMissing) {
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

TEST_F(MissingTest, LetsOpenCallsOfAProcessThatDiedLastUntilItsCommandEnded) {
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

TEST_F(MissingTest, DoesNotBelieveADamagedFileAboutTheNumberOfRanks) {
  process({.rank = 0, .rank_count = 60'000}).event(0, Kind::kEnter, kMain).finish();
  process({.rank = 1, .rank_count = 2}).event(0, Kind::kEnter, kMain).finish();
  EXPECT_EQ(read().trace.rank_count, 2U) << "the smaller one of two that hold all files";
  process({.rank = 768, .rank_count = 2}).finish();
  const raw::Run run = read();
  EXPECT_EQ(run.trace.rank_count, 2U);
  EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("it states rank 768 of 2, which cannot be")));
}

TEST_F(MissingTest, SaysThatARecordingHoldsNothing) {
  process({}).finish();
  const raw::Run run = read();
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("incomplete: the recording holds nothing")));
}

TEST_F(MissingTest, SaysThatAProcessStillRuns) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  const auto now = static_cast<uint64_t>(time(nullptr)) * 1'000'000'000;
  ProcessWriter writer(folder_.path(),
                       {.process_id = static_cast<uint32_t>(getpid()), .host = host});
  writer.region(kMain, "main").clock_pair(0, kZero, now).event(0, Kind::kEnter, kMain);
  raw::Run run = read();
  EXPECT_TRUE(run.alive);
  EXPECT_THAT(run.warnings, Contains(StartsWith("incomplete: rank 0 still runs")));

  // The number belongs to a process that began after the recording: ours was born long after 2001.
  base::ScratchFolder other;
  ProcessWriter old(other.path(), {.process_id = static_cast<uint32_t>(getpid()), .host = host});
  old.region(kMain, "main").clock_pair(0, kZero, 1'000'000'000'000'000'000);
  old.event(0, Kind::kEnter, kMain);
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto dead = read_run(find_files(other.path()), pool, progress);
  ASSERT_TRUE(dead.ok());
  EXPECT_FALSE(dead.value().alive);
}

TEST_F(MissingTest, DoesNotMakeManyEventsOfFewBytes) {
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

TEST_F(MissingTest, FailsOnlyWhereNothingIsReadable) {
  base::ThreadPool pool(1);
  base::Progress progress;
  EXPECT_EQ(read_run({}, pool, progress).error().code, base::ErrorCode::kNotFound);
  std::ofstream(folder_.path() / "0.raw") << "short";
  const auto run = read_run(find_files(folder_.path()), pool, progress);
  EXPECT_THAT(run.error().message, HasSubstr("0.raw: it has 5 bytes"));
  ProcessWriter writer(folder_.path(), {.rank = 4'000'000'000});
  writer.finish();
  std::filesystem::remove(folder_.path() / "0.raw");
  const auto wrong = read_run(find_files(folder_.path()), pool, progress);
  EXPECT_THAT(wrong.error().message, HasSubstr("it states rank 4000000000 of 1, which cannot be"));
}

}  // namespace
}  // namespace pathline::raw

// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of OpenMP: what the records of each thread of a process become together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw/test_run.hpp"

namespace pathline::raw {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kParallel = 11;
constexpr uint64_t kImplicit = 12;
constexpr uint64_t kBarrier = 13;
constexpr uint64_t kInner = 14;

class TeamsTest : public ::testing::Test, protected Recording {
 protected:
  ProcessWriter openmp(ProcessWriter::Options options = {}) {
    ProcessWriter writer = process(options);
    writer.region(kParallel, "!$omp parallel", 5, 3).region(kImplicit, "!$omp implicit", 16, 3);
    writer.region(kBarrier, "!$omp barrier", 15, 3).region(kInner, "!$omp inner", 5, 3);
    return writer;
  }
};

TEST_F(TeamsTest, LetsAllThreadsWaitUntilTheFirstHasLeft) {
  auto writer = openmp();
  writer.event(0, Kind::kEnter, kMain).event(20, Kind::kOmpFork, 7, 2);
  writer.event(24, Kind::kOmpBegin, 7, kParallel);
  writer.event(100, Kind::kOmpEnd, kImplicit).event(400, Kind::kOmpJoin);
  writer.event(500, Kind::kLeave, kMain);
  writer.event_on(1, 40, Kind::kOmpBegin, 7, kParallel).event_on(1, 50, Kind::kEnter, kMain);
  writer.event_on(1, 390, Kind::kOmpEnd, kImplicit);  // Its call of main ends as well.
  writer.finish();
  const raw::Run run = read();
  EXPECT_THAT(run.trace.warnings, IsEmpty());
  EXPECT_EQ(describe(run.trace, run.trace.locations[0]),
            "0 Enter main\n10 ThreadFork 3 2\n12 ThreadTeamBegin 1\n12 Enter !$omp parallel\n"
            "50 Enter !$omp implicit\n200 Leave !$omp implicit\n200 Leave !$omp parallel\n"
            "200 ThreadTeamEnd 1\n200 ThreadJoin 3\n250 Leave main\n");
  EXPECT_EQ(describe(run.trace, run.trace.locations[1]),
            "20 ThreadTeamBegin 1\n20 Enter !$omp parallel\n25 Enter main\n195 Leave main\n"
            "195 Enter !$omp implicit\n200 Leave !$omp implicit\n200 Leave !$omp parallel\n"
            "200 ThreadTeamEnd 1\n");
  // The team as OTF2 has it: all threads of the process.
  ASSERT_EQ(run.trace.definitions.communicators.size(), 2U);
}

TEST_F(TeamsTest, EndsAWaitWithTheNextEventOfTheThread) {
  auto writer = openmp();
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(4, Kind::kOmpEnd, kImplicit).event(400, Kind::kOmpJoin);
  writer.event_on(1, 4, Kind::kOmpBegin, 1, kParallel).event_on(1, 6, Kind::kOmpEnd, kImplicit);
  writer.event_on(1, 40, Kind::kOmpBegin, 2, kParallel).event_on(1, 60, Kind::kOmpEnd, kImplicit);
  writer.finish();
  // The second team has no first thread: it did not live to tell when it left.
  EXPECT_EQ(describe(read().trace, read().trace.locations[1]),
            "2 ThreadTeamBegin 1\n2 Enter !$omp parallel\n3 Enter !$omp implicit\n"
            "20 Leave !$omp implicit\n20 Leave !$omp parallel\n20 ThreadTeamEnd 1\n"
            "20 ThreadTeamBegin 1\n20 Enter !$omp parallel\n30 Enter !$omp implicit\n"
            "30 Leave !$omp implicit\n30 Leave !$omp parallel\n30 ThreadTeamEnd 1\n");
}

TEST_F(TeamsTest, NestsTeams) {
  auto writer = openmp();
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(10, Kind::kOmpFork, 2, 2).event(12, Kind::kOmpBegin, 2, kInner);
  writer.event(20, Kind::kOmpEnd, kImplicit).event(30, Kind::kOmpJoin);
  writer.event(40, Kind::kOmpEnd, kImplicit).event(50, Kind::kOmpJoin);
  writer.finish();
  EXPECT_EQ(describe(read().trace, read().trace.locations[0]),
            "0 ThreadFork 3 2\n1 ThreadTeamBegin 1\n1 Enter !$omp parallel\n5 ThreadFork 3 2\n"
            "6 ThreadTeamBegin 1\n6 Enter !$omp inner\n10 Enter !$omp implicit\n"
            "15 Leave !$omp implicit\n15 Leave !$omp inner\n15 ThreadTeamEnd 1\n15 ThreadJoin 3\n"
            "20 Enter !$omp implicit\n25 Leave !$omp implicit\n25 Leave !$omp parallel\n"
            "25 ThreadTeamEnd 1\n25 ThreadJoin 3\n");
}

TEST_F(TeamsTest, KnowsNoWaitingWhereTasksRun) {
  auto writer = openmp();
  writer.define(Kind::kOmpTasks, {kParallel});
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(10, Kind::kEnter, kBarrier).event(20, Kind::kLeave, kBarrier);
  writer.event(40, Kind::kOmpEnd, kImplicit).event(50, Kind::kOmpJoin);
  writer.finish();
  EXPECT_EQ(describe(read().trace, read().trace.locations[0]),
            "0 ThreadFork 3 2\n1 ThreadTeamBegin 1\n1 Enter !$omp parallel\n"
            "25 Leave !$omp parallel\n25 ThreadTeamEnd 1\n25 ThreadJoin 3\n");
}

TEST_F(TeamsTest, HasNoBarrierWhereNoneCouldBeDefined) {
  auto writer = openmp();
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(40, Kind::kOmpEnd, 0).event(50, Kind::kOmpJoin);
  writer.finish();
  EXPECT_EQ(describe(read().trace, read().trace.locations[0]),
            "0 ThreadFork 3 2\n1 ThreadTeamBegin 1\n1 Enter !$omp parallel\n"
            "25 Leave !$omp parallel\n25 ThreadTeamEnd 1\n25 ThreadJoin 3\n");
}

TEST_F(TeamsTest, ClosesWhatAKilledProcessLeftOpen) {
  auto writer = openmp();
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(10, Kind::kEnter, kBarrier);
  EXPECT_EQ(describe(read().trace, read().trace.locations[0]),
            "0 ThreadFork 3 2\n1 ThreadTeamBegin 1\n1 Enter !$omp parallel\n"
            "5 Enter !$omp barrier\n5 Leave !$omp barrier\n5 Leave !$omp parallel\n"
            "5 ThreadTeamEnd 1\n5 ThreadJoin 3\n");
}

TEST_F(TeamsTest, CountsWhatFitsNoTeam) {
  auto writer = openmp();
  writer.event(0, Kind::kEnter, kMain).event(2, Kind::kOmpJoin).event(4, Kind::kOmpEnd, kImplicit);
  writer.event(10, Kind::kLeave, kMain);
  writer.finish();
  const raw::Run run = read();
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_THAT(run.warnings[0], HasSubstr("2"));
  EXPECT_EQ(calls(run), "0+main 5-main ");
}

TEST_F(TeamsTest, NamesRegionsByTheirPlace) {
  auto writer = openmp();
  writer.define(Kind::kCallSite, {kParallel, 0x1234}, "/nowhere/app");
  writer.event(0, Kind::kOmpFork, 1, 2).event(2, Kind::kOmpBegin, 1, kParallel);
  writer.event(4, Kind::kOmpEnd, kImplicit).event(6, Kind::kOmpJoin);
  writer.finish();
  const raw::Run run = read();
  EXPECT_THAT(describe(run.trace, run.trace.locations[0]),
              HasSubstr("Enter !$omp parallel @app+0x1234\n"));
}

}  // namespace
}  // namespace pathline::raw

// SPDX-License-Identifier: BSD-3-Clause
#include "trace/finish.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void finish_again(Trace& trace) {
  base::ThreadPool pool(1);
  base::Progress progress;
  finish(trace, pool, progress);
}

TEST(Finish, FindsTheTimeFromTheFirstToTheLastEventOfAllLocations) {
  TestTrace test(3);
  const Region main = test.region("main");
  test.on(1).enter(500, main).leave(900, main);
  test.on(2).enter(400, main).leave(700, main);
  const Trace trace = test.finish();  // Rank 0 recorded nothing.
  EXPECT_EQ(trace.start_ticks, 400U);
  EXPECT_EQ(trace.end_ticks, 900U);
  EXPECT_DOUBLE_EQ(trace.duration_seconds(), 500e-9);
  EXPECT_DOUBLE_EQ(trace.seconds(650), 250e-9);
  EXPECT_DOUBLE_EQ(trace.seconds(300), -100e-9);
  EXPECT_EQ(trace.event_count(), 4U);
  EXPECT_THAT(trace.warnings, IsEmpty());
  EXPECT_TRUE(trace.complete);
}

TEST(Finish, TakesTheClocksOffsetWhenThereAreNoEvents) {
  Trace trace = TestTrace(2).build();
  trace.definitions.clock.global_offset = 77;
  finish_again(trace);
  EXPECT_EQ(trace.start_ticks, 77U);
  EXPECT_EQ(trace.end_ticks, 77U);
  EXPECT_EQ(trace.duration_seconds(), 0);
}

TEST(Finish, KeepsMessagesThatAreThereAlready) {
  Trace trace;
  ASSERT_TRUE(trace.definitions.finish().ok());
  trace.rank_count = 2;
  trace.messages.resize(1);
  trace.messages.sender.set(0, 0);
  trace.messages.receiver.set(0, 1);
  trace.messages.send_ticks.set(0, 50);
  trace.messages.recv_ticks.set(0, 90);
  trace.start_ticks = 20;
  finish_again(trace);
  EXPECT_EQ(trace.messages.size(), 1U);
  EXPECT_EQ(trace.rank_count, 2U);
  EXPECT_EQ(trace.start_ticks, 20U) << "the run began before its first message";
  EXPECT_EQ(trace.end_ticks, 90U);
}

TEST(Finish, IsIncompleteWhenALocationIs) {
  Trace trace = TestTrace(2).build();
  trace.locations[1].complete = false;
  finish_again(trace);
  EXPECT_FALSE(trace.complete);
}

TEST(Finish, WarnsOfCallsThatDoNotNest) {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  test.on(0).leave(1, main).enter(2, main).enter(3, solve).leave(4, main).enter(5, main);
  test.on(1).leave(1, main).enter(2, main);
  EXPECT_THAT(test.finish().warnings,
              ElementsAre("1 leave does not fit the call that is open: enter and leave events got "
                          "lost",
                          "2 calls had begun before the recording; counted from its first event",
                          "3 calls have no end in the recording; counted up to its last event"));
}

TEST(Finish, WarnsOfRecordsOfUnknownKinds) {
  Trace trace = TestTrace(1).build();
  trace.unknown_events = 2;
  trace.unknown_definitions = 1;
  finish_again(trace);
  EXPECT_THAT(trace.warnings,
              ElementsAre("2 events are of a kind that the OTF2 library does not know",
                          "1 definition is of a kind that the OTF2 library does not know"));
}

TEST(Finish, WarnsOfADefinitionThatCountsOtherEvents) {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(1, main).leave(2, main);
  Trace trace = test.build();
  trace.definitions.locations[0].event_count = 3;
  finish_again(trace);
  EXPECT_THAT(trace.warnings,
              ElementsAre("1 location holds another number of events than its definition says; "
                          "what is there was read"));
  // Of a damaged file that is no news.
  trace.warnings.clear();
  trace.locations[0].complete = false;
  finish_again(trace);
  EXPECT_THAT(trace.warnings, IsEmpty());
}

TEST(Finish, WarnsOfMessagesWithoutAPartnerAndShowsTheFirst) {
  TestTrace test(2);
  test.on(0).send(1'000, 1, 64, 7).send(2'000, 1, 65, 8);
  test.on(1).recv(3'000, /*no such rank*/ 5, 66, 9);
  EXPECT_THAT(
      test.finish().warnings,
      ElementsAre("2 sends without a receive; the first: location 3000, MpiSend at 0.000000000 s, "
                  "rank 1, tag 7, 64 bytes",
                  "1 receive without a send; the first: location 3001, MpiRecv at 0.000002000 s, "
                  "rank 5 of communicator 70, which is not known, tag 9, 66 bytes"));
}

TEST(Finish, WarnsOfMessagesThatArriveBeforeTheyAreSent) {
  TestTrace test(2);
  test.on(0).send(100, 1, 8).send(101, 1, 8);
  test.on(1).recv(90, 0, 8).recv(101, 0, 8);
  EXPECT_THAT(test.finish().warnings,
              ElementsAre("1 message was received before being sent: the clocks were not "
                          "synchronised well enough"));
}

TEST(Finish, BlamesNoClocksForProgramsSpawnedAtTheSameTime) {
  const auto warnings = [](bool spawned) {
    TestTrace test(2);
    const uint32_t comm = test.inter_communicator({0}, {1});
    for (const uint64_t rank : {0U, 1U}) {
      test.define(
          DefinitionKind::kComm,
          {900 + static_cast<uint32_t>(rank), test.text(spawned ? "MPI_COMM_WORLD" : "half"),
           test.group(GroupType::kCommGroup, {rank}), kUndefined, 0});
    }
    test.on(0).send(100, 0, 8, 0, comm);
    test.on(1).recv(90, 0, 8, 0, comm);
    return test.finish().warnings;
  };
  EXPECT_THAT(warnings(true),
              ElementsAre(HasSubstr("programs that were spawned at the same time")));
  EXPECT_THAT(warnings(false), ElementsAre(HasSubstr("clocks were not synchronised")));
}

TEST(Finish, PassesOnWhatTheDefinitionsWarnOf) {
  TestTrace test(1);
  test.define(DefinitionKind::kSystemTreeNode, {1, 9999, kUndefined, kUndefined});
  EXPECT_THAT(test.finish().warnings, Contains(HasSubstr("string 9999, which is not defined")));
}

}  // namespace
}  // namespace pathline::trace

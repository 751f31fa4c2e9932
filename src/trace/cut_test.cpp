// SPDX-License-Identifier: BSD-3-Clause
#include "trace/cut.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/calls.hpp"
#include "trace/test_cut.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using testing::ElementsAre;

/// "E10 main", "L20 main", "MpiSend 12", in order.
std::vector<std::string> events_of(const Trace& trace, size_t location) {
  std::vector<std::string> lines;
  const Events& events = trace.locations[location].events;
  for (size_t i = 0; i < events.size(); ++i) {
    std::string line(event_name(events.kind[i]));
    line += ' ' + std::to_string(events.ticks[i]);
    if (line.starts_with("Enter") || line.starts_with("Leave")) {
      line += ' ' + std::string(trace.definitions.regions[events.region(i)].name);
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(Cut, OpensAndClosesCallsAtItsEdges) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  test.on(0).enter(10, main).enter(20, solve).leave(40, solve).enter(60, solve).leave(80, solve);
  test.on(0).leave(90, main);
  const Trace trace = test.finish();
  const Part part = cut_and_finish(trace, {.from_ticks = 30, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 30 main", "Enter 30 solve", "Leave 40 solve", "Enter 60 solve",
                          "Leave 70 solve", "Leave 70 main"));
  EXPECT_EQ(part.reopened_calls, 2);
  EXPECT_EQ(part.trace.definitions.clock.global_offset, 30);
  EXPECT_EQ(part.trace.definitions.clock.trace_length, 40);
}

TEST(Cut, KeepsACallWithoutAnyEventInside) {
  TestTrace test(1);
  const Region main = test.region("main");
  test.on(0).enter(10, main).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 30, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0), ElementsAre("Enter 30 main", "Leave 70 main"));
}

TEST(Cut, EntersCallsThatBeganBeforeTheRecording) {
  TestTrace test(1);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  test.on(0).enter(10, solve).leave(40, solve).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 30, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 30 main", "Enter 30 solve", "Leave 40 solve", "Leave 70 main"));
}

TEST(Cut, LeavesOutCallsButNotTheirMessages) {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  test.on(0).enter(10, main).enter(20, solve).send(30, 1, 8).leave(40, solve).leave(50, main);
  test.on(1).enter(10, main).recv(35, 0, 8).leave(50, main);
  const Part part = cut_and_finish(test.finish(), {}, {false, true});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 10 main", "MpiSend 30", "Leave 50 main"));
  EXPECT_EQ(part.trace.messages.size(), 1);
}

TEST(Cut, ATimeStepKeepsItsNumber) {
  TestTrace test(1);
  const Region step = test.region("time step");
  const uint32_t name = test.text("step");
  test.define(DefinitionKind::kParameter, {3, name, 1});
  test.on(0).enter(10, step).add(EventKind::kParameterUnsignedInt, 10, {3, 41, 0});
  test.on(0).leave(50, step);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 30, .until_ticks = 70});
  EXPECT_THAT(marked_steps(part.trace)[0], ElementsAre(StepWindow{41, 30, 50}));
}

TEST(Cut, ReopensReceivesAndForgetsCompletionsOfEarlierSends) {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(0, main).isend(10, 7, 1, 8).isend(30, 8, 1, 16).isend_complete(40, 7);
  test.on(0).isend_complete(45, 8).leave(50, main);
  test.on(1).enter(0, main).irecv_request(5, 1).irecv_request(6, 2);
  test.on(1).irecv(35, 1, 0, 8).irecv(46, 2, 0, 16).leave(50, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 20 main", "MpiIsend 30", "MpiIsendComplete 45", "Leave 50 main"));
  EXPECT_THAT(events_of(part.trace, 1),
              ElementsAre("Enter 20 main", "MpiIrecvRequest 20", "MpiIrecvRequest 20",
                          "MpiIrecv 35", "MpiIrecv 46", "Leave 50 main"));
  // The first send is outside: its receive must not take the second.
  ASSERT_EQ(part.trace.messages.size(), 1);
  EXPECT_EQ(part.trace.messages.bytes[0], 16);
  EXPECT_EQ(part.trace.messages.recv_ticks[0], 46);
  EXPECT_EQ(part.lost_receives, 1);
  EXPECT_EQ(part.trace.unmatched_receives.size(), 1);
}

TEST(Cut, KeepsPutsInsideAndForgetsWhatCompletesEarlierOnes) {
  TestTrace test(2);
  const Region main = test.region("main");
  constexpr uint32_t kWindow = 5;
  constexpr auto kLocally = EventKind::kRmaOpCompleteNonBlocking;
  constexpr auto kRemotely = EventKind::kRmaOpCompleteRemote;
  test.on(0).enter(0, main).put(10, kWindow, 1, 8, 1).rma(EventKind::kRmaOpTest, 25, kWindow, 1);
  test.on(0).rma(kLocally, 26, kWindow, 1).rma(kRemotely, 27, kWindow, 1);
  // The number is used again, and the operation is complete after the part only.
  test.on(0)
      .put(30, kWindow, 1, 16, 1)
      .rma(kLocally, 40, kWindow, 1)
      .rma(kRemotely, 80, kWindow, 1);
  test.on(0).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20, .until_ticks = 70});
  EXPECT_THAT(
      events_of(part.trace, 0),
      ElementsAre("Enter 20 main", "RmaPut 30", "RmaOpCompleteNonBlocking 40", "Leave 70 main"));
  EXPECT_EQ(part.trace.locations[0].events.word64(1, 2), 16);
}

TEST(Cut, OperationsOfTwoWindowsDoNotMix) {
  TestTrace test(2);
  const Region main = test.region("main");
  constexpr auto kComplete = EventKind::kRmaOpCompleteBlocking;
  test.on(0).enter(0, main).put(10, 5, 1, 8, 1).put(30, 6, 1, 8, 1).rma(kComplete, 40, 6, 1);
  test.on(0).rma(kComplete, 41, 5, 1).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20});
  EXPECT_THAT(events_of(part.trace, 0), ElementsAre("Enter 20 main", "RmaPut 30",
                                                    "RmaOpCompleteBlocking 40", "Leave 90 main"));
}

TEST(Cut, ReopensAFenceAndLeavesOutOneThatEndsLater) {
  TestTrace test(1);
  const Region main = test.region("main");
  const auto end = [&](uint64_t ticks) {
    test.on(0).add(EventKind::kRmaCollectiveEnd, ticks, {0, 3, 5, kUndefined, 0, 0, 0, 0});
  };
  test.on(0).enter(0, main).add(EventKind::kRmaCollectiveBegin, 10);
  end(30);
  test.on(0).add(EventKind::kRmaCollectiveBegin, 60);
  end(80);
  test.on(0).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0), ElementsAre("Enter 20 main", "RmaCollectiveBegin 20",
                                                    "RmaCollectiveEnd 30", "Leave 70 main"));
}

TEST(Cut, ReopensFileOperationsAndLeavesOutThoseThatEndLater) {
  TestTrace test(1);
  const Region main = test.region("main");
  constexpr uint32_t kFile = 3;
  test.on(0).enter(0, main).io_begin(10, kFile, 100, 1).io_begin(12, kFile, 200, 2);
  test.on(0).io(EventKind::kIoOperationTest, 25, kFile, 2).io_complete(30, kFile, 100, 1);
  // A number is used again, for what ends after the part.
  test.on(0).io_begin(50, kFile, 400, 1).io(EventKind::kIoOperationIssued, 51, kFile, 1);
  test.on(0).io_complete(60, kFile, 200, 2).io_complete(80, kFile, 400, 1).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 20 main", "IoOperationBegin 20", "IoOperationBegin 20",
                          "IoOperationTest 25", "IoOperationComplete 30", "IoOperationComplete 60",
                          "Leave 70 main"));
  const Events& events = part.trace.locations[0].events;
  EXPECT_EQ(events.word64(1, 3), 100) << "in the order in which they began";
  EXPECT_EQ(events.word64(2, 3), 200);
}

TEST(Cut, FileOperationsThatAreCancelledAreLikeThoseThatEnd) {
  TestTrace test(1);
  const Region main = test.region("main");
  constexpr auto kCancelled = EventKind::kIoOperationCancelled;
  test.on(0).enter(0, main).io_begin(10, 3, 100, 1).io(kCancelled, 30, 3, 1);
  test.on(0).io_begin(40, 3, 100, 1).io(kCancelled, 80, 3, 1).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0), ElementsAre("Enter 20 main", "IoOperationBegin 20",
                                                    "IoOperationCancelled 30", "Leave 70 main"));
}

TEST(Cut, NonblockingCollectivesThatCrossAnEdgeHaveTheirOwnCommunicator) {
  TestTrace test(2);
  const Region main = test.region("main");
  constexpr uint32_t kBroadcast = 1;
  constexpr uint32_t kAllreduce = 11;
  // The first ends before the part on rank 1, the last after it; rank 0 has the end of all inside.
  test.on(0).enter(0, main).icollective_request(5, 1).icollective_request(6, 2);
  test.on(0).icollective(30, 2, kAllreduce, 8).icollective(31, 1, kBroadcast, 4);
  test.on(0).icollective_request(40, 3).icollective(41, 3, kBroadcast, 16).leave(90, main);
  test.on(1).enter(0, main).icollective_request(7, 1).icollective_request(8, 2);
  test.on(1).icollective(10, 1, kBroadcast, 4).icollective(32, 2, kAllreduce, 8);
  test.on(1).icollective_request(42, 3).add(EventKind::kMpiRequestTest, 50, {3, 0});
  test.on(1).icollective(80, 3, kBroadcast, 16).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20, .until_ticks = 70});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 20 main", "NonBlockingCollectiveRequest 20",
                          "NonBlockingCollectiveRequest 20", "NonBlockingCollectiveComplete 30",
                          "NonBlockingCollectiveComplete 31", "NonBlockingCollectiveRequest 40",
                          "NonBlockingCollectiveComplete 41", "Leave 70 main"));
  EXPECT_THAT(events_of(part.trace, 1),
              ElementsAre("Enter 20 main", "NonBlockingCollectiveRequest 20",
                          "NonBlockingCollectiveComplete 32", "Leave 70 main"));
  const Collectives& all = part.trace.collectives;
  EXPECT_THAT(all.operation, ElementsAre(kAllreduce, kBroadcast, kBroadcast));
  EXPECT_THAT(all.first, ElementsAre(0, 2, 3, 4)) << "only the allreduce has both";
  EXPECT_THAT(all.bytes_sent, ElementsAre(8, 8, 4, 16));
}

/// One MPI_Waitall ends two operations at the same time, the later one first.
TEST(Cut, TellsCollectivesApartThatEndTogether) {
  TestTrace test(2);
  constexpr uint32_t kBroadcast = 1;
  constexpr uint32_t kAllreduce = 11;
  test.on(0).icollective_request(5, 1).icollective_request(6, 2);
  test.on(0).icollective(30, 2, kAllreduce, 8).icollective(30, 1, kBroadcast, 4);
  test.on(1).icollective_request(7, 1).icollective_request(8, 2);
  test.on(1).icollective(10, 1, kBroadcast, 4).icollective(32, 2, kAllreduce, 8);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20});
  const Collectives& all = part.trace.collectives;
  EXPECT_THAT(all.operation, ElementsAre(kAllreduce, kBroadcast));
  EXPECT_THAT(all.first, ElementsAre(0, 2, 3));
}

TEST(Cut, RequestsThatAreCancelledInside) {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(0, main).isend(10, 7, 1, 8).cancelled(30, 7).isend(40, 8, 1, 16);
  test.on(0).cancelled(45, 8).send(50, 1, 32).leave(90, main);
  test.on(1).enter(0, main).irecv_request(12, 1).cancelled(35, 1).recv(55, 0, 32).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.from_ticks = 20});
  EXPECT_THAT(events_of(part.trace, 0),
              ElementsAre("Enter 20 main", "MpiIsend 40", "MpiRequestCancelled 45", "MpiSend 50",
                          "Leave 90 main"));
  EXPECT_THAT(events_of(part.trace, 1),
              ElementsAre("Enter 20 main", "MpiIrecvRequest 20", "MpiRequestCancelled 35",
                          "MpiRecv 55", "Leave 90 main"));
  ASSERT_EQ(part.trace.messages.size(), 1);
  EXPECT_EQ(part.trace.messages.bytes[0], 32);
  EXPECT_EQ(part.lost_sends, 0);
  EXPECT_THAT(part.trace.unmatched_sends, testing::IsEmpty());
  EXPECT_EQ(part.trace.cancelled_requests, 2);
}

TEST(Cut, RequestsThatAreCancelledLater) {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(0, main).isend(30, 7, 1, 8).add(EventKind::kMpiRequestTest, 40, {7, 0});
  test.on(0).send(50, 1, 32).cancelled(80, 7).leave(90, main);
  test.on(1).enter(0, main).irecv_request(30, 1).recv(55, 0, 32).cancelled(81, 1).leave(90, main);
  const Part part = cut_and_finish(test.finish(), {.until_ticks = 70});
  // Nobody ever receives it: it is no send whose receive is outside.
  EXPECT_THAT(events_of(part.trace, 0), ElementsAre("Enter 0 main", "MpiSend 50", "Leave 70 main"));
  EXPECT_THAT(events_of(part.trace, 1), ElementsAre("Enter 0 main", "MpiRecv 55", "Leave 70 main"));
  EXPECT_EQ(part.trace.messages.size(), 1);
  EXPECT_EQ(part.lost_sends, 0);
  EXPECT_THAT(part.trace.unmatched_sends, testing::IsEmpty());
}

}  // namespace
}  // namespace pathline::trace

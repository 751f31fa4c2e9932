// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <ostream>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/match.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A message as its ends and bytes; the bytes say which send it was.
struct Row {
  uint32_t sender;
  uint32_t receiver;
  uint64_t send_ticks;
  uint64_t recv_ticks;
  uint64_t bytes;
  friend bool operator==(const Row&, const Row&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << "{" << row.sender << " at " << row.send_ticks << " -> " << row.receiver << " at "
               << row.recv_ticks << ", " << row.bytes << " bytes}";
  }
};

std::vector<Row> rows(const Trace& trace) {
  const Messages& m = trace.messages;
  std::vector<Row> result;
  for (size_t i = 0; i < m.size(); ++i) {
    result.push_back({m.sender[i], m.receiver[i], m.send_ticks[i], m.recv_ticks[i], m.bytes[i]});
  }
  return result;
}

void expect_all_matched(const Trace& trace) {
  EXPECT_THAT(trace.unmatched_sends, IsEmpty());
  EXPECT_THAT(trace.unmatched_receives, IsEmpty());
}

TEST(MatchMessages, JoinsSendsAndReceivesInTheirOrder) {
  TestTrace test(2);
  test.on(0).send(1, 1, 100).send(2, 1, 200).send(3, 1, 300);
  test.on(1).recv(11, 0, 100).recv(12, 0, 200).recv(13, 0, 300);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace),
              ElementsAre(Row{0, 1, 1, 11, 100}, Row{0, 1, 2, 12, 200}, Row{0, 1, 3, 13, 300}));
  expect_all_matched(trace);
}

TEST(MatchMessages, OfAPartAreInTheOrderOfEachSender) {
  constexpr uint32_t kCount = 40'000;  // More than are written at once.
  TestTrace test(2);
  for (uint32_t i = 0; i < kCount; ++i) {
    test.on(0).isend(10 * i, i, 1, i).recv(10 * i + 3, 1, kCount + i);
    test.on(1).recv(10 * i + 1, 0, i).send(10 * i + 2, 0, kCount + i);
  }
  Trace trace = test.build();
  base::ThreadPool pool(2);
  const OpenEnds open = match_open_messages(trace, {}, pool);
  EXPECT_THAT(open.events, ElementsAre(IsEmpty(), IsEmpty()));
  std::vector<std::vector<Row>> by_sender(2);
  for (const Row& row : rows(trace)) by_sender[row.sender].push_back(row);
  std::vector<std::vector<Row>> expected(2);
  for (uint32_t i = 0; i < kCount; ++i) {
    expected[0].push_back({0, 1, 10 * i, 10 * i + 1, i});
    expected[1].push_back({1, 0, 10 * i + 2, 10 * i + 3, kCount + i});
  }
  EXPECT_EQ(by_sender, expected);
  ASSERT_EQ(open.sending.size(), kCount);
  for (const OpenEnds::Sending& one : open.sending) {
    ASSERT_EQ(trace.messages.sender[one.message], 0U);
    ASSERT_EQ(trace.messages.bytes[one.message], one.request);
  }
}

TEST(MatchMessages, AreListedWhereOneCameBeforeItWasSent) {
  for (const uint64_t received : {11U, 1U}) {
    TestTrace test(2);
    test.on(0).send(2, 1, 100).send(3, 1, 200);
    test.on(1).recv(received, 0, 100).recv(12, 0, 200);
    Trace trace = test.finish();
    trace.messages = {};
    base::ThreadPool pool(1);
    match_messages(trace, pool, WantedMessages::kCount);
    EXPECT_EQ(trace.messages.size(), received == 1 ? 2U : 0U);
    ASSERT_EQ(trace.counted_messages.has_value(), received != 1);
    if (!trace.counted_messages) continue;
    EXPECT_EQ(trace.counted_messages->messages, 2U);
    EXPECT_EQ(trace.counted_messages->bytes, 300U);
  }
}

TEST(MatchMessages, CountsFromEachStretchOfRecordedTime) {
  // What happens at 3 (a send) and 20 (a receive) crossed an edge; the others are pairs.
  constexpr uint32_t kOn = 1;
  constexpr uint32_t kOff = 2;
  TestTrace test(2);
  test.on(0).add(EventKind::kMeasurementOnOff, 0, {kOn}).send(1, 1, 100).send(3, 1, 300);
  test.on(0).add(EventKind::kMeasurementOnOff, 5, {kOff});
  test.on(0).add(EventKind::kMeasurementOnOff, 14, {kOn}).send(15, 1, 1500);
  test.on(1).add(EventKind::kMeasurementOnOff, 1, {kOn}).recv(2, 0, 100);
  test.on(1).add(EventKind::kMeasurementOnOff, 6, {kOff});
  test.on(1).add(EventKind::kMeasurementOnOff, 12, {kOn}).recv(16, 0, 1500).recv(20, 0, 2000);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 2, 100}, Row{0, 1, 15, 16, 1500}));
  ASSERT_EQ(trace.unmatched_sends.size(), 1U);
  ASSERT_EQ(trace.unmatched_receives.size(), 1U);
}

TEST(MatchMessages, CountsThroughWhereOnlyOneRankPauses) {
  TestTrace test(2);
  test.on(0).send(1, 1, 100).send(2, 1, 200);
  test.on(1).recv(3, 0, 100).add(EventKind::kMeasurementOnOff, 4, {2});
  test.on(1).add(EventKind::kMeasurementOnOff, 8, {1}).recv(9, 0, 200);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 3, 100}, Row{0, 1, 2, 9, 200}));
  expect_all_matched(trace);
}

TEST(MatchMessages, FillsEveryColumn) {
  TestTrace test(2, 2);
  const Region call = test.region("MPI_Recv");
  const uint32_t comm = test.communicator({1, 0});  // Reversed.
  test.on(0, 1).isend(5, 77, /*receiver: world rank 1*/ 0, 0x1'0000'0002, 9, comm);
  test.on(0, 1).isend_complete(8, 77);
  test.on(1, 0).enter(6, call).recv(20, /*world rank 0*/ 1, 1, 9, comm).leave(21, call);
  const Trace trace = test.finish();
  ASSERT_EQ(trace.messages.size(), 1U);
  const Messages& m = trace.messages;
  EXPECT_EQ(m.sender[0], 0U);
  EXPECT_EQ(m.receiver[0], 1U);
  EXPECT_EQ(m.send_ticks[0], 5U);
  EXPECT_EQ(m.send_end_ticks[0], 8U);
  EXPECT_EQ(m.recv_post_ticks[0], 6U);
  EXPECT_EQ(m.recv_ticks[0], 20U);
  EXPECT_EQ(m.bytes[0], 0x1'0000'0002U) << "the sender knows how much it sent";
  EXPECT_EQ(m.tag[0], 9U);
  EXPECT_EQ(m.comm[0], trace.definitions.communicator_index(comm));
  EXPECT_EQ(m.send_location[0], 1U);
  EXPECT_EQ(m.recv_location[0], 2U);
}

TEST(MatchMessages, KeepsTagsCommunicatorsSendersAndReceiversApart) {
  TestTrace test(3);
  const uint32_t comm = test.communicator({0, 1, 2});
  test.on(0).send(1, 2, 10, 0).send(2, 2, 20, 1).send(3, 2, 30, 0, comm).send(4, 1, 40, 0);
  test.on(1).send(5, 2, 50, 0).recv(20, 0, 40, 0);
  // Rank 2 receives in another order than the sends.
  test.on(2).recv(11, 1, 50, 0).recv(12, 0, 30, 0, comm).recv(13, 0, 20, 1).recv(14, 0, 10, 0);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace),
              ElementsAre(Row{0, 2, 1, 14, 10}, Row{0, 2, 2, 13, 20}, Row{0, 2, 3, 12, 30},
                          Row{0, 1, 4, 20, 40}, Row{1, 2, 5, 11, 50}));
  expect_all_matched(trace);
}

TEST(MatchMessages, SortsByTimeOfSendingThenSenderThenOrderOfSending) {
  TestTrace test(3);
  test.on(2).send(5, 0, 1, 7).send(5, 1, 2, 7).send(5, 0, 3, 7);
  test.on(1).send(5, 0, 4).send(6, 0, 5);
  test.on(0).recv(9, 1, 4).recv(9, 1, 5).recv(9, 2, 1, 7).recv(9, 2, 3, 7).send(10, 1, 6);
  test.on(1).recv(11, 2, 2, 7).recv(12, 0, 6);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace),
              ElementsAre(Row{1, 0, 5, 9, 4}, Row{2, 0, 5, 9, 1}, Row{2, 1, 5, 11, 2},
                          Row{2, 0, 5, 9, 3}, Row{1, 0, 6, 9, 5}, Row{0, 1, 10, 12, 6}));
}

TEST(MatchMessages, OrdersNonblockingReceivesByTheirPosting) {
  TestTrace test(2);
  test.on(0).send(1, 1, 100).send(2, 1, 200).send(3, 1, 300);
  // MPI_Waitany: the second request is complete first.
  test.on(1).irecv_request(4, 21).irecv_request(5, 22).irecv_request(6, 23);
  test.on(1).irecv(10, 22, 0, 200).irecv(11, 23, 0, 300).irecv(12, 21, 0, 100);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace),
              ElementsAre(Row{0, 1, 1, 12, 100}, Row{0, 1, 2, 10, 200}, Row{0, 1, 3, 11, 300}));
  EXPECT_THAT(trace.messages.recv_post_ticks, ElementsAre(4, 5, 6));
}

TEST(MatchMessages, OrdersBlockingAndNonblockingReceivesTogether) {
  TestTrace test(2);
  test.on(0).send(1, 1, 100).send(2, 1, 200).send(3, 1, 300);
  test.on(1).irecv_request(4, 21).recv(7, 0, 200).irecv_request(8, 22);
  test.on(1).irecv(10, 22, 0, 300).irecv(12, 21, 0, 100);
  EXPECT_THAT(rows(test.finish()),
              ElementsAre(Row{0, 1, 1, 12, 100}, Row{0, 1, 2, 7, 200}, Row{0, 1, 3, 10, 300}));
}

TEST(MatchMessages, TakesARequestThatIsUsedAgainForTheNewOne) {
  TestTrace test(2);
  constexpr uint64_t kRequest = 0xffff'ffff'0000'0001;
  test.on(0).send(1, 1, 100).send(2, 1, 200);
  test.on(1).irecv_request(3, kRequest).irecv(4, kRequest, 0, 100);
  test.on(1).irecv_request(5, kRequest).irecv(6, kRequest, 0, 200);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 4, 100}, Row{0, 1, 2, 6, 200}));
  EXPECT_THAT(trace.messages.recv_post_ticks, ElementsAre(3, 5));
}

TEST(MatchMessages, TellsRequestsApartThatDifferInTheUpperHalf) {
  TestTrace test(2);
  constexpr uint64_t kOther = 1 + (uint64_t{1} << 32U);
  test.on(0).send(1, 1, 100).send(2, 1, 200);
  test.on(1).irecv_request(3, 1).irecv_request(4, kOther);
  test.on(1).irecv(5, kOther, 0, 200).irecv(6, 1, 0, 100);
  EXPECT_THAT(rows(test.finish()), ElementsAre(Row{0, 1, 1, 6, 100}, Row{0, 1, 2, 5, 200}));
}

TEST(MatchMessages, KeepsThousandsOfRequestsApart) {
  TestTrace test(2);
  constexpr uint32_t kCount = 3000;
  uint64_t ticks = 0;
  // Requests that collide in a table: addresses of objects, all in steps of 64.
  const auto request = [](uint32_t i) { return 0x7f00'0000'0000 + uint64_t{64} * i; };
  for (uint32_t i = 0; i < kCount; ++i) test.on(1).irecv_request(++ticks, request(i));
  for (uint32_t i = 0; i < kCount; ++i) test.on(0).isend(++ticks, request(i), 1, i);
  for (uint32_t i = kCount; i-- > 0;) {
    test.on(0).isend_complete(++ticks, request(i));
    test.on(1).irecv(ticks, request(i), 0, i);
  }
  const Trace trace = test.finish();
  ASSERT_EQ(trace.messages.size(), kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(trace.messages.bytes[i], i);
    ASSERT_EQ(trace.messages.recv_post_ticks[i], i + 1);
    ASSERT_EQ(trace.messages.send_end_ticks[i], 3 * kCount - i);
    ASSERT_EQ(trace.messages.recv_ticks[i], 3 * kCount - i);
  }
}

TEST(MatchMessages, EndsASendWithTheCompletionOfItsRequest) {
  TestTrace test(2);
  test.on(0).isend(1, 5, 1, 100).isend(2, 6, 1, 200).send(3, 1, 300);
  test.on(0).isend_complete(10, 6).isend_complete(11, 5);
  test.on(0).isend(20, 5, 1, 400);  // Used again; never completed.
  test.on(1).recv(21, 0, 100).recv(22, 0, 200).recv(23, 0, 300).recv(24, 0, 400);
  EXPECT_THAT(test.finish().messages.send_end_ticks, ElementsAre(11, 10, 3, 20));
}

TEST(MatchMessages, TakesAnIrecvWithoutItsRequestAsPostedByItself) {
  TestTrace test(2);
  const Region wait = test.region("MPI_Wait");
  test.on(0).send(1, 1, 100);
  test.on(1).enter(5, wait).irecv(9, 44, 0, 100).leave(10, wait);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 9, 100}));
  EXPECT_THAT(trace.messages.recv_post_ticks, ElementsAre(5));
}

TEST(MatchMessages, PostsABlockingReceiveWhereItsCallWasEntered) {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region call = test.region("MPI_Recv");
  test.on(0).send(1, 1, 1).send(1, 1, 2).send(1, 1, 3).send(1, 1, 4);
  test.on(1).recv(2, 0, 1);  // In no call.
  test.on(1).enter(3, main).enter(4, call).recv(5, 0, 2).leave(6, call);
  test.on(1).enter(7, call).leave(8, call).recv(9, 0, 3);  // In main, behind calls that are over.
  test.on(1).leave(10, main).recv(11, 0, 4);
  EXPECT_THAT(test.finish().messages.recv_post_ticks, ElementsAre(2, 4, 3, 11));
}

TEST(MatchMessages, DropsReceivesThatWereCancelled) {
  TestTrace test(2);
  test.on(0).send(1, 1, 100);
  test.on(1).irecv_request(2, 7).irecv_request(3, 8).cancelled(4, 7).irecv(6, 8, 0, 100);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 6, 100}));
  EXPECT_EQ(trace.cancelled_requests, 1U);
  expect_all_matched(trace);
}

TEST(MatchMessages, DropsSendsThatWereCancelled) {
  TestTrace test(2);
  test.on(0).isend(1, 7, 1, 100).cancelled(2, 7).send(3, 1, 200);
  test.on(1).recv(6, 0, 200);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 3, 6, 200}));
  EXPECT_EQ(trace.cancelled_requests, 1U);
  expect_all_matched(trace);
}

TEST(MatchMessages, CancelsTheLatestUseOfARequestOnly) {
  TestTrace test(2);
  test.on(0).isend(1, 7, 1, 100).isend_complete(2, 7).isend(3, 7, 1, 200).cancelled(4, 7);
  test.on(0).isend(5, 7, 1, 300).isend_complete(6, 7);
  test.on(1).recv(8, 0, 100).recv(9, 0, 300);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 8, 100}, Row{0, 1, 5, 9, 300}));
  EXPECT_THAT(trace.messages.send_end_ticks, ElementsAre(2, 6));
  expect_all_matched(trace);
}

TEST(MatchMessages, JoinsAMessageOfARankToItself) {
  TestTrace test(2);
  test.on(1).irecv_request(1, 5).isend(2, 6, 1, 100).irecv(3, 5, 1, 100).isend_complete(4, 6);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{1, 1, 2, 3, 100}));
  EXPECT_THAT(trace.messages.send_end_ticks, ElementsAre(4));
}

TEST(MatchMessages, KeepsTheSelfCommunicatorsOfRanksApart) {
  TestTrace test(3);
  const uint32_t self = test.self_communicator();
  test.on(1).isend(1, 5, 0, 100, 0, self).recv(6, 0, 100, 0, self);
  test.on(2).isend(2, 5, 0, 200, 0, self).recv(5, 0, 200, 0, self);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{1, 1, 1, 6, 100}, Row{2, 2, 2, 5, 200}));
  expect_all_matched(trace);
}

TEST(MatchMessages, CountsInTheOtherGroupOfAnInterCommunicator) {
  TestTrace test(4);
  const uint32_t inter = test.inter_communicator({0, 2}, {3, 1});
  test.on(2).send(1, /*rank 3*/ 0, 100, 0, inter).recv(9, /*rank 1*/ 1, 200, 0, inter);
  test.on(1).send(2, /*rank 2*/ 1, 200, 0, inter);
  test.on(3).recv(8, /*rank 2*/ 1, 100, 0, inter);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{2, 3, 1, 8, 100}, Row{1, 2, 2, 9, 200}));
  expect_all_matched(trace);
}

TEST(MatchMessages, MergesTheThreadsOfARankByTime) {
  TestTrace test(2, 2);
  // Both threads of rank 0 send with one tag and both of rank 1 receive, each in turns.
  test.on(0, 0).send(1, 1, 100).send(4, 1, 400);
  test.on(0, 1).send(2, 1, 200).send(3, 1, 300);
  test.on(1, 0).recv(11, 0, 0).recv(13, 0, 0);
  test.on(1, 1).recv(12, 0, 0).recv(14, 0, 0);
  const Trace trace = test.finish();
  EXPECT_THAT(rows(trace), ElementsAre(Row{0, 1, 1, 11, 100}, Row{0, 1, 2, 12, 200},
                                       Row{0, 1, 3, 13, 300}, Row{0, 1, 4, 14, 400}));
  EXPECT_THAT(trace.messages.send_location, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(trace.messages.recv_location, ElementsAre(2, 3, 2, 3));
}

TEST(MatchMessages, MergesThreadsByTheTimeOfPosting) {
  TestTrace test(2, 2);
  test.on(0, 0).send(1, 1, 100).send(2, 1, 200);
  test.on(1, 0).irecv_request(4, 5).irecv(20, 5, 0, 0);
  test.on(1, 1).irecv_request(3, 5).irecv(30, 5, 0, 0);  // The same request id elsewhere.
  EXPECT_THAT(rows(test.finish()), ElementsAre(Row{0, 1, 1, 30, 100}, Row{0, 1, 2, 20, 200}));
}

TEST(MatchMessages, ListsSendsAndReceivesWithoutAPartner) {
  TestTrace test(3);
  test.on(0).send(1, 1, 100).send(2, 1, 200).send(3, 2, 300);
  test.on(1).recv(5, 0, 100).recv(6, 2, 400);
  test.on(2).send(7, 0, 500, 3).recv(8, 0, 300).recv(9, 0, 600);
  const Trace trace = test.finish();
  EXPECT_EQ(trace.messages.size(), 2U);
  ASSERT_EQ(trace.unmatched_sends.size(), 2U);
  EXPECT_EQ(trace.unmatched_sends[0].location, 0U);
  EXPECT_EQ(trace.unmatched_sends[0].event, 1U) << "the first receive belongs to the first send";
  EXPECT_EQ(trace.unmatched_sends[0].peer, Rank(1));
  EXPECT_EQ(trace.unmatched_sends[1].location, 2U);
  EXPECT_EQ(trace.unmatched_sends[1].event, 0U);
  EXPECT_EQ(trace.unmatched_sends[1].peer, Rank(0));
  ASSERT_EQ(trace.unmatched_receives.size(), 2U);
  EXPECT_EQ(trace.unmatched_receives[0].location, 1U);
  EXPECT_EQ(trace.unmatched_receives[0].event, 1U);
  EXPECT_EQ(trace.unmatched_receives[0].peer, Rank(2));
  EXPECT_EQ(trace.unmatched_receives[1].location, 2U);
  EXPECT_EQ(trace.unmatched_receives[1].event, 2U);
  EXPECT_EQ(trace.unmatched_receives[1].peer, Rank(0));
}

TEST(MatchMessages, ListsEventsWhosePeerDoesNotExist) {
  TestTrace test(2);
  test.on(0).send(1, /*no such rank*/ 2, 100).recv(2, 0, 100, 0, /*no such communicator*/ 999);
  test.on(1).isend(1, 5, 7, 100).isend_complete(3, 5);
  const Trace trace = test.finish();
  EXPECT_EQ(trace.messages.size(), 0U);
  ASSERT_EQ(trace.unmatched_sends.size(), 2U);
  EXPECT_FALSE(trace.unmatched_sends[0].peer.valid());
  EXPECT_EQ(trace.unmatched_sends[1].location, 1U);
  ASSERT_EQ(trace.unmatched_receives.size(), 1U);
  EXPECT_FALSE(trace.unmatched_receives[0].peer.valid());
}

TEST(MatchMessages, FindsTheCallOfAReceiveHoweverFarItIs) {
  for (const uint64_t between : {0U, 1U, 10U, 63U, 64U, 65U, 1000U}) {
    SCOPED_TRACE(testing::Message() << between << " calls, requests and receives between");
    TestTrace test(2);
    const Region main = test.region("main");
    const Region call = test.region("MPI_Waitall");
    const Region inner = test.region("progress");
    test.on(0).send(1, 1, 1, 9);
    test.on(1).enter(1, main).enter(2, call);
    uint64_t ticks = 10;
    for (uint64_t i = 0; i < between; ++i) {
      test.on(1).add(EventKind::kMpiRequestTest, ++ticks, {1, 0});
      test.on(1).enter(ticks, inner).enter(ticks, inner).leave(ticks, inner).leave(ticks, inner);
      test.on(1).leave(ticks, /*fits no call*/ Region(77));
    }
    test.on(1).recv(ticks + 1, 0, 1, 9).leave(ticks + 2, call).leave(ticks + 3, main);
    EXPECT_THAT(test.finish().messages.recv_post_ticks, ElementsAre(2));
  }
}

TEST(MatchMessages, TakesEventsWithoutAnyCallInLinearTime) {
  // A recorder that writes no calls: looking for the call of each receive must not read all the
  // events before. In quadratic time this takes minutes.
  TestTrace test(2);
  constexpr uint32_t kCount = 400'000;
  for (uint32_t i = 0; i < kCount; ++i) {
    test.on(0).send(i, 1, 1);
    test.on(1).recv(i, 0, 1);
  }
  const Trace trace = test.finish();
  ASSERT_EQ(trace.messages.size(), kCount);
  EXPECT_EQ(trace.messages.recv_post_ticks[kCount - 1], kCount - 1);
}

/// More messages than one slice of time holds, many of them at the same time.
TEST(MatchMessages, SortsManyMessagesByTimeThenSenderThenOrder) {
  constexpr uint32_t kRanks = 5;
  constexpr uint64_t kPerRank = 30'000;
  TestTrace test(kRanks);
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const uint32_t from = (rank + kRanks - 1) % kRanks;
    for (uint64_t i = 0; i < kPerRank; ++i) {
      test.on(rank).send(100 + i / 50, (rank + 1) % kRanks, i);
    }
    for (uint64_t i = 0; i < kPerRank; ++i) test.on(rank).recv(10'000 + i, from, i);
  }
  const Trace trace = test.finish(2);
  const Messages& m = trace.messages;
  ASSERT_EQ(m.size(), kRanks * kPerRank);
  for (size_t i = 1; i < m.size(); ++i) {
    ASSERT_LT(std::tuple(m.send_ticks[i - 1], m.sender[i - 1], m.bytes[i - 1]),
              std::tuple(m.send_ticks[i], m.sender[i], m.bytes[i]))
        << "row " << i;
  }
}

}  // namespace
}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/match.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kBarrier = 0;
constexpr uint32_t kBroadcast = 1;
constexpr uint32_t kAllreduce = 11;

/// Per operation the locations of its members.
std::vector<std::vector<uint32_t>> members(const Trace& trace) {
  const Collectives& c = trace.collectives;
  std::vector<std::vector<uint32_t>> result;
  for (size_t i = 0; i < c.size(); ++i) {
    result.emplace_back(c.location.begin() + c.first[i], c.location.begin() + c.first[i + 1]);
  }
  return result;
}

TEST(MatchCollectives, JoinsTheOperationsOfACommunicatorInTheirOrder) {
  TestTrace test(3);
  test.on(0).collective(1, 4, kBarrier).collective(10, 14, kAllreduce, 8, 24);
  test.on(1).collective(2, 5, kBarrier).collective(11, 15, kAllreduce, 9, 25);
  test.on(2).collective(3, 6, kBarrier).collective(12, 16, kAllreduce, 10, 26);
  const Collectives c = test.finish().collectives;
  EXPECT_THAT(c.operation, ElementsAre(kBarrier, kAllreduce));
  EXPECT_THAT(c.comm, ElementsAre(0, 0));
  EXPECT_THAT(c.first, ElementsAre(0, 3, 6));
  EXPECT_THAT(c.location, ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(c.begin_ticks, ElementsAre(1, 2, 3, 10, 11, 12));
  EXPECT_THAT(c.end_ticks, ElementsAre(4, 5, 6, 14, 15, 16));
  EXPECT_THAT(c.bytes_sent, ElementsAre(0, 0, 0, 8, 9, 10));
  EXPECT_THAT(c.bytes_received, ElementsAre(0, 0, 0, 24, 25, 26));
}

TEST(MatchCollectives, KeepsCommunicatorsApart) {
  TestTrace test(3);
  const uint32_t comm = test.communicator({0, 2});
  test.on(0).collective(1, 2, kBarrier, 0, 0, comm).collective(3, 4, kBroadcast);
  test.on(1).collective(1, 4, kBroadcast);
  test.on(2).collective(1, 4, kBroadcast).collective(5, 6, kBarrier, 0, 0, comm);
  const Trace trace = test.finish();
  EXPECT_THAT(trace.collectives.operation, ElementsAre(kBroadcast, kBarrier));
  EXPECT_THAT(members(trace), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2)));
}

TEST(MatchCollectives, NeverJoinsOperationsOfSelf) {
  TestTrace test(2);
  const uint32_t self = test.self_communicator();
  test.on(0).collective(1, 2, kBarrier, 0, 0, self).collective(3, 4, kBarrier, 0, 0, self);
  test.on(1).collective(1, 2, kBarrier, 0, 0, self);
  EXPECT_THAT(members(test.finish()), ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(1)));
}

TEST(MatchCollectives, MissesAMemberInTheLastOperationsWhenItHasFewer) {
  TestTrace test(2);
  test.on(0).collective(1, 2, kBarrier).collective(3, 4, kBarrier).collective(5, 6, kBarrier);
  test.on(1).collective(1, 2, kBarrier);
  EXPECT_THAT(members(test.finish()),
              ElementsAre(ElementsAre(0, 1), ElementsAre(0), ElementsAre(0)));
}

TEST(MatchCollectives, LeavesOutAnOperationThatNeverEnded) {
  TestTrace test(2);
  test.on(0).collective(1, 2, kBarrier);
  test.on(0).events.add(EventKind::kMpiCollectiveBegin, 3);  // Killed inside.
  test.on(1).collective(1, 2, kBarrier).collective(4, 5, kBarrier);
  EXPECT_THAT(members(test.finish()), ElementsAre(ElementsAre(0, 1), ElementsAre(1)));
}

TEST(MatchCollectives, TakesAnEndWithoutABeginAsAMoment) {
  TestTrace test(1);
  test.on(0).add(EventKind::kMpiCollectiveEnd, 7, {kBarrier, TestTrace::kWorld, 0, 0, 0, 0, 0});
  const Trace trace = test.finish();
  EXPECT_THAT(trace.collectives.begin_ticks, ElementsAre(7));
  EXPECT_THAT(trace.collectives.end_ticks, ElementsAre(7));
}

TEST(MatchCollectives, LeavesOutACommunicatorThatDoesNotExist) {
  TestTrace test(2);
  test.on(0).collective(1, 2, kBarrier, 0, 0, 999).collective(3, 4, kBroadcast);
  test.on(1).collective(3, 4, kBroadcast);
  const Trace trace = test.finish();
  EXPECT_THAT(trace.collectives.operation, ElementsAre(kBroadcast));
  EXPECT_THAT(members(trace), ElementsAre(ElementsAre(0, 1)));
}

void nonblocking_request(TestTrace::Thread& thread, uint64_t ticks, uint32_t request) {
  thread.add(EventKind::kNonBlockingCollectiveRequest, ticks, {request, 1});
}
void nonblocking_complete(TestTrace::Thread& thread, uint64_t ticks, uint32_t request,
                          uint32_t operation, uint32_t bytes) {
  thread.add(EventKind::kNonBlockingCollectiveComplete, ticks,
             {operation, TestTrace::kWorld, 0, bytes, 0, 0, 0, request, 1});
}

TEST(MatchCollectives, OrdersNonblockingOnesByTheirBeginning) {
  TestTrace test(2);
  // Rank 0 completes them in the order in which they began, rank 1 the other way round.
  nonblocking_request(test.on(0), 1, 5);
  nonblocking_request(test.on(0), 2, 6);
  nonblocking_complete(test.on(0), 3, 5, kBroadcast, 100);
  nonblocking_complete(test.on(0), 4, 6, kAllreduce, 200);
  nonblocking_request(test.on(1), 1, 8);
  nonblocking_request(test.on(1), 2, 9);
  nonblocking_complete(test.on(1), 5, 9, kAllreduce, 201);
  nonblocking_complete(test.on(1), 6, 8, kBroadcast, 101);
  const Collectives c = test.finish().collectives;
  EXPECT_THAT(c.operation, ElementsAre(kBroadcast, kAllreduce));
  EXPECT_THAT(c.bytes_sent, ElementsAre(100, 101, 200, 201));
  EXPECT_THAT(c.begin_ticks, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(c.end_ticks, ElementsAre(3, 6, 4, 5));
}

TEST(MatchCollectives, TakesARequestThatIsUsedAgainForTheNewOne) {
  TestTrace test(1);
  nonblocking_request(test.on(0), 1, 5);
  nonblocking_complete(test.on(0), 2, 5, kBroadcast, 0);
  nonblocking_request(test.on(0), 3, 5);
  nonblocking_complete(test.on(0), 4, 5, kBroadcast, 0);
  nonblocking_complete(test.on(0), 9, 5, kBroadcast, 0);  // Its request got lost.
  const Collectives c = test.finish().collectives;
  EXPECT_THAT(c.begin_ticks, ElementsAre(1, 3, 9));
  EXPECT_THAT(c.end_ticks, ElementsAre(2, 4, 9));
}

TEST(MatchCollectives, GivesAnOuterBeginToTheOuterEnd) {
  TestTrace test(1);
  const uint32_t comm = test.communicator({0});
  test.on(0).events.add(EventKind::kMpiCollectiveBegin, 1);  // A wrapper that does two in one.
  test.on(0).collective(2, 3, kBroadcast, 0, 0, comm);
  test.on(0).add(EventKind::kMpiCollectiveEnd, 4, {kAllreduce, TestTrace::kWorld, 0, 0, 0, 0, 0});
  const Collectives c = test.finish().collectives;
  EXPECT_THAT(c.operation, ElementsAre(kAllreduce, kBroadcast));
  EXPECT_THAT(c.begin_ticks, ElementsAre(1, 2));
  EXPECT_THAT(c.end_ticks, ElementsAre(4, 3));
}

TEST(MatchCollectives, CountsTheOperationsOfARankAndNotOfAThread) {
  // Operations of a communicator follow one another, but each may be called by another thread.
  TestTrace test(2, 2);
  test.on(0, 0).collective(1, 5, kBarrier);
  test.on(0, 1).collective(6, 9, kBroadcast);
  test.on(1, 0).collective(2, 5, kBarrier).collective(7, 9, kBroadcast);
  const Trace trace = test.finish();
  EXPECT_THAT(trace.collectives.operation, ElementsAre(kBarrier, kBroadcast));
  EXPECT_THAT(members(trace), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 2)));
}

TEST(MatchCollectives, FindsNoneInATraceWithoutAny) {
  TestTrace test(2);
  const Trace trace = test.finish();
  EXPECT_EQ(trace.collectives.size(), 0U);
  EXPECT_THAT(trace.collectives.first, ElementsAre(0));
  EXPECT_THAT(members(trace), IsEmpty());
}

TEST(MatchCollectives, FindsTheSameWithAnyNumberOfThreads) {
  const auto build = [](unsigned threads) {
    TestTrace test(20);
    const uint32_t comm = test.communicator({1, 3, 5, 7});
    for (uint32_t rank = 0; rank < 20; ++rank) {
      for (uint64_t i = 0; i < 30; ++i) {
        test.on(rank).collective(10 * i + 1, 10 * i + 2, kBarrier, rank, i);
        if (rank < 8 && rank % 2 == 1) {
          test.on(rank).collective(10 * i + 3, 10 * i + 4, kAllreduce, rank, i, comm);
        }
      }
    }
    return test.finish(threads);
  };
  const Trace one = build(1);
  ASSERT_EQ(one.collectives.size(), 60U);
  for (const unsigned threads : {2U, 8U}) {
    const Trace many = build(threads);
    EXPECT_EQ(members(many), members(one)) << threads << " threads";
    EXPECT_THAT(many.collectives.bytes_sent,
                testing::ElementsAreArray(one.collectives.bytes_sent.span()));
  }
}

TEST(MatchCollectives, KnowsTheRootAsARankOfTheProgram) {
  TestTrace test(4);
  const uint32_t odd = test.communicator({3, 1});
  for (const uint32_t rank : {1U, 3U}) {
    test.on(rank).collective(10, 20, 1, 8, 8, odd, 0);   // broadcast from rank 3
    test.on(rank).collective(30, 40, 11, 8, 8, odd, 1);  // an allreduce has none
    test.on(rank).collective(50, 60, 12, 8, 8, odd, 9);  // of a rank that is not there
  }
  const Trace trace = test.finish();
  ASSERT_EQ(trace.collectives.size(), 3U);
  EXPECT_EQ(trace.collectives.root[0], 3U);
  EXPECT_EQ(trace.collectives.root[1], uint32_t{Rank::none()});
  EXPECT_EQ(trace.collectives.root[2], uint32_t{Rank::none()});
}

TEST(MatchCollectives, OfAPartThoseThatHadBegunAreToldApartByWhatIsKnownOfThem) {
  TestTrace test(3);
  // From 100 on. Rank 0 had ended operations 5 and 6, and begun 7 and 8; those end the other way
  // around. Rank 1 had begun 5. Of rank 2 nothing was under way.
  constexpr uint32_t kBarrierKind = 0, kReduceKind = 11;
  test.on(0).icollective(110, 1, kReduceKind).icollective(120, 2, kBarrierKind);
  test.on(0).collective(130, 140, kReduceKind);
  test.on(1).icollective(105, 9, kBarrierKind).collective(106, 107, kBarrierKind);
  test.on(1).collective(111, 112, kBarrierKind).collective(113, 114, kReduceKind);
  test.on(1).collective(133, 141, kReduceKind);
  for (const uint64_t t : {101U, 103U, 108U, 115U, 135U}) {
    test.on(2).collective(t, t + 1, t == 135U || t == 115U ? kReduceKind : kBarrierKind);
  }
  Trace trace = test.finish();
  trace.collectives = {};
  base::ThreadPool pool(1);
  const std::vector<BegunOperation> begun = {
      {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 120}, {0, 3, 0, 110}, {0, 0, 1, 105}};
  match_collectives(trace, pool, begun, 100);
  const Collectives& c = trace.collectives;
  EXPECT_THAT(members(trace),
              ElementsAre(ElementsAre(1, 2), ElementsAre(1, 2), ElementsAre(0, 1, 2),
                          ElementsAre(0, 1, 2), ElementsAre(0, 1, 2)));
  EXPECT_THAT(c.operation,
              ElementsAre(kBarrierKind, kBarrierKind, kBarrierKind, kReduceKind, kReduceKind));
  EXPECT_THAT(c.begin_ticks,
              ElementsAre(100, 101, 106, 103, 100, 111, 108, 100, 113, 115, 130, 133, 135));
}

}  // namespace
}  // namespace pathline::trace

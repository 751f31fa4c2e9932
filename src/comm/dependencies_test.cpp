// SPDX-License-Identifier: BSD-3-Clause
//
// Long because every kind of wait has its cases by hand.
#include "comm/dependencies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/waits.hpp"
#include "trace/test_trace.hpp"

namespace pathline::comm {

inline void PrintTo(const WaitRow& row, std::ostream* out) {
  *out << wait_name(row.kind) << " of rank " << row.rank << ": " << row.count << " times, "
       << row.ticks << " ticks";
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

constexpr uint32_t kBarrier = 0;
constexpr uint32_t kBcast = 1;
constexpr uint32_t kAllreduce = 11;
constexpr uint32_t kReduce = 12;
constexpr uint32_t kScan = 14;
constexpr uint32_t kWindow = 900;  // A number of the file.

/// Who waits for whom, in the order of lanes.
struct Wait {
  WaitKind kind;
  uint32_t lane;
  uint64_t ticks;
  uint32_t cause_lane;
  friend bool operator==(const Wait&, const Wait&) = default;
};
void PrintTo(const Wait& wait, std::ostream* out) {
  *out << wait_name(wait.kind) << " of " << wait.lane << " by " << wait.cause_lane << ": "
       << wait.ticks;
}

Dependencies dependencies_of(const Trace& trace) {
  base::ThreadPool pool(2);
  return dependencies(trace, pool);
}

std::vector<Wait> waits_of(const Dependencies& all) {
  std::vector<Wait> found;
  for (uint32_t call = 0; call < all.calls.size(); ++call) {
    if (all.wait_ticks(call) == 0) continue;
    found.push_back({all.kind[call], all.calls.lane_of(call), all.wait_ticks(call),
                     all.calls.lane_of(all.cause[call])});
  }
  return found;
}
std::vector<Wait> waits_of(const Trace& trace) { return waits_of(dependencies_of(trace)); }

std::vector<WaitRow> rows_of(const Trace& trace) {
  base::ThreadPool pool(2);
  return waits(trace, {}, pool).rows;
}

/// The oracles of the design, in tenths of a second: a rank's main is all of the run.
struct DependenciesByHand : testing::Test {
  TestTrace test{3};
  const Region main = test.region("main");
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  const Region collective = test.region("MPI_Collective");

  void begin() {
    for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  }
  Trace end(uint64_t ticks) {
    for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).leave(ticks, main);
    return test.finish();
  }
  void all(uint32_t operation, std::array<std::pair<uint64_t, uint64_t>, 3> times,
           uint32_t root = trace::kUndefined, uint32_t comm = TestTrace::kWorld) {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      const auto [from, until] = times[rank];
      test.on(rank).enter(from, collective);
      test.on(rank).collective(from, until, operation, 0, 0, comm, root);
      test.on(rank).leave(until, collective);
    }
  }
};

TEST_F(DependenciesByHand, OfAReceiveIsTheSend) {
  begin();
  test.on(0).enter(100, send).send(100, 1, 8).leave(110, send);
  test.on(1).enter(40, recv).recv(120, 0, 8).leave(120, recv);
  EXPECT_THAT(waits_of(end(200)), ElementsAre(Wait{WaitKind::kLateSender, 1, 60, 0}));
}

TEST_F(DependenciesByHand, OfAChainAreOneByOne) {
  begin();
  test.on(0).enter(100, send).send(100, 1, 8).leave(100, send);
  test.on(1).enter(40, recv).recv(100, 0, 8).leave(100, recv);
  test.on(1).enter(120, send).send(120, 2, 8).leave(120, send);
  test.on(2).enter(40, recv).recv(120, 1, 8).leave(120, recv);
  EXPECT_THAT(waits_of(end(140)), ElementsAre(Wait{WaitKind::kLateSender, 1, 60, 0},
                                              Wait{WaitKind::kLateSender, 2, 80, 1}));
}

TEST_F(DependenciesByHand, OfABarrierAreTheLastMember) {
  begin();
  all(kBarrier, {{{20, 100}, {50, 100}, {90, 110}}});
  EXPECT_THAT(waits_of(end(120)),
              ElementsAre(Wait{WaitKind::kBarrier, 0, 70, 2}, Wait{WaitKind::kBarrier, 1, 40, 2}));
}

TEST_F(DependenciesByHand, OfABroadcastAreItsRoot) {
  begin();
  all(kBcast, {{{20, 70}, {60, 65}, {80, 90}}}, 1);
  EXPECT_THAT(waits_of(end(120)), ElementsAre(Wait{WaitKind::kLateBroadcast, 0, 40, 1}));
}

TEST_F(DependenciesByHand, OfTheRootOfAReduceAreTheOthers) {
  begin();
  all(kReduce, {{{10, 60}, {50, 55}, {30, 35}}}, 0);
  EXPECT_THAT(waits_of(end(120)), ElementsAre(Wait{WaitKind::kEarlyReduce, 0, 40, 1}));
}

TEST_F(DependenciesByHand, OfAScanAreTheRanksBefore) {
  begin();
  all(kScan, {{{40, 45}, {10, 50}, {20, 50}}});
  EXPECT_THAT(waits_of(end(120)), ElementsAre(Wait{WaitKind::kEarlyScan, 1, 30, 0},
                                              Wait{WaitKind::kEarlyScan, 2, 20, 0}));
}

TEST_F(DependenciesByHand, OfAScanFollowTheRanksOfItsCommunicator) {
  begin();
  all(kScan, {{{40, 50}, {10, 45}, {20, 50}}}, trace::kUndefined, test.communicator({1, 2, 0}));
  // Rank 2 behind 1, rank 0 behind both: none of them waits, the last is 0 itself.
  EXPECT_THAT(waits_of(end(120)), IsEmpty());
}

TEST_F(DependenciesByHand, TellWhatCameInTheWrongOrder) {
  begin();
  test.on(0).enter(5, recv).recv(80, 2, 8).leave(80, recv);
  test.on(0).enter(82, recv).recv(85, 1, 8).leave(85, recv);
  test.on(1).enter(30, send).send(30, 0, 8).leave(31, send);
  test.on(2).enter(80, send).send(80, 0, 8).leave(81, send);
  EXPECT_THAT(rows_of(end(100)), ElementsAre(WaitRow{WaitKind::kLateSender, 0, 1, 75},
                                             WaitRow{WaitKind::kWrongOrder, 0, 1, 50}));
}

TEST_F(DependenciesByHand, OfASendAreTheReceiveIfItEndsNoEarlier) {
  begin();
  test.on(0).enter(20, send).send(20, 1, 8).leave(90, send);
  test.on(1).enter(70, recv).recv(90, 0, 8).leave(90, recv);
  test.on(0).enter(120, send).send(120, 1, 8).leave(121, send);
  test.on(1).enter(170, recv).recv(190, 0, 8).leave(190, recv);
  EXPECT_THAT(waits_of(end(200)), ElementsAre(Wait{WaitKind::kLateReceiver, 0, 50, 1}));
}

TEST_F(DependenciesByHand, OfASendThatTheCompletionWaitsForAreTheReceive) {
  const Region isend = test.region("MPI_Isend");
  const Region wait = test.region("MPI_Wait");
  begin();
  test.on(0).enter(10, isend).isend(10, 1, 1, 8).leave(12, isend);
  test.on(0).enter(30, wait).isend_complete(80, 1).leave(80, wait);
  test.on(1).enter(70, recv).recv(80, 0, 8).leave(80, recv);
  EXPECT_THAT(waits_of(end(200)), ElementsAre(Wait{WaitKind::kLateReceiver, 0, 40, 1}));
}

TEST_F(DependenciesByHand, OfClocksThatDisagreeEndWithTheCall) {
  begin();
  test.on(0).enter(1'000'002, send).send(1'000'002, 1, 8).leave(1'000'003, send);
  test.on(1).enter(900'000, recv).recv(1'000'000, 0, 8).leave(1'000'000, recv);
  const Trace trace = end(2'000'000);
  const Dependencies all = dependencies_of(trace);
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kLateSender, 1, 100'000, 0}));
  EXPECT_EQ(all.violations, 1U);
  EXPECT_EQ(all.max_violation_ticks, 2U);
}

TEST_F(DependenciesByHand, OfSeveralAreTheLatestAndOfEquallyLateOnesTheLowestRank) {
  const Region irecv = test.region("MPI_Irecv");
  const Region waitall = test.region("MPI_Waitall");
  begin();
  for (uint32_t round = 0; round < 2; ++round) {
    const uint64_t at = 100 * round;
    test.on(2).enter(at + 1, irecv).irecv_request(at + 1, 1).irecv_request(at + 1, 2);
    test.on(2).leave(at + 2, irecv).enter(at + 10, waitall);
    test.on(2).irecv(at + 60, 2, 1, 8).irecv(at + 60, 1, 0, 8).leave(at + 60, waitall);
    test.on(0).enter(at + 40, send).send(at + 40, 2, 8).leave(at + 41, send);
    test.on(1).enter(at + 40 + round, send).send(at + 40 + round, 2, 8).leave(at + 45, send);
  }
  EXPECT_THAT(waits_of(end(300)), ElementsAre(Wait{WaitKind::kLateSender, 2, 30, 0},
                                              Wait{WaitKind::kLateSender, 2, 31, 1}));
}

TEST_F(DependenciesByHand, OfFinalizeAreTheLastRank) {
  const Region finalize = test.region("MPI_Finalize");
  begin();
  for (uint32_t rank = 0; rank < 3; ++rank) {
    test.on(rank).enter(100 + 10 * rank, finalize).leave(150, finalize);
  }
  EXPECT_THAT(waits_of(end(200)), ElementsAre(Wait{WaitKind::kFinalize, 0, 20, 2},
                                              Wait{WaitKind::kFinalize, 1, 10, 2}));
}

TEST_F(DependenciesByHand, OfWhatMakesACommunicatorAreTheLastMember) {
  constexpr uint32_t kCreateHandle = 17;
  begin();
  all(kCreateHandle, {{{20, 100}, {50, 100}, {90, 110}}});
  EXPECT_THAT(waits_of(end(120)), ElementsAre(Wait{WaitKind::kCollective, 0, 70, 2},
                                              Wait{WaitKind::kCollective, 1, 40, 2}));
}

TEST_F(DependenciesByHand, OfWhatFreesACommunicatorAreNone) {
  constexpr uint32_t kDestroyHandle = 18;
  begin();
  all(kDestroyHandle, {{{20, 100}, {50, 100}, {90, 110}}});
  EXPECT_THAT(waits_of(end(120)), IsEmpty());
}

TEST_F(DependenciesByHand, OfInitAreNone) {
  const Region init = test.region("MPI_Init");
  for (uint32_t rank = 0; rank < 3; ++rank) {
    test.on(rank).enter(10 * rank, init).collective(10 * rank, 40, 17).leave(50, init);
  }
  EXPECT_THAT(waits_of(test.finish()), IsEmpty());
}

TEST_F(DependenciesByHand, OfWindowsAreTheLastMember) {
  const Region create = test.region("MPI_Win_create");
  const Region fence = test.region("MPI_Win_fence");
  const Region free = test.region("MPI_Win_free");
  begin();
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto& on = test.on(rank);
    on.enter(10 + rank, create).add(EventKind::kRmaWinCreate, 20, {kWindow}).leave(20, create);
    on.enter(30 + 5 * rank, fence).add(EventKind::kRmaCollectiveBegin, 30 + 5 * rank);
    on.add(EventKind::kRmaCollectiveEnd, 50, {0, 3, kWindow, trace::kUndefined, 0, 0, 0, 0});
    on.leave(50, fence);
    on.enter(60, free).add(EventKind::kRmaWinDestroy, 60, {kWindow}).leave(61, free);
  }
  EXPECT_THAT(rows_of(end(100)),
              ElementsAre(WaitRow{WaitKind::kFence, 0, 2, 12}, WaitRow{WaitKind::kFence, 1, 2, 6}));
}

TEST_F(DependenciesByHand, OfStartAndWaitArePostAndComplete) {
  const Region post = test.region("MPI_Win_post");
  const Region start = test.region("MPI_Win_start");
  const Region complete = test.region("MPI_Win_complete");
  const Region wait = test.region("MPI_Win_wait");
  const uint32_t origin = test.group(trace::GroupType::kCommGroup, {0});
  const uint32_t target = test.group(trace::GroupType::kCommGroup, {1});
  const auto call = [&](uint32_t rank, uint64_t from, uint64_t until, Region region,
                        uint32_t group) {
    test.on(rank).enter(from, region);
    test.on(rank).add(EventKind::kRmaGroupSync, from, {1, kWindow, group}).leave(until, region);
  };
  begin();
  // A start that waits.
  call(0, 10, 31, start, target);
  call(1, 30, 31, post, origin);
  call(0, 70, 71, complete, target);
  call(1, 40, 72, wait, origin);
  // One that leaves it to MPI_Win_complete.
  call(0, 110, 111, start, target);
  call(0, 115, 131, complete, target);
  call(1, 130, 131, post, origin);
  call(1, 140, 141, wait, origin);
  EXPECT_THAT(waits_of(end(200)),
              ElementsAre(Wait{WaitKind::kLatePost, 0, 20, 1}, Wait{WaitKind::kLatePost, 0, 15, 1},
                          Wait{WaitKind::kLateComplete, 1, 30, 0}));
}

TEST_F(DependenciesByHand, OfWindowsThatWereTestedAreThoseOfTheirRound) {
  const Region post = test.region("MPI_Win_post");
  const Region start = test.region("MPI_Win_start");
  const Region complete = test.region("MPI_Win_complete");
  const Region poll = test.region("MPI_Win_test");
  const Region wait = test.region("MPI_Win_wait");
  const uint32_t origin = test.group(trace::GroupType::kCommGroup, {0});
  const uint32_t target = test.group(trace::GroupType::kCommGroup, {1});
  const auto call = [&](uint32_t rank, uint64_t from, uint64_t until, Region region,
                        uint32_t group) {
    test.on(rank).enter(from, region);
    test.on(rank).add(EventKind::kRmaGroupSync, until, {2, kWindow, group}).leave(until, region);
  };
  begin();
  for (const uint64_t at : {10, 110}) {
    call(1, at, at + 1, post, origin);
    call(0, at + 2, at + 3, start, target);
    call(0, at + 40, at + 41, complete, target);
    if (at == 10) {
      call(1, at + 50, at + 51, poll, origin);
    } else {
      call(1, at + 10, at + 42, wait, origin);
    }
  }
  EXPECT_THAT(waits_of(end(200)), ElementsAre(Wait{WaitKind::kLateComplete, 1, 30, 0}));
}

TEST_F(DependenciesByHand, OfLocksAreTheHolderWhoHadItLong) {
  const Region lock = test.region("MPI_Win_lock");
  const Region unlock = test.region("MPI_Win_unlock");
  const auto epoch = [&](uint32_t rank, uint64_t from, uint64_t begin_unlock, uint64_t until) {
    test.on(rank).enter(from, lock);
    test.on(rank).add(EventKind::kRmaAcquireLock, from + 1, {kWindow, 0, 0, 0, 0});
    test.on(rank).leave(from + 1, lock).enter(begin_unlock, unlock);
    test.on(rank).add(EventKind::kRmaReleaseLock, until, {kWindow, 0, 0, 0}).leave(until, unlock);
  };
  begin();
  epoch(2, 10, 60, 61);  // Holds it long.
  epoch(0, 15, 20, 63);  // Waits in its unlock ...
  epoch(1, 12, 25, 65);  // ... and this one behind both, but for rank 2.
  EXPECT_THAT(waits_of(end(100)),
              ElementsAre(Wait{WaitKind::kLock, 0, 40, 2}, Wait{WaitKind::kLock, 1, 35, 2}));
}

TEST_F(DependenciesByHand, OfSharedLocksAreNoneOfEachOther) {
  const Region lock = test.region("MPI_Win_lock");
  const Region unlock = test.region("MPI_Win_unlock");
  begin();
  for (uint32_t rank = 0; rank < 3; ++rank) {
    const uint32_t shared = rank < 2 ? 1 : 0;
    test.on(rank).enter(10, lock);
    test.on(rank).add(EventKind::kRmaRequestLock, 10, {kWindow, 0, 0, 0, shared}).leave(11, lock);
    test.on(rank).enter(20 + 10 * rank, unlock);
    test.on(rank).add(EventKind::kRmaReleaseLock, 50 + rank, {kWindow, 0, 0, 0});
    test.on(rank).leave(50 + rank, unlock);
  }
  // The exclusive one came last in, behind both.
  EXPECT_THAT(waits_of(end(100)), IsEmpty());
}

TEST_F(DependenciesByHand, OfPollsThatFollowEachOtherAreOfOneCall) {
  const Region poll = test.region("MPI_Test");
  const Region irecv = test.region("MPI_Irecv");
  const uint32_t count = 77;
  test.define(trace::DefinitionKind::kParameter, {count, test.text("count"), 2});
  begin();
  test.on(1).enter(1, irecv).irecv_request(2, 5).leave(3, irecv);
  // 20 polls that failed in 60 ticks, one that succeeds 7 ticks later.
  test.on(1).enter(10, poll);
  test.on(1).add(EventKind::kParameterUnsignedInt, 10, {count, 20, 0}).leave(70, poll);
  test.on(1).enter(77, poll).irecv(80, 5, 0, 8).leave(80, poll);
  test.on(0).enter(75, send).send(75, 1, 8).leave(76, send);
  EXPECT_THAT(waits_of(end(100)), ElementsAre(Wait{WaitKind::kPolling, 1, 65, 0}));
}

TEST_F(DependenciesByHand, OfPollsWithWorkBehindThemAreOfTheLastOneOnly) {
  const Region poll = test.region("MPI_Test");
  const Region irecv = test.region("MPI_Irecv");
  begin();
  test.on(1).enter(1, irecv).irecv_request(2, 5).leave(3, irecv);
  test.on(1).enter(10, poll).leave(12, poll);
  test.on(1).enter(70, poll).irecv(80, 5, 0, 8).leave(80, poll);
  test.on(0).enter(75, send).send(75, 1, 8).leave(76, send);
  const Dependencies all = dependencies_of(end(100));
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kPolling, 1, 5, 0}));
}

class PollsByHand : public DependenciesByHand {
 protected:
  Region poll = test.region("MPI_Test");
  Region irecv = test.region("MPI_Irecv");

  PollsByHand() {
    test.define(trace::DefinitionKind::kParameter, {kCount, test.text(trace::kPollCount), 2});
    test.define(trace::DefinitionKind::kParameter, {kWork, test.text(trace::kWorkBetweenPolls), 2});
  }
  /// Rank 1 polls from 10 to 70, a third of that in MPI.
  void poll_and_work() {
    begin();
    test.on(1).enter(1, irecv).irecv_request(2, 5).leave(3, irecv);
    test.on(1).enter(10, poll).add(EventKind::kParameterUnsignedInt, 10, {kCount, 20, 0});
    test.on(1).add(EventKind::kParameterUnsignedInt, 10, {kWork, 40, 0}).leave(70, poll);
  }
  static constexpr uint32_t kCount = 77;
  static constexpr uint32_t kWork = 78;
};

TEST_F(PollsByHand, ThatFoundNothingBeginBehindTheWorkBetweenThem) {
  const Region wait = test.region("MPI_Wait");
  poll_and_work();
  test.on(1).enter(77, wait).irecv(90, 5, 0, 8).leave(90, wait);
  test.on(0).enter(85, send).send(85, 1, 8).leave(86, send);
  const Dependencies all = dependencies_of(end(100));
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kLateSender, 1, 8, 0}));
  const uint32_t call = all.calls.first[1] + 1;
  EXPECT_EQ(all.calls.begin_ticks[call], 50U);
  EXPECT_EQ(all.calls.end_ticks[call], 70U);
  EXPECT_THAT(all.calls.poll_work, IsEmpty()) << "it is in front of the call now";
}

TEST_F(PollsByHand, ThatReceiveSomethingMayHavePassedTheTime) {
  poll_and_work();
  test.on(1).enter(77, poll).irecv(80, 5, 0, 8).leave(80, poll);
  test.on(0).enter(75, send).send(75, 1, 8).leave(76, send);
  const Dependencies all = dependencies_of(end(100));
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kPolling, 1, 65, 0}));
  EXPECT_EQ(all.calls.poll_work_ticks(all.calls.first[1] + 1), 47U) << "the last time, too";
  EXPECT_EQ(all.calls.poll_work_ticks(all.calls.first[1]), 0U);
}

TEST_F(PollsByHand, ThatReceiveSomethingAreWorkWhereMostGiveUp) {
  poll_and_work();
  test.on(1).enter(77, poll).irecv(80, 5, 0, 8).leave(80, poll);
  test.on(1).enter(90, poll).add(EventKind::kParameterUnsignedInt, 90, {kCount, 20, 0});
  test.on(1).add(EventKind::kParameterUnsignedInt, 90, {kWork, 48, 0}).leave(150, poll);
  test.on(0).enter(75, send).send(75, 1, 8).leave(76, send);
  const Dependencies all = dependencies_of(end(200));
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kPolling, 1, 18, 0}));
  EXPECT_THAT(all.calls.poll_work, IsEmpty());
}

TEST_F(DependenciesByHand, OfAReceiveBehindAProbeAreOfOneCall) {
  const Region probe = test.region("MPI_Iprobe");
  begin();
  // Each poll has an event of its own, as Score-P writes it.
  for (uint64_t at = 10; at < 60; at += 5) test.on(1).enter(at, probe).leave(at + 3, probe);
  test.on(1).enter(60, recv).recv(64, 0, 8).leave(64, recv);
  test.on(0).enter(50, send).send(50, 1, 8).leave(51, send);
  EXPECT_THAT(waits_of(end(100)), ElementsAre(Wait{WaitKind::kPolling, 1, 40, 0}));
}

TEST_F(DependenciesByHand, OfANonblockingOperationAreOfTheCallThatCompletesIt) {
  const Region start = test.region("MPI_Iallreduce");
  const Region wait = test.region("MPI_Wait");
  begin();
  const uint64_t from[] = {10, 20, 50};
  for (uint32_t rank = 0; rank < 3; ++rank) {
    test.on(rank).enter(from[rank], start);
    test.on(rank).add(EventKind::kNonBlockingCollectiveRequest, from[rank], {7, 0});
    test.on(rank).leave(from[rank] + 1, start).enter(from[rank] + 10, wait);
    test.on(rank).add(EventKind::kNonBlockingCollectiveComplete, 70,
                      {kAllreduce, TestTrace::kWorld, trace::kUndefined, 8, 0, 8, 0, 7, 0});
    test.on(rank).leave(70, wait);
  }
  EXPECT_THAT(waits_of(end(100)), ElementsAre(Wait{WaitKind::kCollective, 0, 30, 2},
                                              Wait{WaitKind::kCollective, 1, 20, 2}));
}

TEST(DependenciesOfThreads, AreTheLastThreadOfTheTeam) {
  constexpr uint8_t kOpenMp = 3;
  TestTrace test(1, 3);
  const Region barrier =
      test.region("!$omp barrier", trace::RegionRole::kBarrier, "a.c", 1, kOpenMp);
  for (uint32_t thread = 0; thread < 3; ++thread) {
    test.on(0, thread).enter(10 + 20 * thread, barrier).leave(55, barrier);
    test.on(0, thread).enter(70 - 5 * thread, barrier).leave(75, barrier);
  }
  const Trace trace = test.finish();
  EXPECT_THAT(rows_of(trace), ElementsAre(WaitRow{WaitKind::kOmpBarrier, 0, 4, 40 + 20 + 5 + 10}));
  base::ThreadPool pool(1);
  EXPECT_EQ(waits(trace, {}, pool).mpi_ticks(), 0U);
}

TEST(DependenciesOfATable, AreNone) {
  // Messages of a list name no location.
  Trace trace;
  trace.rank_count = 2;
  trace.messages.resize(1);
  trace.messages.sender.set(0, 0);
  trace.messages.receiver.set(0, 1);
  trace.messages.send_location.set(0, base::IdMap::kNone);
  trace.messages.recv_location.set(0, base::IdMap::kNone);
  trace.collectives.first.push_back(0);
  const Dependencies all = dependencies_of(trace);
  EXPECT_THAT(waits_of(all), IsEmpty());
  EXPECT_EQ(all.messages_without_call, 1U);
}

TEST(DependenciesOfADamagedList, CountALocationOfTwoRanksOnce) {
  TestTrace test(2);
  const Region send = test.region("MPI_Send");
  test.on(0).enter(50, send).leave(60, send);
  Trace trace = test.finish();
  trace.rank_location[1] = trace.rank_location[0];
  const Dependencies all = dependencies_of(trace);
  EXPECT_EQ(all.calls.size(), 1U);
  EXPECT_EQ(all.calls.lanes[1].location, kNoLane);
}

TEST(DependenciesOfThreads, OfOneRankHaveLanesOfTheirOwn) {
  TestTrace test(2, 2);
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  test.on(0, 1).enter(50, send).send(50, 1, 8).leave(60, send);
  test.on(1, 0).enter(10, recv).recv(60, 0, 8).leave(60, recv);
  const Trace trace = test.finish();
  const Dependencies all = dependencies_of(trace);
  ASSERT_EQ(all.calls.lanes.size(), 3U);
  EXPECT_EQ(all.calls.lanes[2].rank, 0U);
  EXPECT_THAT(waits_of(all), ElementsAre(Wait{WaitKind::kLateSender, 1, 40, 2}));
}

}  // namespace
}  // namespace pathline::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/waits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {

inline void PrintTo(const WaitRow& row, std::ostream* out) {
  *out << wait_name(row.kind) << " of rank " << row.rank << ": " << row.count << " times, "
       << row.ticks << " ticks";
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::Region;
using trace::TestTrace;

constexpr uint32_t kBarrier = 0;
constexpr uint32_t kBcast = 1;
constexpr uint32_t kAllreduce = 11;

std::vector<WaitRow> rows_of(const trace::Trace& trace, const trace::Selection& selection = {}) {
  base::ThreadPool pool(2);
  return waits(trace, selection, pool).rows;
}

struct WaitsOfMessages : testing::Test {
  TestTrace test{2};
  const Region send = test.region("MPI_Send");
  const Region recv = test.region("MPI_Recv");
  const Region isend = test.region("MPI_Isend");
  const Region irecv = test.region("MPI_Irecv");
  const Region waitall = test.region("MPI_Waitall");
  const Region sendrecv = test.region("MPI_Sendrecv");
};

TEST_F(WaitsOfMessages, ChargeTheReceiverUntilTheSendIsEntered) {
  test.on(0).enter(90, send).send(91, 1, 8).leave(95, send);
  test.on(1).enter(40, recv).recv(99, 0, 8).leave(100, recv);
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateSender, 1, 1, 50}));
}

TEST_F(WaitsOfMessages, ChargeABlockingSendUntilTheReceiveIsEntered) {
  test.on(0).enter(10, send).send(11, 1, 8).leave(95, send);
  test.on(1).enter(70, recv).recv(99, 0, 8).leave(100, recv);
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateReceiver, 0, 1, 60}));
}

TEST_F(WaitsOfMessages, DoNotChargeASendThatReturnedBeforeTheReceive) {
  test.on(0).enter(10, send).send(11, 1, 8).leave(20, send);
  test.on(1).enter(70, recv).recv(99, 0, 8).leave(100, recv);
  EXPECT_THAT(rows_of(test.finish()), IsEmpty());
}

TEST_F(WaitsOfMessages, CountACallThatWaitedForSeveralSendersOnceForTheLast) {
  test.on(0).enter(50, isend).isend(51, 1, 1, 8).leave(52, isend);
  test.on(0).enter(80, isend).isend(81, 2, 1, 8).leave(82, isend);
  test.on(0).enter(83, waitall).isend_complete(84, 1).isend_complete(84, 2).leave(85, waitall);
  test.on(1).enter(1, irecv).irecv_request(2, 1).leave(3, irecv);
  test.on(1).enter(4, irecv).irecv_request(5, 2).leave(6, irecv);
  test.on(1).enter(20, waitall).irecv(90, 1, 0, 8).irecv(91, 2, 0, 8).leave(92, waitall);
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateSender, 1, 1, 60}));
}

TEST_F(WaitsOfMessages, EndWithTheReceiveWhenClocksDisagree) {
  test.on(0).enter(200, send).send(201, 1, 8).leave(205, send);
  test.on(1).enter(40, recv).recv(99, 0, 8).leave(100, recv);
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateSender, 1, 1, 59}));
}

TEST_F(WaitsOfMessages, OfACallThatSendsAndReceivesAreThoseOfTheReceive) {
  test.on(0).enter(10, sendrecv).send(11, 1, 8).recv(90, 1, 8).leave(91, sendrecv);
  test.on(1).enter(60, sendrecv).send(61, 0, 8).recv(92, 0, 8).leave(93, sendrecv);
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateSender, 0, 1, 50}));
}

TEST_F(WaitsOfMessages, AreNotKnownOutsideOfCalls) {
  const Region main = test.region("main");
  test.on(0).enter(1, main).send(91, 1, 8).leave(95, main);
  test.on(1).enter(1, main).recv(99, 0, 8).leave(100, main);
  base::ThreadPool pool(1);
  const Waits result = waits(test.finish(), {}, pool);
  EXPECT_THAT(result.rows, IsEmpty());
  EXPECT_EQ(result.messages_without_call, 1U);
}

TEST_F(WaitsOfMessages, AreCutByTheTimeRangeAndCountedWhereTheyBegan) {
  test.on(0).enter(90, send).send(91, 1, 8).leave(95, send);
  test.on(1).enter(40, recv).recv(99, 0, 8).leave(100, recv);
  const trace::Trace trace = test.finish();
  const auto row = [](uint64_t count, uint64_t ticks) {
    return ElementsAre(WaitRow{WaitKind::kLateSender, 1, count, ticks});
  };
  EXPECT_THAT(rows_of(trace, {.from_ticks = 60}), row(0, 30));
  EXPECT_THAT(rows_of(trace, {.until_ticks = 60}), row(1, 20));
  EXPECT_THAT(rows_of(trace, {.ranks = {false, true}}), row(1, 50));
  EXPECT_THAT(rows_of(trace, {.ranks = {true, false}}), IsEmpty());
}

TEST(WaitsOfCollectives, LastUntilTheLastMemberEnters) {
  TestTrace test(3);
  const Region call = test.region("MPI_Allreduce");
  for (uint32_t rank = 0; rank < 3; ++rank) {
    const uint64_t begin = 10 + 20 * rank;
    test.on(rank).enter(begin, call).collective(begin, 60, kAllreduce).leave(61, call);
    test.on(rank).enter(100, call).collective(100 + rank, 160, kBarrier).leave(161, call);
    test.on(rank).enter(200 + begin, call).collective(200 + begin, 260, kBcast).leave(261, call);
  }
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kCollective, 0, 1, 40},
                                                  WaitRow{WaitKind::kCollective, 1, 1, 20},
                                                  WaitRow{WaitKind::kBarrier, 0, 1, 2},
                                                  WaitRow{WaitKind::kBarrier, 1, 1, 1}));
}

TEST(WaitsOfCollectives, WithARootAreForTheRootOrOfIt) {
  constexpr uint32_t kGather = 2;
  constexpr uint32_t kScatterv = 5;
  constexpr uint32_t kReduce = 12;
  TestTrace test(3);
  const Region call = test.region("MPI_Bcast");
  const auto all = [&](uint64_t from, uint32_t operation, uint32_t root) {
    // Rank 1 is the last but one, rank 2 the last.
    for (const auto& [rank, late] : {std::pair{0U, 0U}, std::pair{1U, 30U}, std::pair{2U, 50U}}) {
      const uint64_t begin = from + late;
      test.on(rank).enter(begin, call);
      test.on(rank).collective(begin, from + 60, operation, 0, 0, TestTrace::kWorld, root);
      test.on(rank).leave(from + 60, call);
    }
  };
  all(1000, kBcast, 1);     // Rank 0 waits 30, rank 2 not.
  all(2000, kScatterv, 2);  // Ranks 0 and 1 wait 50 and 20.
  all(3000, kGather, 0);    // Rank 0 waits 50.
  all(4000, kReduce, 1);    // Rank 1 waits 20.
  all(5000, kReduce, 2);    // The root is the last: nobody waits.
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kLateBroadcast, 0, 2, 80},
                                                  WaitRow{WaitKind::kLateBroadcast, 1, 1, 20},
                                                  WaitRow{WaitKind::kEarlyReduce, 0, 1, 50},
                                                  WaitRow{WaitKind::kEarlyReduce, 1, 1, 20}));
}
TEST(WaitsOfCollectives, WithARootThatWasNotRecordedAreUnknown) {
  TestTrace test(3);
  const Region call = test.region("MPI_Bcast");
  for (const uint32_t rank : {0U, 1U}) {
    test.on(rank).enter(10 * rank, call);
    test.on(rank).collective(10 * rank, 60, kBcast, 0, 0, TestTrace::kWorld, 2).leave(60, call);
  }
  EXPECT_THAT(rows_of(test.finish()), IsEmpty());
}
TEST(WaitsOfCollectives, OfANonblockingOneBeginWithTheCallThatCompletesIt) {
  using trace::EventKind;
  TestTrace test(2);
  const Region start = test.region("MPI_Iallreduce");
  const Region wait = test.region("MPI_Wait");
  const uint64_t begin[] = {10, 50};
  for (uint32_t rank = 0; rank < 2; ++rank) {
    test.on(rank).enter(begin[rank], start);
    test.on(rank).add(EventKind::kNonBlockingCollectiveRequest, begin[rank], {7, 0});
    test.on(rank).leave(begin[rank] + 1, start).enter(begin[rank] + 20, wait);
    test.on(rank).add(EventKind::kNonBlockingCollectiveComplete, 80,
                      {kAllreduce, TestTrace::kWorld, trace::kUndefined, 8, 0, 8, 0, 7, 0});
    test.on(rank).leave(81, wait);
  }
  EXPECT_THAT(rows_of(test.finish()), ElementsAre(WaitRow{WaitKind::kCollective, 0, 1, 20}));
}

/// A program of random calls at random times, which writes down who waits for whom while it builds
/// the trace: the slow way, one map entry for each call that waited.
class RandomProgram {
 public:
  RandomProgram(uint32_t rank_count, uint32_t seed)
      : random_(seed),
        test_(rank_count),
        clock_(rank_count),
        receives_(rank_count),
        rank_count_(rank_count) {
    for (int i = 0; i < 60; ++i) {
      const uint32_t a = number(rank_count);
      const uint32_t b = (a + 1 + number(rank_count - 1)) % rank_count;
      switch (number(3)) {
        case 0: blocking(a, b); break;
        case 1: exchange(); break;
        default: collective(); break;
      }
    }
  }
  trace::Trace finish() { return test_.finish(); }

  std::vector<WaitRow> expected(const trace::Selection& selection) const {
    std::map<std::pair<WaitKind, uint32_t>, WaitRow> sums;
    for (const auto& [call, until] : until_) {
      const auto [kind, rank, from] = call;
      if (!selection.has_rank(rank)) continue;
      WaitRow& row = sums.try_emplace({kind, rank}, WaitRow{kind, rank, 0, 0}).first->second;
      row.count += selection.has_time(from) ? 1 : 0;
      for (uint64_t tick = from; tick < until; ++tick) row.ticks += selection.has_time(tick);
    }
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      if (!selection.has_rank(rank)) continue;
      WaitRow row{WaitKind::kWrongOrder, rank, 0, 0};
      for (size_t call = 0; call < receives_[rank].size(); ++call) {
        add_wrong_order(rank, call, selection, row);
      }
      sums.emplace(std::pair(row.kind, rank), row);
    }
    std::vector<WaitRow> rows;
    for (const auto& [key, row] : sums) {
      if (row.count + row.ticks > 0) rows.push_back(row);
    }
    return rows;
  }

 private:
  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  /// From when on another message was at hand that a later call received.
  void add_wrong_order(uint32_t rank, size_t call, const trace::Selection& selection,
                       WaitRow& row) const {
    const Receive& receive = receives_[rank][call];
    uint64_t from = UINT64_MAX;
    for (size_t other = call + 1; other < receives_[rank].size(); ++other) {
      for (const uint64_t sent : receives_[rank][other].sent) from = std::min(from, sent);
    }
    from = std::max(from, receive.from);
    const auto wait = until_.find({WaitKind::kLateSender, rank, receive.from});
    if (wait == until_.end() || from >= wait->second) return;
    row.count += selection.has_time(from) ? 1 : 0;
    for (uint64_t tick = from; tick < wait->second; ++tick) row.ticks += selection.has_time(tick);
  }
  uint64_t later(uint32_t rank) { return clock_[rank] += 1 + number(40); }
  void wait(WaitKind kind, uint32_t rank, uint64_t from, uint64_t until) {
    if (until <= from) return;
    uint64_t& known = until_[{kind, rank, from}];
    known = std::max(known, until);
  }

  void blocking(uint32_t a, uint32_t b) {
    const uint64_t enter = later(a);
    test_.on(a).enter(enter, send_).send(later(a), b, 8);
    const uint64_t leave = later(a);
    test_.on(a).leave(leave, send_);
    const uint64_t receive = later(b);
    const uint64_t done = later(b);
    test_.on(b).enter(receive, recv_).recv(done, a, 8).leave(later(b), recv_);
    wait(WaitKind::kLateSender, b, receive, std::min(enter, done));
    receives_[b].push_back({receive, {enter}});
    if (receive < leave) wait(WaitKind::kLateReceiver, a, enter, receive);
  }

  /// Every rank sends to the next and the one after, all nonblocking.
  void exchange() {
    std::vector<std::array<uint64_t, 2>> sent(rank_count_);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      for (uint32_t i = 0; i < 2; ++i) {
        test_.on(rank).enter(later(rank), irecv_).irecv_request(clock_[rank], ++request_);
        test_.on(rank).leave(later(rank), irecv_);
      }
      for (uint32_t i = 0; i < 2; ++i) {
        sent[rank][i] = later(rank);
        test_.on(rank).enter(sent[rank][i], isend_);
        test_.on(rank).isend(later(rank), 1'000'000 + request_, (rank + 1 + i) % rank_count_, 8, i);
        test_.on(rank).leave(later(rank), isend_);
      }
      clock_[rank] += number(200);
    }
    request_ -= 2 * rank_count_;
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      const uint64_t from = later(rank);
      test_.on(rank).enter(from, waitall_);
      receives_[rank].push_back({from, {}});
      for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t peer = (rank + rank_count_ - 1 - i) % rank_count_;
        test_.on(rank).irecv(later(rank), ++request_, peer, 8, i);
        wait(WaitKind::kLateSender, rank, from, std::min(sent[peer][i], clock_[rank]));
        receives_[rank].back().sent.push_back(sent[peer][i]);
      }
      test_.on(rank).leave(later(rank), waitall_);
    }
  }

  void collective() {
    const bool barrier = number(2) == 0;
    std::vector<uint64_t> begin(rank_count_);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) begin[rank] = later(rank);
    const uint64_t last = *std::max_element(begin.begin(), begin.end());
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      const uint64_t end = later(rank);
      test_.on(rank).enter(begin[rank], allreduce_);
      test_.on(rank).collective(begin[rank], end, barrier ? kBarrier : kAllreduce);
      test_.on(rank).leave(later(rank), allreduce_);
      wait(barrier ? WaitKind::kBarrier : WaitKind::kCollective, rank, begin[rank],
           std::min(last, end));
    }
  }

  std::mt19937 random_;
  TestTrace test_;
  std::vector<uint64_t> clock_;
  struct Receive {
    uint64_t from;
    std::vector<uint64_t> sent;  // When the calls were entered that sent what it received.
  };
  std::vector<std::vector<Receive>> receives_;  // By rank, in the order of time.
  uint32_t rank_count_;
  uint64_t request_ = 0;
  std::map<std::tuple<WaitKind, uint32_t, uint64_t>, uint64_t> until_;  // By the call's enter.
  const Region send_ = test_.region("MPI_Send"), recv_ = test_.region("MPI_Recv");
  const Region isend_ = test_.region("MPI_Isend"), irecv_ = test_.region("MPI_Irecv");
  const Region waitall_ = test_.region("MPI_Waitall");
  const Region allreduce_ = test_.region("MPI_Allreduce");
};

TEST(WaitsOfRandomPrograms, AgreeWithWhatTheProgramWroteDown) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const uint32_t rank_count = 3 + seed % 4;
    RandomProgram program(rank_count, seed);
    const trace::Trace trace = program.finish();
    ASSERT_EQ(trace.unmatched_sends.size(), 0U);
    trace::Selection part{.from_ticks = 500, .until_ticks = 1500};
    part.ranks.assign(rank_count, true);
    part.ranks[1] = false;
    EXPECT_EQ(rows_of(trace), program.expected({}));
    EXPECT_EQ(rows_of(trace, part), program.expected(part));
  }
}

}  // namespace
}  // namespace pathline::comm

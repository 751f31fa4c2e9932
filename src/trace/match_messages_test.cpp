// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/match.hpp"
#include "trace/test_trace.hpp"

namespace pathline::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// In these tests the size of a message is its name. (send ticks, receive ticks) by size.
std::map<uint64_t, std::pair<uint64_t, uint64_t>> times(const Trace& trace) {
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> result;
  const Messages& m = trace.messages;
  for (size_t i = 0; i < m.size(); ++i) result[m.bytes[i]] = {m.send_ticks[i], m.recv_ticks[i]};
  return result;
}

TEST(MatchMessages, JoinsTheFirstSendOfAChannelWithItsFirstReceive) {
  TestTrace test(2);
  test.on(0).send(10, 1, 100);
  test.on(0).send(20, 1, 200);
  test.on(1).recv(30, 0, 100);
  test.on(1).recv(40, 0, 200);
  const Trace trace = test.finish();
  EXPECT_THAT(times(trace),
              ElementsAre(std::pair(100, std::pair(10, 30)), std::pair(200, std::pair(20, 40))));
  EXPECT_TRUE(trace.unmatched_sends.empty());
  EXPECT_TRUE(trace.unmatched_receives.empty());
}

TEST(MatchMessages, KeepsTagsAndCommunicatorsApart) {
  TestTrace test(2);
  const uint32_t other = test.communicator({1, 0});
  test.on(0).send(10, 1, 100, 7);
  test.on(0).send(20, 1, 200, 8);
  test.on(0).send(25, 0, 300, 8, other);  // Its rank 0 is rank 1.
  test.on(1).recv(30, 1, 300, 8, other);
  test.on(1).recv(40, 0, 200, 8);
  test.on(1).recv(50, 0, 100, 7);
  const Trace trace = test.finish();
  EXPECT_THAT(times(trace),
              ElementsAre(std::pair(100, std::pair(10, 50)), std::pair(200, std::pair(20, 40)),
                          std::pair(300, std::pair(25, 30))));
}

TEST(MatchMessages, OrdersNonblockingReceivesByPostingNotByCompletion) {
  TestTrace test(2);
  test.on(0).send(10, 1, 100);
  test.on(0).send(20, 1, 200);
  test.on(1).irecv_request(1, 11);
  test.on(1).irecv_request(2, 22);
  test.on(1).irecv(50, 22, 0, 200);
  test.on(1).irecv(60, 11, 0, 100);
  const Trace trace = test.finish();
  EXPECT_THAT(times(trace),
              ElementsAre(std::pair(100, std::pair(10, 60)), std::pair(200, std::pair(20, 50))));
  EXPECT_EQ(trace.messages.recv_post_ticks[0], 1);
  EXPECT_EQ(trace.messages.recv_post_ticks[1], 2);
}

TEST(MatchMessages, FollowsRequestIdsThatAreUsedAgain) {
  TestTrace test(2);
  for (uint64_t i = 0; i < 3; ++i) {
    test.on(0).isend(10 + 10 * i, 5, 1, 100 + i);
    test.on(0).isend_complete(15 + 10 * i, 5);
    test.on(1).irecv_request(11 + 10 * i, 5);
    test.on(1).irecv(18 + 10 * i, 5, 0, 100 + i);
  }
  const Trace trace = test.finish();
  ASSERT_EQ(trace.messages.size(), 3);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.messages.send_ticks[i], 10 + 10 * i);
    EXPECT_EQ(trace.messages.send_end_ticks[i], 15 + 10 * i);
    EXPECT_EQ(trace.messages.recv_post_ticks[i], 11 + 10 * i);
    EXPECT_EQ(trace.messages.recv_ticks[i], 18 + 10 * i);
  }
}

TEST(MatchMessages, TakesTheEntryOfABlockingReceiveAsItsPosting) {
  TestTrace test(2);
  test.on(0).send(10, 1, 100);
  const Region outer = test.region("outer");
  const Region inner = test.region("inner");
  test.on(1).enter(3, outer).enter(4, inner).leave(5, inner);
  test.on(1).recv(30, 0, 100);
  test.on(1).leave(31, outer);
  const Trace trace = test.finish();
  ASSERT_EQ(trace.messages.size(), 1);
  EXPECT_EQ(trace.messages.recv_post_ticks[0], 3) << "the inner call was over";
  EXPECT_EQ(trace.messages.send_end_ticks[0], 10) << "a blocking send has no completion";
}

TEST(MatchMessages, CountsCancelledRequestsAndMakesNoMessageOfThem) {
  TestTrace test(2);
  test.on(1).irecv_request(1, 11);
  test.on(1).cancelled(2, 11);
  test.on(1).irecv_request(3, 11);
  test.on(1).irecv(50, 11, 0, 100);
  test.on(0).send(10, 1, 100);
  const Trace trace = test.finish();
  EXPECT_EQ(trace.cancelled_requests, 1);
  ASSERT_EQ(trace.messages.size(), 1);
  EXPECT_EQ(trace.messages.recv_post_ticks[0], 3);
}

TEST(MatchMessages, ShowsWhatFindsNoPartner) {
  TestTrace test(2);
  test.on(0).send(10, 1, 100, 1);
  test.on(0).send(11, 1, 200, 2);
  test.on(0).send(12, 9, 300);         // There is no rank 9.
  test.on(0).send(13, 1, 400, 0, 77);  // Nor a communicator 77.
  test.on(1).recv(20, 0, 100, 1);
  test.on(1).recv(21, 0, 500, 3);
  test.on(1).irecv_request(30, 5);  // Never completed: no receive.
  const Trace trace = test.finish();
  EXPECT_EQ(trace.messages.size(), 1);
  std::vector<std::tuple<uint32_t, uint32_t, bool>> sends;
  for (const Unmatched& send : trace.unmatched_sends) {
    sends.emplace_back(send.location, send.event, send.peer.valid());
  }
  EXPECT_THAT(
      sends, ElementsAre(std::tuple(0, 1, true), std::tuple(0, 2, false), std::tuple(0, 3, false)));
  ASSERT_EQ(trace.unmatched_receives.size(), 1);
  EXPECT_EQ(trace.unmatched_receives[0].event, 1);
  EXPECT_EQ(trace.unmatched_receives[0].peer, Rank(0));
}

TEST(MatchMessages, ResolvesMessagesToOneselfAndBetweenGroups) {
  TestTrace test(4);
  const uint32_t self = test.self_communicator();
  const uint32_t even_odd = test.inter_communicator({0, 2}, {1, 3});
  test.on(2).isend(10, 1, 0, 100, 0, self);
  test.on(2).recv(20, 0, 100, 0, self);
  test.on(3).isend(10, 1, 3, 200);
  test.on(3).recv(20, 3, 200);
  test.on(2).send(30, 1, 300, 0, even_odd);  // Rank 1 of the odd ones: 3.
  test.on(3).recv(40, 1, 300, 0, even_odd);  // Rank 1 of the even ones: 2.
  const Trace trace = test.finish();
  const Messages& m = trace.messages;
  std::vector<std::tuple<uint64_t, uint32_t, uint32_t>> found;
  for (size_t i = 0; i < m.size(); ++i) {
    found.emplace_back(m.bytes[i], m.sender[i], m.receiver[i]);
  }
  EXPECT_THAT(found, UnorderedElementsAre(std::tuple(100, 2, 2), std::tuple(200, 3, 3),
                                          std::tuple(300, 2, 3)));
}

TEST(MatchMessages, MergesTheThreadsOfARankByTime) {
  TestTrace test(2, 2);
  test.on(0, 1).send(10, 1, 100);  // Second thread of rank 0.
  test.on(0, 0).send(20, 1, 200);
  test.on(0, 1).send(30, 1, 300);
  test.on(1, 1).recv(40, 0, 100);
  test.on(1, 0).recv(50, 0, 200);
  test.on(1, 0).recv(60, 0, 300);
  const Trace trace = test.finish();
  EXPECT_THAT(times(trace),
              ElementsAre(std::pair(100, std::pair(10, 40)), std::pair(200, std::pair(20, 50)),
                          std::pair(300, std::pair(30, 60))));
  EXPECT_EQ(trace.messages.send_location[0], 1);
  EXPECT_EQ(trace.messages.recv_location[0], 3);
}

/// What really happened, by size.
struct Truth {
  uint32_t sender, receiver, tag;
  uint64_t send_ticks = 0;
  uint64_t send_end_ticks = 0;
  uint64_t recv_post_ticks = 0;
  uint64_t recv_ticks = 0;
};

/// A program of random messages: each rank receives its channels in any order, but each channel in
/// the order of sending; some calls block, the others complete in any order later.
Trace random_program(uint32_t seed, unsigned threads, std::vector<Truth>& truth) {
  constexpr uint32_t kRanks = 7;
  constexpr uint32_t kMessages = 3000;
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  TestTrace test(kRanks);
  using Channel = std::tuple<uint32_t, uint32_t>;  // Sender and tag.
  std::vector<std::map<Channel, std::vector<uint32_t>>> waiting(kRanks);
  std::vector<uint64_t> now(kRanks, 1000);
  struct Active {
    uint64_t request;
    uint32_t message;
  };
  std::vector<std::vector<Active>> sending(kRanks);
  const auto complete_sends = [&](uint32_t rank, size_t keep) {
    while (sending[rank].size() > keep) {
      const size_t i = below(static_cast<uint32_t>(sending[rank].size()));
      const Active active = sending[rank][i];
      sending[rank].erase(sending[rank].begin() + static_cast<ptrdiff_t>(i));
      test.on(rank).isend_complete(now[rank], active.request);
      truth[active.message].send_end_ticks = now[rank]++;
    }
  };
  for (uint32_t i = 0; i < kMessages; ++i) {
    const uint32_t sender = below(kRanks);
    truth.push_back({sender, below(kRanks), below(3)});
    Truth& t = truth.back();
    now[sender] += below(4);
    t.send_ticks = t.send_end_ticks = now[sender];
    if (below(2) == 0) {
      test.on(sender).send(now[sender], t.receiver, i, t.tag);
    } else {
      // The id of the oldest request that is no longer active may be used again.
      uint64_t request = 0;
      while (std::any_of(sending[sender].begin(), sending[sender].end(),
                         [&](const Active& a) { return a.request == request; })) {
        ++request;
      }
      test.on(sender).isend(now[sender], request, t.receiver, i, t.tag);
      sending[sender].push_back({request, i});
    }
    complete_sends(sender, 4);
    waiting[t.receiver][{sender, t.tag}].push_back(i);
  }
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    complete_sends(rank, 0);
    std::vector<Active> active;
    const auto complete = [&](size_t keep) {
      while (active.size() > keep) {
        const size_t i = below(static_cast<uint32_t>(active.size()));
        Truth& t = truth[active[i].message];
        now[rank] += below(3);
        t.recv_ticks = now[rank];
        test.on(rank).irecv(now[rank], active[i].request, t.sender, active[i].message, t.tag);
        active.erase(active.begin() + static_cast<ptrdiff_t>(i));
      }
    };
    uint64_t next_request = 1'000'000;
    while (!waiting[rank].empty()) {
      auto channel = waiting[rank].begin();
      std::advance(channel, below(static_cast<uint32_t>(waiting[rank].size())));
      const uint32_t message = channel->second.front();
      channel->second.erase(channel->second.begin());
      if (channel->second.empty()) waiting[rank].erase(channel);
      Truth& t = truth[message];
      now[rank] += below(3);
      if (below(2) == 0) {
        t.recv_post_ticks = t.recv_ticks = now[rank];
        test.on(rank).recv(now[rank], t.sender, message, t.tag);
      } else {
        t.recv_post_ticks = now[rank];
        test.on(rank).irecv_request(now[rank], ++next_request);
        active.push_back({next_request, message});
      }
      complete(6);
    }
    complete(0);
  }
  return test.finish(threads);
}

TEST(MatchMessages, FindsWhatHappenedInRandomProgramsWithAnyNumberOfThreads) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    for (const unsigned threads : {1U, 2U, 8U}) {
      SCOPED_TRACE(threads);
      std::vector<Truth> truth;
      const Trace trace = random_program(seed, threads, truth);
      const Messages& m = trace.messages;
      ASSERT_EQ(m.size(), truth.size());
      EXPECT_TRUE(trace.unmatched_sends.empty());
      EXPECT_TRUE(trace.unmatched_receives.empty());
      for (size_t i = 0; i < m.size(); ++i) {
        const Truth& t = truth[m.bytes[i]];
        ASSERT_EQ(m.sender[i], t.sender) << m.bytes[i];
        ASSERT_EQ(m.receiver[i], t.receiver) << m.bytes[i];
        ASSERT_EQ(m.tag[i], t.tag) << m.bytes[i];
        ASSERT_EQ(m.send_ticks[i], t.send_ticks) << m.bytes[i];
        ASSERT_EQ(m.send_end_ticks[i], t.send_end_ticks) << m.bytes[i];
        ASSERT_EQ(m.recv_post_ticks[i], t.recv_post_ticks) << m.bytes[i];
        ASSERT_EQ(m.recv_ticks[i], t.recv_ticks) << m.bytes[i];
        if (i == 0) continue;
        const auto before = std::tuple(m.send_ticks[i - 1], m.sender[i - 1]);
        ASSERT_LE(before, std::tuple(m.send_ticks[i], m.sender[i])) << "row " << i;
      }
    }
  }
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

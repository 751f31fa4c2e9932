// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/packing.hpp"
#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::EventKind;
using trace::TestTrace;

struct Message {
  uint32_t sender;
  uint32_t receiver;
  uint64_t send_ticks;
  uint64_t recv_ticks;
  uint64_t bytes;
};

trace::Trace trace_of(uint32_t rank_count, const std::vector<Message>& messages) {
  trace::Trace trace;
  trace.rank_count = rank_count;
  trace.messages.resize(messages.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    trace.messages.sender.set(i, messages[i].sender);
    trace.messages.receiver.set(i, messages[i].receiver);
    trace.messages.send_ticks.set(i, messages[i].send_ticks);
    trace.messages.recv_ticks.set(i, messages[i].recv_ticks);
    trace.messages.bytes.set(i, messages[i].bytes);
  }
  return trace;
}

Matrix matrix_of(const trace::Trace& trace, const trace::Selection& selection = {},
                 std::optional<uint32_t> step = {}, unsigned threads = 1) {
  base::ThreadPool pool(threads);
  return matrix(trace, selection, step, pool);
}

TEST(Matrix, SumsTheMessagesOfEachPair) {
  const Matrix m = matrix_of(trace_of(3, {{2, 0, 10, 25, 100},
                                          {0, 2, 11, 12, 1},
                                          {2, 0, 12, 17, 200},
                                          {2, 2, 13, 14, 0},
                                          {2, 0, 14, 24, 300},
                                          {0, 1, 15, 16, 7}}));
  EXPECT_THAT(m.traffic.row, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(m.traffic.receiver, ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(m.traffic.messages, ElementsAre(1, 1, 3, 1));
  EXPECT_THAT(m.traffic.bytes, ElementsAre(7, 1, 600, 0));
  EXPECT_THAT(m.min_ticks, ElementsAre(1, 1, 5, 1));
  EXPECT_THAT(m.max_ticks, ElementsAre(1, 1, 15, 1));
  EXPECT_THAT(m.mean_ticks, ElementsAre(1, 1, 10, 1));
}

TEST(Matrix, HasARowForEachRankAlsoWithoutMessages) {
  const Matrix m = matrix_of(trace_of(3, {}));
  EXPECT_THAT(m.traffic.row, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(m.traffic.rank_count(), 3U);
  EXPECT_THAT(m.mean_ticks, IsEmpty());
}

TEST(Matrix, KeepsTheSignOfTimesWhenClocksDisagree) {
  const Matrix m = matrix_of(trace_of(2, {{0, 1, 100, 90, 1}, {0, 1, 100, 104, 1}}));
  EXPECT_THAT(m.min_ticks, ElementsAre(-10));
  EXPECT_THAT(m.max_ticks, ElementsAre(4));
  EXPECT_THAT(m.mean_ticks, ElementsAre(-3));
}

TEST(Matrix, CountsAMessageInTheWindowOfItsSending) {
  const trace::Trace trace =
      trace_of(2, {{0, 1, 9, 15, 1}, {0, 1, 10, 30, 2}, {0, 1, 19, 30, 4}, {0, 1, 20, 21, 8}});
  const Matrix m = matrix_of(trace, {.from_ticks = 10, .until_ticks = 20, .ranks = {}});
  EXPECT_THAT(m.traffic.bytes, ElementsAre(2 + 4));
}

TEST(Matrix, CountsAMessageWhenOneOfItsRanksIsChosen) {
  const trace::Trace trace =
      trace_of(3, {{0, 1, 1, 2, 1}, {1, 0, 1, 2, 2}, {1, 2, 1, 2, 4}, {2, 1, 1, 2, 8}});
  trace::Selection selection;
  selection.ranks = {true, false, false};
  const Matrix m = matrix_of(trace, selection);
  EXPECT_THAT(m.traffic.row, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(m.traffic.bytes, ElementsAre(1, 2));
}

TEST(Matrix, CountsTheMessagesOfOneMarkedStep) {
  TestTrace test(2);
  const trace::Region step = test.region("time step");
  test.define(trace::DefinitionKind::kParameter, {90, test.text("step"), 1});
  const auto run = [&](uint32_t rank, uint64_t begin, uint32_t number, uint64_t bytes) {
    test.on(rank).enter(begin, step).add(EventKind::kParameterInt, begin + 1, {90, number, 0});
    test.on(rank).send(begin + 2, 1 - rank, bytes).leave(begin + 5, step);
  };
  // Rank 1 is a step behind: what counts is the step of the sender.
  run(0, 10, 7, 1);
  run(0, 20, 8, 2);
  run(1, 20, 7, 4);
  run(1, 30, 8, 8);
  test.on(0).send(40, 1, 16).recv(50, 1, 4).recv(51, 1, 8);
  test.on(1).recv(50, 0, 1).recv(51, 0, 2).recv(52, 0, 16);
  const trace::Trace trace = test.finish();
  EXPECT_THAT(matrix_of(trace, {}, 7).traffic.bytes, ElementsAre(1, 4));
  EXPECT_THAT(matrix_of(trace, {}, 8).traffic.bytes, ElementsAre(2, 8));
  EXPECT_THAT(matrix_of(trace, {}, 9).traffic.bytes, IsEmpty());
  EXPECT_THAT(matrix_of(trace).traffic.bytes, ElementsAre(19, 12));
}

TEST(Matrix, HasNoStepWhereNoneIsMarked) {
  TestTrace test(2);
  test.on(0).send(1, 1, 8);
  test.on(1).recv(2, 0, 8);
  EXPECT_THAT(matrix_of(test.finish(), {}, 0).traffic.bytes, IsEmpty());
}

std::vector<Message> random_messages(uint32_t seed, uint32_t rank_count) {
  std::mt19937_64 random(seed);
  std::vector<Message> messages(random() % 500);
  for (Message& m : messages) {
    m.sender = static_cast<uint32_t>(random() % rank_count);
    m.receiver = static_cast<uint32_t>(random() % rank_count);
    m.send_ticks = 1000 + random() % 1000;
    m.recv_ticks = m.send_ticks + random() % 100 - 10;
    m.bytes = random() >> (24 + random() % 40);
  }
  std::sort(messages.begin(), messages.end(),
            [](const Message& a, const Message& b) { return a.send_ticks < b.send_ticks; });
  return messages;
}

struct Entry {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  int64_t min_ticks = 0;
  int64_t max_ticks = 0;
  int64_t sum_ticks = 0;  // Whole numbers this small are exact in the matrix' double too.
  friend bool operator==(const Entry&, const Entry&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Entry& e) {
    return out << e.messages << " messages, " << e.bytes << " bytes, " << e.min_ticks << " to "
               << e.max_ticks << ", sum " << e.sum_ticks;
  }
};
using Entries = std::map<std::pair<uint32_t, uint32_t>, Entry>;

Entries entries(const Matrix& m) {
  Entries result;
  for (uint32_t sender = 0; sender < m.traffic.rank_count(); ++sender) {
    for (uint64_t i = m.traffic.row[sender]; i < m.traffic.row[sender + 1]; ++i) {
      const double sum = m.mean_ticks[i] * static_cast<double>(m.traffic.messages[i]);
      const bool added = result
                             .emplace(std::pair(sender, m.traffic.receiver[i]),
                                      Entry{m.traffic.messages[i], m.traffic.bytes[i],
                                            m.min_ticks[i], m.max_ticks[i], std::llround(sum)})
                             .second;
      EXPECT_TRUE(added) << "two entries of one pair";
      EXPECT_TRUE(i == m.traffic.row[sender] || m.traffic.receiver[i - 1] < m.traffic.receiver[i]);
    }
  }
  return result;
}

TEST(Matrix, AgreesWithASumOverAMap) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const uint32_t ranks = 1 + seed % 9;
    const std::vector<Message> messages = random_messages(seed, ranks);
    Entries expected;
    for (const Message& m : messages) {
      const auto ticks = static_cast<int64_t>(m.recv_ticks - m.send_ticks);
      Entry& e = expected[{m.sender, m.receiver}];
      if (e.messages == 0) e.min_ticks = e.max_ticks = ticks;
      ++e.messages;
      e.bytes += m.bytes;
      e.min_ticks = std::min(e.min_ticks, ticks);
      e.max_ticks = std::max(e.max_ticks, ticks);
      e.sum_ticks += ticks;
    }
    ASSERT_EQ(entries(matrix_of(trace_of(ranks, messages))), expected);
  }
}

TEST(Matrix, SumsToTheSumOfAllMessagesWhereverTheTimeIsCut) {
  for (uint32_t seed = 101; seed <= 120; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<Message> messages = random_messages(seed, 6);
    const trace::Trace trace = trace_of(6, messages);
    const uint64_t cut = 1000 + seed * 7;
    uint64_t bytes = 0;
    uint64_t count = 0;
    for (const auto& [from, until] : {std::pair<uint64_t, uint64_t>(0, cut), {cut, UINT64_MAX}}) {
      const Matrix m = matrix_of(trace, {.from_ticks = from, .until_ticks = until, .ranks = {}});
      bytes = std::accumulate(m.traffic.bytes.begin(), m.traffic.bytes.end(), bytes);
      count = std::accumulate(m.traffic.messages.begin(), m.traffic.messages.end(), count);
    }
    uint64_t expected = 0;
    for (const Message& m : messages) expected += m.bytes;
    ASSERT_EQ(bytes, expected);
    ASSERT_EQ(count, messages.size());
  }
}

TEST(Matrix, IsPermutedWhenItsRanksAre) {
  for (uint32_t seed = 201; seed <= 220; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<Message> messages = random_messages(seed, 7);
    Entries before = entries(matrix_of(trace_of(7, messages)));
    std::vector<uint32_t> to(7);
    std::iota(to.begin(), to.end(), 0U);
    std::shuffle(to.begin(), to.end(), std::mt19937(seed));
    for (Message& m : messages) {
      m.sender = to[m.sender];
      m.receiver = to[m.receiver];
    }
    Entries expected;
    for (const auto& [pair, entry] : before) expected[{to[pair.first], to[pair.second]}] = entry;
    ASSERT_EQ(entries(matrix_of(trace_of(7, messages))), expected);
  }
}

TEST(Matrix, IsTheSameToTheLastBitWithAnyNumberOfThreads) {
  const trace::Trace trace = trace_of(9, random_messages(301, 9));
  const Matrix one = matrix_of(trace, {}, {}, 1);
  for (const unsigned threads : {2U, 8U}) {
    const Matrix many = matrix_of(trace, {}, {}, threads);
    EXPECT_EQ(many.traffic.row, one.traffic.row);
    EXPECT_EQ(many.traffic.receiver, one.traffic.receiver);
    EXPECT_EQ(many.traffic.bytes, one.traffic.bytes);
    EXPECT_EQ(many.mean_ticks, one.mean_ticks);
  }
}

TEST(GrowingMatrix, CountsMoreMessagesThanAPairHasRoomFor) {
  constexpr uint64_t kMany = (uint64_t{3} << 32U) - 1;
  constexpr int64_t kLate = -5;
  base::Packer out;  // As another process packs it.
  out.put(uint32_t{1});
  out.put(uint64_t{1} << 32U | 2U);  // From rank 1 to 2.
  out.put(kMany);
  out.put(8 * kMany);
  out.put(kLate);  // The shortest and the longest took this long,
  out.put(kLate);
  out.put(static_cast<uint64_t>(kLate) * kMany);  // and all of them that, in 128 bits.
  out.put(int64_t{-1});
  const std::vector<uint8_t> packed = out.take();
  GrowingMatrix growing;
  for (int times = 0; times < 2; ++times) {
    base::Unpacker in(packed);
    growing.take(in);
  }
  base::Packer again;
  growing.pack(again);
  const std::vector<uint8_t> sums = again.take();
  base::Unpacker in(sums);
  GrowingMatrix other;
  other.take(in);
  const Matrix matrix = other.finish(3);
  EXPECT_THAT(matrix.traffic.receiver, ElementsAre(2));
  EXPECT_THAT(matrix.traffic.messages, ElementsAre(2 * kMany));
  EXPECT_THAT(matrix.traffic.bytes, ElementsAre(16 * kMany));
  EXPECT_THAT(matrix.min_ticks, ElementsAre(kLate));
  EXPECT_THAT(matrix.mean_ticks, ElementsAre(static_cast<double>(kLate)));
}

}  // namespace
}  // namespace pathline::comm

// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pyramid/cell_aggregator.hpp"

namespace pathline::pyramid {

static bool operator==(const MessageCell& a, const MessageCell& b) {
  return std::tie(a.send_bin, a.recv_bin, a.sender, a.receiver, a.count) ==
             std::tie(b.send_bin, b.recv_bin, b.sender, b.receiver, b.count) &&
         a.weight == b.weight && a.send_ticks == b.send_ticks && a.latency_ticks == b.latency_ticks;
}

static void PrintTo(const MessageCell& cell, std::ostream* out) {
  *out << "bins " << cell.send_bin << " > " << cell.recv_bin << " blocks " << cell.sender << " > "
       << cell.receiver << " count " << cell.count << " weight " << static_cast<double>(cell.weight)
       << " sent " << static_cast<double>(cell.send_ticks) << " latency "
       << static_cast<double>(cell.latency_ticks);
}

namespace {

using ::testing::ElementsAreArray;
using Cells = std::vector<MessageCell>;

struct Message {
  uint64_t send_ticks;
  uint64_t recv_ticks;
  uint32_t sender;
  uint32_t receiver;
  uint64_t weight;
};

Cells unpacked(const MessageCells& cells) {
  Cells all;
  MessageCells::Rows rows;
  for (const MessageCells::Block& block : cells.blocks()) {
    cells.unpack(block, rows);
    for (size_t i = 0; i < rows.size; ++i) all.push_back(rows.cell(i));
  }
  return all;
}

/// Slow, and in the order that MessageCells promises for receive bins that are not before the send.
Cells brute_force(const std::vector<Message>& messages, CellSize size) {
  std::map<std::tuple<uint64_t, uint64_t, uint32_t, uint32_t>, MessageCell> cells;
  for (const Message& m : messages) {
    const uint64_t send_bin = m.send_ticks >> size.bin_shift;
    const uint64_t recv_bin = m.recv_ticks >> size.bin_shift;
    const uint32_t sender = m.sender >> size.row_shift;
    const uint32_t receiver = m.receiver >> size.row_shift;
    const auto distance = static_cast<int64_t>(recv_bin - send_bin);
    const uint64_t order = distance < 0 ? ~(static_cast<uint64_t>(distance) << 1)
                                        : static_cast<uint64_t>(distance) << 1;
    MessageCell& cell = cells
                            .insert({{send_bin, order, sender, receiver},
                                     {send_bin, recv_bin, sender, receiver, 0, 0, 0, 0}})
                            .first->second;
    ++cell.count;
    cell.weight += m.weight;
    cell.send_ticks += m.send_ticks - (send_bin << size.bin_shift);
    cell.latency_ticks += Int128{m.recv_ticks} - Int128{m.send_ticks};
  }
  Cells list;
  for (const auto& [key, cell] : cells) list.push_back(cell);
  return list;
}

/// What is likely, and a few of everything else.
std::vector<Message> random_messages(size_t count, uint32_t row_count, uint64_t mean_gap) {
  std::mt19937_64 random(11);
  std::vector<Message> messages;
  uint64_t now = uint64_t{1} << 40;
  for (size_t i = 0; i < count; ++i) {
    now += random() % (2 * mean_gap + 1);
    Message m{now, now + random() % 5000, static_cast<uint32_t>(random() % row_count), 0,
              random() % 100000};
    m.receiver = (m.sender + 1 + static_cast<uint32_t>(random() % 3)) % row_count;
    switch (random() % 64) {
      case 0: m.recv_ticks = now - random() % 100000; break;
      case 1: m.recv_ticks = random(); break;
      case 2: m.recv_ticks = now + (random() >> (random() % 64)); break;
      case 3: m.weight = random(); break;
      case 4: m.receiver = static_cast<uint32_t>(random() % row_count); break;
      default: break;
    }
    messages.push_back(m);
  }
  return messages;
}

void aggregate(const std::vector<Message>& messages, CellSize size, uint32_t row_count,
               MessageCells& cells) {
  CellAggregator aggregator(size, row_count, cells);
  std::vector<uint64_t> send_ticks;
  std::vector<uint64_t> recv_ticks;
  std::vector<uint32_t> senders;
  std::vector<uint32_t> receivers;
  std::vector<uint64_t> weights;
  for (const Message& m : messages) {
    send_ticks.push_back(m.send_ticks);
    recv_ticks.push_back(m.recv_ticks);
    senders.push_back(m.sender);
    receivers.push_back(m.receiver);
    weights.push_back(m.weight);
  }
  const MessageColumns columns{send_ticks, recv_ticks, senders, receivers, weights, row_count};
  aggregator.add(columns, 0, messages.size() / 3);
  aggregator.add(columns, messages.size() / 3, messages.size());
  aggregator.finish();
  EXPECT_EQ(aggregator.added_count(), messages.size());
}

TEST(MessageCells, KeepNumbersOfAnyWidth) {
  std::mt19937_64 random(5);
  const auto any = [&] { return random() >> (random() % 64); };
  for (const size_t count : {1, 255, 256, 257, 2000}) {
    Cells cells;
    uint64_t bin = 0;
    for (size_t i = 0; i < count; ++i) {
      bin += i % 7 == 0 ? random() >> 40 : 0;
      MessageCell cell{
          bin,   any(), static_cast<uint32_t>(any()), static_cast<uint32_t>(any()), any() | 1,
          any(), any(), static_cast<int64_t>(any())};
      if (i % 3000 > 1500) {
        cell.weight = Uint128{any()} << 64 | any();
        cell.send_ticks = Uint128{any()} << 64 | any();
        cell.latency_ticks = static_cast<Int128>(Uint128{random()} << 64 | any());
      }
      cells.push_back(cell);
    }
    MessageCells packed;
    packed.append(std::span(cells).first(count / 3));
    packed.append(std::span(cells).subspan(count / 3));
    packed.finish();
    EXPECT_EQ(packed.size(), count);
    EXPECT_THAT(unpacked(packed), ElementsAreArray(cells));
  }
}

TEST(MessageCells, BlocksTellTheEarliestAndLatestBin) {
  const Cells cells = {{10, 12, 0, 0, 1, 0, 0, 0},
                       {11, 4, 0, 0, 1, 0, 0, 0},
                       {13, 99, 5, 0, 1, 0, 0, 0},
                       {14, 14, 2, 0, 1, 0, 0, 0}};
  MessageCells packed;
  packed.append(cells);
  packed.finish();
  ASSERT_EQ(packed.blocks().size(), 1U);
  EXPECT_EQ(packed.blocks()[0].first_send_bin, 10U);
  EXPECT_EQ(packed.blocks()[0].first_bin, 4U);
  EXPECT_EQ(packed.blocks()[0].last_bin, 99U);
}

TEST(MessageCells, TakeFewBytesForLikelyNumbers) {
  std::vector<Message> messages;
  std::mt19937_64 random(3);
  for (uint64_t i = 0; i < 50000; ++i) {
    const uint64_t send = i * 20000 + random() % 10000;  // One bin is 134 ms, 6700 messages.
    const auto sender = static_cast<uint32_t>(random() % 1024);
    messages.push_back(
        {send, send + random() % 1000000, sender, (sender + 1) % 1024, random() % 65536});
  }
  MessageCells cells;
  aggregate(messages, {27, 0}, 1024, cells);
  EXPECT_LT(static_cast<double>(cells.size_bytes()), 13.5 * static_cast<double>(cells.size()));
}

TEST(CellAggregator, SumsMessagesLikeBruteForce) {
  for (const uint32_t row_count : {1U, 24U, 3000U, 1U << 31}) {
    const auto messages = random_messages(30000, row_count, 300);
    for (const CellSize size :
         {CellSize{0, 0}, CellSize{9, 0}, CellSize{13, 3}, CellSize{24, 1}, CellSize{55, 20}}) {
      MessageCells cells;
      aggregate(messages, size, row_count, cells);
      EXPECT_THAT(unpacked(cells), ElementsAreArray(brute_force(messages, size)))
          << "rows " << row_count << " bins 2^" << size.bin_shift;
    }
  }
}

TEST(CellAggregator, SumsMoreThanAGroupInOneBin) {
  auto messages = random_messages(300000, 700, 0);
  // A bin before and one after must stay apart.
  messages.insert(messages.begin(), {5, 6, 1, 2, 3});
  messages.push_back({uint64_t{1} << 41, uint64_t{1} << 41, 1, 2, 3});
  MessageCells cells;
  aggregate(messages, {10, 0}, 700, cells);
  EXPECT_THAT(unpacked(cells), ElementsAreArray(brute_force(messages, {10, 0})));
}

TEST(CellAggregator, SumsCellsToLargerOnes) {
  const auto messages = random_messages(40000, 100, 2);
  MessageCells fine;
  aggregate(messages, {8, 0}, 100, fine);
  for (const CellSize size : {CellSize{8, 0}, CellSize{8, 2}, CellSize{12, 0}, CellSize{14, 3}}) {
    MessageCells cells;
    CellAggregator aggregator(size, 100, cells);
    aggregator.add(fine, {8, 0}, 0, UINT64_MAX);
    aggregator.finish();
    EXPECT_EQ(aggregator.added_count(), fine.size());
    EXPECT_LT(fine.size(), messages.size());  // So that some have several messages.
    EXPECT_THAT(unpacked(cells), ElementsAreArray(brute_force(messages, size)));
  }
}

TEST(CellAggregator, TakesOnlyCellsSentInTheBinsAskedFor) {
  const auto messages = random_messages(40000, 100, 300);
  const uint64_t middle = messages[messages.size() / 2].send_ticks >> 12;
  std::vector<Message> chosen;
  for (const Message& m : messages) {
    const uint64_t bin = m.send_ticks >> 12;
    if (bin >= middle && bin <= middle + 2) chosen.push_back(m);
  }
  MessageCells fine;
  aggregate(messages, {8, 0}, 100, fine);
  MessageCells cells;
  CellAggregator aggregator({12, 1}, 100, cells);
  aggregator.add(fine, {8, 0}, middle, middle + 2);
  aggregator.finish();
  ASSERT_FALSE(chosen.empty());
  EXPECT_THAT(unpacked(cells), ElementsAreArray(brute_force(chosen, {12, 1})));
}

}  // namespace
}  // namespace pathline::pyramid

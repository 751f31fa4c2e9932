// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message_sizes.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

std::vector<std::vector<uint64_t>> rows_of(const MessageSizes& sizes) {
  std::vector<std::vector<uint64_t>> rows;
  for (const auto& sums :
       {std::vector<SizeSum>(sizes.messages.begin(), sizes.messages.end()),
        std::vector<SizeSum>(sizes.operations.begin(), sizes.operations.end())}) {
    for (const SizeSum& sum : sums) {
      rows.push_back({sum.min_bytes, sum.max_bytes, sum.count, sum.bytes, sum.timed,
                      static_cast<uint64_t>(sum.ticks)});
    }
  }
  for (const TinyPair& pair : sizes.tiny) {
    rows.push_back({pair.sender, pair.receiver, pair.count, pair.bytes});
  }
  return rows;
}

/// Rank r sends r + 1 messages to each other one, of growing size; received earlier by its clock.
trace::Trace sending(uint32_t ranks, uint32_t from, uint32_t until) {
  trace::TestTrace test(ranks);
  const trace::Region main = test.region("main");
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).enter(0, main);
  uint64_t time = 10;
  for (uint32_t sender = from; sender < until; ++sender) {
    for (uint32_t receiver = 0; receiver < ranks; ++receiver) {
      if (receiver == sender) continue;
      for (uint32_t i = 0; i <= sender; ++i) {
        test.on(sender).send(time + 8, receiver, uint64_t{100} * i);
        test.on(receiver).recv(time, sender, uint64_t{100} * i);
        time += 10;
      }
    }
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).leave(time, main);
  return test.finish();
}

TEST(MessageSizes, OfPartsAndOfProcessesAddUp) {
  const MessageSizes all = message_sizes(sending(5, 0, 5), {});
  EXPECT_EQ(all.tiny.size(), 20U);
  EXPECT_EQ(all.messages[0].count, 20U);
  EXPECT_LT(all.messages[0].ticks, 0);
  GrowingMessageSizes growing;
  GrowingMessageSizes other;
  growing.add(sending(5, 3, 5).messages);
  other.add(sending(5, 0, 1).messages);
  other.add(sending(5, 1, 3).messages);
  base::Packer out;
  other.pack(out);
  const auto bytes = out.take();
  base::Unpacker in(bytes);
  growing.take(in);
  EXPECT_EQ(rows_of(growing.finish()), rows_of(all));
}

}  // namespace
}  // namespace pathline::comm

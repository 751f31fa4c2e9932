// SPDX-License-Identifier: BSD-3-Clause
#include "summary/marks.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/packing.hpp"
#include "base/scratch_folder.hpp"
#include "base/spill_file.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {
namespace {

TEST(Marks, TellNothingThatDependsOnWindows) {
  trace::Messages messages;
  messages.resize(2);
  for (auto* column : {&messages.sender, &messages.receiver, &messages.send_location,
                       &messages.recv_location, &messages.tag, &messages.comm}) {
    for (size_t i = 0; i < 2; ++i) column->set(i, 0);
  }
  for (size_t i = 0; i < 2; ++i) {
    messages.bytes.set(i, i);
    messages.send_ticks.set(i, 5);
    messages.send_end_ticks.set(i, i == 0 ? 15 : 16);  // When the message had arrived, and later.
    messages.recv_post_ticks.set(i, 5);
    messages.recv_ticks.set(i, 15);
  }
  GrowingMarks growing(0, 10, 1);
  growing.add(messages);
  const Marks marks = growing.finish();
  ASSERT_EQ(marks.size(), 1);
  ASSERT_EQ(marks[0].messages.size(), 2);
  EXPECT_EQ(marks[0].messages[0].send_end_ticks, 15);
  EXPECT_EQ(marks[0].messages[1].send_end_ticks, 5);
}

TEST(Marks, AreLeftOutWithTooManyMessages) {
  constexpr size_t kTooMany = 65537;  // Around 10; one around 20.
  trace::Messages messages;
  messages.resize(kTooMany + 1);
  for (size_t i = 0; i < messages.size(); ++i) {
    const uint64_t begin = i < kTooMany ? 5 : 15;
    for (auto* column : {&messages.sender, &messages.receiver, &messages.send_location,
                         &messages.recv_location, &messages.tag, &messages.comm}) {
      column->set(i, 0);
    }
    for (auto* column :
         {&messages.send_ticks, &messages.send_end_ticks, &messages.recv_post_ticks}) {
      column->set(i, begin);
    }
    messages.recv_ticks.set(i, begin + 10);
    messages.bytes.set(i, i);
  }
  GrowingMarks growing(0, 10, 2);
  growing.add(messages);
  base::Packer out;
  growing.pack(out);
  const auto bytes = out.take();
  base::Unpacker in(bytes);
  GrowingMarks taken(0, 10, 2);
  taken.take(in);
  for (GrowingMarks* each : {&growing, &taken}) {
    const Marks marks = each->finish();
    ASSERT_EQ(marks.size(), 1);
    EXPECT_EQ(marks[0].ticks, 20);
    ASSERT_EQ(marks[0].messages.size(), 1);
    EXPECT_EQ(marks[0].messages[0].bytes, kTooMany);
  }
}

bool same(const MarkedMessage& a, const MarkedMessage& b) {
  return std::tie(a.sender, a.receiver, a.send_location, a.recv_location, a.send_ticks,
                  a.send_end_ticks, a.recv_post_ticks, a.recv_ticks, a.bytes, a.tag, a.comm) ==
         std::tie(b.sender, b.receiver, b.send_location, b.recv_location, b.send_ticks,
                  b.send_end_ticks, b.recv_post_ticks, b.recv_ticks, b.bytes, b.tag, b.comm);
}

/// Numbers of any size, also where the rows wait in a file or come from another process.
TEST(Marks, KeepWhatTheyAreGiven) {
  constexpr uint64_t kMark = uint64_t{1} << 63U;
  constexpr size_t kCount = 500;
  std::mt19937_64 random(1);
  const auto number = [&] { return random() >> random() % 64; };
  const auto index = [&] { return static_cast<uint32_t>(number()); };
  trace::Messages messages;
  messages.resize(kCount);
  std::vector<MarkedMessage> expected;
  for (size_t i = 0; i < kCount; ++i) {
    MarkedMessage one{index(), index(), index(), index(), 0, 0, 0, 0, number(), index(), index()};
    one.send_ticks = kMark - 1 - number() / 2;
    one.recv_ticks = kMark + number() / 2;
    one.send_end_ticks = one.send_ticks + random() % (one.recv_ticks - one.send_ticks);
    one.recv_post_ticks = number();
    expected.push_back(one);
    messages.sender.set(i, one.sender);
    messages.receiver.set(i, one.receiver);
    messages.send_location.set(i, one.send_location);
    messages.recv_location.set(i, one.recv_location);
    messages.send_ticks.set(i, one.send_ticks);
    messages.send_end_ticks.set(i, one.send_end_ticks);
    messages.recv_post_ticks.set(i, one.recv_post_ticks);
    messages.recv_ticks.set(i, one.recv_ticks);
    messages.bytes.set(i, one.bytes);
    messages.tag.set(i, one.tag);
    messages.comm.set(i, one.comm);
  }
  std::sort(expected.begin(), expected.end(), [](const MarkedMessage& a, const MarkedMessage& b) {
    return std::tie(a.send_ticks, a.sender, a.receiver, a.recv_post_ticks, a.recv_ticks) <
           std::tie(b.send_ticks, b.sender, b.receiver, b.recv_post_ticks, b.recv_ticks);
  });
  std::vector<trace::CollectivePart> members;
  for (uint32_t i = 0; i < kCount; ++i) {
    trace::CollectivePart one{};
    one.comm = 7;
    one.sequence = 12;
    one.location = i * 7919 % 1000;
    one.begin_ticks = kMark - 1 - number() / 2;
    one.end_ticks = i % 2 == 0 ? one.begin_ticks + 1 : kMark + number() / 2;
    members.push_back(one);
  }
  const base::ScratchFolder folder;
  const auto file = base::SpillFile::make(folder.path());
  ASSERT_TRUE(file.ok());
  for (const bool spills : {false, true}) {
    GrowingMarks growing(0, kMark, 1);
    GrowingMarks other(0, kMark, 1);
    growing.add(members, true);
    const auto spill = [&](GrowingMarks& marks) {
      if (!spills) return;
      marks.spill(*file.value(), 100);
      ASSERT_TRUE(file.value()->flush());
    };
    // Half of them behind what is in the file.
    growing.add(messages);
    spill(growing);
    other.add(messages);
    spill(other);
    base::Packer out;
    other.pack(out);
    const auto bytes = out.take();
    base::Unpacker in(bytes);
    growing.take(in);
    const Marks marks = growing.finish();
    ASSERT_EQ(marks.size(), 1);
    EXPECT_EQ(marks[0].ticks, kMark);
    ASSERT_EQ(marks[0].messages.size(), 2 * kCount);
    for (size_t i = 0; i < 2 * kCount; ++i) {
      EXPECT_TRUE(same(marks[0].messages[i], expected[i / 2])) << i;
    }
    ASSERT_TRUE(marks[0].knows_operations);
    ASSERT_EQ(marks[0].operations.size(), kCount);
    for (const trace::BegunOperation& one : marks[0].operations) {
      const auto member = std::find_if(members.begin(), members.end(), [&](const auto& candidate) {
        return candidate.location == one.location;
      });
      ASSERT_NE(member, members.end());
      EXPECT_EQ(one.comm, 7);
      EXPECT_EQ(one.number, 0);
      EXPECT_EQ(one.end_ticks, member->end_ticks < kMark ? 0 : member->end_ticks);
    }
  }
}

}  // namespace
}  // namespace pathline::summary

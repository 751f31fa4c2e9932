// SPDX-License-Identifier: BSD-3-Clause
#include "base/byte_list.hpp"

#include <random>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

std::vector<uint8_t> bytes_of(const ByteList& list) {
  std::vector<uint8_t> bytes;
  list.copy_to(bytes);
  return bytes;
}

/// A list beside what it should hold.
struct Both {
  ByteList list;
  std::vector<uint8_t> plain;

  void append(std::mt19937& random) {
    constexpr uint32_t kFew = 30;
    constexpr uint32_t kMany = 3000;
    std::vector<uint8_t> bytes(random() % (random() % 20 == 0 ? kMany : kFew));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    list.append(bytes);
    plain.insert(plain.end(), bytes.begin(), bytes.end());
  }
};

TEST(ByteList, HoldsWhatWasAppended) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<Both> lists(1 + random() % 8);
    for (auto i = random() % 800; i > 0; --i) {
      Both& one = lists[random() % lists.size()];
      one.append(random);
      switch (random() % 40) {
        case 1: one.list.fit(); break;
        case 2: one = Both(); break;
        case 3: std::swap(one, lists.front()); break;
        case 4:
          EXPECT_EQ(bytes_of(one.list), one.plain);
          break;
        default: break;
      }
    }
    for (const Both& one : lists) {
      EXPECT_EQ(one.list.size(), one.plain.size());
      EXPECT_EQ(bytes_of(one.list), one.plain);
      Packer out;
      one.list.pack(out);
      const auto packed = out.take();
      Unpacker in(packed);
      ByteList taken;
      taken.append(packed);
      taken.take(in);
      EXPECT_TRUE(in.ended());
      EXPECT_EQ(bytes_of(taken), one.plain);
    }
  }
}

TEST(ByteList, KeepsTogetherWhatWasAppendedAtOnce) {
  ByteList list;
  const std::vector<uint8_t> bytes(26);
  for (int i = 0; i < 1000; ++i) list.append(bytes);
  size_t pieces = 0;
  list.for_each_piece([&](std::span<const uint8_t> piece) {
    ++pieces;
    EXPECT_EQ(piece.size() % bytes.size(), 0U);
  });
  EXPECT_GT(pieces, 20U);
  list.fit();
  pieces = 0;
  list.for_each_piece([&](std::span<const uint8_t> piece) { pieces += piece.size(); });
  EXPECT_EQ(pieces, 26000U);
}

}  // namespace
}  // namespace pathline::base

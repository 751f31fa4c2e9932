// SPDX-License-Identifier: BSD-3-Clause
#include "base/varint.hpp"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

TEST(Varint, ComesBackForEveryLength) {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    for (const int64_t offset : {-1, 0, 1}) {
      const uint64_t power = bits < 64 ? uint64_t{1} << bits : 0;
      const uint64_t value = power + static_cast<uint64_t>(offset);
      std::array<uint8_t, kMaxVarintBytes> bytes{};
      const uint8_t* const end = put_varint(bytes.data(), value);
      uint64_t found = 0;
      EXPECT_EQ(get_varint(bytes.data(), end, found), end) << value;
      EXPECT_EQ(found, value);
      for (const uint8_t* cut = bytes.data(); cut != end; ++cut) {
        EXPECT_EQ(get_varint(bytes.data(), cut, found), nullptr) << "cut short";
      }
    }
  }
}

TEST(Varint, TakesOneByteForSmallNumbers) {
  std::array<uint8_t, kMaxVarintBytes> bytes{};
  EXPECT_EQ(put_varint(bytes.data(), 127) - bytes.data(), 1);
  EXPECT_EQ(put_varint(bytes.data(), 128) - bytes.data(), 2);
}

TEST(Varint, RefusesMoreThan64Bits) {
  std::array<uint8_t, 11> bytes{};
  uint64_t value = 0;
  bytes.fill(0xff);
  bytes[9] = 0x02;
  EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), value), nullptr);
  bytes[9] = 0x81;
  EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), value), nullptr);
}

TEST(Zigzag, KeepsTheSignAndMakesSmallNumbersSmall) {
  constexpr auto kMin = std::numeric_limits<int64_t>::min();
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, kMin, kMax}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-1), 1U);
  EXPECT_EQ(zigzag(1), 2U);
}

}  // namespace
}  // namespace pathline::base

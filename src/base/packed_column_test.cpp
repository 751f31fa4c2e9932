// SPDX-License-Identifier: BSD-3-Clause
#include "base/packed_column.hpp"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

using ::testing::ElementsAre;

template <class T>
PackedColumn<T> packed(const std::vector<T>& numbers) {
  PackedColumn<T> column;
  column.resize(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) column.set(i, numbers[i]);
  column.pack();
  return column;
}

template <class T>
std::vector<T> numbers_of(const PackedColumn<T>& column) {
  return {column.begin(), column.end()};
}

/// Stretches of numbers of up to so many bits, with a "none" here and there.
template <class T>
std::vector<T> random_numbers(std::mt19937_64& random, size_t count) {
  std::vector<T> numbers;
  while (numbers.size() < count) {
    const uint64_t common = random();
    const uint64_t mask = UINT64_MAX >> random() % 64;
    const bool any_none = random() % 4 == 0;
    for (size_t i = random() % 150; i > 0 && numbers.size() < count; --i) {
      const bool none = any_none && random() % 20 == 0;
      numbers.push_back(none ? T(-1) : static_cast<T>((common & ~mask) | (random() & mask)));
    }
  }
  return numbers;
}

template <class T>
class PackedColumnOf : public testing::Test {};
using Numbers = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(PackedColumnOf, Numbers);

TYPED_TEST(PackedColumnOf, KeepsEveryNumber) {
  std::mt19937_64 random(1);
  for (size_t count = 0; count < 300; ++count) {
    const auto numbers = random_numbers<TypeParam>(random, count);
    const PackedColumn<TypeParam> column = packed(numbers);
    ASSERT_EQ(column.size(), count);
    ASSERT_EQ(numbers_of(column), numbers);
    ASSERT_TRUE(column.plain().empty());
    for (size_t i = 0; i + 3 <= count; ++i) {
      ASSERT_THAT(column.template read<3>(i),
                  ElementsAre(numbers[i], numbers[i + 1], numbers[i + 2]));
    }
  }
}

TYPED_TEST(PackedColumnOf, AppendsWhatComesInParts) {
  std::mt19937_64 random(2);
  const auto numbers = random_numbers<TypeParam>(random, 10'000);
  PackedColumn<TypeParam> column;
  for (size_t first = 0; first < numbers.size();) {
    const size_t count = std::min(numbers.size() - first, (random() % 20) * column.kBlock);
    column.append({numbers.data() + first, count});
    first += count;
  }
  column.shrink_to_fit();
  EXPECT_EQ(numbers_of(column), numbers);
}

TYPED_TEST(PackedColumnOf, HasTheSameBytesInAnArenaAndFromSeveralThreads) {
  std::mt19937_64 random(3);
  const auto numbers = random_numbers<TypeParam>(random, 700'000);
  ThreadPool pool(3);
  Arena arena;
  PackedColumn<TypeParam> column;
  column.append(numbers, &arena, &pool);
  EXPECT_EQ(numbers_of(column), numbers);
  EXPECT_EQ(column.size_bytes(), packed(numbers).size_bytes());
}

TEST(PackedColumn, TakesTheBytesThatDiffer) {
  const auto bytes = [](uint64_t first, uint64_t last) {
    std::vector<uint64_t> numbers(64 * 10, first);
    numbers[0] = last;
    return packed(numbers).size_bytes();
  };
  const size_t fixed = 10 * 16 + 8;
  EXPECT_EQ(bytes(7, 7), fixed) << "one number, however often";
  EXPECT_EQ(bytes(7, 70), fixed + 64) << "no more where it counts";
  EXPECT_EQ(bytes(0, UINT64_MAX), fixed + 64) << "none is next to 0";
  EXPECT_EQ(bytes(7, 700), fixed + 2 * 64);
  EXPECT_EQ(bytes(uint64_t{5} << 40U, (uint64_t{5} << 40U) + 0xffffff0), fixed + 4 * 64);
  EXPECT_EQ(bytes(7, UINT64_MAX - 1), fixed + 8 * 64);
}

TEST(PackedColumn, CanBeChangedUntilItIsPacked) {
  PackedColumn<uint32_t> column;
  EXPECT_TRUE(column.empty());
  column.resize(3);
  for (uint32_t i = 0; i < 3; ++i) column.set(i, 10 * i);
  EXPECT_THAT(column, ElementsAre(0, 10, 20));
  EXPECT_THAT(column.plain(), ElementsAre(0, 10, 20));
  column.pack();
  column.pack();
  EXPECT_THAT(column, ElementsAre(0, 10, 20));
  EXPECT_EQ(column.back(), 20U);
  PackedColumn<uint32_t> other = std::move(column);
  EXPECT_TRUE(column.empty()) << "what was moved from may be used";  // NOLINT
  EXPECT_THAT(other, ElementsAre(0, 10, 20));
  other.resize(1);
  other.set(0, 5);
  EXPECT_THAT(other, ElementsAre(5));
}

}  // namespace
}  // namespace pathline::base

// SPDX-License-Identifier: BSD-3-Clause
#include "base/radix_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

struct Row {
  uint64_t key;
  uint32_t order;  // Where it stood before: shows whether equal keys keep their order.
  friend bool operator==(const Row&, const Row&) = default;
};

void expect_sorted_like_stable_sort(const std::vector<uint64_t>& keys) {
  Column<Row> rows;
  std::vector<Row> expected;
  for (const uint64_t key : keys) {
    const Row row{key, static_cast<uint32_t>(expected.size())};
    rows.push_back(row);
    expected.push_back(row);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Row& a, const Row& b) { return a.key < b.key; });
  radix_sort(rows, [](const Row& row) { return row.key; });
  ASSERT_EQ(rows.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(rows[i], expected[i])
        << "row " << i << ": key " << rows[i].key << ", expected " << expected[i].key;
  }
}

TEST(RadixSort, TakesNoneOneAndTwoRows) {
  expect_sorted_like_stable_sort({});
  expect_sorted_like_stable_sort({UINT64_MAX});
  expect_sorted_like_stable_sort({UINT64_MAX, 0});
  expect_sorted_like_stable_sort({0, UINT64_MAX});
}

TEST(RadixSort, KeepsTheOrderOfEqualKeys) {
  expect_sorted_like_stable_sort({5, 5, 5});
  expect_sorted_like_stable_sort({2, 1, 2, 1, 2, 1});
}

TEST(RadixSort, TellsKeysApartThatDifferInOneBitOnly) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    SCOPED_TRACE(testing::Message() << "bit " << bit);
    const uint64_t one = uint64_t{1} << bit;
    expect_sorted_like_stable_sort({one, 0, one, 0});
    expect_sorted_like_stable_sort({UINT64_MAX, ~one, UINT64_MAX, ~one});
  }
}

TEST(RadixSort, AgreesWithStableSortForKeysOfEveryWidth) {
  for (unsigned width = 1; width <= 64; ++width) {
    SCOPED_TRACE(testing::Message() << "width and seed " << width);
    std::mt19937_64 random(width);
    std::vector<uint64_t> keys(300);
    // Half the keys have the same upper bits, so that whole digits agree.
    for (uint64_t& key : keys) key = random() >> (64 - width);
    expect_sorted_like_stable_sort(keys);
    const uint64_t common = random() & ~(UINT64_MAX >> (64 - width));
    for (uint64_t& key : keys) key |= common;
    expect_sorted_like_stable_sort(keys);
  }
}

TEST(RadixSort, SortsWhatIsSortedBackwardsOrNearlySorted) {
  std::vector<uint64_t> keys(5000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i * 1'000'003;
  expect_sorted_like_stable_sort(keys);
  std::swap(keys[4998], keys[4999]);
  expect_sorted_like_stable_sort(keys);
  std::reverse(keys.begin(), keys.end());
  expect_sorted_like_stable_sort(keys);
}

}  // namespace
}  // namespace pathline::base

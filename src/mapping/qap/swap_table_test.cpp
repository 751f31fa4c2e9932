// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/swap_table.hpp"

#include <gtest/gtest.h>

#include "mapping/qap/test_qap.hpp"

namespace pathline::mapping {
namespace {

int64_t added_by(const Qap& qap, Permutation places, uint32_t i, uint32_t j) {
  const int64_t before = qap.cost(places);
  std::swap(places[i], places[j]);
  return qap.cost(places) - before;
}

template <class Number>
class SwapTableOf : public testing::Test {};
using Numbers = testing::Types<int32_t, int64_t, double>;
TYPED_TEST_SUITE(SwapTableOf, Numbers);

TYPED_TEST(SwapTableOf, AgreesWithTheCostAfterManySwaps) {
  for (const uint32_t size : {2U, 3U, 8U, 9U, 17U, 31U}) {
    for (const bool symmetric : {true, false}) {
      SCOPED_TRACE(testing::Message() << size << (symmetric ? " symmetric" : " asymmetric"));
      Random random(size, symmetric ? 1 : 0);
      const Qap qap = random_qap(size, -20, 50, symmetric, random);
      ASSERT_TRUE(SwapTable<TypeParam>::fits(qap));
      SwapTable<TypeParam> table(qap, identity(size));
      for (int step = 0; step < 20; ++step) {
        for (uint32_t i = 0; i < size; ++i) {
          for (uint32_t j = i + 1; j < size; ++j) {
            ASSERT_EQ(static_cast<int64_t>(table.added(i, j)),
                      added_by(qap, table.place_of_item(), i, j));
          }
        }
        const uint32_t r = random.below(size);
        table.swap(r, (r + 1 + random.below(size - 1)) % size);
        ASSERT_TRUE(is_permutation(table.place_of_item(), size));
      }
    }
  }
}

TYPED_TEST(SwapTableOf, FindsTheFirstOfTheBestThatAreAllowed) {
  constexpr uint32_t kSize = 19;
  Random random(7);
  const Qap qap = random_qap(kSize, 0, 3, true, random);  // Small numbers: many equal swaps.
  SwapTable<TypeParam> table(qap, identity(kSize));
  LaneMatrix<TypeParam> tabu(kSize, kSize, SwapTable<TypeParam>::kNever);
  for (int round = 0; round < 50; ++round) {
    for (uint32_t i = 0; i < kSize; ++i) {
      for (uint32_t j = i + 1; j < kSize; ++j) {
        tabu.row(i)[j] = random.below(4) == 0 ? SwapTable<TypeParam>::kNever
                                              : static_cast<TypeParam>(random.below(20));
      }
    }
    const auto now = static_cast<TypeParam>(random.below(12));
    const auto aspired = static_cast<TypeParam>(-static_cast<int32_t>(random.below(60)));
    typename SwapTable<TypeParam>::Swap expected;
    for (uint32_t i = 0; i < kSize; ++i) {
      for (uint32_t j = i + 1; j < kSize; ++j) {
        const TypeParam until = tabu.row(i)[j];
        const TypeParam added = table.added(i, j);
        const bool allowed =
            until <= now || (added < aspired && until < SwapTable<TypeParam>::kNever);
        if (allowed && (!expected.valid() || added < expected.added)) expected = {i, j, added};
      }
    }
    const auto found = table.best(tabu, now, aspired);
    ASSERT_EQ(found.valid(), expected.valid());
    EXPECT_EQ(found.i, expected.i);
    EXPECT_EQ(found.j, expected.j);
    EXPECT_EQ(found.added, expected.added);
    if (found.valid()) table.swap(found.i, found.j);
  }
}

TEST(SwapTable, KnowsWhichNumbersFit) {
  const Qap small = random_qap(10, 0, 100, true, Random(1));
  EXPECT_TRUE(SwapTable<int32_t>::fits(small));
  const Qap large = random_qap(10, 0, 1'000'000, true, Random(1));
  EXPECT_FALSE(SwapTable<int32_t>::fits(large));
  EXPECT_TRUE(SwapTable<double>::fits(large));
  const Qap huge = random_qap(10, 0, 20'000'000, true, Random(1));
  EXPECT_FALSE(SwapTable<double>::fits(huge));
  EXPECT_TRUE(SwapTable<int64_t>::fits(huge));
}

}  // namespace
}  // namespace pathline::mapping

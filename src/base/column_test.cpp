// SPDX-License-Identifier: BSD-3-Clause
#include "base/column.hpp"

#include <cstdint>
#include <new>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

using ::testing::ElementsAre;

TEST(Column, KeepsEveryValueWhileItGrows) {
  Column<uint64_t> column;
  for (uint64_t i = 0; i < 1000; ++i) {
    column.push_back(i * i);
    ASSERT_EQ(column.size(), i + 1);
    ASSERT_GE(column.capacity(), column.size());
    ASSERT_EQ(column.back(), i * i);
  }
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(column[i], i * i) << "row " << i;
}

TEST(Column, TakesACopyOfItsOwnRowWhenItHasToGrow) {
  Column<uint32_t> column(1);
  column[0] = 7;
  ASSERT_EQ(column.capacity(), 1U);
  column.push_back(column[0]);  // Moves the rows while the argument is one of them.
  EXPECT_THAT(column, ElementsAre(7, 7));
}

TEST(Column, KeepsItsRowsWhenItIsResizedBothWays) {
  Column<uint8_t> column(3);
  for (uint8_t i = 0; i < 3; ++i) column[i] = static_cast<uint8_t>(10 + i);
  column.resize(100'000);
  EXPECT_EQ(column.size(), 100'000U);
  EXPECT_EQ(column[2], 12);
  column.resize(2);
  EXPECT_THAT(column, ElementsAre(10, 11));
  EXPECT_GE(column.capacity(), 100'000U);
}

TEST(Column, GivesBackOnlyWhatItDoesNotUse) {
  Column<uint32_t> column;
  column.reserve(1000);
  EXPECT_EQ(column.capacity(), 1000U);
  column.push_back(4);
  column.push_back(5);
  column.shrink_to_fit();
  EXPECT_EQ(column.capacity(), 2U);
  EXPECT_THAT(column, ElementsAre(4, 5));
  column.reserve(1);
  EXPECT_EQ(column.capacity(), 2U) << "reserve must not shrink";

  column.resize(0);
  column.shrink_to_fit();
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.capacity(), 0U);
  EXPECT_EQ(column.data(), nullptr);
  column.push_back(6);
  EXPECT_THAT(column, ElementsAre(6));
}

TEST(Column, LeavesAnEmptyColumnBehindWhenItIsMovedFrom) {
  Column<int> from;
  from.push_back(1);
  from.push_back(2);
  const int* rows = from.data();
  Column<int> to(std::move(from));
  EXPECT_EQ(to.data(), rows) << "a move must not copy";
  EXPECT_THAT(to, ElementsAre(1, 2));
  EXPECT_EQ(from.size(), 0U);  // NOLINT(bugprone-use-after-move)
  from.push_back(3);
  EXPECT_THAT(from, ElementsAre(3));
  EXPECT_THAT(to, ElementsAre(1, 2));
}

TEST(Column, SurvivesAMoveToItself) {
  Column<int> column;
  column.push_back(8);
  Column<int>& same = column;
  column = std::move(same);
  EXPECT_THAT(column, ElementsAre(8));
}

TEST(Column, TakesTheRowsOfTheColumnThatIsAssigned) {
  Column<int> left(1);
  left[0] = 1;
  Column<int> right(2);
  right[0] = 2;
  right[1] = 3;
  left = std::move(right);
  EXPECT_THAT(left, ElementsAre(2, 3));
  EXPECT_THAT(left.span(), ElementsAre(2, 3));
}

TEST(Column, ThrowsForMoreBytesThanThereAreAddresses) {
  Column<uint64_t> column;
  column.push_back(1);
  // The number of bytes would wrap round to 8 and look like a fit.
  EXPECT_THROW(column.reserve(SIZE_MAX / sizeof(uint64_t) + 2), std::bad_alloc);
  EXPECT_THAT(column, ElementsAre(1));
}

}  // namespace
}  // namespace pathline::base

// SPDX-License-Identifier: BSD-3-Clause
#include "base/natural_order.hpp"

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

TEST(NaturalOrder, NumbersInNamesCount) {
  EXPECT_FALSE(natural_less("n1", "n1"));
  EXPECT_TRUE(natural_less("n9", "n10"));
  EXPECT_FALSE(natural_less("n10", "n9"));
  EXPECT_TRUE(natural_less("n2a9", "n2a10"));
  EXPECT_TRUE(natural_less("n2", "n2a"));
  EXPECT_TRUE(natural_less("n99999999999999999998", "n99999999999999999999"));
  EXPECT_TRUE(natural_less("", "n"));
}

TEST(NaturalOrder, NamesThatDifferInZerosAreNotTheSame) {
  EXPECT_NE(natural_less("n01", "n1"), natural_less("n1", "n01"));
  EXPECT_TRUE(natural_less("n01", "n2"));
}

}  // namespace
}  // namespace pathline::base

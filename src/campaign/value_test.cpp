// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/value.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::Optional;

TEST(NumberOf, ReadsNumbersWithBlanksAroundThem) {
  EXPECT_THAT(number_of("1.5e-3"), Optional(0.0015));
  EXPECT_THAT(number_of("+4"), Optional(4.0));
  EXPECT_THAT(number_of("-4"), Optional(-4.0));
  EXPECT_THAT(number_of(" \t12\r\n"), Optional(12.0));
  EXPECT_THAT(number_of(".5"), Optional(0.5));
  EXPECT_THAT(number_of("0"), Optional(0.0));
}

TEST(NumberOf, IsNothingForOtherTexts) {
  for (const char* text : {"", " ", "+", "-", "++4", "+-4", "-+4", "+ 4", "4 s", "4,5", "1e",
                           "0x10", "nan", "inf", "-inf", "1e999", "4 4", "four"}) {
    EXPECT_EQ(number_of(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(Reduced, TakesOneOfSeveralTexts) {
  EXPECT_EQ(reduced({"a", "7", "c"}, "first"), "a");
  EXPECT_EQ(reduced({"a", "7", "c"}, "last"), "c");
  EXPECT_EQ(reduced({"0.10"}, "last"), "0.10") << "as it is written";
}

TEST(Reduced, CalculatesWithThoseThatAreNumbers) {
  const std::vector<std::string> values = {"2", "x", " 4", "+9 ", ""};
  EXPECT_EQ(reduced(values, "min"), "2");
  EXPECT_EQ(reduced(values, "max"), "9");
  EXPECT_EQ(reduced(values, "sum"), "15");
  EXPECT_EQ(reduced(values, "mean"), "5");
  EXPECT_EQ(reduced(values, "count"), "5") << "of all, numbers or not";
}

TEST(Reduced, HasTheStandardDeviationOfASample) {
  EXPECT_EQ(reduced({"1", "2", "3"}, "std"), "1");
  EXPECT_EQ(reduced({"5"}, "std"), "0");
}

TEST(Reduced, OfNothingIsNothingButItsCount) {
  for (const char* how : {"first", "last", "min", "max", "sum", "mean", "std"}) {
    EXPECT_EQ(reduced({}, how), "") << how;
  }
  EXPECT_EQ(reduced({}, "count"), "0");
  for (const char* how : {"min", "max", "sum", "mean", "std"}) {
    EXPECT_EQ(reduced({"x", ""}, how), "") << how;
  }
}

}  // namespace
}  // namespace pathline::campaign

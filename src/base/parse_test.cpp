// SPDX-License-Identifier: BSD-3-Clause
#include "base/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

using ::testing::ElementsAre;

TEST(Parse, UnsignedNumbersFillTheWord) {
  EXPECT_EQ(number_in<uint32_t>("0"), 0U);
  EXPECT_EQ(number_in<uint32_t>("007"), 7U);
  EXPECT_EQ(number_in<uint32_t>("4294967295"), UINT32_MAX);
  for (const char* wrong : {"", " 1", "1 ", "+1", "-1", "4294967296", "1.0", "0x1", "1k"}) {
    EXPECT_FALSE(number_in<uint32_t>(wrong)) << wrong;
  }
}

TEST(Parse, RealNumbersAreFinite) {
  EXPECT_EQ(number_in<double>("-2.5e-3"), -0.0025);
  EXPECT_EQ(number_in<double>("3"), 3);
  for (const char* wrong : {"", "inf", "-inf", "nan", "1e999", "+1", " 1", "1,5", "0x1p3", "1e"}) {
    EXPECT_FALSE(number_in<double>(wrong)) << wrong;
  }
}

TEST(Parse, TakesANumberOffTheFront) {
  std::string_view text = "12]";
  EXPECT_EQ(take_number<uint32_t>(text), 12U);
  EXPECT_EQ(text, "]");
  EXPECT_FALSE(take_number<uint32_t>(text));
  EXPECT_EQ(text, "]");
}

TEST(Parse, PercentSignsMayBeLeftOut) {
  EXPECT_EQ(percent_in("2.5%"), 2.5);
  EXPECT_EQ(percent_in("5"), 5);
  for (const char* wrong : {"", "%", "5%%", "5 %", "%5"}) EXPECT_FALSE(percent_in(wrong)) << wrong;
}

TEST(Parse, NumbersBetweenSeparators) {
  EXPECT_THAT(*numbers_in<uint32_t>("1280x720", 'x'), ElementsAre(1280, 720));
  EXPECT_THAT(*numbers_in<uint32_t>("4", ','), ElementsAre(4));
  for (const char* wrong : {"", "x", "1x", "x1", "1x2x", "1x-2", "1X2"}) {
    EXPECT_FALSE(numbers_in<uint32_t>(wrong, 'x')) << wrong;
  }
}

TEST(Parse, ListsOfRanges) {
  const auto ranges = ranges_in("0-31,64,7-7");
  ASSERT_TRUE(ranges);
  std::vector<uint64_t> ends;
  for (const Range& range : *ranges) ends.insert(ends.end(), {range.first, range.last});
  EXPECT_THAT(ends, ElementsAre(0, 31, 64, 64, 7, 7));
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},       {"1,", ""},       {"1,,2", ""},        {"3-1", "3-1"},
      {"-1", "-1"},   {"1-", "1-"},     {"1-2-3", "1-2-3"},  {"0,a-2", "a-2"},
      {"0, 1", " 1"}, {"1--2", "1--2"}, {"0,1-+2,3", "1-+2"}};
  for (const auto& [list, part] : cases) {
    std::string_view wrong = "none";
    EXPECT_FALSE(ranges_in(list, &wrong)) << list;
    EXPECT_EQ(wrong, part) << list;
  }
  EXPECT_EQ(range_in("3-1")->last, 1U) << "the caller says what he thinks of it";
}

}  // namespace
}  // namespace pathline::base

// SPDX-License-Identifier: BSD-3-Clause
#include "network/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::network {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(std::string_view list) {
  auto expanded = expand_host_list(list);
  EXPECT_TRUE(expanded.ok()) << expanded.error().message;
  return expanded ? expanded.value() : std::vector<std::string>{};
}

std::string fault(std::string_view list) {
  auto expanded = expand_host_list(list);
  EXPECT_FALSE(expanded.ok()) << list;
  return expanded ? "" : expanded.error().message;
}

TEST(HostList, KeepsPlainNamesInTheirOrder) {
  EXPECT_THAT(names("login1"), ElementsAre("login1"));
  EXPECT_THAT(names("b,a-2,b,c.example.org"), ElementsAre("b", "a-2", "b", "c.example.org"));
}

TEST(HostList, PadsAsTheFirstNumberOfEachRangeIs) {
  EXPECT_THAT(names("n[001-003,7]"), ElementsAre("n001", "n002", "n003", "n7"));
  EXPECT_THAT(names("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(names("n[98-101]"), ElementsAre("n98", "n99", "n100", "n101"));
  EXPECT_THAT(names("n[00]"), ElementsAre("n00"));
}

TEST(HostList, RunsTheLastBracketFastest) {
  EXPECT_THAT(names("rack[0-1]node[2-3]x,login1"),
              ElementsAre("rack0node2x", "rack0node3x", "rack1node2x", "rack1node3x", "login1"));
  EXPECT_THAT(names("[1-2][3-4]"), ElementsAre("13", "14", "23", "24"));
}

TEST(HostList, SaysWhatIsWrong) {
  EXPECT_THAT(fault(""), HasSubstr("empty"));
  EXPECT_THAT(fault("a,,b"), HasSubstr("empty"));
  EXPECT_THAT(fault("a,"), HasSubstr("empty"));
  EXPECT_THAT(fault("n[1-2"), HasSubstr("'n[1-2' do not match"));
  EXPECT_THAT(fault("n1]"), HasSubstr("do not match"));
  EXPECT_THAT(fault("n[1[2]]"), HasSubstr("do not match"));
  EXPECT_THAT(fault("n[]"), HasSubstr("neither a number nor a range"));
  EXPECT_THAT(fault("n[1-]"), HasSubstr("'1-' in the host list entry 'n[1-]'"));
  EXPECT_THAT(fault("n[-3]"), HasSubstr("neither"));
  EXPECT_THAT(fault("n[a-c]"), HasSubstr("neither"));
  EXPECT_THAT(fault("n[1-2-3]"), HasSubstr("neither"));
  EXPECT_THAT(fault("n[1,,2]"), HasSubstr("neither"));
  EXPECT_THAT(fault("n[7-3]"), HasSubstr("'7-3' in the host list entry 'n[7-3]' runs backwards"));
  EXPECT_THAT(fault("n1, n2"), HasSubstr("blank"));
}

TEST(HostList, StaysSmallWhateverItIsAskedFor) {
  EXPECT_EQ(names("n[1-1000000]").size(), kMaxHostNames);
  EXPECT_THAT(fault("n[1-1000000],m"), HasSubstr("more than 1,000,000"));
  EXPECT_THAT(fault("n[1-999999999999999999]"), HasSubstr("more than"));
  EXPECT_THAT(fault("n[0-999][0-999][0-999][0-999][0-999][0-999][0-999]"), HasSubstr("more than"));
  EXPECT_THAT(fault("n[1-9999999999999999999999]"), HasSubstr("neither"));
  EXPECT_THAT(fault(std::string(300, 'a')), HasSubstr("300 characters"));
  std::string many;
  for (int i = 0; i < 300; ++i) many += "[0]";
  EXPECT_THAT(fault(many), HasSubstr("300 characters"));
}

}  // namespace
}  // namespace pathline::network

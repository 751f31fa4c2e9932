// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/formula.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::ElementsAre;

std::string value_of(const std::string& text) {
  const auto value = calculated(text);
  return value.ok() ? value.value() : "error: " + value.error().message;
}

TEST(Formula, FindsNamesAndLeavesTheBracesOfOthers) {
  EXPECT_THAT(names_in("{p} * {n_2} + {p}"), ElementsAre("p", "n_2"));
  EXPECT_THAT(names_in("awk '{print $1}' {} {1} {a b} ${x} { p }"), ElementsAre("x"));
  EXPECT_THAT(names_in("{"), ElementsAre());
}

TEST(Formula, ReplacesWhatHasAValue) {
  const auto text = replaced("run-{p} -n {n} {other} {", [](std::string_view name) {
    using Value = std::optional<std::string_view>;
    return name == "p" ? Value("4") : name == "n" ? Value("") : Value();
  });
  EXPECT_EQ(text, "run-4 -n  {other} {");
}

TEST(Formula, CalculatesArithmetic) {
  EXPECT_EQ(value_of("4 * 32"), "128");
  EXPECT_EQ(value_of("2 ^ 40"), "1099511627776");
  EXPECT_EQ(value_of("1 / 4"), "0.25");
  EXPECT_EQ(value_of("(1+2)*3"), "9");
  EXPECT_EQ(value_of("max(3, 8) - 1"), "7");
  EXPECT_EQ(value_of("sqrt(16)"), "4");
  EXPECT_EQ(value_of("1e-3 * 2"), "0.002");
}

TEST(Formula, LeavesWhatOnlyLooksAlikeAsItIs) {
  for (const char* text : {"0.10", "2024-05", "1/2", "4x4", "-O2", "a - b", "heat (fast)", "", "+",
                           "1 + x", "3 - three", "8 /", "lj.in", "1 2"}) {
    EXPECT_EQ(value_of(text), text);
  }
}

TEST(Formula, RefusesWhatHasNoValue) {
  EXPECT_EQ(value_of("1 / 0"), "error: '1 / 0' has no value");
}

}  // namespace
}  // namespace pathline::campaign

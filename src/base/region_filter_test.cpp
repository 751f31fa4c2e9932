// SPDX-License-Identifier: BSD-3-Clause
#include "base/region_filter.hpp"

#include <fnmatch.h>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

RegionFilter filter(std::string_view text) {
  RegionFilter filter;
  FilterError error;
  EXPECT_TRUE(filter.parse(text, error)) << error.line << ": " << error.text;
  return filter;
}

TEST(RegionFilter, LetsTheLastRuleThatMatchesDecide) {
  const auto rules = filter(
      "SCOREP_REGION_NAMES_BEGIN\n"
      "  EXCLUDE *\n"
      "  INCLUDE bar foo\n"
      "          baz\n"
      "          main\n"
      "  EXCLUDE ba?\n"
      "SCOREP_REGION_NAMES_END\n");
  EXPECT_FALSE(rules.excludes("main"));
  EXPECT_FALSE(rules.excludes("foo"));
  EXPECT_TRUE(rules.excludes("bar"));
  EXPECT_TRUE(rules.excludes("baz"));
  EXPECT_TRUE(rules.excludes("other"));
  EXPECT_EQ(rules.rule_count(), 6U);
}

TEST(RegionFilter, ExcludesByNameOrByFile) {
  const auto rules = filter(
      "SCOREP_FILE_NAMES_BEGIN  # for files\n"
      "EXCLUDE */filtering/filter*  INCLUDE */filtering/filter_me.c SCOREP_FILE_NAMES_END\n"
      "SCOREP_REGION_NAMES_BEGIN EXCLUDE tiny SCOREP_REGION_NAMES_END");
  EXPECT_TRUE(rules.excludes("big", "", "/src/filtering/filter_all.c"));
  EXPECT_FALSE(rules.excludes("big", "", "/src/filtering/filter_me.c"));
  EXPECT_TRUE(rules.excludes("tiny", "", "/src/filtering/filter_me.c"));
  EXPECT_FALSE(rules.excludes("big", "", ""));
  EXPECT_TRUE(rules.excludes("tiny"));
}

TEST(RegionFilter, KnowsMangledNames) {
  const auto rules = filter(
      "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE MANGLED _ZN3fooEv MANGLED\nEXCLUDE bar\n"
      "SCOREP_REGION_NAMES_END");
  EXPECT_TRUE(rules.excludes("foo()", "_ZN3fooEv"));
  EXPECT_FALSE(rules.excludes("_ZN3fooEv", ""));
  EXPECT_TRUE(rules.excludes("x", "MANGLED")) << "only the first one is the keyword";
  EXPECT_TRUE(rules.excludes("bar", "_Z3barv")) << "which ends with its rule";
}

TEST(RegionFilter, TakesBackslashesCommentsAndOddBlanks) {
  const auto rules = filter(
      "# before\r\nSCOREP_REGION_NAMES_BEGIN\r\n\tEXCLUDE\tvoid\\ f(int) # * is no rule\r\n"
      "operator\\# a\\*b \\[x\\]\r\nSCOREP_REGION_NAMES_END#after");
  EXPECT_TRUE(rules.excludes("void f(int)"));
  EXPECT_TRUE(rules.excludes("operator#"));
  EXPECT_TRUE(rules.excludes("a*b"));
  EXPECT_FALSE(rules.excludes("axb"));
  EXPECT_TRUE(rules.excludes("[x]"));
  EXPECT_FALSE(rules.excludes("main"));
}

TEST(RegionFilter, RecordsEverythingWithoutRules) {
  EXPECT_FALSE(filter("").excludes("main"));
  EXPECT_FALSE(filter("# nothing\n").excludes("main"));
  EXPECT_FALSE(filter("SCOREP_REGION_NAMES_BEGIN SCOREP_REGION_NAMES_END").excludes("main"));
}

TEST(RegionFilter, NamesTheLineOfAMistake) {
  struct Case {
    const char* text;
    uint32_t line;
    const char* found;
  };
  const Case cases[] = {
      {"\nEXCLUDE foo\n", 2, "expected SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN"},
      {"SCOREP_REGION_NAMES_BEGIN\n\nfoo\n", 3, "expected INCLUDE or EXCLUDE before a pattern"},
      {"#\nSCOREP_REGION_NAMES_BEGIN\nEXCLUDE a\n", 2, "the block that begins here has no end"},
      {"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a\nSCOREP_FILE_NAMES_END", 3,
       "a block ends that did not begin"},
      {"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE\nINCLUDE a\n", 3,
       "INCLUDE or EXCLUDE without a pattern"},
      {"SCOREP_REGION_NAMES_BEGIN EXCLUDE\nSCOREP_REGION_NAMES_END", 2,
       "INCLUDE or EXCLUDE without a pattern"},
      {"SCOREP_REGION_NAMES_BEGIN\nSCOREP_FILE_NAMES_BEGIN", 2,
       "a block begins before the last one has ended"},
      {"SCOREP_FILE_NAMES_BEGIN\nEXCLUDE MANGLED x", 2, "names of files are not mangled"}};
  for (const Case& c : cases) {
    RegionFilter rules = filter("SCOREP_REGION_NAMES_BEGIN EXCLUDE * SCOREP_REGION_NAMES_END");
    FilterError error;
    EXPECT_FALSE(rules.parse(c.text, error)) << c.text;
    EXPECT_EQ(error.line, c.line) << c.text;
    EXPECT_STREQ(error.text, c.found);
    EXPECT_FALSE(rules.excludes("main")) << "half a filter is none";
  }
}

TEST(RegionFilter, CanBeMoved) {
  auto rules = filter("SCOREP_REGION_NAMES_BEGIN EXCLUDE a SCOREP_REGION_NAMES_END");
  RegionFilter other(std::move(rules));
  RegionFilter third;
  third = std::move(other);
  EXPECT_TRUE(third.excludes("a"));
  EXPECT_FALSE(third.excludes("b"));
}

/// The matcher of the C library, which Score-P uses, as the oracle.
TEST(GlobMatches, AgreesWithFnmatch) {
  std::mt19937 random(3);
  const auto word = [&](std::string_view letters, size_t most) {
    std::string text;
    for (size_t n = random() % (most + 1); n > 0; --n) text += letters[random() % letters.size()];
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::string pattern = word("ab*?[]-!\\", 8);
    const std::string text = word("abc-]", 6);
    // What a backslash at the end and inside of a set means differs between C libraries.
    if (pattern.ends_with('\\')) continue;
    if (pattern.find('[') != std::string::npos && pattern.find('\\') != std::string::npos) continue;
    // So do ranges that end before they begin.
    if (pattern.find("b-a") != std::string::npos || pattern.find("]-") != std::string::npos ||
        pattern.find("--") != std::string::npos || pattern.find("!-") != std::string::npos ||
        pattern.find("-!") != std::string::npos || pattern.find("-*") != std::string::npos ||
        pattern.find("-?") != std::string::npos || pattern.find("-[") != std::string::npos) {
      continue;
    }
    const bool expected = fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    ASSERT_EQ(glob_matches(pattern, text), expected) << pattern << " and " << text;
    matches += expected ? 1 : 0;
  }
  EXPECT_GT(matches, 1000);
}

TEST(GlobMatches, TakesNoLongForManyStars) {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_TRUE(glob_matches(pattern, text));
  EXPECT_FALSE(glob_matches(pattern + "b", text));
}

}  // namespace
}  // namespace pathline::base

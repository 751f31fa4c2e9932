// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/choice.hpp"

namespace pathline::base {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";

TEST(CsvField, LeavesPlainTextAlone) {
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("MPI_Send"), "MPI_Send");
  EXPECT_EQ(csv_field(" a b;c'd "), " a b;c'd ");
}

TEST(CsvField, QuotesWhatWouldEndAFieldOrALine) {
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("\""), "\"\"\"\"");
  EXPECT_EQ(csv_field("std::map<int, int>"), "\"std::map<int, int>\"");
}

TEST(HumanBytes, ShowsThreeDigitsInTheLargestUnitThatFits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1), "1 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.00 kB");
  EXPECT_EQ(human_bytes(1234), "1.23 kB");
  EXPECT_EQ(human_bytes(12'345), "12.3 kB");
  EXPECT_EQ(human_bytes(123'456), "123 kB");
  EXPECT_EQ(human_bytes(8'360'000), "8.36 MB");
  EXPECT_EQ(human_bytes(1.5e9), "1.50 GB");
  EXPECT_EQ(human_bytes(2e12), "2.00 TB");
  EXPECT_EQ(human_bytes(3e15), "3.00 PB");
  EXPECT_EQ(human_bytes(static_cast<double>(UINT64_MAX)), "18.4 EB");
}

TEST(HumanBytes, TakesTheNextUnitRatherThanFourDigits) {
  EXPECT_EQ(human_bytes(999.4), "999 B");
  EXPECT_EQ(human_bytes(999.7), "1.00 kB");  // A mean need not be whole.
  EXPECT_EQ(human_bytes(999'499), "999 kB");
  EXPECT_EQ(human_bytes(999'501), "1.00 MB");
  EXPECT_EQ(human_bytes(9'996), "10.0 kB");
  EXPECT_EQ(human_bytes(99'960), "100 kB");
}

TEST(HumanSeconds, ShowsThreeDigitsFromNanosecondsToSeconds) {
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(7e-9), "7 ns");
  EXPECT_EQ(human_seconds(789e-9), "789 ns");
  EXPECT_EQ(human_seconds(1.5e-6), "1.50 µs");
  EXPECT_EQ(human_seconds(0.0456), "45.6 ms");
  EXPECT_EQ(human_seconds(1.234), "1.23 s");
  EXPECT_EQ(human_seconds(999.4), "999 s");
  EXPECT_EQ(human_seconds(86'400), "86400 s");
}

TEST(HumanSeconds, TakesTheNextUnitRatherThanFourDigits) {
  EXPECT_EQ(human_seconds(999.4e-9), "999 ns");
  EXPECT_EQ(human_seconds(999.6e-9), "1.00 µs");
  EXPECT_EQ(human_seconds(999.6e-6), "1.00 ms");
  EXPECT_EQ(human_seconds(999.6e-3), "1.00 s");
}

TEST(HumanSeconds, ShowsTheSignOfClocksThatDisagree) {
  EXPECT_EQ(human_seconds(-1.234), "-1.23 s");
  EXPECT_EQ(human_seconds(-2e-3), "-2.00 ms");
  EXPECT_EQ(human_seconds(-3e-9), "-3 ns");
}

TEST(HumanCount, PutsACommaBeforeEachGroupOfThree) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(counted(0, "rank", "ranks"), "0 ranks");
  EXPECT_EQ(counted(1, "rank", "ranks"), "1 rank");
  EXPECT_EQ(counted(1024, "rank", "ranks"), "1,024 ranks");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(123'456), "123,456");
  EXPECT_EQ(human_count(1'234'567), "1,234,567");
  EXPECT_EQ(human_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Printable, LeavesUtf8TextAlone) {
  // One to four bytes, and the last code point there is.
  for (const std::string text :
       {"", "main", "Größe", "時間", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbd"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable("a\nb"), std::string("a") + kReplacement + "b");
  EXPECT_EQ(printable("\x1b[31m"), std::string(kReplacement) + "[31m");
  EXPECT_EQ(printable("\x7f"), kReplacement);
  EXPECT_EQ(printable(std::string_view("\0", 1)), kReplacement);
  // U+009B does on many terminals what ESC [ does.
  EXPECT_EQ(printable("\xc2\x9b"), kReplacement);
  EXPECT_EQ(printable("\xc2\x80"), kReplacement);
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, ReplacesCodePointsThatXmlForbids) {
  EXPECT_EQ(printable("\xef\xbf\xbe"), kReplacement);  // U+FFFE
  EXPECT_EQ(printable("\xef\xbf\xbf"), kReplacement);  // U+FFFF
  EXPECT_EQ(printable("\xef\xbf\xbc"), "\xef\xbf\xbc");
}

TEST(Printable, ReplacesEachByteThatIsNotUtf8) {
  const std::string r = kReplacement;
  EXPECT_EQ(printable("\x80"), r) << "continuation without a start";
  EXPECT_EQ(printable("\xff"), r);
  EXPECT_EQ(printable("a\xc3"), "a" + r) << "cut at the end";
  EXPECT_EQ(printable("\xe2\x82"), r + r) << "cut at the end";
  EXPECT_EQ(printable("\xc3(x"), r + "(x") << "the byte behind must stay";
  EXPECT_EQ(printable("\xc0\xaf"), r + r) << "overlong '/'";
  EXPECT_EQ(printable("\xe0\x80\xaf"), r + r + r) << "overlong '/'";
  EXPECT_EQ(printable("\xf0\x80\x80\xaf"), r + r + r + r) << "overlong '/'";
  EXPECT_EQ(printable("\xed\xa0\x80"), r + r + r) << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), r + r + r + r) << "beyond U+10FFFF";
}

TEST(Plural, SaysOneOfOneThingOnly) {}

TEST(Nearest, FindsWhatAMisspeltWordWasMeantToBe) {
  const std::vector<std::string> names = {"info", "matrix", "messages", "profile", "format"};
  EXPECT_EQ(nearest("inf", names), "info");
  EXPECT_EQ(nearest("infoo", names), "info");
  EXPECT_EQ(nearest("ifno", names), "info") << "two letters swapped";
  EXPECT_EQ(nearest("fromat", names), "format");
  EXPECT_EQ(nearest("mesages", names), "messages");
  EXPECT_EQ(nearest("martix", names), "matrix");
  EXPECT_EQ(nearest("info", names), "info");
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
  const std::vector<std::string> names = {"info", "profile"};
  EXPECT_EQ(nearest("frobnicate", names), "");
  EXPECT_EQ(nearest("in", names), "") << "half of it";
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("info", {}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'i'), names), "");
}

TEST(HtmlEscaped, EscapesWhatEndsATextOrAnAttribute) {
  EXPECT_EQ(html_escaped("main"), "main");
  EXPECT_EQ(html_escaped("<a href=\"x\">&amp;</a>"),
            "&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(html_escaped("it's"), "it&#39;s");
  EXPECT_EQ(html_escaped("Größe"), "Größe");
}

TEST(Text, Base64IsThatOfTheRfc) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(base64({reinterpret_cast<const uint8_t*>(text), std::strlen(text)}), expected);
  }
  const uint8_t high[] = {0xfb, 0xff, 0xfe};
  EXPECT_EQ(base64(high), "+//+");
}

TEST(Text, UnknownWordsAreAnsweredInOneWay) {
  const std::vector<std::string> names = {"alpha", "additive", "over"};
  EXPECT_EQ(not_one_of("--blend", "x", names), "--blend is 'x', expected alpha, additive or over");
  EXPECT_EQ(not_one_of("--stats", "xml", std::span(names).first(1)),
            "--stats is 'xml', expected alpha");

  constexpr std::pair<std::string_view, int> kChoices[] = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(choose("--n", "two", kChoices).value(), 2);
  EXPECT_EQ(choose("--n", "", kChoices).error().message, "--n is '', expected one or two");
}

TEST(Text, RoundsToSignificantDigits) {
  EXPECT_EQ(rounded(1234.5, 2), 1200.0);
  EXPECT_EQ(rounded(-0.00123456, 3), -0.00123);
  EXPECT_EQ(rounded(0.1 + 0.2, 9), 0.3);
  EXPECT_EQ(rounded(0, 3), 0.0);
  EXPECT_TRUE(std::isinf(rounded(HUGE_VAL, 3)));
  EXPECT_TRUE(std::isnan(rounded(NAN, 3)));
}

}  // namespace
}  // namespace pathline::base

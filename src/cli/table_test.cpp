// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table.hpp"

#include <gtest/gtest.h>

namespace pathline::cli {
namespace {

TEST(FormatTable, AlignsTextsLeftAndNumbersRight) {
  EXPECT_EQ(
      format_table({{"name", true}, {"count"}, {"unit", true}},
                   {{"name", "count", "unit"}, {"a", "7", "s"}, {"longer", "123456", ""}}, 100),
      "name     count  unit\n"
      "a            7  s\n"
      "longer  123456\n");
}

TEST(FormatTable, ShortensTheWidestTextInItsMiddle) {
  const std::vector<Column> columns = {{"path", true}, {"file", true}, {"n"}};
  const std::vector<std::vector<std::string>> rows = {{"abcdefghijklmnopqrst", "0123456789", "5"}};
  EXPECT_EQ(format_table(columns, rows, 35), "abcdefghijklmnopqrst  0123456789  5\n");
  EXPECT_EQ(format_table(columns, rows, 30), "abcdefg…nopqrst  0123456789  5\n");
  // Down to the least width of a text, 8, then the next widest.
  EXPECT_EQ(format_table(columns, rows, 22), "abcd…rst  0123…6789  5\n");
}

TEST(FormatTable, ColumnsSayHowMuchOfThemMustStay) {
  EXPECT_EQ(format_table({{"path", true, 18}, {"file", true, 4}},
                         {{"abcdefghijklmnopqrst", "0123456789"}}, 10),
            "abcdefghi…mnopqrst  01…9\n");
}

TEST(FormatTable, NeverCutsNumbersEvenIfItGetsTooWide) {
  EXPECT_EQ(format_table({{"n"}, {"text", true}}, {{"123456789012345", "abcdefghij"}}, 12),
            "123456789012345  abcd…hij\n");
  EXPECT_EQ(format_table({{"n"}, {"m"}}, {{"123456789012345", "678901234567890"}}, 12),
            "123456789012345  678901234567890\n");
}

TEST(FormatTable, CountsLettersNotBytes) {
  EXPECT_EQ(letter_count("Grüße→"), 6U);
  EXPECT_EQ(format_table({{"name", true}, {"n"}}, {{"Grüße", "1"}, {"abcdef", "22"}}, 100),
            "Grüße    1\n"
            "abcdef  22\n");
  // A letter of several bytes is kept or left out as a whole.
  EXPECT_EQ(format_table({{"name", true}}, {{"äöüäöüäöüßßß"}}, 8), "äöüä…ßßß\n");
}

TEST(FormatTable, OfNoRowsIsEmpty) { EXPECT_EQ(format_table({{"name", true}}, {}, 10), ""); }

}  // namespace
}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/format_table.hpp"

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

TEST(FormatTable, LeavesOutCallersBeforeItCutsNames) {
  EXPECT_EQ(format_table({{"path", true}}, {{"path"}, {"main->solve->apply->MPI_Waitall"}}, 24),
            "path\n…->apply->MPI_Waitall\n");
  EXPECT_EQ(format_table({{"path", true}}, {{"path"}, {"main->f->f->f->f->f->g"}}, 16),
            "path\nmain->f×5->g\n");
}

TEST(FormatTable, LeavesOutColumnsBeforeItCutsNames) {
  const std::vector<Column> columns = {{.name = "name", .is_text = true},
                                       {.name = "a", .spare = 1},
                                       {.name = "b", .spare = 2},
                                       {.name = "c"}};
  const std::vector<std::vector<std::string>> rows = {{"name", "a", "b", "c"},
                                                      {"ten_letters", "12345", "12345", "12345"}};
  EXPECT_EQ(format_table(columns, rows, 32),
            "name             a      b      c\n"
            "ten_letters  12345  12345  12345\n");
  EXPECT_EQ(format_table(columns, rows, 31),
            "name             a      c\n"
            "ten_letters  12345  12345\n");
  EXPECT_EQ(format_table(columns, rows, 22), "name             c\nten_letters  12345\n");
}

TEST(FormatTable, TextsThatDifferNeverReadTheSame) {
  const std::vector<std::vector<std::string>> rows = {{"path"},
                                                      {"main->first->solve->MPI_Wait"},
                                                      {"main->other->solve->MPI_Wait"},
                                                      {"a_function_with_a_name_1_that_is_long"},
                                                      {"a_function_with_a_name_2_that_is_long"}};
  EXPECT_EQ(format_table({{"path", true}}, rows, 20),
            "path\n"
            "…->first-…->MPI_Wait\n"
            "…->other-…->MPI_Wait\n"
            "…name_1_that_is_long\n"
            "…name_2_that_is_long\n");
}

TEST(ForPeople, WritesUnits) {
  EXPECT_EQ(for_people({.name = "a_s", .unit = Unit::kSeconds}, "2.981234567"), "2.98 s");
  EXPECT_EQ(for_people({.name = "a_s", .unit = Unit::kInstant}, "2.981234567"), "2.981235 s");
  EXPECT_EQ(for_people({.name = "bytes", .unit = Unit::kBytes}, "1300000000"), "1.30 GB");
  EXPECT_EQ(for_people({.name = "n", .unit = Unit::kCount}, "1234567"), "1,234,567");
  EXPECT_EQ(for_people({.name = "n", .unit = Unit::kFactor}, "1.2345"), "1.23");
  EXPECT_EQ(for_people({.name = "n", .unit = Unit::kShare}, "0.1234"), "12.3 %");
  EXPECT_EQ(for_people({.name = "n"}, "0.1234"), "0.1234");
  EXPECT_EQ(for_people({.name = "a_s", .unit = Unit::kSeconds}, ""), "");
  EXPECT_EQ(heading({.name = "exclusive_min_s", .unit = Unit::kSeconds}), "exclusive min");
  EXPECT_EQ(heading({.name = "out_bytes", .unit = Unit::kBytes}), "out");
  EXPECT_EQ(heading({.name = "bytes", .unit = Unit::kBytes}), "bytes");
}

TEST(FormatTable, OfNoRowsIsEmpty) { EXPECT_EQ(format_table({{"name", true}}, {}, 10), ""); }

}  // namespace
}  // namespace pathline::cli

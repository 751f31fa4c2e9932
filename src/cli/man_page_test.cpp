// SPDX-License-Identifier: BSD-3-Clause
#include "cli/man_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandDescription program_of(const std::string& footer) {
  CommandDescription draw{.name = "draw", .about = "Draws", .footer = footer};
  draw.options = {{.names = {"-o", "--out"}, .value = "FILE", .usual = "-", .help = "Where to"}};
  CommandDescription program{.name = "tool", .about = "A tool"};
  program.commands = {draw, {.name = "look", .about = "Looks"}};
  return program;
}

TEST(ManPages, HaveAPageForEachCommand) {
  const auto pages = man_pages(program_of(""), "1.2");
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[0].name, "tool");
  EXPECT_EQ(pages[1].name, "tool-draw");
  EXPECT_THAT(pages[1].text, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\n"
                                       "Where to.\nDefault: \\-.\n"));
}

TEST(ManPages, TakeNoTextForARequest) {
  const std::string text =
      man_pages(program_of("What\n.TH is\n'no' request, and \\ no escape."), "1.2")[1].text;
  EXPECT_THAT(text, HasSubstr("What\n\\&.TH is\n\\(aqno\\(aq request, and \\e no escape.\n"));
}

TEST(ManPages, KeepLinesOfExamplesOnly) {
  const std::string text =
      man_pages(program_of("One sentence\ngoes on.\nAnother.\nExamples:\n  tool look \\\n      at\n"
                           "'tool look' helps."),
                "1.2")[1]
          .text;
  EXPECT_THAT(text, HasSubstr("One sentence\ngoes on.\n.PP\nAnother.\n.PP\n\\(aqtool look"));
  EXPECT_THAT(text, HasSubstr(".EX\n  tool look \\e\n      at\n.EE\n"));
  EXPECT_THAT(text, HasSubstr("\\fBtool\\-look\\fR(1)"));
}

TEST(ManPages, LeaveOutWhatThereIsNot) {
  EXPECT_THAT(man_pages(program_of(""), "1.2")[2].text, Not(HasSubstr("DESCRIPTION")));
}

}  // namespace
}  // namespace pathline::cli

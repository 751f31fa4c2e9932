// SPDX-License-Identifier: BSD-3-Clause
#include "app/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::HasSubstr;

std::string refusal(const base::Status& status) { return status ? "" : status.error().message; }

TEST(Output, IsNeverWhatIsRead) {
  const base::ScratchFolder folder;
  folder.write("m.csv", "text");
  const auto input = folder.path() / "m.csv";
  EXPECT_THAT(refusal(check_output(input, input)), HasSubstr("it is what is read"));
  EXPECT_THAT(refusal(check_output(input, folder.path() / "." / "m.csv")),
              HasSubstr("it is what is read"));
  EXPECT_EQ(refusal(check_output(input, folder.path() / "other.csv")), "");
  EXPECT_EQ(refusal(check_output(folder.path() / "missing", input)), "");
  EXPECT_EQ(refusal(check_output("", input)), "");
}

TEST(Output, IsNoFileOfARecordedRun) {
  const base::ScratchFolder folder;
  for (const char* name : {"traces.otf2", "traces.def", "0.evt", "profile.cubex", "1.raw"}) {
    EXPECT_EQ(refusal(check_output(folder.path(), folder.path() / name)), "") << name;
    folder.write(name, "text");
    EXPECT_THAT(refusal(check_output(folder.path(), folder.path() / name)),
                HasSubstr("it is a file of a recorded run"));
    EXPECT_THAT(refusal(check_not_read("", folder.path() / name)),
                HasSubstr("it is a file of a recorded run"));
  }
  folder.write("report.html", "text");
  EXPECT_EQ(refusal(check_output(folder.path(), folder.path() / "report.html")), "");
}

TEST(Output, IsNoFolderOfTheRunThatIsRead) {
  const base::ScratchFolder folder;
  folder.write("traces.otf2", "text");
  folder.write("traces/0.evt", "text");
  folder.write("tables/calls.csv", "text");
  for (const auto& input : {folder.path(), folder.path() / "traces.otf2"}) {
    for (const auto& output :
         {folder.path(), folder.path() / "traces", folder.path() / "traces/"}) {
      EXPECT_THAT(refusal(check_not_read(input, output)), HasSubstr("of the run that is read"));
    }
    EXPECT_EQ(refusal(check_not_read(input, folder.path() / "tables")), "");
    EXPECT_EQ(refusal(check_not_read(input, folder.path() / "new")), "");
  }
  EXPECT_EQ(refusal(check_not_read("other", folder.path() / "traces")), "");
}

TEST(Output, NeedsAFolder) {
  const base::ScratchFolder folder;
  const auto file = folder.path() / "missing" / "x.csv";
  EXPECT_THAT(refusal(check_output("", file)), HasSubstr("x.csv: No such file or directory"));
  EXPECT_EQ(refusal(check_not_read("", file)), "");
  EXPECT_EQ(refusal(check_output("", "-")), "");
  EXPECT_EQ(refusal(check_output("", "/dev/null")), "");
}

}  // namespace
}  // namespace pathline::app

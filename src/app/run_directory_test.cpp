// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_directory.hpp"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(RunDirectory, GetsASuffixInsteadOfOverwriting) {
  const base::ScratchFolder folder;
  const auto wanted = folder.path() / "deep" / "run";
  for (const char* expected : {"deep/run", "deep/run-2", "deep/run-3"}) {
    const auto made = make_run_directory(wanted.string() + "/");
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(made.value(), folder.path() / expected);
  }
  const auto file = folder.write("file", "");
  EXPECT_EQ(make_run_directory(file).value(), folder.path() / "file-2");
  const auto inside = make_run_directory(file / "run");
  ASSERT_FALSE(inside.ok());
  EXPECT_THAT(inside.error().message, HasSubstr("cannot make the run directory"));
}

TEST(RunDirectory, NamesMayHoldWhatIsKnownOnlyLater) {
  EXPECT_EQ(expand_run_name("r-%h-%p-100%%").value(),
            "r-" + host_name() + '-' + std::to_string(::getpid()) + "-100%");
  for (const char* wrong : {"%r", "%x", "run%"}) EXPECT_FALSE(expand_run_name(wrong).ok()) << wrong;
  EXPECT_EQ(expand_run_name("r-%r", "0").value(), "r-0");
  EXPECT_FALSE(expand_run_name("r-%x", "0").ok());
  EXPECT_THAT(default_run_name("heat3d"), MatchesRegex("pathline-heat3d-[0-9]+-[0-9]+"));
}

TEST(RunDirectory, HoldsARecordingWhenAFileInItHasContent) {
  const base::ScratchFolder folder;
  EXPECT_FALSE(has_recording(folder.path()));
  folder.write("raw/n1/0.empty", "");
  EXPECT_FALSE(has_recording(folder.path()));
  folder.write("raw/n1/1", "x");
  EXPECT_TRUE(has_recording(folder.path()));
}

}  // namespace
}  // namespace pathline::app

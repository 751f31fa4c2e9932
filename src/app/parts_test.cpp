// SPDX-License-Identifier: BSD-3-Clause
#include "app/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::app {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

std::vector<JobPart> open_mpi(const Words& words) {
  return parts_of(base::Launcher::kOpenMpi, words, 0);
}

TEST(Parts, AreWhatStandsBetweenColons) {
  const auto parts = open_mpi({"mpirun", "-n", "2", "env", "A=1", ":", "--np", "3", "ls", "-l"});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].ranks, 2U);
  EXPECT_EQ(parts[1].ranks, 3U);
  EXPECT_EQ(parts[1].program, (Words{"ls", "-l"}));
}

TEST(Parts, OneWithoutTheCommandIsFoundWithTheFirstRankThatHasIt) {
  unsigned first = 99;
  const auto reason =
      part_without_command({{{"ls"}, 3}, {{"/opt/bin/pathline", "record", "--", "ls"}, 2}}, first);
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("ls is started without"));
  EXPECT_EQ(first, 3U);
}

TEST(Parts, WithTheCommandInAllOrInNoneNothingSpeaksAgainstIt) {
  unsigned first = 0;
  const Words recorded = {"pathline", "record", "--", "ls"};
  EXPECT_FALSE(part_without_command({{recorded, 1}, {recorded, 1}}, first));
  EXPECT_FALSE(part_without_command({{{"ls"}, 1}, {{"ls"}, 1}}, first));
  // A script may put it into its own lines.
  EXPECT_FALSE(part_without_command({{recorded, 1}, {{"no such script"}, 1}}, first));
}

TEST(Parts, OnePartWaitsForNobody) {
  EXPECT_FALSE(part_without_recorder({{{"ls"}, 4}}));
  EXPECT_FALSE(part_without_recorder({{{"ls"}, 1}, {{"cat"}, 1}}));
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/counted_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = "region,rank,thread,calls,exclusive_s\n";

TEST(CountedProfile, HasRegionsByThread) {
  const base::ScratchFolder folder;
  EXPECT_FALSE(has_counted_profile(folder.path()));
  folder.write("profile.csv",
               std::string(kHead) + "solve,1,0,3,0.5\n\"f(int, int)\",0,1,2,0.25\nsolve,0,0,1,2\n");
  ASSERT_TRUE(has_counted_profile(folder.path()));
  const auto table = read_counted_profile(folder.path());
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table.value().call_paths.size(), 2U);
  EXPECT_EQ(table.value().call_paths[1].region, "f(int, int)");
  // Threads 0 and 1 of rank 0, thread 0 of rank 1.
  EXPECT_THAT(table.value().rank_of_location,
              ElementsAre(trace::Rank(0), trace::Rank(0), trace::Rank(1)));
  EXPECT_THAT(table.value().values[0], ElementsAre(2, 0, 0.5, 0, 0.25, 0));
  EXPECT_THAT(table.value().values[1], ElementsAre(1, 0, 3, 0, 2, 0));
}

TEST(CountedProfile, NamesTheLineThatIsNone) {
  const base::ScratchFolder folder;
  for (const char* line :
       {"solve,1,0,3", "solve,1,0,3,x", "solve,-1,0,3,0.5", "solve,1,0,3,0.5,6", "solve,1,0,3,-1",
        "", "solve,1,0,99999999999999999999999,1", "\"solve,1,0,3,1"}) {
    folder.write("profile.csv", std::string(kHead) + "f,0,0,1,1\n" + line + "\n");
    const auto table = read_counted_profile(folder.path());
    ASSERT_FALSE(table.ok()) << line;
    EXPECT_THAT(table.error().message, HasSubstr("profile.csv, line 3: expected a region"));
  }
  folder.write("profile.csv", "region\n");
  EXPECT_THAT(read_counted_profile(folder.path()).error().message, HasSubstr("line 1"));
  folder.write("profile.csv", kHead);
  EXPECT_TRUE(read_counted_profile(folder.path()).ok());
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"

namespace pathline::app {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Placement, HasALinePerRankWithRangesWhereItIsBoundToSeveral) {
  const auto xml = base::third_party_data("hwloc/Intel-Haswell-2xXeon-E5-2680v3.xml");
  if (!std::filesystem::exists(xml)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  const base::ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "topology");
  std::filesystem::copy_file(xml, folder.path() / "topology" / "n1.xml");
  std::filesystem::copy_file(xml, folder.path() / "topology" / "n2.xml");

  const RankPlace ranks[] = {{0, "n1", "0"}, {1, "n1", "0,2,4"}, {2, "n2", "0-23", "top.leaf1.n2"}};
  const auto problems =
      write_placement(ranks, folder.path() / "topology", folder.path() / "placement.csv");
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(problems.value(), IsEmpty());
  // Even PUs are the first package's: lstopo.
  EXPECT_EQ(folder.read("placement.csv"),
            "rank,host,package,numa,core,pu,switches\n"
            "0,n1,0,0,0,0,\n"
            "1,n1,0,0,0-2,\"0,2,4\",\n"
            "2,n2,0-1,0,0-23,0-23,top.leaf1.n2\n");
  const auto read = read_placement_table(folder.path() / "placement.csv");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_THAT(read.value(), ::testing::SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.value()[i].rank, ranks[i].rank);
    EXPECT_EQ(read.value()[i].host, ranks[i].host);
    EXPECT_EQ(read.value()[i].cpus, ranks[i].cpus);
    EXPECT_EQ(read.value()[i].switches, ranks[i].switches);
  }
}

TEST(Placement, SaysOnceWhatIsNotKnownOfAHost) {
  const base::ScratchFolder folder;
  const RankPlace ranks[] = {{0, "n1", "0"}, {1, "n1", "1"}, {2, "../n2", "1"}};
  const auto problems =
      write_placement(ranks, folder.path() / "topology", folder.path() / "placement.csv");
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(problems.value(), ElementsAre(HasSubstr("n1.xml: No such file"),
                                            EndsWith("'../n2' is no name of a host")));
  EXPECT_EQ(folder.read("placement.csv"),
            "rank,host,package,numa,core,pu,switches\n"
            "0,n1,-1,-1,-1,-1,\n1,n1,-1,-1,-1,-1,\n2,../n2,-1,-1,-1,-1,\n");
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "host/topology.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"

namespace pathline::host {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The folder with hwloc's own test files.
std::filesystem::path data() { return base::third_party_data("hwloc"); }

class RealTopology : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data())) GTEST_SKIP() << base::kNeedsThirdPartyData;
  }
  static Binding binding(const std::string& file, std::string_view cpus) {
    const auto topology = Topology::read(data() / file);
    EXPECT_TRUE(topology.ok()) << topology.error().message;
    if (!topology) return {};
    const auto binding = topology.value().binding(cpus);
    EXPECT_TRUE(binding.ok()) << binding.error().message;
    return binding ? binding.value() : Binding{};
  }
};

// Expected numbers: lstopo's, read off its print of these files.
TEST_F(RealTopology, OneHardwareThreadHasOnePlace) {
  const Binding b = binding("AMD-17h-Zen-2xEpyc-7451.xml", "48");
  EXPECT_THAT(b.packages, ElementsAre(0));
  EXPECT_THAT(b.numa_nodes, ElementsAre(0));
  EXPECT_THAT(b.cores, ElementsAre(0));  // Core 0 has the PUs 0 and 48.
  EXPECT_THAT(b.pus, ElementsAre(48));
}

TEST_F(RealTopology, BothThreadsOfACoreAreOneCore) {
  const Binding b = binding("32em64t-2n8c2t-pci-normalio.xml", "2,18");
  EXPECT_THAT(b.packages, ElementsAre(0));
  EXPECT_THAT(b.cores, ElementsAre(2));
  EXPECT_THAT(b.pus, ElementsAre(2, 18));
}

TEST_F(RealTopology, TwoPackagesAreBothNamed) {
  const Binding b = binding("Intel-Haswell-2xXeon-E5-2680v3.xml", "0,1");
  EXPECT_THAT(b.packages, ElementsAre(0, 1));
  EXPECT_THAT(b.cores, ElementsAre(0, 12));
}

TEST_F(RealTopology, MemoryOfTheWholeMachineIsNextToEveryPu) {
  EXPECT_THAT(binding("Intel-Haswell-2xXeon-E5-2680v3.xml", "0-23").numa_nodes, ElementsAre(0));
}

TEST_F(RealTopology, PusThatAreSwitchedOffDoNotCount) {
  // Online are 0, 1, 3, 4, 6, 12 and 15.
  const Binding b = binding("16em64t-4s2c2t-offlines.xml", "0-15");
  EXPECT_THAT(b.pus, ElementsAre(0, 1, 3, 4, 6, 12, 15));
  EXPECT_THAT(b.packages, SizeIs(4));
  const auto topology = Topology::read(data() / "16em64t-4s2c2t-offlines.xml");
  ASSERT_TRUE(topology.ok());
  const auto none = topology.value().binding("2,5");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "the machine has none of the CPUs 2,5");
}

TEST_F(RealTopology, ListsThatAreNoneAreRefused) {
  const auto topology = Topology::read(data() / "Intel-SandyBridge-2xXeon-E5-2650.xml");
  ASSERT_TRUE(topology.ok());
  for (const char* cpus : {"", "a", "1-", "3-1", "1,", "1;2", "0-99999999", "-1", "1 "}) {
    const auto binding = topology.value().binding(cpus);
    ASSERT_FALSE(binding.ok()) << cpus;
    EXPECT_THAT(binding.error().message, HasSubstr("is no list of CPUs"));
  }
}

TEST(Topology, OfHwloc3IsRefusedWithAWayOut) {
  const base::ScratchFolder folder;
  const auto path =
      folder.write("n1.xml",
                   "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n"
                   "<topology version=\"3.0\"></topology>");
  const auto topology = Topology::read(path);
  ASSERT_FALSE(topology.ok());
  EXPECT_EQ(topology.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(topology.error().message, HasSubstr("n1.xml is of hwloc 3"));
  EXPECT_THAT(topology.error().advice, HasSubstr("v2"));
}

TEST(Topology, ThatIsNoneIsRefused) {
  const base::ScratchFolder folder;
  for (const char* text : {"", "hello", "<topology", "<topology version=\"2.0\"></topology>",
                           "<topology version=\"2.0\"><object type=\"PU\"/></topology>"}) {
    const auto topology = Topology::read(folder.write("bad.xml", text));
    ASSERT_FALSE(topology.ok()) << text;
    EXPECT_EQ(topology.error().code, base::ErrorCode::kCorrupt) << text;
    EXPECT_THAT(topology.error().message,
                EndsWith("bad.xml is not a topology that hwloc can read"));
  }
  EXPECT_EQ(Topology::read(folder.path() / "none.xml").error().code, base::ErrorCode::kNotFound);
}

TEST_F(RealTopology, CoresShareLevels) {
  const auto topology = Topology::read(data() / "AMD-17h-Zen-2xEpyc-7451.xml");
  ASSERT_TRUE(topology.ok());
  const Node node = topology.value().node();
  ASSERT_THAT(node.units, SizeIs(48));
  std::vector<std::string> types;
  for (const NodeLevel& level : node.levels) types.push_back(level.type);
  EXPECT_THAT(types, ElementsAre("Machine", "Package", "NUMANode", "L3Cache", "L2Cache", "L1Cache",
                                 "Core"));
  EXPECT_EQ(node.levels[1].core_count, 24U);
  EXPECT_EQ(node.levels[2].core_count, 6U);
  EXPECT_EQ(node.levels[3].core_count, 3U);
  EXPECT_EQ(node.levels[3].bytes, 8U << 20U);
  EXPECT_EQ(node.levels[4].core_count, 1U);
  EXPECT_EQ(node.levels[4].bytes, 512U << 10U);
  EXPECT_THAT(node.units[47], ElementsAre(0, 1, 7, 15, 47, 47, 47));
}

TEST(Topology, OfADescription) {
  const auto topology = Topology::synthetic("package:2 l3:2 l2:4 core:2 pu:2");
  ASSERT_TRUE(topology.ok()) << topology.error().message;
  const Node node = topology.value().node();
  ASSERT_THAT(node.units, SizeIs(32));
  EXPECT_EQ(node.levels.front().type, "Machine");
  EXPECT_EQ(node.levels.front().core_count, 32U);
  EXPECT_EQ(node.levels.back().type, "Core");
  EXPECT_EQ(node.pu_of_core[3], 6U);
  EXPECT_EQ(node.units[8].size(), node.levels.size());
  const auto wrong = Topology::synthetic("many cores");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("'many cores' is no hardware"));
}

TEST(Topology, OfThisMachine) {
  const auto topology = Topology::own();
  ASSERT_TRUE(topology.ok()) << topology.error().message;
  EXPECT_GE(topology.value().node().units.size(), 1U);
}

}  // namespace
}  // namespace pathline::host

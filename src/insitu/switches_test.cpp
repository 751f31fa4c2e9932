// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insitu/machine.hpp"

namespace pathline::insitu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Result<SwitchTree> parsed(std::string_view text) {
  const auto branches = network::parse_slurm_topology(text, "topology.conf");
  if (!branches) return branches.error();
  return switch_tree(branches.value(), "topology.conf");
}

TEST(SwitchTree, KeepsSeveralParents) {
  const auto tree =
      parsed("SwitchName=a Nodes=n[1-2]\nSwitchName=top Switches=a\nSwitchName=other Switches=a\n");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  EXPECT_THAT(tree.value().parents.at("n2"), ElementsAre("a"));
  EXPECT_THAT(tree.value().parents.at("a"), ElementsAre("top", "other"));
}

TEST(SwitchTree, RefusesRingsAndTowers) {
  const auto ring = parsed("SwitchName=a Switches=b\nSwitchName=b Switches=a\n");
  ASSERT_FALSE(ring.ok());
  EXPECT_THAT(ring.error().message, HasSubstr("is above itself"));
  std::string tower = "SwitchName=s0 Nodes=n1\n";
  for (int i = 1; i < 100; ++i) {
    tower += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  }
  const auto tall = parsed(tower);
  ASSERT_FALSE(tall.ok());
  EXPECT_THAT(tall.error().message, HasSubstr("more than 64 levels"));
  EXPECT_FALSE(switch_tree({{"n1", "a.b.n1"}, {"n2", "b.a.n2"}}).ok());
}

TEST(SwitchTree, OfWhatSlurmTellsEachTask) {
  const auto tree =
      switch_tree({{"n1", "spine.leaf1.n1"}, {"n2", "spine.leaf2.n2"}, {"n3", ""}, {"n4", "n4"}});
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(tree.value().parents.at("n2"), ElementsAre("leaf2"));
  EXPECT_THAT(tree.value().parents.at("leaf1"), ElementsAre("spine"));
  EXPECT_FALSE(tree.value().parents.contains("n3"));
  EXPECT_FALSE(tree.value().parents.contains("n4"));
}

}  // namespace
}  // namespace pathline::insitu

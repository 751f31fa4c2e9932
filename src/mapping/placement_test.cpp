// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/test_placement.hpp"
#include "mapping/test_traffic.hpp"

namespace pathline::mapping {
namespace {

using network::Vertex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Placement, FillsNodeAfterNode) {
  const Placement placement = block_placement(5, 2);
  EXPECT_THAT(placement.node_of_rank,
              ElementsAre(Vertex(0), Vertex(0), Vertex(1), Vertex(1), Vertex(2)));
  EXPECT_THAT(placement.slot_of_rank, ElementsAre(0, 1, 0, 1, 0));
  EXPECT_EQ(placement_on(placement.node_of_rank), placement);
}

TEST(Placement, NumbersSlotsInRankOrder) {
  const Placement placement = placement_on({Vertex(3), Vertex(0), Vertex(3), Vertex(3), Vertex(0)});
  EXPECT_THAT(placement.slot_of_rank, ElementsAre(0, 0, 1, 2, 1));
}

TEST(Placement, MovesTheRanksOfANodeTogether) {
  const std::vector<Vertex> places = {Vertex(1), Vertex(2), Vertex(4)};
  const Placement before = placement_on({Vertex(1), Vertex(1), Vertex(2), Vertex(0), Vertex(4)});
  const Placement after = moved(before, places, std::vector<uint32_t>{2, 0, 1});
  EXPECT_THAT(after.node_of_rank,
              ElementsAre(Vertex(4), Vertex(4), Vertex(1), Vertex(0), Vertex(2)));
  EXPECT_EQ(after.slot_of_rank, before.slot_of_rank);
}

TEST(Placement, IsCheckedForWhatCannotBe) {
  const auto network = torus({2, 2});
  const auto fault = [&](const Placement& placement, uint32_t ranks_per_node) {
    const auto status = check_placement(placement, *network, ranks_per_node);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(fault(block_placement(8, 2), 2), "");
  EXPECT_EQ(fault(block_placement(8, 2), 0), "");
  EXPECT_EQ(fault({}, 2), "");
  EXPECT_THAT(fault(block_placement(9, 2), 2), HasSubstr("rank 8 is on node 4, but torus:2x2"));
  EXPECT_THAT(fault(block_placement(8, 4), 2),
              HasSubstr("rank 2 is in slot 2 of node (0 0), but a node has 2 slots"));
  EXPECT_THAT(fault({{Vertex(1), Vertex(2), Vertex(1)}, {5, 5, 5}}, 0),
              HasSubstr("ranks 0 and 2 are both in slot 5 of node (0 1)"));
  EXPECT_THAT(fault({{Vertex(1)}, {}}, 0), HasSubstr("1 ranks have a node, but 0 a slot"));
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/grid_mapping.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/spec.hpp"

namespace pathline::mapping {
namespace {

using network::Vertex;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint32_t> nodes_of(const Placement& placement) {
  std::vector<uint32_t> nodes;
  for (const Vertex node : placement.node_of_rank) nodes.push_back(node);
  return nodes;
}

Placement placed(GridMapping mapping, const std::vector<uint32_t>& ranks, uint32_t per_node,
                 const network::Network* network = nullptr) {
  auto placement = place_grid(mapping, ranks, per_node, network);
  EXPECT_TRUE(placement) << placement.error().message;
  return std::move(placement).value();
}

TEST(GridMapping, FillsNodesOrGoesRound) {
  const std::vector<uint32_t> ranks = {4, 2};
  EXPECT_THAT(nodes_of(placed(GridMapping::kSmp, ranks, 4)), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  const Placement round = placed(GridMapping::kRoundRobin, ranks, 4);
  EXPECT_THAT(nodes_of(round), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(round.slot_of_rank, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST(GridMapping, BlocksHaveTheSmallestSurface) {
  const Placement block = placed(GridMapping::kBlock, {4, 2}, 4);
  EXPECT_THAT(nodes_of(block), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(block.slot_of_rank, ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  // An axis that a block fills has no surface there.
  EXPECT_THAT(nodes_of(placed(GridMapping::kBlock, {2, 8}, 4)),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
  const Placement cube = placed(GridMapping::kBlock, {8, 8, 8}, 8);
  EXPECT_EQ(cube.node_of_rank[0], cube.node_of_rank[1 + 8 + 64]);
}

class Folding
    : public testing::TestWithParam<std::tuple<const char*, std::vector<uint32_t>, uint32_t>> {};

TEST_P(Folding, KeepsNeighboursNeighbours) {
  const auto& [spec, ranks, per_node] = GetParam();
  const auto machine = network::parse_network(spec);
  ASSERT_TRUE(machine);
  const network::Network& network = *machine.value().network;
  const Placement placement = placed(GridMapping::kFolded, ranks, per_node, &network);
  ASSERT_TRUE(check_placement(placement, network, per_node));
  uint32_t stride = 1;
  for (const uint32_t size : ranks) {
    for (uint32_t rank = 0; rank + stride < placement.rank_count(); ++rank) {
      if (rank / stride % size + 1 == size) continue;
      EXPECT_LE(
          network.distance(placement.node_of_rank[rank], placement.node_of_rank[rank + stride]),
          stride == 1 ? 1U : network.diameter());
    }
    stride *= size;
  }
  // Along the first axis always; along the others at the turns the way back may be longer.
  uint64_t far = 0;
  uint64_t all = 0;
  for (uint32_t rank = 0; rank + ranks[0] < placement.rank_count(); ++rank) {
    ++all;
    far +=
        network.distance(placement.node_of_rank[rank], placement.node_of_rank[rank + ranks[0]]) > 1;
  }
  EXPECT_LE(static_cast<double>(far), 0.2 * static_cast<double>(all));
  std::set<Vertex> used(placement.node_of_rank.begin(), placement.node_of_rank.end());
  EXPECT_EQ(used.size() * per_node, placement.rank_count());
}

INSTANTIATE_TEST_SUITE_P(
    All, Folding,
    testing::Values(std::tuple("torus:4x4x4", std::vector<uint32_t>{32, 32}, 16U),
                    std::tuple("torus:4x4x4", std::vector<uint32_t>{32, 16}, 16U),
                    std::tuple("torus:8x8x8", std::vector<uint32_t>{64, 64}, 8U),
                    std::tuple("torus:4x4x4", std::vector<uint32_t>{8, 8, 8}, 8U),
                    std::tuple("mesh:2x8", std::vector<uint32_t>{8, 2}, 1U),
                    std::tuple("torus:4x4", std::vector<uint32_t>{64}, 4U)));

TEST(GridMapping, RandomIsBlocksOnOtherNodes) {
  const Placement block = placed(GridMapping::kBlock, {8, 8}, 4);
  const Placement random = placed(GridMapping::kRandom, {8, 8}, 4);
  EXPECT_EQ(random.slot_of_rank, block.slot_of_rank);
  EXPECT_NE(random.node_of_rank, block.node_of_rank);
  for (size_t i = 0; i < 64; ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_EQ(block.node_of_rank[i] == block.node_of_rank[j],
                random.node_of_rank[i] == random.node_of_rank[j]);
    }
  }
  EXPECT_EQ(random.node_of_rank, placed(GridMapping::kRandom, {8, 8}, 4).node_of_rank);
  EXPECT_NE(random.node_of_rank,
            place_grid(GridMapping::kRandom, std::vector<uint32_t>{8, 8}, 4, nullptr, 2)
                .value()
                .node_of_rank);
}

TEST(GridMapping, SaysWhatDoesNotFit) {
  const auto machine = network::parse_network("torus:4x4");
  const network::Network* torus = machine.value().network.get();
  const auto said = [&](GridMapping mapping, std::vector<uint32_t> ranks, uint32_t per_node,
                        const network::Network* network) {
    const auto placement = place_grid(mapping, ranks, per_node, network);
    return placement ? "" : placement.error().message;
  };
  EXPECT_THAT(said(GridMapping::kSmp, {3, 5}, 4, nullptr), HasSubstr("3x5 ranks do not divide"));
  EXPECT_THAT(said(GridMapping::kSmp, {3, 5}, 0, nullptr), HasSubstr("do not divide"));
  EXPECT_THAT(said(GridMapping::kSmp, {0, 5}, 1, nullptr), HasSubstr("expected 1 to"));
  EXPECT_THAT(said(GridMapping::kSmp, {1U << 31U, 1U << 31U, 7}, 1, nullptr),
              HasSubstr("expected 1 to"));
  EXPECT_THAT(said(GridMapping::kSmp, {}, 1, nullptr), HasSubstr("axes"));
  EXPECT_THAT(said(GridMapping::kSmp, {32, 1}, 1, torus), HasSubstr("need 32 nodes"));
  EXPECT_THAT(said(GridMapping::kBlock, {2, 6}, 4, nullptr), testing::IsEmpty());
  EXPECT_THAT(said(GridMapping::kBlock, {6, 10}, 4 * 3, nullptr), testing::IsEmpty());
  EXPECT_THAT(said(GridMapping::kBlock, {6, 6}, 4, nullptr), testing::IsEmpty());
  EXPECT_THAT(said(GridMapping::kRandom, {2, 2, 9}, 4 * 9 / 4, nullptr), testing::IsEmpty());
  EXPECT_THAT(said(GridMapping::kFolded, {4, 4}, 1, nullptr), HasSubstr("needs a network"));
  EXPECT_THAT(said(GridMapping::kFolded, {8, 2}, 1, torus), HasSubstr("nothing folds 8x2 blocks"));
  const auto dragonfly = network::parse_network("dragonfly:4,2,2");
  ASSERT_TRUE(dragonfly);
  EXPECT_THAT(said(GridMapping::kFolded, {2, 2}, 1, dragonfly.value().network.get()),
              HasSubstr("expected a torus or mesh"));
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
//
// What network_test.cpp does not check for every network: numbers and ways worked out by hand.
// test/simgrid compares the routes with those of SimGrid.
#include "network/fat_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/spec.hpp"

namespace pathline::network {
namespace {

using testing::ElementsAre;

std::unique_ptr<Network> network_of(const std::string& spec) {
  auto machine = parse_network(spec);
  EXPECT_TRUE(machine.ok()) << spec << ": " << machine.error().message;
  return machine ? std::move(machine.value().network) : nullptr;
}

std::vector<Link> route(const Network& network, uint32_t from, uint32_t to) {
  std::vector<Link> links;
  network.route(Vertex(from), Vertex(to), links);
  return links;
}

/// The vertices of a route, ends included.
std::vector<uint32_t> way(const Network& network, uint32_t from, uint32_t to) {
  std::vector<uint32_t> vertices = {from};
  for (const Link link : route(network, from, to)) vertices.push_back(network.target(link));
  return vertices;
}

TEST(FatTree, ClimbsByTheDigitsOfTheDestination) {
  // 2-ary 3-tree: node 0 to node 5 (101) climbs to level 2 by digit 0 (1), then digit 1 (0).
  const auto network = network_of("fattree:2,3");
  EXPECT_EQ(network->vertex_count(), 8U + 12U);
  // Switch (level, word) is vertex 8 + 4 * level + word; digit 0 of the word changes first.
  EXPECT_THAT(way(*network, 0, 5), ElementsAre(0, 8, 8 + 4 + 1, 8 + 8 + 1, 8 + 4 + 3, 8 + 2, 5));
}

TEST(FatTree, SpreadsDestinationsOverTheUpperLinks) {
  const auto network = network_of("fattree:4,2");
  std::vector<uint32_t> routes(network->link_limit(), 0);
  for (uint32_t to = 4; to < 8; ++to) {
    for (const Link link : route(*network, 0, to)) ++routes[link];
  }
  // Four destinations of one switch come over four different spines.
  EXPECT_EQ(std::count(routes.begin(), routes.end(), 1U), 4 + 4 + 4);
}

TEST(FatTree, OfUnevenTiersHasTheSwitchesAndCablesOfItsNumbers) {
  // 16 leaf switches of 16 nodes, each joined to 8 spines by two cables.
  const auto network = network_of("xgft:16,16;1,8;1,2");
  EXPECT_EQ(network->node_count(), 256U);
  EXPECT_EQ(network->vertex_count(), 256U + 16U + 8U);
  EXPECT_EQ(network->link_count(), 2U * (256U + 16U * 8U * 2U));
  EXPECT_EQ(network->diameter(), 4U);
  EXPECT_EQ(network->name(Vertex(256 + 16)), "switch 1.0");
  // Node 17 to node 43: up to leaf 1, over spine 43 mod 8 = 3 (port 43 mod 16 = 11: its second
  // cable), down to leaf 2 over cable 17 mod 2 = 1.
  EXPECT_THAT(way(*network, 17, 43), ElementsAre(17, 256 + 1, 272 + 3, 256 + 2, 43));
  std::vector<Link> links;
  network->route(Vertex(17), Vertex(43), links);
  const uint32_t leaf_tier = 256;
  EXPECT_THAT(links, ElementsAre(Link(2 * 17), Link(2 * (leaf_tier + 16 * 1 + 3 + 8)),
                                 Link(2 * (leaf_tier + 16 * 2 + 3 + 8) + 1), Link(2 * 43 + 1)));
}

TEST(FatTree, OfEvenTiersIsTheKaryTree) {
  const auto general = network_of("xgft:3,3,3;1,3,3;1,1,1");
  const auto special = network_of("fattree:3,3");
  EXPECT_EQ(general->spec(), "fattree:3,3");
  for (uint32_t a = 0; a < 27; ++a) {
    for (uint32_t b = 0; b < 27; ++b) EXPECT_EQ(way(*general, a, b), way(*special, a, b));
  }
  EXPECT_EQ(network_of("xgft:4,4;1,2;1,1")->spec(), "xgft:4,4;1,2");
  EXPECT_EQ(network_of("xgft:4,4;1,2;1,2")->spec(), "xgft:4,4;1,2;1,2");
}

}  // namespace
}  // namespace pathline::network

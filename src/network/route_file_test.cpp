// SPDX-License-Identifier: BSD-3-Clause
#include "network/route_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "network/spec.hpp"

namespace pathline::network {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(HopBytes, ReadsDecimalAndExponentForms) {
  const auto file = parse_hop_bytes("0 1 3.632e+09 1\r\n\n1 0 10477292\n2 2 9.6e2 0\n", "traffic");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_THAT(file.value().bytes, ElementsAre(3632000000, 10477292, 960));
  EXPECT_THAT(file.value().hops, ElementsAre(1, HopBytes::kNoHops, 0));
  EXPECT_THAT(file.value().line, ElementsAre(1, 3, 4));
  EXPECT_EQ(file.value().rank_count, 3U);
}

TEST(HopBytes, FaultsNameTheirLine) {
  const auto fault = [](std::string_view text) {
    const auto file = parse_hop_bytes(text, "traffic");
    return file ? "no error" : file.error().message;
  };
  EXPECT_THAT(fault("0 1 5 1\n0 1\n"), HasSubstr("traffic: line 2: 2 fields"));
  EXPECT_THAT(fault("0 1 2 3 4\n"), HasSubstr("line 1: 5 fields"));
  EXPECT_THAT(fault("x 1 5\n"), HasSubstr("'x' is no rank"));
  EXPECT_THAT(fault("0 -1 5\n"), HasSubstr("'-1' is no rank"));
  EXPECT_THAT(fault("0 4294967295 5\n"), HasSubstr("is no rank"));
  EXPECT_THAT(fault("0 1 -5\n"), HasSubstr("'-5' is no number of bytes"));
  EXPECT_THAT(fault("0 1 nan\n"), HasSubstr("is no number of bytes"));
  EXPECT_THAT(fault("0 1 inf\n"), HasSubstr("is no number of bytes"));
  EXPECT_THAT(fault("0 1 1e300\n"), HasSubstr("is no number of bytes"));
  EXPECT_THAT(fault("0 1 5 x\n"), HasSubstr("'x' is no number of hops"));
}

TEST(HopBytes, PartialCountsWhatItLeavesOut) {
  const auto file = parse_hop_bytes("0 1 5 1\ngarbage\n1 0 7 1\n0 1\n", "traffic", true);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().size(), 2U);
  EXPECT_EQ(file.value().malformed_lines, 2U);
  EXPECT_THAT(file.value().first_malformed, HasSubstr("line 2"));
}

TEST(HopBytes, PairsGivenTwiceAddUp) {
  const auto file = parse_hop_bytes("1 0 5\n0 1 2\n1 0 6\n", "traffic");
  ASSERT_TRUE(file.ok());
  const graph::Traffic traffic = traffic_of(file.value());
  EXPECT_THAT(traffic.row, ElementsAre(0, 1, 2));
  EXPECT_THAT(traffic.bytes, ElementsAre(2, 11));
}

TEST(HopBytes, AShapeThatWasNotMeasuredIsNamedWithItsLine) {
  const auto machine = parse_network("torus:4");
  const auto file = parse_hop_bytes("0 1 5 1\n0 3 5 3\n", "traffic");
  const auto nodes = block_placement(machine.value(), 4);
  const auto status = check_hops(file.value(), *machine.value().network, nodes.value(), "traffic");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              HasSubstr("traffic: line 2: ranks 0 and 3 are 3 hops apart, but 1 in torus:4"));
  EXPECT_THAT(status.error().message, HasSubstr("1 of 2 lines differ"));
}

TEST(Pairs, FaultsNameTheirLine) {
  const base::ScratchFolder folder;
  const auto fault = [&](std::string_view text) {
    const auto pairs = read_pairs(folder.write("pairs", text).string(), 4);
    return pairs ? "no error" : pairs.error().message;
  };
  EXPECT_EQ(fault("# two\n0 1\n2 3\n"), "no error");
  EXPECT_THAT(fault("0 1\n0 4\n"), HasSubstr("line 2: rank 4 is out of range: there are 4 ranks"));
  EXPECT_THAT(fault("0 1 2\n"), HasSubstr("line 1: 3 fields"));
  EXPECT_THAT(fault("0 b\n"), HasSubstr("'b' is no rank"));
  EXPECT_THAT(fault("\n"), HasSubstr("no pair"));
}

/// A mesh of four nodes in a row, two ranks on each.
struct Row {
  Machine machine = parse_network("mesh:4,ranks-per-node=2").value();
  std::vector<Vertex> nodes = block_placement(machine, 8).value();
  RouteNotes notes;

  base::Result<Routes> bind(const std::string& text, const RouteBinding& binding = {}) {
    const auto file = parse_route_file(text, "routes");
    EXPECT_TRUE(file.ok());
    return bind_routes(file.value(), *machine.network, nodes, binding, "routes", notes);
  }
};

TEST(RouteFile, TakesRoutesApartThatAreInterleaved) {
  Row row;
  const auto routes = row.bind(
      "Hop 1: [0-5] 0 (0 0) -> 3 (1 1)\n"
      "Hop 1: [6-2] 6 (3 0) -> 4 (2 0)\n"
      "Hop 2: [0-5] 3 (1 1) -> 5 (2 1)\n"
      "Hop 2: [6-2] 4 (2 0) -> 2 (1 0)\n");
  ASSERT_TRUE(routes.ok()) << routes.error().message;
  ASSERT_EQ(routes.value().size(), 2U);
  EXPECT_EQ(routes.value().to[0], Vertex(2));
  EXPECT_EQ(routes.value().length(0), 2U);
  EXPECT_EQ(row.notes.incomplete, 0U);
}

TEST(RouteFile, CountsRepeatsAsRoutesOfTheirOwn) {
  Row row;
  const auto routes = row.bind(
      "Hop 1: [0-4] 0 (0 0) -> 2 (1 0)\n"
      "Hop 1: [0-4] 0 (0 0) -> 2 (1 0)\n"
      "Hop 2: [0-4] 2 (1 0) -> 4 (2 0)\n"
      "Hop 2: [0-4] 2 (1 0) -> 4 (2 0)\n"
      "Hop 1: [0-4] 0 (0 0) -> 2 (1 0)\n"
      "Hop 2: [0-4] 2 (1 0) -> 4 (2 0)\n");
  ASSERT_TRUE(routes.ok());
  EXPECT_EQ(routes.value().size(), 3U);
  EXPECT_EQ(row.notes.incomplete, 0U);
}

TEST(RouteFile, MarksCutAndGappedRoutes) {
  Row row;
  const std::string text =
      "Hop 1: [0-6] 0 (0 0) -> 2 (1 0)\n"  // Cut.
      "Hop 1: [7-1] 7 (3 0) -> 5 (2 0)\n"  // Its second hop is missing.
      "Hop 3: [7-1] 3 (1 0) -> 1 (0 0)\n"
      "Hop 2: [2-6] 4 (2 0) -> 6 (3 0)\n";  // Its first hop is missing.
  const auto routes = row.bind(text);
  ASSERT_TRUE(routes.ok()) << routes.error().message;
  EXPECT_THAT(routes.value().incomplete, ElementsAre(1, 1, 1));
  EXPECT_EQ(row.notes.incomplete, 3U);
  EXPECT_EQ(routes.value().links.size(), 4U);

  const auto completed = row.bind(text, {.complete = true});
  ASSERT_TRUE(completed.ok());
  EXPECT_THAT(completed.value().incomplete, ElementsAre(0, 0, 0));
  EXPECT_EQ(completed.value().links.size(), 3U + 3U + 2U);
  EXPECT_EQ(row.notes.incomplete, 6U);
}

TEST(RouteFile, CountsLinesThatDoNotFit) {
  const auto file = parse_route_file(
      "Hop 1: [0-4] 0 (0 0) -> 2 (1 0)\n\n"
      "Hop 3dest -1 2506 1 3 2 2     0   \n"
      "Hop 2: [0-4] 2 (1 0) -> 4 (2 0) x\n"
      "Hop 2: [0-4] 2 (1 0 0) -> 4 (2 0 0)\n"
      "Hop 2: [0-4] 2 (1 0) -> 4 (2\n"
      "Hop 0: [0-4] 2 (1 0) -> 4 (2 0)\n"
      "Hop 1: [2-4] 2 (1 0) -> 4 (2 0)\n"
      "Hop 1: [4-2] 4 (2 0) -> 2 (1 0)\n"
      "Hop 1: [4-6] 4 (2 0) -> 6 (3 0)\n"
      "Hop 1: [6-4] 6 (3 0) -> 4 (2 0)\n",
      "routes");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().malformed_lines, 5U);
  EXPECT_EQ(file.value().hops.size(), 5U);
  EXPECT_THAT(file.value().first_malformed, HasSubstr("line 3: 'Hop 3dest"));
}

TEST(RouteFile, TakesTheCoordinatesThatMostLinesHave) {
  const auto file = parse_route_file(
      "Hop 1: [0-4] 0 (0 0 0) -> 2 (1 0 0)\n"
      "Hop 1: [2-4] 2 (1 0) -> 4 (2 0)\n"
      "Hop 1: [4-2] 4 (2 0) -> 2 (1 0)\n",
      "routes");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().malformed_lines, 1U);
  EXPECT_EQ(file.value().address_size, 2U);
}

TEST(RouteFile, RefusesAFileWithoutAnyRoute) {
  const auto file = parse_route_file("sender,receiver\n0,1\n", "routes");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("line 1: 'sender,receiver'"));
  EXPECT_TRUE(parse_route_file("", "routes").ok());
}

TEST(RouteFile, WhatTheNetworkDoesNotHaveIsNamedWithItsLine) {
  const auto fault = [](const std::string& text) {
    Row row;
    const auto routes = row.bind(text);
    return routes ? "no error" : routes.error().message;
  };
  EXPECT_THAT(fault("Hop 1: [0-6] 0 (0 0) -> 8 (4 0)\n"),
              HasSubstr("routes: line 1: (4 0) is no node of mesh:4"));
  EXPECT_THAT(fault("Hop 1: [0-6] 0 (0 0) -> 6 (3 0)\n"),
              HasSubstr("line 1: no link of mesh:4,order=A leads from (0) to (3)"));
  EXPECT_THAT(fault("\nHop 1: [0-6] 2 (1 0) -> 4 (2 0)\n"),
              HasSubstr("line 2: the route begins at (1), but rank 0 is on (0)"));
  EXPECT_THAT(fault("Hop 1: [0-6] 0 (0 0 0 0) -> 2 (1 0 0 0)\n"), HasSubstr("is no node of"));
}

TEST(RouteFile, PartialLeavesOutWhatDoesNotFit) {
  Row row;
  const auto routes = row.bind(
      "Hop 1: [0-6] 0 (0 0) -> 8 (4 0)\n"
      "Hop 1: [2-4] 2 (1 0) -> 4 (2 0)\n",
      {.partial = true});
  ASSERT_TRUE(routes.ok());
  EXPECT_EQ(routes.value().size(), 1U);
  EXPECT_EQ(row.notes.left_out, 1U);
}

TEST(RouteFile, BytesOfAPairAreSharedOutAmongItsRoutes) {
  Row row;
  const graph::Traffic traffic = graph::traffic_of(8, {{0, 2, 3, 11}, {4, 6, 1, 5}, {4, 5, 1, 9}});
  const auto routes = row.bind(
      "Hop 1: [0-2] 0 (0 0) -> 2 (1 0)\n"
      "Hop 1: [0-2] 0 (0 0) -> 2 (1 0)\n"
      "Hop 1: [2-0] 2 (1 0) -> 0 (0 0)\n",
      {.traffic = &traffic});
  ASSERT_TRUE(routes.ok());
  EXPECT_THAT(routes.value().bytes, ElementsAre(6, 5, 0));
  EXPECT_THAT(routes.value().messages, ElementsAre(2, 1, 0));
  EXPECT_EQ(row.notes.without_traffic, 1U);
  EXPECT_EQ(row.notes.pairs_without_route, 1U);  // 4 to 6; 4 and 5 are on one node.
}

TEST(RouteFile, NumbersThatAreNotThoseOfTheAddressAreCounted) {
  Row row;
  // The waypoint 1 is printed as 7, and where the next hop begins with the address of 7.
  const auto routes = row.bind(
      "Hop 1: [0-4] 0 (0 0) -> 7 (1 0)\n"
      "Hop 2: [0-4] 7 (3 1) -> 4 (2 0)\n",
      {.ranks_per_node = 2});
  ASSERT_TRUE(routes.ok()) << routes.error().message;
  EXPECT_THAT(routes.value().incomplete, ElementsAre(0));
  EXPECT_EQ(row.notes.stale_numbers, 1U);
}

TEST(RouteFile, IsReadBackAsItWasWritten) {
  for (const char* spec : {"torus:4x4x2,ranks-per-node=3", "mesh:5", "xc40:2"}) {
    const Machine machine = parse_network(spec).value();
    const Network& network = *machine.network;
    Routes routes;
    std::vector<Link> links;
    for (uint32_t v = 1; v < network.node_count(); v += 3) {
      links.clear();
      network.route(Vertex(v), Vertex(v / 2), links);
      routes.add(Vertex(v), Vertex(v / 2), 1, 1, links);
    }
    // Each node sends from its first rank.
    std::vector<graph::Pair> pairs;
    for (size_t r = 0; r < routes.size(); ++r) {
      pairs.push_back(
          {routes.from[r] * machine.ranks_per_node, routes.to[r] * machine.ranks_per_node, 1, 1});
    }
    const auto nodes_of = block_placement(machine, network.node_count() * machine.ranks_per_node);
    const auto text = format_route_file(
        network, routes, graph::traffic_of(network.node_count() * machine.ranks_per_node, pairs),
        nodes_of.value());
    ASSERT_TRUE(text.ok());
    const auto file = parse_route_file(text.value(), "routes");
    ASSERT_TRUE(file.ok());
    const auto nodes =
        block_placement(machine, network.node_count() * machine.ranks_per_node).value();
    RouteNotes notes;
    const auto again = bind_routes(file.value(), network, nodes,
                                   {.ranks_per_node = machine.ranks_per_node}, "routes", notes);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().links, routes.links) << spec;
    EXPECT_EQ(again.value().from, routes.from);
    EXPECT_EQ(notes.incomplete, 0U);
  }
}

TEST(Routes, TopLinksIncludeTies) {
  LinkLoads loads{{5, 9, 9, 1, 0, 9, 3}, {1, 1, 1, 1, 0, 1, 1}};
  EXPECT_THAT(top_links(loads, 0.01), ElementsAre(Link(1), Link(2), Link(5)));
  EXPECT_THAT(top_links(loads, 0.5), ElementsAre(Link(1), Link(2), Link(5)));
  EXPECT_THAT(top_links(loads, 0.67), ElementsAre(Link(1), Link(2), Link(5), Link(0)));
  EXPECT_EQ(top_links(loads, 1).size(), 6U);  // Not the one that is not in use.
  EXPECT_TRUE(top_links({{0, 0}, {0, 0}}, 1).empty());
}

TEST(Routes, MergedNodesKeepWhatStaysInside) {
  const auto machine = parse_network("mesh:2x2").value();
  const auto groups = aggregate(*machine.network, std::array{size_t{0}});
  EXPECT_THAT(groups.group_of_node, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(groups.names, ElementsAre("A 0", "A 1"));
  const auto figures =
      group_figures(groups, graph::traffic_of(4, {{0, 1, 1, 7}, {0, 2, 1, 5}, {1, 3, 1, 2}}));
  EXPECT_EQ(figures[0].inner_bytes, 7U);
  EXPECT_EQ(figures[0].out_bytes, 7U);
  EXPECT_EQ(figures[0].out_pairs, 1U);
  EXPECT_EQ(figures[1].in_bytes, 7U);
  EXPECT_EQ(figures[1].node_count, 2U);
}

}  // namespace
}  // namespace pathline::network

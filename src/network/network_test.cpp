// SPDX-License-Identifier: BSD-3-Clause
//
// What every network must keep to, checked against a breadth-first search, and the numbers of nodes
// and links that each kind promises.
#include "network/network.hpp"

#include <deque>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "network/dragonfly.hpp"
#include "network/edge_graph.hpp"
#include "network/spec.hpp"
#include "network/torus.hpp"
#include "network/tree.hpp"

namespace pathline::network {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Network> network_of(const std::string& spec) {
  auto machine = parse_network(spec);
  EXPECT_TRUE(machine.ok()) << spec << ": " << machine.error().message;
  return machine ? std::move(machine.value().network) : nullptr;
}

std::string error_of(const std::string& spec) {
  const auto machine = parse_network(spec);
  return machine ? "no error" : machine.error().message;
}

std::vector<uint32_t> hops_from(const Network& network, Vertex from) {
  std::vector<uint32_t> hops(network.vertex_count(), UINT32_MAX);
  std::deque<Vertex> queue = {from};
  hops[from] = 0;
  while (!queue.empty()) {
    const Vertex at = queue.front();
    queue.pop_front();
    for (const Network::Hop& hop : network.hops(at)) {
      if (hops[hop.to] != UINT32_MAX) continue;
      hops[hop.to] = hops[at] + 1;
      queue.push_back(hop.to);
    }
  }
  return hops;
}

/// The vertices of a route, ends included.
std::vector<uint32_t> way(const Network& network, uint32_t from, uint32_t to) {
  std::vector<Link> links;
  network.route(Vertex(from), Vertex(to), links);
  std::vector<uint32_t> vertices = {from};
  for (const Link link : links) {
    EXPECT_EQ(network.source(link), Vertex(vertices.back()));
    vertices.push_back(network.target(link));
  }
  EXPECT_EQ(vertices.back(), to);
  return vertices;
}

struct Kind {
  const char* spec;
  bool shortest;  ///< Routes are shortest ways.
};

class Networks : public testing::TestWithParam<Kind> {};

TEST_P(Networks, RoutesAreWaysAsLongAsTheirDistance) {
  const auto network = network_of(GetParam().spec);
  ASSERT_NE(network, nullptr);
  uint32_t longest = 0;
  for (uint32_t a = 0; a < network->node_count(); ++a) {
    const auto hops = hops_from(*network, Vertex(a));
    for (uint32_t b = 0; b < network->node_count(); ++b) {
      const auto vertices = way(*network, a, b);
      const uint32_t length = static_cast<uint32_t>(vertices.size() - 1);
      EXPECT_EQ(network->distance(Vertex(a), Vertex(b)), length);
      EXPECT_EQ(std::set<uint32_t>(vertices.begin(), vertices.end()).size(), vertices.size());
      if (GetParam().shortest) {
        EXPECT_EQ(length, hops[b]) << a << " to " << b;
      }
      longest = std::max(longest, length);
    }
  }
  EXPECT_EQ(network->diameter(), longest);
}

TEST_P(Networks, FewestHopsIsABoundForAllVertices) {
  const auto network = network_of(GetParam().spec);
  ASSERT_NE(network, nullptr);
  for (uint32_t a = 0; a < network->vertex_count(); ++a) {
    const auto hops = hops_from(*network, Vertex(a));
    for (uint32_t b = 0; b < network->node_count(); ++b) {
      const uint32_t bound = network->fewest_hops(Vertex(a), Vertex(b));
      EXPECT_LE(bound, hops[b]) << a << " to " << b;
      if (GetParam().shortest) {
        EXPECT_EQ(bound, hops[b]) << a << " to " << b;
      }
    }
  }
}

TEST_P(Networks, LinksAreFoundByTheirEndsAndNumbers) {
  const auto network = network_of(GetParam().spec);
  ASSERT_NE(network, nullptr);
  std::set<uint32_t> numbers;
  for (uint32_t v = 0; v < network->vertex_count(); ++v) {
    uint32_t before = 0;
    Network::Hop cable = {Vertex::none(), Link::none()};
    for (const Network::Hop& hop : network->hops(Vertex(v))) {
      EXPECT_LT(hop.link, network->link_limit());
      EXPECT_TRUE(numbers.insert(hop.link).second);
      EXPECT_EQ(network->source(hop.link), Vertex(v));
      EXPECT_EQ(network->target(hop.link), hop.to);
      // Of several cables the first is found.
      if (hop.to != cable.to) {
        cable = hop;
      } else {
        EXPECT_GT(hop.link, cable.link);
      }
      EXPECT_EQ(network->link(Vertex(v), hop.to), cable.link);
      EXPECT_GE(hop.to, before);
      EXPECT_NE(hop.to, Vertex(v));
      before = hop.to;
    }
    EXPECT_FALSE(network->link(Vertex(v), Vertex(v)).valid());
  }
  EXPECT_EQ(numbers.size(), network->link_count());
}

TEST_P(Networks, NodesAreFoundByTheirCoordinates) {
  const auto network = network_of(GetParam().spec);
  ASSERT_NE(network, nullptr);
  std::vector<uint32_t> address(network->dimensions().size());
  if (address.empty()) return;
  for (uint32_t v = 0; v < network->node_count(); ++v) {
    network->coordinates(Vertex(v), address);
    EXPECT_EQ(network->node(address), Vertex(v));
    for (size_t d = 0; d < address.size(); ++d) {
      EXPECT_LT(address[d], network->dimensions()[d].size);
      auto beyond = address;
      beyond[d] = network->dimensions()[d].size;
      EXPECT_FALSE(network->node(beyond).valid());
    }
  }
  EXPECT_FALSE(network->node(std::span(address).first(address.size() - 1)).valid());
}

TEST_P(Networks, SpecMakesTheSameNetworkAgain) {
  const auto network = network_of(GetParam().spec);
  ASSERT_NE(network, nullptr);
  const auto again = network_of(network->spec());
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->spec(), network->spec());
  EXPECT_EQ(again->link_count(), network->link_count());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Networks,
    testing::Values(Kind{"torus:4x4x4x4x2", true}, Kind{"torus:5x3", true},
                    Kind{"torus:4x2mx3", true}, Kind{"torus:1x6x1", true}, Kind{"torus:1", true},
                    Kind{"torus:4x3x2,order=CBA,ties=simgrid", true},
                    Kind{"mesh:3x4x2,order=BCA", true}, Kind{"mesh:7", true}, Kind{"xc40:1", true},
                    Kind{"dragonfly:1,1,1", false}, Kind{"dragonfly:2,2,1", false},
                    Kind{"dragonfly:4,2,2", false}, Kind{"dragonfly:3,1,2", false},
                    Kind{"fattree:2,3", true}, Kind{"fattree:3,2", true}, Kind{"fattree:4,1", true},
                    Kind{"fattree:2,4", true}, Kind{"fattree:1,3", true},
                    Kind{"xgft:4,3;1,2", true}, Kind{"xgft:3,2,2;2,2,3", true},
                    Kind{"xgft:4,4;1,2;1,2", true}, Kind{"xgft:2,3,2;1,1,2;3,1,2", true},
                    Kind{"xgft:5;1", true}, Kind{"xgft:1,4,1;2,3,2", true}));

TEST(Torus, NumbersNodesAndLinksAsTheDataDo) {
  const auto network = network_of("torus:4x4x4x16x2");
  EXPECT_EQ(network->node_count(), 2048U);
  EXPECT_EQ(network->link_count(), 18432U);
  EXPECT_EQ(network->hops(Vertex(0)).size(), 9U);
  EXPECT_EQ(network->node(std::array{1U, 2U, 3U, 5U, 1U}), Vertex(512 + 256 + 96 + 10 + 1));
  // node * 2N + 2 * dimension + minus
  EXPECT_EQ(network->link(Vertex(0), Vertex(2)), Link(6));
  EXPECT_EQ(network->link(Vertex(0), Vertex(30)), Link(7));
  EXPECT_EQ(network->link(Vertex(1), Vertex(0)), Link(10 + 8));
}

TEST(Torus, GoesPlusFromEvenCoordinatesAtHalfTheRing) {
  const auto network = network_of("torus:4");
  EXPECT_THAT(way(*network, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(way(*network, 2, 0), ElementsAre(2, 3, 0));
  EXPECT_THAT(way(*network, 1, 3), ElementsAre(1, 0, 3));
  EXPECT_THAT(way(*network, 3, 1), ElementsAre(3, 2, 1));
}

TEST(Torus, GoesMinusFromTheMiddleOfTheRingAsSimGridDoes) {
  const auto four = network_of("torus:4,ties=simgrid");
  EXPECT_THAT(way(*four, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(way(*four, 1, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(way(*four, 2, 0), ElementsAre(2, 1, 0));
  EXPECT_THAT(way(*four, 3, 1), ElementsAre(3, 0, 1));
  // The shorter way is taken where there is one.
  EXPECT_THAT(way(*four, 2, 3), ElementsAre(2, 3));
  EXPECT_THAT(way(*network_of("torus:5,ties=simgrid"), 2, 0), ElementsAre(2, 1, 0));
  EXPECT_THAT(way(*network_of("torus:2,ties=simgrid"), 1, 0), ElementsAre(1, 0));
  EXPECT_EQ(four->spec(), "torus:4,order=A,ties=simgrid");
  EXPECT_EQ(network_of("torus:4,ties=parity")->spec(), "torus:4,order=A");
}

TEST(Torus, CrossesDimensionsInTheirOrder) {
  const auto ab = network_of("mesh:3x3,order=AB");
  EXPECT_THAT(way(*ab, 0, 8), ElementsAre(0, 3, 6, 7, 8));
  const auto ba = network_of("mesh:3x3,order=BA");
  EXPECT_THAT(way(*ba, 0, 8), ElementsAre(0, 1, 2, 5, 8));
}

TEST(Torus, DoesNotWrapAMeshDimension) {
  const auto network = network_of("torus:2x5m");
  EXPECT_FALSE(network->link(Vertex(0), Vertex(4)).valid());
  EXPECT_EQ(network->distance(Vertex(0), Vertex(4)), 4U);
}

TEST(Xc40, NumbersNodesAsTheta) {
  const auto network = network_of("xc40:12");
  EXPECT_EQ(network->node_count(), 4608U);
  // Group 6, cabinet 1, chassis 2, blade 2, node 2 of the data is node 3594.
  EXPECT_EQ(network->node(std::array{6U, 1U, 2U, 2U, 2U}), Vertex(3594));
  // Innermost coordinate first: node, blade, chassis, cabinet, group.
  EXPECT_THAT(way(*network, 2434, 142), ElementsAre(2434, 2446, 142));
}

TEST(Dragonfly, JoinsEveryTwoGroupsByOneLink) {
  const auto network = network_of("dragonfly:4,2,2");
  EXPECT_EQ(network->node_count(), 72U);
  EXPECT_EQ(network->vertex_count(), 72U + 36U);
  std::set<std::pair<uint32_t, uint32_t>> joined;
  for (uint32_t v = 72; v < 108; ++v) {
    for (const Network::Hop& hop : network->hops(Vertex(v))) {
      const uint32_t a = (v - 72) / 4;
      if (hop.to < 72 || (hop.to - 72) / 4 == a) continue;
      EXPECT_TRUE(joined.emplace(a, (hop.to - 72) / 4).second);
    }
  }
  EXPECT_EQ(joined.size(), 9U * 8U);
}

class NetworkFiles : public testing::Test {
 protected:
  std::string spec(const std::string& kind, const std::string& content) {
    return kind + ":" + folder_.write("network", content).string();
  }
  base::ScratchFolder folder_;
};

TEST_F(NetworkFiles, TreeRoutesGoOverTheLowestCommonSwitch) {
  const auto network = network_of(spec("tree",
                                       "# a machine\nroot: left right\n"
                                       "left  n[0-2]\nright: n3 n4\n"));
  ASSERT_NE(network, nullptr);
  EXPECT_EQ(network->node_count(), 5U);
  EXPECT_EQ(network->find("n3"), Vertex(3));
  EXPECT_FALSE(network->find("left").valid());
  const auto names = [&](uint32_t from, uint32_t to) {
    std::vector<std::string> out;
    for (const uint32_t v : way(*network, from, to)) out.push_back(network->name(Vertex(v)));
    return out;
  };
  EXPECT_THAT(names(0, 2), ElementsAre("n0", "left", "n2"));
  EXPECT_THAT(names(0, 4), ElementsAre("n0", "left", "root", "right", "n4"));
  EXPECT_EQ(network->diameter(), 4U);
}

TEST_F(NetworkFiles, SlurmTopologyIsReadWithItsLinesJoined) {
  const auto network = network_of(spec("slurm",
                                       "# topology.conf\nSwitchName=s0 Nodes=tux[00-02]\n"
                                       "switchname=s1 LinkSpeed=100 nodes=tux[03-05] # edge\n"
                                       "SwitchName=top \\\n  Switches=s[0-1]\n"));
  ASSERT_NE(network, nullptr);
  EXPECT_EQ(network->node_count(), 6U);
  EXPECT_EQ(network->find("tux04"), Vertex(4));
  EXPECT_EQ(network->distance(Vertex(0), Vertex(1)), 2U);
  EXPECT_EQ(network->distance(Vertex(0), Vertex(5)), 4U);
}

TEST_F(NetworkFiles, UnevenTreesHaveAddressesToo) {
  const auto network = network_of(spec("tree", "root a n0\na b n1\nb n2 n3\n"));
  ASSERT_NE(network, nullptr);
  std::vector<uint32_t> address(network->dimensions().size());
  for (uint32_t v = 0; v < network->node_count(); ++v) {
    network->coordinates(Vertex(v), address);
    EXPECT_EQ(network->node(address), Vertex(v));
  }
  for (uint32_t a = 0; a < 4; ++a) {
    for (uint32_t b = 0; b < 4; ++b) {
      EXPECT_EQ(way(*network, a, b).size(), network->distance(Vertex(a), Vertex(b)) + 1);
    }
  }
  EXPECT_EQ(network->diameter(), 4U);  // n0, root, a, b, n2.
}

TEST_F(NetworkFiles, FaultsOfTreesNameTheirLine) {
  const auto fault = [&](const std::string& kind, const std::string& content) {
    return error_of(spec(kind, content));
  };
  EXPECT_THAT(fault("tree", "a b c\nd b\n"), HasSubstr("line 2: b is below d, but was below a"));
  EXPECT_THAT(fault("tree", "a b\nc d\n"), HasSubstr("line 2: a and c have nothing above them"));
  EXPECT_THAT(fault("tree", "a b\nb a\n"), HasSubstr("line 1: the switches form a ring"));
  EXPECT_THAT(fault("tree", "r n\nx y\ny x\n"), HasSubstr("is above itself"));
  EXPECT_THAT(fault("tree", "a\n"), HasSubstr("line 1: 'a' stands alone"));
  EXPECT_THAT(fault("tree", ""), HasSubstr("no switch and no node"));
  EXPECT_THAT(fault("tree", "a n[0-\n"), HasSubstr("line 1"));
  EXPECT_THAT(fault("slurm", "SwitchName=a\n"), HasSubstr("line 1: switch a has neither"));
  EXPECT_THAT(fault("slurm", "\nNodes=n0\n"), HasSubstr("line 2: no SwitchName"));
  EXPECT_THAT(fault("slurm", "SwitchName=a Nods=n0\n"), HasSubstr("unknown key 'Nods'"));
  EXPECT_THAT(fault("slurm", "BlockName=b Nodes=n0\n"), HasSubstr("topology of blocks"));
  EXPECT_THAT(fault("slurm", "SwitchName=a Switches=s[0-1]\nSwitchName=s0 Nodes=n0\n"),
              HasSubstr("line 1: switch s1 has no line of its own"));
  EXPECT_THAT(fault("slurm", "SwitchName=a Nodes=b\nSwitchName=b Nodes=n0\n"),
              HasSubstr("line 1: b is a node here and a switch elsewhere"));
}

TEST_F(NetworkFiles, GraphRoutesTakeTheFirstOfTheLightestWays) {
  // 0 to 3 over 1 or 2, both two links: over 1.
  const auto square = network_of(spec("edges", "0 1\n0 2\n1 3\n2 3\n"));
  ASSERT_NE(square, nullptr);
  EXPECT_THAT(way(*square, 0, 3), ElementsAre(0, 1, 3));
  // A heavy direct link is longer than two light ones.
  const auto heavy = network_of(spec("edges", "a b 5\na c 1\nc b 1.5\n"));
  ASSERT_NE(heavy, nullptr);
  EXPECT_THAT(way(*heavy, 0, 1), ElementsAre(0, 2, 1));
  EXPECT_EQ(heavy->distance(Vertex(0), Vertex(1)), 2U);
  EXPECT_EQ(heavy->fewest_hops(Vertex(0), Vertex(1)), 1U);
}

TEST_F(NetworkFiles, WeightsOfAnyDecimalsTieAndNeverVanish) {
  // 0.1 + 0.2 is 0.3: to vertex 3 over 1 or 2, over the first.
  const auto tie = network_of(spec("edges", "0 1 0.1\n1 3 0.2\n0 2 0.2\n2 3 0.1\n0 3 0.31\n"));
  ASSERT_NE(tie, nullptr);
  EXPECT_THAT(way(*tie, 0, 3), ElementsAre(0, 1, 3));
  // A sum that a double would round made two vertices send to each other for ever.
  const auto heavy = network_of(spec("edges", "0 5 1e9\n5 1 1e-6\n5 2 1e-6\n1 2 1e-6\n"));
  ASSERT_NE(heavy, nullptr);
  EXPECT_THAT(way(*heavy, 1, 0), ElementsAre(1, 3, 0));
  EXPECT_THAT(error_of(spec("edges", "0 5 1e20\n")), HasSubstr("line 1: weight 1e+20"));
}

TEST_F(NetworkFiles, GraphsHaveOneWayLinksAndSwitches) {
  const auto ring = network_of(spec("edges", "0 -> 1\n1 -> 2\n2 -> 0\n"));
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(ring->distance(Vertex(0), Vertex(2)), 2U);
  EXPECT_EQ(ring->distance(Vertex(2), Vertex(0)), 1U);
  const auto star = network_of(spec("edges", "switch hub\nn0 hub\nhub n1\nhub n2 # three\n"));
  ASSERT_NE(star, nullptr);
  EXPECT_EQ(star->node_count(), 3U);
  EXPECT_EQ(star->vertex_count(), 4U);
  EXPECT_EQ(star->name(Vertex(3)), "hub");
  EXPECT_THAT(way(*star, 0, 2), ElementsAre(0, 3, 2));
}

TEST_F(NetworkFiles, FaultsOfGraphsNameTheirLine) {
  const auto fault = [&](const std::string& content) { return error_of(spec("edges", content)); };
  EXPECT_THAT(fault("0 1\n1 1\n"), HasSubstr("line 2: an edge from 1 to itself"));
  EXPECT_THAT(fault("0 1 -2\n"), HasSubstr("line 1: weight -2 is not a number from"));
  EXPECT_THAT(fault("0 1 nan\n"), HasSubstr("'nan' is no weight"));
  EXPECT_THAT(fault("0 1 2\n1 0 3\n"), HasSubstr("line 2"));
  EXPECT_THAT(fault("0 1\n2 3\n"), HasSubstr("no way leads from"));
  EXPECT_THAT(fault("0 -> 1\n"), HasSubstr("no way leads from 1 to 0"));
  EXPECT_THAT(fault("0 1 2 3\n"), HasSubstr("line 1: expected A B [WEIGHT]"));
  EXPECT_THAT(fault(""), HasSubstr("no edge"));
  EXPECT_THAT(fault("switch a b\na b\n"), HasSubstr("all vertices are switches"));
}

TEST(NetworkSpec, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("torus"), HasSubstr("expected KIND:SHAPE"));
  EXPECT_THAT(error_of("taurus:4x4"), HasSubstr("unknown kind 'taurus'"));
  EXPECT_THAT(error_of("torus:4x0"), HasSubstr("'0' is no size"));
  EXPECT_THAT(error_of("torus:4xx4"), HasSubstr("'' is no size"));
  EXPECT_THAT(error_of("torus:4x-1"), HasSubstr("'-1' is no size"));
  EXPECT_THAT(error_of("torus:99999999999"), HasSubstr("is no size"));
  EXPECT_THAT(error_of("torus:2000x2000"), HasSubstr("too large"));
  EXPECT_THAT(error_of("torus:4x4,order=AA"), HasSubstr("order 'AA'"));
  EXPECT_THAT(error_of("torus:4x4,order=A"), HasSubstr("order 'A'"));
  EXPECT_THAT(error_of("torus:4x4,order=AC"), HasSubstr("A to B"));
  EXPECT_THAT(error_of("torus:4x4,ordre=AB"), HasSubstr("unknown option 'ordre'"));
  EXPECT_THAT(error_of("torus:4x4,ties=even"), HasSubstr("ties 'even' is neither"));
  EXPECT_THAT(error_of("xc40:2,ties=simgrid"), HasSubstr("has no ties"));
  EXPECT_THAT(error_of("torus:4x4,ranks-per-node=0"), HasSubstr("'0' is no number of ranks"));
  EXPECT_THAT(error_of("torus:4,order=A,order=A"), HasSubstr("given twice"));
  EXPECT_THAT(error_of("fattree:2"), HasSubstr("expected fattree:K,N"));
  EXPECT_THAT(error_of("fattree:0,2"), HasSubstr("at least one port"));
  EXPECT_THAT(error_of("fattree:64,9"), HasSubstr("nodes"));
  EXPECT_THAT(error_of("xgft:4,4"), HasSubstr("expected xgft:M,...;W,..."));
  EXPECT_THAT(error_of("xgft:4,4;1,2;1,1;1,1"), HasSubstr("expected xgft:M,...;W,..."));
  EXPECT_THAT(error_of("xgft:4,4;1,two"), HasSubstr("expected xgft:M,...;W,..."));
  EXPECT_THAT(error_of("xgft:;1"), HasSubstr("expected xgft:M,...;W,..."));
  EXPECT_THAT(error_of("xgft:4,4;1"), HasSubstr("children of 2 levels, but parents of 1"));
  EXPECT_THAT(error_of("xgft:4,4;1,0"), HasSubstr("at least one child"));
  EXPECT_THAT(error_of("xgft:4;1;4294967295"), HasSubstr("at most 1048576 nodes"));
  EXPECT_THAT(error_of("xgft:65536,65536;65536,65536;65536,65536"), HasSubstr("nodes"));
  EXPECT_THAT(error_of("xgft:1,1,1;4000000000,4000000000,4000000000"), HasSubstr("cables"));
  EXPECT_THAT(error_of("xgft:4,4;1,2,order=A"), HasSubstr("has no order"));
  EXPECT_THAT(error_of("dragonfly:4,2"), HasSubstr("expected dragonfly:A,P,H"));
  EXPECT_THAT(error_of("dragonfly:0,2,2"), HasSubstr("at least one"));
  EXPECT_THAT(error_of("dragonfly:4000000000,4000000000,4000000000"), HasSubstr("too large"));
  EXPECT_THAT(error_of("xc40:0"), HasSubstr("1 to 128 groups"));
  EXPECT_THAT(error_of("xc40:2,order=A"), HasSubstr("has no order"));
  EXPECT_THAT(error_of("tree:/no/such/file"), HasSubstr("/no/such/file"));
  EXPECT_EQ(parse_network("torus:2x2,ranks-per-node=16").value().ranks_per_node, 16U);
  EXPECT_EQ(parse_network("torus:2x2x4x2x2,order=ecabd").value().network->spec(),
            "torus:2x2x4x2x2,order=ECABD");
}

}  // namespace
}  // namespace pathline::network

// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/files/placement_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/test_placement.hpp"
#include "mapping/test_traffic.hpp"

namespace pathline::mapping {
namespace {

using network::Vertex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A torus of 24 nodes, n00 to n23.
class PlacementFile : public testing::Test {
 protected:
  static NodeNames make_names(const network::Network& network, bool with_hosts) {
    std::vector<std::string> hosts;
    for (uint32_t node = 0; with_hosts && node < network.node_count(); ++node) {
      hosts.push_back((node < 10 ? "n0" : "n") + std::to_string(node));
    }
    return NodeNames::make(network, std::move(hosts)).value();
  }
  Placement read(std::string_view text, const PlacementQuestion& question = {}) {
    auto placement = read_placement(text, "map.txt", names_, question);
    EXPECT_TRUE(placement.ok()) << placement.error().message;
    if (!placement.ok()) return {};
    EXPECT_TRUE(check_placement(placement.value(), *network_, question.ranks_per_node).ok());
    return placement.value();
  }
  std::string fault(std::string_view text, const PlacementQuestion& question = {}) {
    auto placement = read_placement(text, "map.txt", names_, question);
    EXPECT_FALSE(placement.ok()) << text;
    return placement.ok() ? "" : placement.error().message;
  }
  static std::vector<uint32_t> nodes(const Placement& placement) {
    return {placement.node_of_rank.begin(), placement.node_of_rank.end()};
  }

  std::unique_ptr<network::Torus> network_ = torus({3, 4, 2});
  NodeNames names_ = make_names(*network_, true);
  NodeNames addresses_ = make_names(*network_, false);
};

TEST_F(PlacementFile, WhatIsWrittenIsReadBack) {
  for (uint64_t round = 0; round < 20; ++round) {
    Random random(round);
    const uint32_t per_node = 1 + random.below(4);
    Placement placement = block_placement(random.below(24 * per_node) + 1, per_node);
    Permutation to = identity(24);
    random.shuffle(to);
    placement = moved(placement, all_nodes(*network_), to);
    if (round % 2 == 1) {  // Ranks of a node out of order.
      for (uint32_t& slot : placement.slot_of_rank) slot = per_node - 1 - slot;
    }
    const bool in_order = placement_on(placement.node_of_rank) == placement;
    for (const PlacementFormat format : {PlacementFormat::kBlueGene, PlacementFormat::kSlurm,
                                         PlacementFormat::kRankfile, PlacementFormat::kPlain}) {
      const auto text = format_placement(placement, format, names_, {.ranks_per_node = per_node});
      if (format == PlacementFormat::kSlurm && !in_order) {
        EXPECT_THAT(text.error().message, HasSubstr("rank order"));
        continue;
      }
      ASSERT_TRUE(text.ok()) << text.error().message;
      EXPECT_EQ(detect_placement_format(text.value()), format);
      const PlacementQuestion question{.rank_count = placement.rank_count(),
                                       .ranks_per_node = per_node};
      EXPECT_EQ(read(text.value(), question), placement) << text.value();
      EXPECT_EQ(read(text.value()), placement);
    }
  }
}

TEST_F(PlacementFile, LooksAsTheBatchSystemsWantIt) {
  const Placement placement = placement_on({Vertex(0), Vertex(0), Vertex(23), Vertex(5)});
  const auto text = [&](PlacementFormat format, const PlacementNotes& notes = {}) {
    return format_placement(placement, format, names_, notes).value();
  };
  EXPECT_EQ(text(PlacementFormat::kBlueGene), "0 0 0 0\n0 0 0 1\n2 3 1 0\n0 2 1 0\n");
  EXPECT_EQ(text(PlacementFormat::kSlurm), "n00\nn00\nn23\nn05\n");
  EXPECT_EQ(text(PlacementFormat::kRankfile),
            "rank 0=n00 slot=0\nrank 1=n00 slot=1\nrank 2=n23 slot=0\nrank 3=n05 slot=0\n");
  EXPECT_EQ(text(PlacementFormat::kPlain,
                 {.ranks_per_node = 2, .hop_bytes_before = 1e6, .hop_bytes_after = 750000}),
            "# pathline placement of 4 ranks on torus:3x4x2,order=ABC\n# ranks per node: 2\n"
            "# hop-bytes before: 1000000\n# hop-bytes after: 750000\n# rank node\n"
            "0 0\n1 0\n2 23\n3 5\n");
}

TEST_F(PlacementFile, IsNotWrittenWhenItCannotBe) {
  const auto fault = [&](const Placement& placement, PlacementFormat format,
                         const NodeNames& names) {
    const auto text = format_placement(placement, format, names, {.ranks_per_node = 2});
    EXPECT_FALSE(text.ok());
    return text.ok() ? "" : text.error().message;
  };
  EXPECT_THAT(fault(block_placement(2, 2), PlacementFormat::kSlurm, addresses_),
              HasSubstr("node (0 0 0) of torus:3x4x2,order=ABC has no host name"));
  EXPECT_THAT(fault(block_placement(4, 4), PlacementFormat::kBlueGene, names_),
              HasSubstr("rank 2 is in slot 2"));
  EXPECT_THAT(fault({{Vertex(1), Vertex(1)}, {0, 0}}, PlacementFormat::kPlain, names_),
              HasSubstr("ranks 0 and 1 are both in slot 0"));
  EXPECT_THAT(fault(block_placement(2, 2), PlacementFormat::kRunTable, names_),
              HasSubstr("where ranks ran"));
}

TEST_F(PlacementFile, BlueGeneSaysWhatIsWrong) {
  EXPECT_EQ(nodes(read("# map\r\n0 0 1 0\r\n\r\n2 3 1 3 # last\n")),
            (std::vector<uint32_t>{1, 23}));
  EXPECT_EQ(fault("0 0 0 0\n\n0 4 0 0\n"),
            "map.txt: line 3: coordinate B is 4, but torus:3x4x2,order=ABC has 4 there (0 to 3)");
  EXPECT_THAT(fault("0 0 -1 0\n", {.format = PlacementFormat::kBlueGene}),
              HasSubstr("line 1: coordinate C is -1"));
  EXPECT_THAT(fault("0 0 0 0\n0 0 0\n"), HasSubstr("line 2: 3 fields, but torus:3x4x2"));
  EXPECT_THAT(fault("0 0 0 0 0 0\n"), HasSubstr("line 1: 6 fields, but"));
  EXPECT_THAT(fault("0 0 0 2\n", {.format = {}, .rank_count = 1, .ranks_per_node = 2}),
              HasSubstr("line 1: slot is 2, but slots are 0 to 1"));
  EXPECT_EQ(fault("0 0 0 0\n0 0 1 0\n0 0 0 0\n"),
            "map.txt: line 3: rank 2 gets slot 0 of node n00, which rank 0 has after line 1");
  EXPECT_THAT(fault("0 0 0 0\n0 0 1 0\n", {.format = {}, .rank_count = 1}),
              HasSubstr("line 2: rank 1 does not exist: the last is 0"));
  EXPECT_THAT(fault("0 0 0 0\n", {.format = {}, .rank_count = 6}),
              HasSubstr("map.txt: 5 of 6 ranks are not placed: 1, 2, 3, ..."));
}

TEST_F(PlacementFile, SlurmExpandsHostLists) {
  const Placement placement = read("n[03-04,07]\nn01*2\nn03\nn23.example.org\n");
  EXPECT_EQ(nodes(placement), (std::vector<uint32_t>{3, 4, 7, 1, 1, 3, 23}));
  EXPECT_THAT(placement.slot_of_rank, ElementsAre(0, 0, 0, 0, 1, 1, 0));
}

TEST_F(PlacementFile, SlurmSaysWhatIsWrong) {
  EXPECT_EQ(fault("n00\nm00\n"),
            "map.txt: line 2: there is no host 'm00' in torus:3x4x2,order=ABC");
  EXPECT_THAT(read_placement("n24\n", "map.txt", names_).error().advice, StartsWith("Is 'n"));
  EXPECT_THAT(fault("n[00-\n"), HasSubstr("line 1: the brackets"));
  EXPECT_THAT(fault("n00\nn00 n01\n"), HasSubstr("line 2: 2 fields, expected one host"));
  EXPECT_THAT(fault("n00*x\n"), HasSubstr("'x' is no number of times"));
  EXPECT_THAT(fault("n00*4194304\nn00\n"), HasSubstr("line 2: more than 4,194,304 ranks"));
  EXPECT_EQ(fault("n00\nn01\nn00\nn00\n", {.format = {}, .rank_count = 4, .ranks_per_node = 2}),
            "map.txt: line 4: node n00 gets 3 ranks with rank 3, but 2 fit");
}

TEST_F(PlacementFile, RankfilesMayBeWrittenInManyWays) {
  const Placement cores = read("rank 1=n02 slot=3\n# comment\n\nrank 0 = n02 slot = 1\n");
  EXPECT_EQ(nodes(cores), (std::vector<uint32_t>{2, 2}));
  EXPECT_THAT(cores.slot_of_rank, ElementsAre(1, 3));
  const Placement sockets = read(
      "rank 0=+n1 slot=1:0\nrank 1=+n1 slot=0:0-3\nrank 2=+n1 slot=0:*\nrank 3=n00 slot=0-3,8\n"
      "rank 4=n01 slot=p2\nrank 5=n01 slot=1:*\n");
  EXPECT_EQ(nodes(sockets), (std::vector<uint32_t>{1, 1, 1, 0, 1, 1}));
  EXPECT_THAT(sockets.slot_of_rank, ElementsAre(3, 0, 1, 0, 2, 4));
  const Placement wide = read("rank 0=n00 slot=0\nrank 1=n00 slot=8\n",
                              {.format = {}, .rank_count = 2, .ranks_per_node = 2});
  EXPECT_THAT(wide.slot_of_rank, ElementsAre(0, 1)) << "cores that are left out need no slot";
}

TEST_F(PlacementFile, RankfilesSayWhatIsWrong) {
  EXPECT_EQ(fault("rank 0=n00 slot=0\nrank 0=n01 slot=0\n"),
            "map.txt: line 2: rank 0 is placed again, after line 1");
  EXPECT_EQ(fault("rank 0=n00 slot=2\nrank 1=n00 slot=2\n"),
            "map.txt: line 2: rank 1 gets slot 2 of node n00, which rank 0 has after line 1");
  EXPECT_EQ(fault("rank 0=n00 slot=2\nrank 2=n00 slot=3\n"),
            "map.txt: 1 of 3 ranks is not placed: 1");
  EXPECT_THAT(fault("rank 0=n99 slot=0\n"), HasSubstr("line 1: there is no host 'n99'"));
  EXPECT_THAT(fault("rank 0=+n24 slot=0\n"), HasSubstr("'+n24' is none of the 24 nodes"));
  EXPECT_THAT(fault("rank 0=n00 slot=a\n"), HasSubstr("slot 'a' is not like 3, 0:1, 0-3 or 0:*"));
  EXPECT_THAT(fault("rank 0=n00 slot=:\n"), HasSubstr("slot ':'"));
  EXPECT_THAT(fault("rank 0=n00\n"), HasSubstr("'rank 0=n00' is not like 'rank 0=host slot=3'"));
  EXPECT_THAT(fault("rank 0=n00 slot=1 slot=2\n"), HasSubstr("is not like"));
  EXPECT_THAT(fault("rank 9999999999=n00 slot=1\n"), HasSubstr("'9999999999' is no rank"));
}

TEST_F(PlacementFile, PlainTakesNumbersAndNames) {
  const Placement placement = read("2 n05\n0 23\n1 5\n");
  EXPECT_EQ(nodes(placement), (std::vector<uint32_t>{23, 5, 5}));
  EXPECT_THAT(placement.slot_of_rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(read("0 23 4\n1 23 0\n").slot_of_rank, ElementsAre(4, 0));
  EXPECT_THAT(fault("0 24\n"), HasSubstr("line 1: there is no node 24: torus:3x4x2,order=ABC has "
                                         "24 nodes, from 0"));
  EXPECT_THAT(fault("0 1\n1 2 0\n"), HasSubstr("line 2: 3 fields, expected a rank and a node"));
  EXPECT_THAT(fault("0 1\n0 2\n"), HasSubstr("rank 0 is placed again"));
  EXPECT_THAT(fault("0 1 0\nx 1 1\n"), HasSubstr("line 2: 'x' is no rank"));
  EXPECT_THAT(fault("0 1 y\n"), HasSubstr("line 1: 'y' is no slot"));
}

TEST_F(PlacementFile, ReadsThePlacesOfARun) {
  const Placement placement = read(
      "rank,host,package,numa,core,pu\r\n0,n03,0,0,5,5\r\n1,n03,0,0,\"2-3\",2\n2,\"n04\",-1,-1,"
      "-1,-1\n");
  EXPECT_EQ(nodes(placement), (std::vector<uint32_t>{3, 3, 4}));
  EXPECT_THAT(placement.slot_of_rank, ElementsAre(1, 0, 0));
  EXPECT_THAT(fault("rank,host,package,numa,core,pu\n0,\"n\"\"x\",0,0,0,0\n"),
              HasSubstr("line 2: there is no host 'n\"x'"));
  EXPECT_THAT(fault("rank,host,package,numa,core,pu\n,n03\n"), HasSubstr("line 2: '' is no rank"));
}

TEST_F(PlacementFile, NothingIsNoPlacement) {
  EXPECT_THAT(fault(""), HasSubstr("map.txt: is like no file that places ranks"));
  EXPECT_THAT(fault("# only\n\n"), HasSubstr("is like no file"));
  EXPECT_THAT(fault("one two three four\n"), HasSubstr("is like no file"));
  EXPECT_THAT(fault("# pathline placement\n"), HasSubstr("map.txt: places no rank"));
}

TEST_F(PlacementFile, FormatsHaveNames) {
  EXPECT_EQ(find_placement_format("bgq"), PlacementFormat::kBlueGene);
  EXPECT_EQ(find_placement_format("mpich"), std::nullopt);
  EXPECT_EQ(format_name(PlacementFormat::kRunTable), "placement.csv");
}

TEST(NodeNames, AreOnePerNode) {
  const auto network = torus({2, 2});
  EXPECT_THAT(NodeNames::make(*network, {"a", "b", "a"}).error().message,
              HasSubstr("nodes 0 and 2 the same name 'a'"));
  EXPECT_THAT(NodeNames::make(*network, {"a", "b", "c", "d", "e"}).error().message,
              HasSubstr("5 host names for the 4 nodes"));
  const NodeNames names = NodeNames::make(*network, {"a", "b.x"}).value();
  EXPECT_EQ(names.host(Vertex(1)), "b.x");
  EXPECT_EQ(names.host(Vertex(2)), std::nullopt);
  EXPECT_EQ(names.find("a.x.y"), Vertex(0));
  EXPECT_EQ(names.find("b.x"), Vertex(1));
  EXPECT_FALSE(names.find("b").valid());
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "base/text_input.hpp"
#include "insitu/scene.hpp"

namespace pathline::insitu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> hosts(const Machine& machine) {
  std::vector<std::string> names;
  for (const Node& node : machine.nodes) names.push_back(node.host);
  return names;
}

TEST(Machine, NodesAreOrderedByTheirNumbers) {
  const Machine machine = build_machine(
      std::vector<RankPlace>{{"n10", {}}, {"n9", {}}, {"n10", {}}, {"n1", {}}}, {}, {});
  EXPECT_THAT(hosts(machine), ElementsAre("n1", "n9", "n10"));
  EXPECT_THAT(machine.node_of_rank, ElementsAre(2, 1, 2, 0));
  ASSERT_THAT(machine.nodes[2].ranks, SizeIs(2));
  EXPECT_DOUBLE_EQ(machine.nodes[2].width, 2);
  ASSERT_THAT(machine.nodes[2].hardware, SizeIs(1));
  EXPECT_EQ(machine.nodes[2].hardware[0].rank, UINT32_MAX);
  EXPECT_EQ(machine.nodes[0].hardware[0].rank, 3U);
}

TEST(Machine, SwitchesKeepTheirNodesTogether) {
  const auto tree =
      switch_tree({{"n1", "top.b.n1"}, {"n2", "top.a.n2"}, {"n3", "top.b.n3"}, {"n4", "top.a.n4"}});
  const Machine machine = build_machine(
      std::vector<RankPlace>{{"n4", {}}, {"n3", {}}, {"n2", {}}, {"n1", {}}, {"x", {}}}, {},
      tree.value());
  EXPECT_THAT(hosts(machine), ElementsAre("n1", "n3", "n2", "n4", "x"));
  ASSERT_THAT(machine.switches, SizeIs(3));
  EXPECT_EQ(machine.switches[0].name, "b");
  EXPECT_EQ(machine.switches[0].first_node, 0U);
  EXPECT_EQ(machine.switches[0].last_node, 1U);
  EXPECT_EQ(machine.switches[2].name, "top");
  EXPECT_EQ(machine.switches[2].level, 2U);
  EXPECT_EQ(machine.switches[2].last_node, 3U);
  EXPECT_THAT(machine.switches[1].parents, ElementsAre(2));
  EXPECT_FALSE(machine.new_switch(1));
  EXPECT_TRUE(machine.new_switch(2));
  EXPECT_THAT(machine.remarks, ElementsAre("1 node is on no switch: x"));
}

/// The machines of hwloc's own test suite; numbers read off lstopo's print of them.
class RealMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(base::third_party_data("hwloc"))) {
      GTEST_SKIP() << base::kNeedsThirdPartyData;
    }
  }
  const host::Topology* read(const std::string& file) {
    auto found = host::Topology::read(base::third_party_data("hwloc") / file);
    EXPECT_TRUE(found.ok()) << found.error().message;
    if (!found) return nullptr;
    topology_.emplace(std::move(found).value());
    return &*topology_;
  }
  static size_t count(const Node& node, std::string_view type) {
    return static_cast<size_t>(
        std::count_if(node.hardware.begin(), node.hardware.end(),
                      [&](const HardwareCell& cell) { return cell.type == type; }));
  }
  static void check(const Node& node) {
    double end = 0;
    for (const RankCell& cell : node.ranks) {  // Side by side, none over another.
      EXPECT_GE(cell.begin, end - 1e-9);
      EXPECT_GE(cell.end - cell.begin, 1 - 1e-9);
      end = cell.end;
    }
    EXPECT_LE(end, node.width + 1e-9);
    for (const HardwareCell& cell : node.hardware) {
      EXPECT_LT(cell.begin, cell.end);
      EXPECT_LE(cell.end, node.width + 1e-9);
      EXPECT_LT(cell.row, node.row_count);
    }
  }
  std::optional<host::Topology> topology_;
};

TEST_F(RealMachine, OnlyWhatHostsARankIsDrawn) {
  const auto* haswell = read("Intel-Haswell-2xXeon-E5-2680v3.xml");
  // PUs 0, 2, 4 are cores of the first package, 1 of the second.
  const Machine machine = build_machine(std::vector<RankPlace>{{"h", {0}}, {"h", {2}}, {"h", {1}}},
                                        {{"h", haswell}}, {});
  const Node& node = machine.nodes[0];
  check(node);
  EXPECT_EQ(count(node, "PU"), 3U);
  EXPECT_EQ(count(node, "Core"), 3U);
  EXPECT_EQ(count(node, "Package"), 2U);
  EXPECT_EQ(count(node, "Machine"), 1U);
  EXPECT_DOUBLE_EQ(node.width, 3);
  EXPECT_THAT(machine.remarks, IsEmpty());
}

TEST_F(RealMachine, EveryMachineIsDrawnWholeByRanksOnAllPus) {
  struct Expected {
    const char* file;
    uint32_t pus;
    size_t packages, numa_nodes, cores;
  };
  for (const Expected& e : {Expected{"Intel-Haswell-2xXeon-E5-2680v3.xml", 24, 2, 1, 24},
                            Expected{"Intel-SandyBridge-2xXeon-E5-2650.xml", 32, 2, 1, 16},
                            Expected{"AMD-17h-Zen-2xEpyc-7451.xml", 96, 2, 8, 48}}) {
    const auto* topology = read(e.file);
    std::vector<RankPlace> places;
    for (uint32_t pu = 0; pu < e.pus; ++pu) places.push_back({"n", {pu}});
    const Machine machine = build_machine(places, {{"n", topology}}, {});
    const Node& node = machine.nodes[0];
    check(node);
    EXPECT_EQ(count(node, "PU"), e.pus) << e.file;
    EXPECT_EQ(count(node, "Package"), e.packages) << e.file;
    EXPECT_EQ(count(node, "NUMANode"), e.numa_nodes) << e.file;
    EXPECT_EQ(count(node, "Core"), e.cores) << e.file;
    for (const HardwareCell& cell : node.hardware) {
      EXPECT_TRUE(cell.type != "PU" || cell.rank == cell.os_index);
    }
  }
}

TEST_F(RealMachine, RanksThatFloatStandSideBySide) {
  const auto* epyc = read("AMD-17h-Zen-2xEpyc-7451.xml");
  std::vector<uint32_t> all(96);
  std::iota(all.begin(), all.end(), 0);
  std::vector<RankPlace> places(300, {"n", all});
  places.push_back({"n", {}});   // Says nothing.
  places.push_back({"n", {5}});  // In the middle of the others.
  const Machine machine = build_machine(places, {{"n", epyc}}, {});
  check(machine.nodes[0]);
  EXPECT_THAT(machine.nodes[0].ranks, SizeIs(302));
  EXPECT_DOUBLE_EQ(machine.nodes[0].width, 302);
}

TEST_F(RealMachine, HolesInTheNumberingAreNone) {
  const auto* offline = read("16em64t-4s2c2t-offlines.xml");
  std::vector<RankPlace> places;
  for (uint32_t pu = 0; pu < 16; ++pu) places.push_back({"n", {pu}});
  const Machine machine = build_machine(places, {{"n", offline}}, {});
  check(machine.nodes[0]);
  EXPECT_EQ(count(machine.nodes[0], "PU"), 7U);
  EXPECT_THAT(machine.nodes[0].ranks, SizeIs(16));
}

/// The switches of one of the files, and how it calls its nodes.
struct SlurmFile {
  const char* file;
  const char* prefix;
  size_t digits;
  [[nodiscard]] std::string host(uint32_t number) const {
    const std::string text = std::to_string(number);
    return prefix + std::string(digits - text.size(), '0') + text;
  }
  [[nodiscard]] SwitchTree read() const {
    const auto path = base::third_party_data("slurm") / file;
    const auto text = base::TextInput::open(path);
    EXPECT_TRUE(text.ok());
    const auto branches = network::parse_slurm_topology(text.value().text(), file);
    EXPECT_TRUE(branches.ok());
    return switch_tree(branches.value(), file).value();
  }
};
constexpr SlurmFile kSlurmFiles[] = {{"topology-taurus-like.conf", "node", 4},
                                     {"topology-ibdiscover-like.conf", "cn", 3}};

TEST_F(RealMachine, SlurmsFilesGiveSwitchesOverTheUsedNodes) {
  for (const SlurmFile& slurm : kSlurmFiles) {
    const char* file = slurm.file;
    const bool taurus = &slurm == &kSlurmFiles[0];
    std::vector<RankPlace> places;
    for (uint32_t i = 1; i <= 64; ++i) {  // A messed-up placement: ranks jump from leaf to leaf.
      places.push_back({slurm.host(1 + i * 23 % 49), {}});
    }
    const Machine machine = build_machine(places, {}, slurm.read());
    size_t leaves = 0;
    for (const Switch& one : machine.switches) {
      EXPECT_LE(one.first_node, one.last_node);
      leaves += one.level == 1 ? 1 : 0;
    }
    EXPECT_EQ(leaves, taurus ? 4U : 3U) << file;
    // Two spines in the second file; both are drawn.
    EXPECT_EQ(machine.switches.size() - leaves, taurus ? 1U : 4U) << file;
    // Each leaf's nodes stand together: they change as often as there are leaves.
    size_t changes = 0;
    for (size_t i = 0; i < machine.nodes.size(); ++i) changes += machine.new_switch(i) ? 1 : 0;
    const size_t without = machine.remarks.empty() ? 0 : 1;  // cn041 and cn043 are in no line.
    EXPECT_LE(changes, leaves - 1 + 2 * without) << file;
  }
}

double z_of(const vtk::Grid& grid, size_t cell) {
  return grid.points[3 * grid.connectivity[cell == 0 ? 0 : grid.offsets[cell - 1]] + 2];
}
template <class T>
const std::vector<T>& values(const vtk::Grid& grid, const std::string& name) {
  for (const vtk::Array& array : grid.cell_arrays) {
    if (array.name == name) return std::get<std::vector<T>>(array.values);
  }
  ADD_FAILURE() << "no array " << name;
  static const std::vector<T> none;
  return none;
}

TEST_F(RealMachine, ManyNodesOfRealHardwareStandBehindOneAnotherWithGapsAtTheSwitches) {
  for (const char* hardware :
       {"Intel-Haswell-2xXeon-E5-2680v3.xml", "Intel-SandyBridge-2xXeon-E5-2650.xml",
        "AMD-17h-Zen-2xEpyc-7451.xml"}) {
    const auto* topology = read(hardware);
    for (const SlurmFile& slurm : kSlurmFiles) {
      const SwitchTree tree = slurm.read();
      for (const uint32_t count : {2U, 7U, 64U}) {
        SCOPED_TRACE(testing::Message() << hardware << ' ' << slurm.file << ' ' << count);
        // Three ranks a node on PUs far apart, messed up: neighbours in rank are far away.
        std::map<std::string, const host::Topology*> topologies;
        std::vector<RankPlace> places(size_t{3} * count);
        for (uint32_t i = 0; i < places.size(); ++i) {
          const uint32_t node = i % count;
          const std::string host = slurm.host(1 + node * 9 % 64);
          topologies[host] = topology;
          places[(i * 29) % places.size()] = {host, {(i / count) * 7 + node % 3}};
        }
        const Machine machine = build_machine(places, topologies, tree);
        ASSERT_THAT(machine.nodes, SizeIs(topologies.size()));
        for (const Node& node : machine.nodes) {
          check(node);
          EXPECT_THAT(node.ranks, SizeIs(3));
          EXPECT_EQ(this->count(node, "PU"), 3U);
          EXPECT_EQ(this->count(node, "Machine"), 1U);
        }
        const Scene scene(machine, {.node_gap = 4});
        const Step step{.ranks = std::vector<RankFigures>(places.size())};
        const vtk::Grid ranks = scene.ranks({}, step);
        // A plane for each node, and all that is of it in this plane.
        std::vector<double> plane(machine.nodes.size(), NAN);
        for (uint32_t rank = 0; rank < places.size(); ++rank) {
          const uint32_t node = machine.node_of_rank[rank];
          EXPECT_EQ(machine.nodes[node].host, places[rank].host);
          EXPECT_EQ(values<std::string>(ranks, "host")[rank], places[rank].host);
          if (std::isnan(plane[node])) plane[node] = z_of(ranks, rank);
          EXPECT_EQ(z_of(ranks, rank), plane[node]);
        }
        const vtk::Grid cells = scene.hardware();
        for (size_t cell = 0; cell < cells.cell_count(); ++cell) {
          EXPECT_EQ(z_of(cells, cell),
                    plane[static_cast<size_t>(values<int32_t>(cells, "node_id")[cell])]);
        }
        for (size_t i = 1; i < plane.size(); ++i) {
          const double gap = plane[i] - plane[i - 1];
          EXPECT_TRUE(machine.new_switch(i) ? gap > 4.5 : gap == 4) << i << ": " << gap;
        }
        // A switch lies across the nodes below it, and over no other leaf's.
        const vtk::Grid network = scene.network();
        ASSERT_EQ(network.cell_count(), machine.switches.size());
        for (size_t cell = 0; cell < network.cell_count(); ++cell) {
          const Switch& one = machine.switches[cell];
          double low = INFINITY;
          double high = -INFINITY;
          const auto begin = cell == 0 ? 0 : network.offsets[cell - 1];
          for (auto k = begin; k < network.offsets[cell]; ++k) {
            const double z = network.points[3 * network.connectivity[k] + 2];
            low = std::min(low, z);
            high = std::max(high, z);
          }
          EXPECT_LE(low, plane[one.first_node]);
          EXPECT_GE(high, plane[one.last_node]);
          if (one.level != 1) continue;
          if (one.first_node > 0) {
            EXPECT_GT(low, plane[one.first_node - 1]);
          }
          if (one.last_node + 1 < plane.size()) {
            EXPECT_LT(high, plane[one.last_node + 1]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pathline::insitu

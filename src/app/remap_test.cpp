// SPDX-License-Identifier: BSD-3-Clause
#include "app/remap.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "network/spec.hpp"
#include "predict/test_rows.hpp"

namespace pathline::app {
namespace {

/// A ring of ranks, numbered at random, on a torus: 2 ranks on each of 32 nodes.
class Remap : public testing::Test {
 protected:
  Remap() {
    std::vector<uint32_t> name(64);
    std::iota(name.begin(), name.end(), 0U);
    std::shuffle(name.begin(), name.end(), std::mt19937(3));
    std::string text;
    for (size_t i = 0; i < name.size(); ++i) {
      text +=
          std::to_string(name[i]) + " " + std::to_string(name[(i + 1) % name.size()]) + " 1000\n";
    }
    auto opened = open_network({.network = "torus:4x4x2,ranks-per-node=2",
                                .hop_bytes = folder_.write("traffic", text).string()},
                               nullptr, pool_);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    input_ = std::move(opened).value();
  }
  Remapping remapped(const RemapRequest& request) {
    auto result = remap(input_, request, pool_);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result ? std::move(result).value() : Remapping();
  }
  /// Hop-bytes of a placement, rank by rank.
  double hop_bytes(const mapping::Placement& placement) {
    double sum = 0;
    const graph::Traffic& traffic = input_.traffic;
    for (uint32_t from = 0; from < traffic.rank_count(); ++from) {
      for (size_t i = traffic.row[from]; i < traffic.row[from + 1]; ++i) {
        sum += static_cast<double>(traffic.bytes[i]) *
               input_.machine.network->distance(placement.node_of_rank[from],
                                                placement.node_of_rank[traffic.receiver[i]]);
      }
    }
    return sum;
  }

  base::ScratchFolder folder_;
  base::ThreadPool pool_;
  NetworkInput input_;
};

TEST_F(Remap, EveryMethodSavesHopBytesAndSaysHowMany) {
  for (const RemapMethod method : {RemapMethod::kMultilevel, RemapMethod::kPartition,
                                   RemapMethod::kAnneal, RemapMethod::kRandom}) {
    const Remapping result = remapped({.method = method, .search = {.effort = 0}});
    EXPECT_LT(result.hop_bytes_after, 0.8 * result.hop_bytes_before) << static_cast<int>(method);
    EXPECT_DOUBLE_EQ(result.hop_bytes_before, hop_bytes(input_.placement));
    EXPECT_DOUBLE_EQ(result.hop_bytes_after, hop_bytes(result.placement));
    EXPECT_GE(result.hop_bytes_after, result.bound_hop_bytes);
    EXPECT_GT(result.moved, 0U);
    // Two ranks on each node, as before.
    std::vector<int> ranks(input_.machine.network->node_count(), 0);
    for (const network::Vertex node : result.placement.node_of_rank) ++ranks[node];
    EXPECT_EQ(ranks, std::vector<int>(32, 2));
  }
}

TEST_F(Remap, GroupingBringsNeighboursOntoANode) {
  const Remapping apart = remapped({.search = {.effort = 0}});
  const Remapping grouped = remapped({.search = {.effort = 0}, .group = true});
  EXPECT_EQ(apart.off_node_bytes_after, apart.off_node_bytes_before);
  EXPECT_LT(grouped.off_node_bytes_after, grouped.off_node_bytes_before / 3 * 2);
  EXPECT_LT(grouped.hop_bytes_after, apart.hop_bytes_after);
}

TEST_F(Remap, AnAlreadyBetterMappingIsKept) {
  const Remapping first = remapped({.search = {.effort = 1}});
  input_.placement = first.placement;
  for (const RemapMethod method : {RemapMethod::kPartition, RemapMethod::kAnneal}) {
    const Remapping again = remapped({.method = method, .search = {.effort = 0}});
    EXPECT_LE(again.hop_bytes_after, first.hop_bytes_after);
    if (again.hop_bytes_after == first.hop_bytes_after) {
      EXPECT_EQ(again.placement, first.placement);
    }
  }
}

TEST_F(Remap, MovesOnlyTheNodesOfTheRoutesNamed) {
  RemapRequest request{.method = RemapMethod::kExact};
  for (uint32_t node = 0; node < 6; node += 2) {
    request.movable.emplace_back(network::Vertex(node), network::Vertex(node + 1));
  }
  const Remapping result = remapped(request);
  for (uint32_t rank = 12; rank < 64; ++rank) {
    EXPECT_EQ(result.placement.node_of_rank[rank], input_.placement.node_of_rank[rank]);
  }
  EXPECT_LE(result.hop_bytes_after, result.hop_bytes_before);
}

TEST_F(Remap, ExactOfTooManyNodesSaysWhatToDo) {
  const auto result = remap(input_, {.method = RemapMethod::kExact}, pool_);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("32 nodes exchange bytes"), std::string::npos);
  EXPECT_NE(result.error().advice.find("--move"), std::string::npos);
}

/// A machine on which a message takes a microsecond for each hop and each that shares its way.
MeasuredMachine machine_on(const std::string& network) {
  predict::TestRows rows;
  for (const uint32_t lanes : {1U, 2U, 4U}) {
    rows.add_halos("network", 1, lanes, [&](double) { return 1e-6 * lanes; });
    rows.add_halos("network", 2, lanes, [&](double) { return 2e-6 * lanes; });
    rows.add_halos("Machine", 0, lanes, [&](double) { return 1e-7 * lanes; });
  }
  MeasuredMachine machine{
      .row = {.name = "test"},
      .network = std::move(network::parse_network(network).value().network),
      .tables = {.node = {.levels = {{"Machine", 0, 2}, {"Core", 0, 1}}, .units = {{0, 0}, {0, 1}}},
                 .network = nullptr,
                 .scenarios = {},
                 .compute = {rows.computes, rows.launches},
                 .halo = {rows.halos, rows.probes, rows.launches}}};
  machine.tables.network = machine.network.get();
  return machine;
}

TEST_F(Remap, ByTimeTheFastestOfAllObjectivesIsTaken) {
  const auto found =
      remap_by_time(input_, {.search = {.effort = 0}}, machine_on("torus:4x4x2"), pool_);
  ASSERT_TRUE(found) << found.error().message;
  const Remapping& result = found.value();
  ASSERT_EQ(result.choices.size(), 4U);
  double last = 0;
  for (const PlacementChoice& choice : result.choices) {
    ASSERT_TRUE(choice.time) << choice.reason;
    EXPECT_GE(choice.time->value, last);
    last = choice.time->value;
  }
  EXPECT_EQ(result.choices.back().name, "given");
  EXPECT_GT(result.choices.back().time->value, 2 * result.choices.front().time->value);
  EXPECT_EQ(result.placement, result.choices.front().placement);
  EXPECT_DOUBLE_EQ(result.hop_bytes_after, hop_bytes(result.placement));
  EXPECT_GT(result.moved, 0U);
}

TEST_F(Remap, ByTimeOnAnotherNetworkIsRefused) {
  const auto found = remap_by_time(input_, {}, machine_on("torus:4x8"), pool_);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("has the network 'torus:4x8"), std::string::npos);
}

TEST(RemapEffort, GrowsWithTheTimeAllowed) {
  EXPECT_EQ(effort_within(1, 2048), 1);
  EXPECT_EQ(effort_within(30, 2048), 3);
  EXPECT_EQ(effort_within(1e9, 2048), 6);
}

}  // namespace
}  // namespace pathline::app

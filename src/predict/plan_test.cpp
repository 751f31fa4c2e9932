// SPDX-License-Identifier: BSD-3-Clause
#include "predict/plan.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/spec.hpp"

namespace pathline::predict {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

host::Node node_of(const char* description) {
  return host::Topology::synthetic(description).value().node();
}

TEST(Plan, OfTwoCoresWithACache) {
  const Plan plan = plan_benchmarks(
      node_of("l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1"), nullptr, 1);
  ASSERT_THAT(plan.computes, SizeIs(2));
  EXPECT_THAT(plan.computes[0].scenario.cores, ElementsAre(0));
  EXPECT_THAT(plan.computes[1].scenario.cores, ElementsAre(0, 1));
  EXPECT_EQ(plan.computes[1].scenario.description, "2 cores");
  const auto& sizes = plan.computes[0].sizes;
  EXPECT_GE(sizes.size(), 23U);
  const auto bytes = [](const auto& size) { return 104.0 * (size.first + 2) * (size.second + 2); };
  EXPECT_NEAR(bytes(sizes.front()), 16384, 3000);
  EXPECT_NEAR(bytes(sizes.back()), 128e6, 10e6);
  for (const double cache : {48.0 * 1024, 1048576.0, 32.0 * 1048576}) {
    int below = 0;
    int above = 0;
    for (const auto& size : sizes) {
      below += bytes(size) > 0.6 * cache && bytes(size) < cache ? 1 : 0;
      above += bytes(size) < 1.5 * cache && bytes(size) > cache ? 1 : 0;
    }
    EXPECT_GE(below, 2);
    EXPECT_GE(above, 2);
  }
  ASSERT_THAT(plan.halos, SizeIs(2));
  EXPECT_EQ(plan.halos[0].way.connection, "Core");
  EXPECT_EQ(plan.halos[0].places, 1U);
  EXPECT_EQ(plan.halos[1].way.connection, "L3Cache");
  EXPECT_THAT(plan.halos[1].seats, ElementsAre(Seat{0, 0}, Seat{0, 1}));
  EXPECT_THAT(plan.halos[1].bytes, SizeIs(34));
}

TEST(Plan, HasEachCaseOnce) {
  const auto machine = network::parse_network("torus:4x4x4");
  const Plan plan = plan_benchmarks(node_of("package:2 numa:1 l3:2 l2:2 core:2 pu:1"),
                                    machine.value().network.get(), 64);
  std::set<std::vector<uint32_t>> scenarios;
  for (const ComputeJob& job : plan.computes) scenarios.insert(job.scenario.cores);
  EXPECT_EQ(scenarios.size(), plan.computes.size());
  EXPECT_TRUE(scenarios.contains({0, 1}));
  EXPECT_TRUE(scenarios.contains({0, 8}));
  std::set<std::pair<HaloTable::Way, uint32_t>> seen;
  for (const HaloJob& job : plan.halos) {
    EXPECT_TRUE(seen.emplace(job.way, job.lanes).second);
    EXPECT_EQ(job.seats.size(), size_t{job.places} * job.lanes);
    std::set<std::pair<uint32_t, uint32_t>> taken;
    for (const Seat& seat : job.seats) EXPECT_TRUE(taken.emplace(seat.node, seat.core).second);
  }
  const auto has = [&](const char* connection, uint32_t hops, uint32_t lanes) {
    return seen.contains({{connection, hops}, lanes});
  };
  EXPECT_TRUE(has("L2Cache", 0, 1));
  EXPECT_FALSE(has("L2Cache", 0, 2));
  EXPECT_TRUE(has("L3Cache", 0, 2));
  EXPECT_TRUE(has("Package", 0, 4));  // Its memory is its own, and no level besides.
  EXPECT_TRUE(has("Machine", 0, 8));
  EXPECT_FALSE(has("NUMANode", 0, 1));
  EXPECT_TRUE(has("network", 1, 16));
  EXPECT_TRUE(has("network", 4, 16));
}

TEST(Plan, CoresOfAFlatNodePairUp) {
  const Plan plan = plan_benchmarks(node_of("core:7 pu:1"), nullptr, 1);
  const HaloJob& last = plan.halos.back();
  EXPECT_EQ(last.way.connection, "Machine");
  EXPECT_EQ(last.lanes, 3U);
  EXPECT_THAT(last.seats,
              ElementsAre(Seat{0, 0}, Seat{0, 2}, Seat{0, 4}, Seat{0, 1}, Seat{0, 3}, Seat{0, 5}));
}

TEST(Plan, RingsUseEachLinkOnce) {
  for (const char* spec : {"torus:4x4x4", "torus:3x3", "fattree:4,2", "dragonfly:4,2,3"}) {
    const auto machine = network::parse_network(spec);
    ASSERT_TRUE(machine) << spec;
    const network::Network& network = *machine.value().network;
    const Plan plan = plan_benchmarks(node_of("core:2 pu:1"), &network, network.node_count());
    int between = 0;
    for (const HaloJob& job : plan.halos) {
      if (job.way.hops == 0) continue;
      ++between;
      for (uint32_t place = 0; place < job.places; ++place) {
        const uint32_t from = job.seats[size_t{place} * job.lanes].node;
        const uint32_t to = job.seats[size_t{(place + 1) % job.places} * job.lanes].node;
        EXPECT_EQ(network.distance(network::Vertex(from), network::Vertex(to)), job.way.hops)
            << spec;
      }
    }
    EXPECT_GE(between, 2) << spec;
  }
}

TEST(Plan, WithoutANetworkNodesAreOneStepApart) {
  const Plan plan = plan_benchmarks(node_of("core:2 pu:1"), nullptr, 9);
  const HaloJob& last = plan.halos.back();
  EXPECT_EQ(last.way.hops, 1U);
  EXPECT_EQ(last.places, 4U);
  EXPECT_EQ(last.lanes, 2U);
}

TEST(Plan, OnASimulatedMachineRanksShareCores) {
  const auto topology = host::Topology::synthetic("core:4 pu:1");
  const host::Node node = topology.value().node();
  const auto most_lanes = [](const Plan& plan, const char* connection) {
    uint32_t most = 0;
    for (const HaloJob& job : plan.halos) {
      if (job.way.connection != connection || job.places == 1) continue;
      most = std::max(most, job.lanes);
      EXPECT_EQ(job.seats.size(), size_t{job.lanes} * job.places);
      for (const Seat& seat : job.seats) EXPECT_LT(seat.core, 4U);
    }
    return most;
  };
  EXPECT_EQ(most_lanes(plan_benchmarks(node, nullptr, 4), "Machine"), 2U);
  EXPECT_EQ(most_lanes(plan_benchmarks(node, nullptr, 4), "network"), 4U);
  EXPECT_EQ(most_lanes(plan_benchmarks(node, nullptr, 4, 4), "Machine"), 8U);
  EXPECT_EQ(most_lanes(plan_benchmarks(node, nullptr, 4, 4), "network"), 16U);
}

}  // namespace
}  // namespace pathline::predict

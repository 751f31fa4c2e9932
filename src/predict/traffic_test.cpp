// SPDX-License-Identifier: BSD-3-Clause
#include "predict/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/spec.hpp"
#include "predict/test_rows.hpp"

namespace pathline::predict {
namespace {

using testing::HasSubstr;

/// A ring of eight nodes with one core: a message takes a second for each hop and each that shares
/// its busiest link.
class Traffic : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = network::parse_network("torus:8");
    network_ = std::move(parsed).value().network;
    for (const uint32_t lanes : {1U, 2U, 4U, 8U}) {
      rows_.add_halos("network", 1, lanes, [&](double) { return 1.0 * lanes; });
      rows_.add_halos("network", 2, lanes, [&](double) { return 2.0 * lanes; });
    }
    machine_ =
        std::make_unique<Machine>(Machine{.node = {.levels = {{"Core", 0, 1}}, .units = {{0}}},
                                          .network = network_.get(),
                                          .scenarios = {},
                                          .compute = {rows_.computes, rows_.launches},
                                          .halo = {rows_.halos, rows_.probes, rows_.launches}});
  }
  [[nodiscard]] double seconds(std::vector<graph::Pair> pairs,
                               const std::vector<uint32_t>& nodes) const {
    std::vector<network::Vertex> node_of_rank;
    for (const uint32_t node : nodes) node_of_rank.emplace_back(node);
    const auto traffic = graph::traffic_of(static_cast<uint32_t>(nodes.size()), std::move(pairs));
    const auto found =
        predict_traffic(traffic, mapping::placement_on(node_of_rank), Bind::kCompact, *machine_);
    EXPECT_TRUE(found) << found.error().message;
    return found ? found.value().value : 0;
  }

  TestRows rows_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<Machine> machine_;
};

TEST_F(Traffic, TakesAsLongAsItsWaysAreFarAndShared) {
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 1, 64}}, {0, 1}), 1);
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 1, 64}}, {0, 3}), 3);
  // Both over the link from 1 to 2, once one after the other and once beside each other.
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 1, 64}, {2, 3, 1, 64}}, {1, 2, 4, 5}), 1);
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 1, 64}, {2, 1, 1, 64}}, {0, 2, 1}), 3);
  EXPECT_EQ(seconds({}, {0, 1}), 0);
}

TEST_F(Traffic, MessagesOfAPairFollowEachOther) {
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 5, 320}}, {0, 1}), 5);
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 64, 4096}}, {0, 1}), 64);
  // The other pair has one only, which is on its way for longer.
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 2, 128}, {2, 3, 1, 64}}, {0, 1, 4, 7}), 3);
}

TEST_F(Traffic, BytesAloneAreOneMessage) {
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 0, 320}}, {0, 2}), 2);
  EXPECT_DOUBLE_EQ(seconds({{0, 1, 0, 0}}, {0, 2}), 0);
}

TEST_F(Traffic, RefusesWhatWasNotMeasured) {
  const auto traffic = graph::traffic_of(2, {{0, 1, 1, 1U << 30U}});
  const auto found =
      predict_traffic(traffic, mapping::placement_on({network::Vertex(0), network::Vertex(1)}),
                      Bind::kCompact, *machine_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(found.error().message, HasSubstr("were not measured"));
}

}  // namespace
}  // namespace pathline::predict

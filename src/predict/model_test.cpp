// SPDX-License-Identifier: BSD-3-Clause
#include "predict/model.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/grid_mapping.hpp"
#include "network/spec.hpp"
#include "predict/test_rows.hpp"

namespace pathline::predict {
namespace {

using mapping::GridMapping;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kCell = 1e-9;
constexpr double kLatency = 1e-6;
constexpr double kByte = 1e-10;

/// A machine whose tables follow formulas: every kernel takes kCell a cell, a message
/// kLatency * hops + kByte * bytes * lanes (inside a node half of it).
class Formulas {
 public:
  explicit Formulas(const std::string& spec, uint32_t cores = 16) {
    auto parsed = network::parse_network(spec);
    EXPECT_TRUE(parsed) << parsed.error().message;
    network_ = std::move(parsed.value().network);
    auto topology = host::Topology::synthetic("core:" + std::to_string(cores) + " pu:1");
    node_ = topology.value().node();
    store::Scenario all{.id = 1, .cores = {}, .description = "all"};
    store::Scenario one{.id = 2, .cores = {0}, .description = "one"};
    for (uint32_t core = 0; core < cores; ++core) all.cores.push_back(core);
    for (const char* kernel : {"phase1", "phase2", "filter", "copies"}) {
      for (const store::Id scenario : {1, 2}) {
        for (const uint32_t side : {4U, 16U, 64U, 256U, 1024U}) {
          rows.add_compute(kernel, scenario, side, kCell * side * side);
        }
      }
    }
    for (const uint32_t lanes : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
      for (const uint32_t hops : {1U, 2U}) {
        rows.add_halos("network", hops, lanes,
                       [&](double bytes) { return kLatency * hops + kByte * bytes * lanes; });
      }
      for (const host::NodeLevel& level : node_.levels) {
        rows.add_halos(level.type, 0, lanes,
                       [&](double bytes) { return (kLatency + kByte * bytes * lanes) / 2; });
      }
    }
    scenarios_ = {all, one};
  }

  [[nodiscard]] Machine machine() const {
    return {.node = node_,
            .network = network_.get(),
            .scenarios = scenarios_,
            .compute = ComputeTable(rows.computes, rows.launches),
            .halo = HaloTable(rows.halos, rows.probes, rows.launches)};
  }
  [[nodiscard]] Deployment deployment(std::vector<uint32_t> grid, std::vector<uint32_t> ranks,
                                      uint32_t per_node, GridMapping mapping) const {
    auto placement = mapping::place_grid(mapping, ranks, per_node, network_.get());
    EXPECT_TRUE(placement) << placement.error().message;
    return {.grid = std::move(grid),
            .ranks = std::move(ranks),
            .placement = std::move(placement).value()};
  }

  TestRows rows;

 private:
  std::unique_ptr<network::Network> network_;
  host::Node node_;
  std::vector<store::Scenario> scenarios_;
};

TEST(Model, OneRankEachIsTheSumOfItsParts) {
  const Formulas formulas("torus:4x4");
  const auto found = predict(
      shallow(), formulas.deployment({256, 256}, {4, 4}, 1, GridMapping::kSmp), formulas.machine());
  ASSERT_TRUE(found) << found.error().message;
  // All ranks alike: nobody waits, and links carry one message at a time. Rows of our ranks run
  // along the last dimension of the torus.
  const double compute = 4 * kCell * 64 * 64;
  const double messages = 7 * (kLatency + kByte * 8 * 64) + 7 * (kLatency + kByte * 8 * 65);
  EXPECT_NEAR(found.value().compute.value, compute, 1e-9 * compute);
  EXPECT_NEAR(found.value().step.value, compute + messages, 1e-3 * (compute + messages));
  EXPECT_NEAR(found.value().sum_of_longest_s, messages, 1e-3 * messages);
  EXPECT_EQ(found.value().off_node_bytes, 16U * 7 * 8 * (64 + 65));
  EXPECT_EQ(found.value().hop_bytes, found.value().off_node_bytes);
  EXPECT_LE(found.value().step.low, found.value().step.value);
  EXPECT_GE(found.value().step.high, found.value().step.value);
}

TEST(Model, ContentionIsThatOfTheBusiestLink) {
  const Formulas formulas("torus:8x1");
  // Eight nodes in a ring, each with 16 ranks of one row: 16 messages share each link.
  const auto rows =
      predict(shallow(), formulas.deployment({256, 2048}, {16, 8}, 16, GridMapping::kSmp),
              formulas.machine());
  ASSERT_TRUE(rows) << rows.error().message;
  // Inside a node each of 16 gets and sends one, as 8 pairs would.
  const double messages =
      7 * (kLatency + kByte * 8 * 256 * 8) / 2 + 7 * (kLatency + kByte * 8 * 17 * 16);
  EXPECT_NEAR(rows.value().sum_of_longest_s, messages, 0.02 * messages);
}

TEST(Model, MappingsDifferAsTheirLinksDo) {
  const Formulas formulas("torus:4x4x4");
  std::map<GridMapping, Prediction> found;
  for (const GridMapping mapping : mapping::kGridMappings) {
    auto answer = predict(shallow(), formulas.deployment({4096, 4096}, {32, 32}, 16, mapping),
                          formulas.machine());
    ASSERT_TRUE(answer) << answer.error().message;
    found[mapping] = answer.value();
  }
  const auto bytes = [&](GridMapping mapping) { return found[mapping].off_node_bytes; };
  EXPECT_EQ(bytes(GridMapping::kBlock), bytes(GridMapping::kFolded));
  EXPECT_LT(bytes(GridMapping::kBlock), bytes(GridMapping::kSmp));
  EXPECT_LT(found[GridMapping::kFolded].max_link_bytes, found[GridMapping::kBlock].max_link_bytes);
  EXPECT_LT(found[GridMapping::kFolded].step.value, found[GridMapping::kBlock].step.value);
  EXPECT_LT(found[GridMapping::kBlock].step.value, found[GridMapping::kSmp].step.value);
  EXPECT_EQ(found[GridMapping::kFolded].compute.value, found[GridMapping::kSmp].compute.value);
}

TEST(Model, ALateRankHoldsUpItsNeighbours) {
  // Kernels of known length in a chain without ends: the step is the slowest rank's.
  Application chain{.name = "chain", .fields = 13, .halo = 1, .periodic = {false}, .phases = {}};
  chain.phases = {
      {.kernels = {{"work", kCell}}},
      {.kernels = {}, .shifts = {{.axis = 0, .upwards = true}, {.axis = 0, .upwards = false}}}};
  const Formulas formulas("torus:8x1");
  auto deployment = formulas.deployment({8 * 1000 + 1}, {8}, 1, GridMapping::kSmp);
  const auto found = predict(chain, deployment, formulas.machine());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found.value().compute.value, 1001 * kCell, 1e-15);
  const double message = kLatency + 8 * kByte;
  EXPECT_NEAR(found.value().step.value, 1001 * kCell + 2 * message, 1e-3 * message);
  chain.phases[1].at_once = true;
  const auto at_once = predict(chain, deployment, formulas.machine());
  ASSERT_TRUE(at_once) << at_once.error().message;
  EXPECT_NEAR(at_once.value().step.value, 1001 * kCell + message, 1e-3 * message);
}

TEST(Model, RefusesWithTheReason) {
  Formulas formulas("torus:4x4x4");
  const auto said = [&](const Deployment& deployment, const Application& application = shallow()) {
    const auto found = predict(application, deployment, formulas.machine());
    return found ? "" : found.error().message;
  };
  EXPECT_THAT(said(formulas.deployment({40, 40}, {4, 4}, 4, GridMapping::kSmp)),
              testing::IsEmpty());
  // More on each node than it has cores.
  EXPECT_THAT(said(formulas.deployment({4096, 4096}, {32, 32}, 32, GridMapping::kSmp)),
              HasSubstr("slot"));
  // Messages of more than 2 MiB.
  EXPECT_THAT(said(formulas.deployment({16, 4'000'000}, {2, 2}, 1, GridMapping::kSmp)),
              HasSubstr("were not measured over"));
  Application packed = shallow();
  for (Phase& phase : packed.phases) {
    for (Shift& shift : phase.shifts) shift.layout = "packed";
  }
  EXPECT_THAT(said(formulas.deployment({40, 40}, {4, 4}, 4, GridMapping::kSmp), packed),
              HasSubstr("'packed'"));
  Application other = shallow();
  other.phases[0].kernels[0].name = "unknown";
  EXPECT_THAT(said(formulas.deployment({40, 40}, {4, 4}, 4, GridMapping::kSmp), other),
              HasSubstr("kernel unknown"));
  EXPECT_THAT(said(formulas.deployment({40, 40}, {4, 4}, 4, GridMapping::kSmp),
                   {.name = "none", .periodic = {true, true}, .phases = {}}),
              HasSubstr("does nothing"));
  Deployment wrong = formulas.deployment({40, 40}, {4, 4}, 4, GridMapping::kSmp);
  wrong.grid = {40};
  EXPECT_THAT(said(wrong), HasSubstr("has 2 axes"));
  wrong.grid = {3, 40};
  EXPECT_THAT(said(wrong), HasSubstr("cannot be divided"));
  wrong.grid = {40, 40};
  wrong.ranks = {4, 2};
  EXPECT_THAT(said(wrong), HasSubstr("placement has 16 ranks, expected 8"));
}

TEST(Model, CoresAreTakenCompactOrSpread) {
  const auto topology = host::Topology::synthetic("package:2 l3:2 core:2 pu:1");
  const host::Node node = topology.value().node();
  EXPECT_THAT(core_order(node, Bind::kCompact), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(core_order(node, Bind::kSpread), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

}  // namespace
}  // namespace pathline::predict

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/test_scene.hpp"

namespace pathline::figure {
namespace {

using insitu::Machine;
using insitu::RankPlace;
using insitu::Step;
using testing::HasSubstr;
using testing::SizeIs;

Machine machine_of(uint32_t nodes, uint32_t ranks_each) {
  std::vector<RankPlace> places;
  std::map<std::string, std::string> addresses;
  for (uint32_t i = 0; i < nodes; ++i) {
    const std::string host = "n" + std::to_string(i);
    for (uint32_t k = 0; k < ranks_each; ++k) places.push_back({host, {}});
    addresses[host] = "top.leaf" + std::to_string(i / 16) + "." + host;
  }
  return insitu::build_machine(places, {}, insitu::switch_tree(addresses).value());
}

Step step_of(const Machine& machine) {
  Step step{.ranks = std::vector<insitu::RankFigures>(machine.rank_count(), {.step_s = 1})};
  return step;
}

size_t dashed_lines(const layout::Scene& scene) {
  size_t count = 0;
  for (const auto* layer : layers_of<layout::Polylines>(scene)) {
    for (const layout::Polyline& line : layer->lines) count += line.dash_px.empty() ? 0 : 1;
  }
  return count;
}

TEST(Topology, FourRanksAreDrawnSideBySideWithTheirHardware) {
  const Machine machine = machine_of(2, 2);
  Step step = step_of(machine);
  step.ranks[2].step_s = 3;
  step.ranks[1].write_bytes = 49200;
  step.pairs = {{0, 1, 0, 1, 10}, {0, 3, 0, 2, 5}, {3, 0, 0, 1, 0}};
  const auto scene = topology(machine, {}, step, {.metric = Metric::kTime});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const auto labels = labels_of(scene.value());
  for (const char* text : {"0", "1", "2", "3", "n0", "leaf0", "top", "sender", "receiver"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
  EXPECT_EQ(dashed_lines(scene.value()), 1U);  // The empty one.
  EXPECT_EQ(scene.value().message_count, 4U);
  bool named = false;
  for (const layout::Label& label : labels) {
    named = named || label.text ==
                         "4 ranks on 2 nodes; computation: most on rank 2, 3.00 s, mean "
                         "1.50 s (imbalance 100 %); 1 pair exchanges nothing but empty "
                         "messages; 49.2 kB written, 100 % of it by rank 1";
  }
  EXPECT_TRUE(named);
}

TEST(Topology, TheRegionThatMakesTheDifferenceIsNamed) {
  const Machine machine = machine_of(1, 4);
  Step step = step_of(machine);
  step.ranks[3].step_s = 3;
  // "loop" lies around the others; "fluxes" is the same everywhere.
  const insitu::Figures figures{.regions = {"loop", "boundary", "fluxes"}};
  for (size_t rank = 0; rank < 4; ++rank) {
    const double boundary = rank == 3 ? 2.4 : 0.4;
    for (const double seconds : {0.5 + boundary, boundary, 0.5}) {
      step.regions.push_back({1, seconds});
    }
  }
  const auto subtitle = [&] {
    const auto scene = topology(machine, figures, step, {.metric = Metric::kTime});
    for (const layout::Label& label : labels_of(scene.value())) {
      if (label.text.starts_with("4 ranks")) return label.text;
    }
    return std::string();
  };
  EXPECT_EQ(
      subtitle(),
      "4 ranks on 1 node; computation: most on rank 3, 3.00 s, mean 1.50 s (imbalance 100 %), "
      "mostly in boundary: 2.40 s there, 900 ms on average");
  step.regions[3 * 3 + 1].seconds = 1.0;  // Less than half of it.
  step.regions[3 * 3].seconds = 1.5;
  EXPECT_THAT(subtitle(), testing::EndsWith("(imbalance 100 %)"));
  step.ranks[0].step_s = 2.9;
  EXPECT_THAT(subtitle(), testing::HasSubstr("most on ranks 3 and 0, 3.00 s"));
}

TEST(Topology, ManyNodesCollapseAndHideNeitherTheHeaviestNorTheEmpty) {
  const Machine machine = machine_of(256, 16);
  Step step = step_of(machine);
  for (uint32_t rank = 0; rank < machine.rank_count(); ++rank) {
    for (const uint32_t distance : {1U, 16U, 256U}) {
      step.pairs.push_back({rank, (rank + distance) % machine.rank_count(), 0, 1, 100});
    }
  }
  step.pairs.push_back({4095, 7, 0, 1, 0});
  step.pairs[3 * 77].bytes = 1'000'000;
  std::sort(step.pairs.begin(), step.pairs.end(), [](const auto& a, const auto& b) {
    return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
  });
  const auto scene = topology(machine, {}, step, {.metric = Metric::kTime});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_EQ(dashed_lines(scene.value()), 1U);
  EXPECT_THAT(layers_of<layout::Segments>(scene.value()), SizeIs(2));
  double widest = 0;
  for (const auto* layer : layers_of<layout::Polylines>(scene.value())) {
    for (const layout::Polyline& line : layer->lines) {
      const bool in_legend = line.points.front().y == line.points.back().y;
      if (!in_legend) widest = std::max(widest, line.width_px);
    }
  }
  EXPECT_DOUBLE_EQ(widest, 1.5);
  EXPECT_NE(find_label(labels_of(scene.value()), "ranks"), nullptr);
}

TEST(Topology, EverySizeIsDrawnOrRefused) {
  for (const uint32_t nodes : {1U, 3U, 40U, 3000U}) {
    const Machine machine = machine_of(nodes, 7);
    Step step = step_of(machine);
    step.ranks[0].recorded = false;
    for (const auto& [width, height] : {std::pair(40.0, 40.0), std::pair(360.0, 320.0),
                                        std::pair(1280.0, 720.0), std::pair(4000.0, 3000.0)}) {
      const auto scene = topology(
          machine, {}, step, {.width_px = width, .height_px = height, .metric = Metric::kBytes});
      if (!scene) {
        EXPECT_THAT(scene.error().message, HasSubstr("too small"));
        continue;
      }
      for (const auto* boxes : layers_of<layout::Boxes>(scene.value())) {
        for (size_t i = 0; i < boxes->x.size(); ++i) {
          EXPECT_GE(boxes->x[i], 0);
          EXPECT_LE(boxes->x[i] + boxes->w[i], width + 2) << nodes;
          EXPECT_LE(boxes->y[i] + boxes->h[i], height) << nodes;
        }
      }
    }
  }
  EXPECT_FALSE(topology({}, {}, {}, {}).ok());
}

}  // namespace
}  // namespace pathline::figure

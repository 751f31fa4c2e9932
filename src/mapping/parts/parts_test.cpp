// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/test_traffic.hpp"

namespace pathline::mapping {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<uint32_t> sizes_of(const std::vector<uint32_t>& part_of, size_t count) {
  std::vector<uint32_t> sizes(count, 0);
  for (const uint32_t part : part_of) ++sizes.at(part);
  return sizes;
}

TEST(Parts, AddUpBothDirectionsAndLeaveOutWhatStays) {
  const auto graph =
      graph_of(graph::traffic_of(3, {{0, 1, 1, 5}, {1, 0, 1, 7}, {2, 2, 1, 9}, {1, 2, 1, 0}}));
  ASSERT_EQ(graph.size(), 3U);
  ASSERT_EQ(graph.of(0).size(), 1U);
  EXPECT_EQ(graph.of(0)[0].weight, 12);
  EXPECT_EQ(graph.of(1)[0].to, 0U);
  EXPECT_THAT(graph.of(2), IsEmpty());
  EXPECT_EQ(cut_weight(graph, std::vector<uint32_t>{0, 1, 1}), 12);
}

TEST(Parts, AreEvenUpToOne) {
  EXPECT_THAT(even_sizes(10, 4), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(even_sizes(0, 2), ElementsAre(0, 0));
  EXPECT_THAT(even_sizes(5, 0), IsEmpty());
}

TEST(Parts, OfARingAreArcs) {
  const auto graph = graph_of(shuffled_stencil({60}, 10, Random(1)));
  for (const uint32_t count : {2U, 3U, 5U, 10U}) {
    const auto parts = cut_into_parts(graph, even_sizes(60, count), 1);
    ASSERT_TRUE(parts.ok()) << parts.error().message;
    EXPECT_EQ(cut_weight(graph, parts.value()), count * 20);
  }
}

TEST(Parts, HaveExactlyTheSizesWanted) {
  for (uint32_t round = 0; round < 40; ++round) {
    Random random(round);
    const uint32_t size = 1 + random.below(60);
    const uint32_t count = 1 + random.below(size);
    const auto graph = graph_of(random_traffic(size, random.below(4 * size), random));
    const auto sizes = even_sizes(size, count);
    const auto parts = cut_into_parts(graph, sizes, round);
    ASSERT_TRUE(parts.ok()) << parts.error().message;
    EXPECT_EQ(sizes_of(parts.value(), count), sizes);
    EXPECT_EQ(cut_into_parts(graph, sizes, round).value(), parts.value());
  }
  EXPECT_THAT(cut_into_parts(WeightedGraph{}, even_sizes(0, 0), 1).value(), IsEmpty());
}

TEST(Parts, OfHugeWeightsAreCut) {
  std::vector<graph::Pair> pairs;
  for (uint32_t i = 0; i < 20; ++i) pairs.push_back({i, (i + 1) % 20, 1, UINT64_MAX / 64});
  const auto graph = graph_of(graph::traffic_of(20, pairs));
  const auto parts = cut_into_parts(graph, even_sizes(20, 2), 1);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  EXPECT_EQ(cut_weight(graph, parts.value()), 2 * graph.of(0)[0].weight);
}

TEST(Parts, SwapsOnlyTakeWeightOffTheCut) {
  for (uint32_t round = 0; round < 20; ++round) {
    Random random(round);
    const auto graph = graph_of(random_traffic(40, 150, random));
    std::vector<uint32_t> parts;
    for (uint32_t v = 0; v < 40; ++v) parts.push_back(v % 5);
    random.shuffle(parts);
    const int64_t before = cut_weight(graph, parts);
    swap_refine(graph, 5, 100, parts);
    EXPECT_EQ(sizes_of(parts, 5), std::vector<uint32_t>(5, 8));
    const int64_t after = cut_weight(graph, parts);
    EXPECT_LT(after, before);
    // Nothing is left to gain by any swap with a part that the first of both knows.
    for (uint32_t u = 0; u < 40; ++u) {
      for (const auto& edge : graph.of(u)) {
        for (uint32_t v = 0; v < 40; ++v) {
          if (parts[v] != parts[edge.to]) continue;
          auto swapped = parts;
          std::swap(swapped[u], swapped[v]);
          ASSERT_GE(cut_weight(graph, swapped), after);
        }
      }
    }
  }
}

TEST(Parts, RefuseSizesThatDoNotFit) {
  const auto graph = graph_of(random_traffic(10, 20, Random(1)));
  EXPECT_THAT(cut_into_parts(graph, even_sizes(11, 2), 1).error().message,
              HasSubstr("parts of together 11 do not fit to 10 vertices"));
}

}  // namespace
}  // namespace pathline::mapping

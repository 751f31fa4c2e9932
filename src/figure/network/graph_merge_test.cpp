// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/network/graph_clusters.hpp"
#include "figure/network/test_routes.hpp"
#include "figure/test_scene.hpp"

namespace pathline::figure {
namespace {

using testing::ElementsAre;

/// 1,024 nodes of which each sends to its neighbour along B, and little along A and C.
TestRoutes rings() {
  TestRoutes test("torus:8x16x8");
  const auto number = [](uint32_t a, uint32_t b, uint32_t c) {
    return (a % 8 * 16 + b % 16) * 8 + c % 8;
  };
  for (uint32_t a = 0; a < 8; ++a) {
    for (uint32_t b = 0; b < 16; ++b) {
      for (uint32_t c = 0; c < 8; ++c) {
        test.add(number(a, b, c), number(a, b + 1, c), 1000);
        test.add(number(a, b, c), number(a + 1, b, c), 40);
        test.add(number(a, b, c), number(a, b, c + 1), 10);
      }
    }
  }
  return test;
}

TEST(GraphMerge, KeepsTheDimensionsThatCarryTheLoad) {
  const TestRoutes test = rings();
  const auto kept = dimensions_to_keep(*test.network, test.routes, nullptr);
  ASSERT_TRUE(kept.has_value());
  // A and B would be 128 groups; with C, 10 of 1,050 bytes, or A, 40, nothing much is won.
  EXPECT_THAT(*kept, ElementsAre(1));
  EXPECT_EQ(dimension_names(*test.network, std::vector<size_t>{0, 2}, ","), "A,C");
}

TEST(GraphMerge, IsSaidInTheLegendAndUndoneByNamingAllDimensions) {
  const TestRoutes test = rings();
  auto scene = graph(*test.network, test.routes, {});
  ASSERT_TRUE(scene.ok());
  std::string text;
  for (const layout::Label& label : labels_of(scene.value())) text += label.text + ' ';
  EXPECT_THAT(text, testing::HasSubstr("1,024 nodes would cover each other"));
  EXPECT_THAT(text, testing::HasSubstr("--merge A,B,C draws them all"));
  EXPECT_THAT(text, testing::HasSubstr("1,024 nodes in 16 groups"));
  NetworkOptions all;
  all.aggregate = {0, 1, 2};
  scene = graph(*test.network, test.routes, all);
  ASSERT_TRUE(scene.ok());
  text.clear();
  for (const layout::Label& label : labels_of(scene.value())) text += label.text + ' ';
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("groups")));
}

TEST(GraphMerge, LeavesFewNodesAndNodesWithoutCoordinatesAlone) {
  TestRoutes few("torus:8x8x8");
  for (uint32_t i = 0; i < 512; ++i) few.add(i, (i + 1) % 512, 10);
  EXPECT_FALSE(dimensions_to_keep(*few.network, few.routes, nullptr).has_value());
  TestRoutes ring("torus:1024");
  for (uint32_t i = 0; i < 1024; ++i) ring.add(i, (i + 1) % 1024, 10);
  EXPECT_FALSE(dimensions_to_keep(*ring.network, ring.routes, nullptr).has_value());
}

TEST(GraphMerge, LeavesClustersApart) {
  TestRoutes test("torus:8x16x8");
  for (uint32_t i = 0; i < 1024; ++i) test.add(i, (i + 3) % 1024, 10);
  EXPECT_TRUE(dimensions_to_keep(*test.network, test.routes, nullptr).has_value()) << "one chain";
  TestRoutes thirds("torus:8x16x8");
  for (uint32_t i = 3; i < 1024; ++i) thirds.add(i, i - 3, 10);
  EXPECT_FALSE(dimensions_to_keep(*thirds.network, thirds.routes, nullptr).has_value());
}

TEST(GraphClusters, AreTheNodesThatTalkAmongEachOther) {
  const std::vector<GroupPair> pairs{{7, 5, 1}, {0, 4, 1}, {4, 2, 1},
                                     {5, 6, 1}, {6, 3, 1}, {8, 9, 1}};
  EXPECT_THAT(clusters(pairs, 11), ElementsAre(ElementsAre(3, 5, 6, 7), ElementsAre(0, 2, 4)));
  EXPECT_THAT(clusters({}, 4), ElementsAre());
}

}  // namespace
}  // namespace pathline::figure

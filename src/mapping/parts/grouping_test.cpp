// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/grouping.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapping/test_traffic.hpp"

namespace pathline::mapping {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint32_t> in_order(uint32_t ranks, uint32_t ranks_per_group) {
  std::vector<uint32_t> groups;
  for (uint32_t rank = 0; rank < ranks; ++rank) groups.push_back(rank / ranks_per_group);
  return groups;
}

std::vector<uint32_t> sizes_of(const std::vector<uint32_t>& groups, uint32_t count) {
  std::vector<uint32_t> sizes(count, 0);
  for (const uint32_t group : groups) ++sizes.at(group);
  return sizes;
}

TEST(Grouping, PutsPairsThatTalkOnOneNode) {
  const auto traffic =
      graph::traffic_of(6, {{0, 5, 1, 9}, {5, 0, 1, 9}, {1, 3, 1, 9}, {2, 4, 1, 9}, {0, 1, 1, 1}});
  const auto groups = group_ranks(traffic, in_order(6, 2), 3, 1);
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  EXPECT_EQ(groups.value()[0], groups.value()[5]);
  EXPECT_EQ(groups.value()[1], groups.value()[3]);
  EXPECT_EQ(groups.value()[2], groups.value()[4]);
  EXPECT_EQ(bytes_between_groups(traffic, groups.value()), 1U);
}

TEST(Grouping, LeavesAGoodOneAlone) {
  const auto traffic = graph::traffic_of(6, {{0, 1, 1, 9}, {2, 3, 1, 9}, {4, 5, 1, 9}});
  EXPECT_THAT(group_ranks(traffic, in_order(6, 2), 3, 1).value(), ElementsAre(0, 0, 1, 1, 2, 2));
  const std::vector<uint32_t> other = {4, 4, 0, 0, 2, 2};
  EXPECT_EQ(group_ranks(traffic, other, 5, 1).value(), other) << "numbers stay too";
}

TEST(Grouping, KeepsSizesAndNeverSendsMore) {
  for (uint64_t round = 0; round < 40; ++round) {
    Random random(round);
    const uint32_t ranks = 1 + random.below(60);
    const uint32_t count = 1 + random.below(20);
    const auto traffic = random_traffic(ranks, 4 * ranks, random);
    std::vector<uint32_t> given;
    for (uint32_t rank = 0; rank < ranks; ++rank) given.push_back(random.below(count));
    const auto groups = group_ranks(traffic, given, count, round);
    ASSERT_TRUE(groups.ok()) << groups.error().message;
    EXPECT_EQ(sizes_of(groups.value(), count), sizes_of(given, count));
    EXPECT_LE(bytes_between_groups(traffic, groups.value()), bytes_between_groups(traffic, given));
    EXPECT_EQ(group_ranks(traffic, given, count, round).value(), groups.value());
  }
}

TEST(Grouping, FindsTheBlocksOfAStencil) {
  const auto traffic = shuffled_stencil({16, 16}, 100, Random(1));
  const auto given = in_order(256, 16);
  const auto groups = group_ranks(traffic, given, 16, 1);
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  // Blocks of 4 x 4: 16 of 64 ends of links leave each.
  EXPECT_LE(bytes_between_groups(traffic, groups.value()), 16U * 16 * 100 * 5 / 4);
}

TEST(Grouping, RefusesGroupsThatDoNotFit) {
  const auto traffic = random_traffic(4, 8, Random(1));
  EXPECT_THAT(group_ranks(traffic, in_order(5, 2), 3, 1).error().message,
              HasSubstr("5 ranks have groups, but 4"));
  EXPECT_THAT(group_ranks(traffic, in_order(4, 1), 3, 1).error().message,
              HasSubstr("rank 3 is in group 3, but there are 3"));
  EXPECT_TRUE(group_ranks(graph::traffic_of(0, {}), {}, 3, 1).value().empty());
}

}  // namespace
}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/partners.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

std::string text_of(uint32_t ranks, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  trace::TestTrace test(ranks);
  uint64_t now = 0;
  for (const auto& [from, to] : pairs) {
    test.on(from).send(now += 10, to, 8);
    test.on(to).recv(now + 5, from, 8);
  }
  const trace::Trace trace = test.finish();
  std::vector<uint32_t> all(trace.messages.size());
  std::iota(all.begin(), all.end(), 0U);
  return partners_text(trace, all);
}

TEST(Partners, NamesTheOneThatReceivesOrSends) {
  EXPECT_EQ(text_of(5, {{1, 0}, {2, 0}, {3, 0}, {4, 0}}), "all to rank 0");
  EXPECT_EQ(text_of(5, {{2, 0}, {2, 1}, {2, 3}, {0, 4}}), "75 % from rank 2");
}

TEST(Partners, NamesTheOneThatAllTalkTo) {
  EXPECT_EQ(text_of(6, {{1, 0}, {0, 1}, {2, 0}, {0, 2}, {3, 0}, {0, 3}, {4, 0}, {0, 4}, {0, 5}}),
            "all with rank 0");
  EXPECT_EQ(
      text_of(6, {{1, 3}, {3, 1}, {2, 3}, {3, 2}, {0, 3}, {3, 0}, {4, 3}, {3, 4}, {5, 5}, {4, 4}}),
      "to 1.7 ranks each");
}

TEST(Partners, NamesTheDistances) {
  std::vector<std::pair<uint32_t, uint32_t>> halo;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (rank % 4 != 3) {
      halo.emplace_back(rank, rank + 1);
      halo.emplace_back(rank + 1, rank);
    }
    if (rank + 4 < 16) {
      halo.emplace_back(rank, rank + 4);
      halo.emplace_back(rank + 4, rank);
    }
  }
  EXPECT_EQ(text_of(16, halo), "all to ranks \u00b11, \u00b14");
}

TEST(Partners, NamesTheDirectionOfWhatGoesOneWay) {
  EXPECT_EQ(text_of(8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), "all to ranks +1");
  EXPECT_EQ(text_of(8, {{1, 0}, {3, 2}, {5, 4}, {7, 6}}), "all to ranks \u22121");
}

TEST(Partners, NamesTheDistancesOfACubeButNotOfAllPairs) {
  std::vector<std::pair<uint32_t, uint32_t>> cube;
  std::vector<std::pair<uint32_t, uint32_t>> all;
  for (uint32_t rank = 0; rank < 8; ++rank) {
    for (const uint32_t side : {1U, 2U, 4U}) cube.emplace_back(rank, rank ^ side);
    for (uint32_t other = 0; other < 8; ++other) {
      if (other != rank) all.emplace_back(rank, other);
    }
  }
  EXPECT_EQ(text_of(8, cube), "all to ranks \u00b11, \u00b12, \u00b14");
  EXPECT_EQ(text_of(8, all), "to 7 ranks each");
}

TEST(Partners, CountsThemOtherwise) {
  std::vector<std::pair<uint32_t, uint32_t>> all_to_all;
  for (uint32_t from = 0; from < 12; ++from) {
    for (uint32_t to = 0; to < 12; ++to) {
      if (from != to) all_to_all.emplace_back(from, to);
    }
  }
  EXPECT_EQ(text_of(12, all_to_all), "to 11 ranks each");
}

TEST(Partners, SaysNothingOfTwoRanks) {
  EXPECT_EQ(text_of(2, {{0, 1}}), "");
  EXPECT_EQ(text_of(3, {}), "");
}

}  // namespace
}  // namespace pathline::comm

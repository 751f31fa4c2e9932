// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe_shifts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/rank_grid.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;

TEST(FitShift, TakesTheLeastExtraThatIsExact) {
  const SeenBytes seen[] = {{{16, 12, 8}, 8 * 3 * 17 * 8}, {{15, 12, 8}, 8 * 3 * 16 * 8}};
  const auto shift = fit_shift(1, 3, seen);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->values_per_cell, 3U);
  EXPECT_THAT(shift->extra, ElementsAre(1, 0, 0));
  const SeenBytes none[] = {{{16, 12, 8}, 8 * 17 * 8}, {{15, 12, 8}, 8 * 17 * 8}};
  EXPECT_FALSE(fit_shift(1, 3, none));
  const SeenBytes empty[] = {{{16, 12, 8}, 0}};
  EXPECT_FALSE(fit_shift(0, 3, empty));
  const SeenBytes line[] = {{{16, 1, 1}, 24}};
  EXPECT_EQ(fit_shift(0, 1, line)->values_per_cell, 3U);
}

TEST(MoveBetween, AgreesWithTheGridOfTheModel) {
  for (const std::vector<uint32_t>& ranks :
       std::vector<std::vector<uint32_t>>{{7}, {3, 4}, {2, 5}, {3, 1, 4}, {2, 2, 3}}) {
    const predict::RankGrid grid(std::vector<uint32_t>(ranks.size(), 100), ranks,
                                 std::vector<bool>(ranks.size(), true));
    for (uint32_t from = 0; from < grid.count(); ++from) {
      for (uint32_t to = 0; to < grid.count(); ++to) {
        const auto move = move_between(from, to, ranks);
        bool is_neighbor = false;
        for (uint32_t axis = 0; axis < ranks.size(); ++axis) {
          for (const bool up : {false, true}) {
            if (from == to || grid.neighbour(from, axis, up) != to) continue;
            is_neighbor = true;
            ASSERT_TRUE(move) << from << " to " << to;
            EXPECT_EQ(move->axis, axis);
            if (ranks[axis] > 2) {
              EXPECT_EQ(move->up, up);
            }
          }
        }
        EXPECT_EQ(move.has_value(), is_neighbor) << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace pathline::app

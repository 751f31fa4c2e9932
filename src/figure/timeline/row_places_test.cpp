// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/row_places.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::figure {
namespace {

using testing::ElementsAre;

/// Rows that compute for 70 to 71 % of the time and wait for the rest.
std::vector<RowSignature> alike(size_t count) {
  std::vector<RowSignature> rows(count);
  for (size_t i = 0; i < count; ++i) {
    rows[i][0] = 0.7F + 0.001F * static_cast<float>(i % 10);
    rows[i][1] = 1 - rows[i][0];
  }
  return rows;
}

TEST(RowPlaces, LeaveRowsThatAreAlikeOrHighEnoughAlone) {
  EXPECT_FALSE(places_of_rows(alike(1000), 500, 6));
  auto rows = alike(100);
  rows[3] = {};
  EXPECT_FALSE(places_of_rows(rows, 600, 6)) << "six pixels each";
}

TEST(RowPlaces, GiveTheOddOnesARowOfTheirOwn) {
  auto rows = alike(1000);
  rows[0] = {0, 0, 1};            // a master
  rows[417] = {0.99F, 0.01F};     // a slow one
  rows[418] = {0.75F, 0.25F, 0};  // a bit different
  const auto places = places_of_rows(rows, 500, 6);
  ASSERT_TRUE(places);
  EXPECT_THAT(places->unlike, ElementsAre(0U, 417U));
  ASSERT_EQ(places->tops.size(), 1001U);
  EXPECT_EQ(places->tops.front(), 0U);
  EXPECT_EQ(places->tops.back(), 500U);
  EXPECT_TRUE(std::is_sorted(places->tops.begin(), places->tops.end()));
  for (const uint32_t row : places->unlike) {
    EXPECT_NEAR(places->tops[row + 1] - places->tops[row], 6, 1) << row;
  }
}

TEST(RowPlaces, AreFewHoweverManyAreOdd) {
  auto rows = alike(4000);
  for (size_t i = 0; i < rows.size(); i += 20) rows[i] = {0, 0, 1};
  const auto places = places_of_rows(rows, 400, 6);
  ASSERT_TRUE(places);
  EXPECT_EQ(places->unlike.size(), 10U);
}

}  // namespace
}  // namespace pathline::figure

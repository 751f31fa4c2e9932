// SPDX-License-Identifier: BSD-3-Clause
#include "graph/traffic.hpp"

#include <gtest/gtest.h>

namespace pathline::graph {
namespace {

TEST(Traffic, HasNoRanksUntilItHasRows) {
  EXPECT_EQ(Traffic().rank_count(), 0U);
  EXPECT_EQ(Traffic().entry_count(), 0U);
}

TEST(Traffic, CountsSendersAlsoWhenTheySentNothing) {
  const Traffic traffic{
      .row = {0, 2, 2, 3}, .receiver = {1, 2, 0}, .messages = {1, 1, 1}, .bytes = {8, 8, 8}};
  EXPECT_EQ(traffic.rank_count(), 3U);
  EXPECT_EQ(traffic.entry_count(), 3U);
}

}  // namespace
}  // namespace pathline::graph

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "profile/profile_file.hpp"

namespace pathline::profile {
namespace {

/// main -> solve -> solve and main -> send; two threads of rank 0, one of rank 1.
MetricTable table() {
  MetricTable table;
  table.metrics = {{.name = "visits", .unit = "occ"}, {.name = "time", .unit = "sec"}};
  table.call_paths = {{MetricNode::kNoParent, "main"}, {0, "solve"}, {1, "solve"}, {0, "send"}};
  table.location_count = 3;
  table.rank_of_location = {trace::Rank(0), trace::Rank(0), trace::Rank(1)};
  table.values = {{1, 0, 1, 2, 2, 2, 4, 0, 0, 3, 0, 5},
                  {1, 0, 1, 0.5, 0.25, 0, 2, 0, 0, 1e-9, 0, -1}};
  return table;
}

TEST(FromTable, KeepsVisitsAndTimesInNanoseconds) {
  const auto made = from_table(table());
  ASSERT_TRUE(made.ok());
  const auto& [trace, profile, has_visits, has_times] = made.value();
  EXPECT_TRUE(has_visits);
  EXPECT_TRUE(has_times);
  EXPECT_EQ(trace.rank_count, 2U);
  const auto rows = by_region(trace, {}, profile);
  ASSERT_EQ(rows.size(), 3U);
  // Recursion counts once; ranks are sums of their threads.
  EXPECT_EQ(region_labels(trace, profile)[rows[0].region], "solve");
  EXPECT_EQ(rows[0].visits, 10U);
  EXPECT_EQ(rows[0].inclusive_ticks, 2'750'000'000U);
  EXPECT_EQ(rows[0].exclusive_ticks, 2'750'000'000U);
  EXPECT_EQ(rows[0].exclusive_min_ticks, 0U);
  EXPECT_EQ(rows[0].exclusive_max_ticks, 2'750'000'000U);
  // What is below 0 is taken as that.
  EXPECT_EQ(region_labels(trace, profile)[rows[2].region], "send");
  EXPECT_EQ(rows[2].exclusive_ticks, 1U);
  EXPECT_EQ(by_call_path(trace, {}, profile).size(), 4U);
  const auto ranks = by_rank(trace, profile);
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].visits, 12U);
  EXPECT_EQ(ranks[1].exclusive_ticks, 1'000'000'000U);
}

TEST(FromTable, SaysWhatATableDoesNotHave) {
  MetricTable only_visits = table();
  only_visits.values[1].clear();  // declared, but without data
  only_visits.rank_of_location.clear();
  const auto made = from_table(only_visits);
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made.value().has_times);
  EXPECT_TRUE(made.value().has_visits);
  EXPECT_EQ(made.value().trace.rank_count, 0U);
  EXPECT_TRUE(by_rank(made.value().trace, made.value().profile).empty());
  EXPECT_EQ(from_table({}).error().code, base::ErrorCode::kNotFound);
}

TEST(FromTable, HugeValuesStayWithinTheirNumber) {
  MetricTable huge = table();
  huge.values[1].assign(12, 1e300);
  const auto made = from_table(huge);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().profile.by_location[0][0].exclusive_ticks, uint64_t{1} << 53);
}

}  // namespace
}  // namespace pathline::profile

// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/profile_value.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/metric_table.hpp"

namespace pathline::campaign {
namespace {

using profile::MetricNode;
using profile::MetricTable;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::Optional;

/// Rank 0 has two threads, rank 1 one. solve calls itself.
MetricTable three_threads() {
  MetricTable table;
  table.metrics = {{.name = "time", .unit = "sec"},
                   {.name = "visits", .unit = "occ"},
                   {.name = "bytes_sent", .unit = "bytes"},
                   {.name = "bytes_received", .unit = "bytes"}};
  table.call_paths = {{MetricNode::kNoParent, "main"},
                      {0, "solve"},
                      {1, "solve"},
                      {2, "MPI_Allreduce"},
                      {0, "MPI_Send"}};
  table.location_count = 3;
  table.rank_of_location = {trace::Rank(0), trace::Rank(0), trace::Rank(1)};
  table.values = {{1, 2, 3,     // main
                   10, 20, 40,  // main->solve
                   4, 0, 0,     // main->solve->solve
                   5, 0, 6,     // main->solve->solve->MPI_Allreduce
                   7, 0, 8},    // main->MPI_Send
                  {1, 1, 1, 2, 0, 2, 3, 0, 3, 9, 0, 9, 5, 0, 5},
                  {0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 100, 0, 200},
                  {0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 32, 0, 0, 0}};
  return table;
}

std::optional<double> of(const std::string& regions, const std::string& value) {
  return profile_value(three_threads(), regions, value);
}

TEST(ProfileValue, SumsARegionOverItsCallPathsAndLocations) {
  EXPECT_THAT(of("solve", "exclusive_s"), Optional(74.0));
  EXPECT_THAT(of("solve", "visits"), Optional(10.0));
  EXPECT_THAT(of("MPI_Send", "bytes_sent"), Optional(300.0));
  EXPECT_THAT(of("MPI_Allreduce", "bytes_received"), Optional(64.0));
}

TEST(ProfileValue, CountsRecursionOnceInInclusiveTime) {
  EXPECT_THAT(of("solve", "inclusive_s"), Optional(74.0 + 11));
  EXPECT_THAT(of("main", "inclusive_s"), Optional(6.0 + 74 + 11 + 15)) << "all there is";
}

TEST(ProfileValue, ComparesRanksWithTheirThreadsSummed) {
  // Rank 0: 10 + 20 + 4, rank 1: 40.
  EXPECT_THAT(of("solve", "exclusive_min_s"), Optional(34.0));
  EXPECT_THAT(of("solve", "exclusive_max_s"), Optional(40.0));
  EXPECT_THAT(of("solve", "exclusive_mean_s"), Optional(37.0));
  EXPECT_THAT(of("solve", "imbalance"), Optional(DoubleEq(40.0 / 37)));
}

TEST(ProfileValue, TakesLocationsForRanksWhereNoneAreKnown) {
  MetricTable table = three_threads();
  table.rank_of_location.clear();
  EXPECT_THAT(profile_value(table, "solve", "exclusive_min_s"), Optional(14.0));
  EXPECT_THAT(profile_value(table, "solve", "exclusive_max_s"), Optional(40.0));
}

TEST(ProfileValue, HasNoImbalanceWhereNoTimePassed) {
  MetricTable table = three_threads();
  table.values[0].assign(table.values[0].size(), 0);
  EXPECT_THAT(profile_value(table, "solve", "imbalance"), Optional(0.0));
}

TEST(ProfileValue, FindsRegionsByWildcards) {
  EXPECT_THAT(of("MPI_*", "exclusive_s"), Optional(26.0));
  EXPECT_THAT(of("MPI", "exclusive_s"), Optional(26.0)) << "all functions of MPI";
  EXPECT_THAT(of("m??n", "exclusive_s"), Optional(6.0));
  EXPECT_THAT(of("*", "exclusive_s"), Optional(106.0));
}

TEST(ProfileValue, FindsCallPaths) {
  EXPECT_THAT(of("main->solve", "exclusive_s"), Optional(70.0));
  EXPECT_THAT(of("main->solve->solve", "exclusive_s"), Optional(4.0));
  EXPECT_THAT(of("main->solve", "inclusive_s"), Optional(85.0)) << "with all below it";
  EXPECT_THAT(of("*->MPI_Allreduce", "visits"), Optional(18.0));
  EXPECT_EQ(of("solve->MPI_Allreduce", "visits"), std::nullopt) << "a path begins at its root";
}

TEST(ProfileValue, TakesOtherLettersOfNamesAsTheyAre) {
  for (const char* name : {"sum(int[3])", "Grid::operator[]", "a[!b]", "C:\\x\\main"}) {
    MetricTable table = three_threads();
    table.call_paths[1].region = name;
    EXPECT_THAT(profile_value(table, name, "exclusive_s"), Optional(70.0)) << name;
  }
  EXPECT_EQ(of("[ms]*", "exclusive_s"), std::nullopt) << "no set of letters";
}

TEST(ProfileValue, IsNoneForWhatTheProfileHasNot) {
  EXPECT_EQ(of("compute", "exclusive_s"), std::nullopt);
  EXPECT_EQ(of("", "exclusive_s"), std::nullopt);
  MetricTable table = three_threads();
  table.values[2].clear();
  EXPECT_EQ(profile_value(table, "MPI_Send", "bytes_sent"), std::nullopt) << "no data";
  table.metrics.erase(table.metrics.begin() + 1);
  table.values.erase(table.values.begin() + 1);
  EXPECT_EQ(profile_value(table, "MPI_Send", "visits"), std::nullopt) << "no such metric";
  EXPECT_EQ(profile_value(MetricTable{}, "*", "exclusive_s"), std::nullopt);
}

TEST(ProfileValue, AdvisesOnNamesOfValues) {
  for (const char* value :
       {"visits", "exclusive_s", "inclusive_s", "exclusive_min_s", "imbalance", "exclusive_max_s",
        "exclusive_mean_s", "bytes_sent", "bytes_received"}) {
    EXPECT_EQ(advice_on_value(value), "");
  }
  EXPECT_EQ(advice_on_value("exclusiv_s"), "Did you mean 'exclusive_s'?");
  EXPECT_THAT(advice_on_value("flops_per_joule"), HasSubstr("There are exclusive_s, inclusive_s,"));
}

}  // namespace
}  // namespace pathline::campaign

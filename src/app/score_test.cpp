// SPDX-License-Identifier: BSD-3-Clause
#include "app/score.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using ::testing::ElementsAre;
using trace::EventKind;

base::RegionFilter filter(std::string_view patterns) {
  base::RegionFilter filter;
  base::FilterError error;
  const std::string text =
      "SCOREP_REGION_NAMES_BEGIN EXCLUDE " + std::string(patterns) + " SCOREP_REGION_NAMES_END";
  EXPECT_TRUE(filter.parse(text, error)) << error.text;
  return filter;
}

std::vector<std::string> names(const Score& score) {
  std::vector<std::string> names;
  for (const ScoreRow& row : score.rows)
    names.push_back(fmt::format("{} {}", row.label, row.group));
  return names;
}

class ScoreTest : public ::testing::Test {
 protected:
  // Times are nanoseconds. Rank 0: main calls tiny 200 times, 5 ns each, and helper, which calls
  // MPI_Barrier. Rank 1: main only.
  ScoreTest() {
    const auto main = test_.region("main");
    const auto tiny = test_.region("tiny func");
    const auto helper = test_.region("helper");
    const auto barrier =
        test_.region("MPI_Barrier", trace::RegionRole::kBarrier, "", 0, trace::kParadigmMpi);
    test_.on(0).enter(0, main);
    for (uint64_t i = 0; i < 200; ++i)
      test_.on(0).enter(100 + 10 * i, tiny).leave(105 + 10 * i, tiny);
    test_.on(0).enter(3000, helper).enter(3100, barrier).add(EventKind::kMpiCollectiveBegin, 3100);
    test_.on(0).add(EventKind::kMpiCollectiveEnd, 3200,
                    {0, trace::TestTrace::kWorld, trace::kUndefined, 0, 0, 0, 0});
    test_.on(0).leave(3200, barrier).leave(3300, helper).leave(10'000, main);
    test_.on(1).enter(0, main).leave(10'000, main);
    trace_ = test_.finish();
  }
  trace::TestTrace test_{2};
  trace::Trace trace_;
  base::ThreadPool pool_{1};
};

TEST_F(ScoreTest, CountsCallsTimeAndBytesByHand) {
  const Score score = app::score(trace_, {}, pool_);
  EXPECT_THAT(names(score),
              ElementsAre("tiny func usr", "main com", "MPI_Barrier mpi", "helper com"));
  const ScoreRow& tiny = score.rows[0];
  EXPECT_EQ(tiny.calls, 200U);
  EXPECT_DOUBLE_EQ(tiny.time_s, 1000e-9);
  // An enter or leave: time 9, kind 1, id 200 and more 2.
  EXPECT_EQ(tiny.trace_bytes, 200U * (12 + 12));
  // Enter; begin 2, at the same time; end: time 9, kind and length 2, operation 1, communicator 70
  // 2, no root 1, bytes 1 and 1; leave at the same time.
  EXPECT_EQ(score.rows[2].trace_bytes, 12U + 2 + (9 + 2 + 1 + 2 + 1 + 1 + 1) + 3);
  uint64_t sum = 0;
  for (const ScoreRow& row : score.rows) sum += row.trace_bytes;
  EXPECT_EQ(score.trace_bytes, sum);
  EXPECT_EQ(score.bytes_of_ranks[0] + score.bytes_of_ranks[1], sum);
  EXPECT_EQ(score.bytes_of_ranks[1], 24U);
}

TEST_F(ScoreTest, ProposesToLeaveOutManyShortCalls) {
  const std::string text = proposed_filter(trace_, app::score(trace_, {}, pool_));
  EXPECT_EQ(text,
            "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE\n    tiny\\ func\nSCOREP_REGION_NAMES_END\n");
  base::RegionFilter read;
  base::FilterError error;
  ASSERT_TRUE(read.parse(text, error));
  EXPECT_TRUE(read.excludes("tiny func"));
  EXPECT_FALSE(read.excludes("tiny"));
}

TEST_F(ScoreTest, TellsWhatAFilterSavesAndNeverLeavesOutMpi) {
  const Score all = app::score(trace_, {}, pool_);
  const Score score = app::score(trace_, filter("tiny* MPI_* helper"), pool_);
  EXPECT_EQ(score.filtered_regions, 2U);
  EXPECT_EQ(score.trace_bytes, all.trace_bytes);
  EXPECT_EQ(score.filtered_bytes, all.rows[0].trace_bytes + all.rows[3].trace_bytes);
  EXPECT_EQ(score.kept_of_ranks[1], all.bytes_of_ranks[1]);
  EXPECT_EQ(score.kept_of_ranks[0], all.bytes_of_ranks[0] - score.filtered_bytes);
  EXPECT_FALSE(score.rows[2].filtered) << "MPI_Barrier";
}

TEST_F(ScoreTest, IsTheSameForAnyNumberOfThreads) {
  base::ThreadPool many(5);
  const Score one = app::score(trace_, {}, pool_);
  const Score five = app::score(trace_, {}, many);
  EXPECT_EQ(names(one), names(five));
  EXPECT_EQ(one.bytes_of_ranks, five.bytes_of_ranks);
}

}  // namespace
}  // namespace pathline::app

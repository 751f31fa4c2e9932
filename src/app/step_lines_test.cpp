// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_lines.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

/// Steps of 1,000 ns a rank, of which compute(rank, step) are outside of MPI.
template <class Compute>
steps::Table table_of(uint32_t steps, uint32_t ranks, Compute compute) {
  steps::Table table;
  for (uint32_t step = 0; step < steps; ++step) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      steps::Row row{.step = step,
                     .rank = rank,
                     .begin_ticks = 1000 * step,
                     .end_ticks = 1000 * (step + 1),
                     .counters = {}};
      row.counters.mpi_ticks = 1000 - compute(rank, step);
      table.rows.push_back(row);
    }
  }
  return table;
}

trace::Trace clock_of_nanoseconds() {
  trace::TestTrace test(1);
  return test.finish();
}

TEST(StepLines, NameTheRankThatComputesMost) {
  const trace::Trace trace = clock_of_nanoseconds();
  const auto lines = step_lines(trace, table_of(2, 3, [](uint32_t rank, uint32_t step) {
                                  return rank == 1 && step == 1 ? 900U : 300U;
                                }));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].ranks, 3U);
  EXPECT_DOUBLE_EQ(lines[1].mean_s, 1e-6);
  EXPECT_DOUBLE_EQ(lines[1].compute_mean_s, 500e-9);
  EXPECT_DOUBLE_EQ(lines[1].compute_max_s, 900e-9);
  EXPECT_EQ(lines[1].compute_max_rank, 1U);
  EXPECT_DOUBLE_EQ(lines[1].mpi_mean_s, 500e-9);
}

TEST(StepLines, KeepApartStepsThatAreCountedAgain) {
  const trace::Trace trace = clock_of_nanoseconds();
  steps::Table table = table_of(2, 2, [](uint32_t, uint32_t) { return 400U; });
  // As the table has them: by step, rank, begin.
  std::vector<steps::Row> rows;
  for (steps::Row row : table.rows) {
    row.counters.sent_messages = 1;
    rows.push_back(row);
    row.begin_ticks += 5000;
    row.end_ticks += 5500;
    rows.push_back(row);
  }
  table.rows = rows;
  const auto lines = step_lines(trace, table);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1].step, 1U);
  EXPECT_EQ(lines[2].step, 0U);
  EXPECT_DOUBLE_EQ(lines[2].begin_s, 5e-6);
  EXPECT_DOUBLE_EQ(lines[2].mean_s, 1.5e-6);
  EXPECT_EQ(lines[2].ranks, 2U);
  EXPECT_EQ(lines[2].sent_messages, 2U);
}

TEST(StepTrends, FindTheRankWhoseWorkGrows) {
  const trace::Trace trace = clock_of_nanoseconds();
  const auto trends = step_trends(trace, table_of(20, 4, [](uint32_t rank, uint32_t step) {
                                    return rank == 2 ? 100 + 30 * step : 300 + step % 3;
                                  }));
  ASSERT_EQ(trends.size(), 1U);
  EXPECT_EQ(trends[0].rank, 2U);
  EXPECT_NEAR(trends[0].s_per_step, 30e-9, 1e-15);
  EXPECT_NEAR(trends[0].last_s, 670e-9, 1e-15);
  EXPECT_EQ(trend_text(trends),
            "compute time of rank 2 grows from 100 ns to 670 ns: +30 ns a step");
}

TEST(StepTrends, AreNoneWhereWorkIsTheSameOrWild) {
  const trace::Trace trace = clock_of_nanoseconds();
  EXPECT_TRUE(step_trends(trace, table_of(20, 4, [](uint32_t, uint32_t) { return 300U; })).empty());
  EXPECT_TRUE(step_trends(trace, table_of(20, 4,
                                          [](uint32_t rank, uint32_t step) {
                                            return 300 + (rank * 7 + step * 13) % 29 * 10;
                                          }))
                  .empty());
  EXPECT_TRUE(
      step_trends(trace, table_of(5, 4, [](uint32_t, uint32_t step) { return 100 + 50 * step; }))
          .empty())
      << "too few steps";
  EXPECT_EQ(trend_text({}), "");
}

}  // namespace
}  // namespace pathline::app

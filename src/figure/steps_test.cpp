// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/step_table.hpp"
#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::CellGrid;
using layout::Color;
using testing::HasSubstr;
using trace::TestTrace;
using trace::Trace;

constexpr uint64_t kMs = 1'000'000;

/// Steps of 10 ms on each rank, of which rank r spends r ms in MPI, in step 2 twice as many.
Trace steps_of(uint32_t rank_count, uint32_t step_count) {
  TestTrace test(rank_count);
  const trace::Region step = test.region("time step");
  const trace::Region call = test.region("MPI_Barrier");
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    for (uint64_t i = 0; i < step_count; ++i) {
      const uint64_t begin = 10 * kMs * i;
      test.on(rank).enter(begin, step).enter(begin, call);
      test.on(rank).leave(begin + (i == 2 ? 2 : 1) * rank * kMs, call);
      test.on(rank).leave(begin + 10 * kMs, step);
    }
  }
  return test.finish();
}

base::Result<layout::Scene> draw(const Trace& trace, const trace::Selection& selection = {},
                                 const Options& options = {}) {
  base::ThreadPool pool(1);
  const auto table = comm::step_table(trace, trace::marked_steps(trace), selection, pool);
  return steps(trace, selection, table, {}, options);
}

Color at(const layout::Scene& scene, uint32_t row, uint32_t column) {
  const CellGrid& grid = *layers_of<CellGrid>(scene).at(0);
  return grid.cells.at(size_t{row} * grid.column_count + column);
}

TEST(StepsFigure, ColoursEachRankAndStepByItsShareOfMpi) {
  const auto scene = draw(steps_of(4, 5));
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const CellGrid& grid = *layers_of<CellGrid>(scene.value()).at(0);
  ASSERT_EQ(grid.column_count, 5U);
  ASSERT_EQ(grid.row_count, 4U);
  const layout::Ramp& heat = layout::light_theme().heat;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    for (uint32_t step = 0; step < 5; ++step) {  // Up to 60 %, on rank 3 in step 2.
      EXPECT_EQ(at(scene.value(), rank, step), heat.at(rank * (step == 2 ? 2 : 1) / 6.0));
    }
  }
}

TEST(StepsFigure, NamesItsAxesAndUnits) {
  const auto scene = draw(steps_of(4, 5));
  ASSERT_TRUE(scene.ok());
  const auto labels = labels_of(scene.value());
  for (const char* text : {"rank", "time step", "time of a rank", "time in MPI", "60 %", "10 ms",
                           "median time in MPI", "fastest to slowest rank", "3", "4"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
  EXPECT_THAT(labels.at(1).text, HasSubstr("5 time steps on 4 ranks, median 10"));
}

TEST(StepsFigure, PutsStepsThatAreCountedAgainBehindTheOthers) {
  const Trace trace = steps_of(2, 6);
  base::ThreadPool pool(1);
  auto table = comm::step_table(trace, trace::marked_steps(trace), {}, pool);
  for (steps::Row& row : table.rows) row.step %= 3;
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.step, a.rank, a.begin_ticks) < std::tie(b.step, b.rank, b.begin_ticks);
  });
  const auto scene = steps(trace, {}, table, {}, {});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_EQ(layers_of<CellGrid>(scene.value()).at(0)->column_count, 6U);
  const layout::Ramp& heat = layout::light_theme().heat;
  for (uint32_t step = 0; step < 6; ++step) {
    EXPECT_EQ(at(scene.value(), 1, step), heat.at(step == 2 ? 1 : 0.5));
  }
  EXPECT_THAT(labels_of(scene.value()).at(1).text, HasSubstr("6 time steps on 2 ranks"));
}

/// Of 300 threads in MPI together the share of a rank is 30,000 %.
TEST(StepsFigure, HasFewTicksForTheTimesOfManyThreads) {
  const Trace trace = steps_of(2, 3);
  base::ThreadPool pool(1);
  auto table = comm::step_table(trace, trace::marked_steps(trace), {}, pool);
  for (steps::Row& row : table.rows) row.counters.mpi_ticks = 3000 * kMs;
  const auto scene = steps(trace, {}, table, {}, {});
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const auto labels = labels_of(scene.value());
  const auto is_share = [](const auto& label) { return label.text.ends_with(" %"); };
  EXPECT_LE(std::count_if(labels.begin(), labels.end(), is_share), 8);
  EXPECT_NE(find_label(labels, "10000 %"), nullptr);
}

TEST(StepsFigure, ShowsTheChosenRanksAndTimes) {
  const auto scene = draw(steps_of(4, 5), {.from_ticks = 15 * kMs, .ranks = {false, true, true}});
  ASSERT_TRUE(scene.ok());
  const CellGrid& grid = *layers_of<CellGrid>(scene.value()).at(0);
  EXPECT_EQ(grid.column_count, 3U);
  EXPECT_EQ(grid.row_count, 2U);
}

TEST(StepsFigure, PutsStepsTogetherWhereTheyAreMoreThanPixels) {
  const auto scene = draw(steps_of(3, 5000));
  ASSERT_TRUE(scene.ok());
  const CellGrid& grid = *layers_of<CellGrid>(scene.value()).at(0);
  EXPECT_EQ(grid.column_count, static_cast<uint32_t>(grid.area.w));
}

TEST(StepsFigure, RefusesWhatCannotBeDrawn) {
  EXPECT_THAT(draw(TestTrace(2).finish()).error().message, HasSubstr("no time step"));
  Options options;
  options.width_px = 200;
  options.height_px = 120;
  EXPECT_THAT(draw(steps_of(2, 3), {}, options).error().message, HasSubstr("200x120"));
}

}  // namespace
}  // namespace pathline::figure

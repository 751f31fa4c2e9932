// SPDX-License-Identifier: BSD-3-Clause
#include "figure/compare/compare.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/step_table.hpp"
#include "figure/frame.hpp"
#include "figure/test_scene.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::Boxes;
using layout::CellGrid;
using layout::Scene;
using testing::HasSubstr;
using trace::TestTrace;
using trace::Trace;

constexpr uint64_t kMs = 1'000'000;

/// Steps of `step_ms`, a third of it in MPI, on each of the ranks; each sends `bytes` to the next.
Trace run_of(uint32_t ranks, uint32_t steps, uint64_t step_ms, uint64_t bytes,
             const char* work = "work") {
  TestTrace test(ranks);
  const trace::Region step = test.region("time step");
  const trace::Region own = test.region(work);
  const trace::Region call = test.region("MPI_Barrier");
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (uint64_t i = 0; i < steps; ++i) {
      const uint64_t begin = step_ms * kMs * i;
      const uint64_t middle = begin + 2 * step_ms * kMs / 3;
      test.on(rank).enter(begin, step).enter(begin, own);
      test.on(rank).recv(begin + 3, (rank + ranks - 1) % ranks, bytes);
      test.on(rank).send(begin + 2, (rank + 1) % ranks, bytes);
      test.on(rank).leave(middle, own).enter(middle, call);
      test.on(rank).leave(begin + step_ms * kMs, call).leave(begin + step_ms * kMs, step);
    }
  }
  return test.finish();
}

/// Two runs, and what is drawn of them.
struct Pair {
  Trace before;
  Trace after;
  trace::Selection all;
  Options options;
  base::ThreadPool pool{1};

  ComparedRun was() { return {before, all, "slow"}; }
  ComparedRun is() { return {after, all, "fast"}; }

  base::Result<Scene> profiles() {
    return profile_comparison(was(), profile::from_trace(before, all, pool), is(),
                              profile::from_trace(after, all, pool), options);
  }
  base::Result<Scene> matrices() {
    return matrix_comparison(was(), comm::matrix(before, all, {}, pool), is(),
                             comm::matrix(after, all, {}, pool), options);
  }
  base::Result<Scene> steps() {
    return steps_comparison(was(), comm::step_table(before, trace::marked_steps(before), all, pool),
                            is(), comm::step_table(after, trace::marked_steps(after), all, pool),
                            {}, options);
  }
  base::Result<Scene> timelines() {
    return timeline_comparison(was(), {trace::marked_steps(before), "step"}, is(),
                               {trace::marked_steps(after), "step"}, options, pool);
  }
};

std::string text_of(const base::Result<Scene>& scene) {
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  std::string text;
  if (!scene.ok()) return text;
  for (const layout::Label& label : labels_of(scene.value())) text += label.text + "\n";
  return text;
}

TEST(Comparison, SaysWhatBecameOfTheTimeInEveryPicture) {
  Pair pair{.before = run_of(4, 5, 30, 100), .after = run_of(4, 5, 15, 100)};
  for (const auto& scene : {pair.profiles(), pair.matrices(), pair.steps(), pair.timelines()}) {
    EXPECT_THAT(text_of(scene), HasSubstr("time 150 ms \u2192 75.0 ms (-50 %)"));
  }
}

TEST(Comparison, PutsRegionsOfTheSameNameBesideEachOther) {
  Pair pair{.before = run_of(2, 5, 30, 100, "old_kernel"),
            .after = run_of(2, 5, 15, 100, "kernel")};
  const std::string text = text_of(pair.profiles());
  EXPECT_THAT(text, HasSubstr("50.0 ms \u2192 25.0 ms (-50 %)")) << "MPI_Barrier";
  EXPECT_THAT(text, HasSubstr("gone: 100 ms"));
  EXPECT_THAT(text, HasSubstr("new: 50.0 ms"));
}

TEST(Comparison, ColoursTheCellsOfAMatrixByHowTheyDiffer) {
  Pair pair{.before = run_of(4, 5, 30, 100), .after = run_of(4, 5, 30, 300)};
  const auto scene = pair.matrices();
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const layout::Theme& theme = layout::light_theme();
  const CellGrid& grid = *layers_of<CellGrid>(scene.value()).at(0);
  ASSERT_EQ(grid.cells.size(), 16U);
  for (size_t i = 0; i < 16; ++i) {
    const bool talks = i % 4 == (i / 4 + 1) % 4;
    EXPECT_EQ(grid.cells[i], talks ? theme.diverging.at(1) : theme.plot_background) << i;
  }
  EXPECT_THAT(text_of(scene), HasSubstr("bytes 2.00 kB \u2192 6.00 kB (+200 %)"));
  EXPECT_THAT(text_of(scene), HasSubstr("+1.00 kB"));
  Pair other{.before = run_of(4, 5, 30, 100), .after = run_of(8, 5, 30, 100)};
  const auto refused = other.matrices();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("slow has 4 ranks and fast has 8"));
}

TEST(Comparison, PutsStepsOfTheSameNumberAboveEachOther) {
  Pair pair{.before = run_of(4, 8, 30, 100), .after = run_of(2, 5, 15, 100)};
  const auto scene = pair.steps();
  EXPECT_THAT(text_of(scene), HasSubstr("time steps: 8 \u2192 5, median 30.0 ms \u2192 15.0 ms"));
  const auto grids = layers_of<CellGrid>(scene.value());
  ASSERT_EQ(grids.size(), 3U) << "both, and the scale";
  EXPECT_EQ(grids[0]->row_count, 4U);
  EXPECT_EQ(grids[1]->row_count, 2U);
  for (const size_t i : {0U, 1U}) EXPECT_EQ(grids[i]->column_count, 8U);
  EXPECT_EQ(grids[0]->area.x, grids[1]->area.x);
  EXPECT_EQ(grids[0]->area.w, grids[1]->area.w);
  const layout::Color none = layout::light_theme().plot_background;
  EXPECT_EQ(grids[1]->cells[4], grids[0]->cells[4]) << "a third of each is MPI";
  EXPECT_EQ(grids[1]->cells[5], none) << "the shorter run has ended";
}

TEST(Comparison, DrawsASecondAsLongInBothTimelines) {
  Pair pair{.before = run_of(2, 6, 30, 100), .after = run_of(12, 6, 10, 100)};
  const auto scene = pair.timelines();
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  const auto grids = layers_of<CellGrid>(scene.value());
  ASSERT_EQ(grids.size(), 2U);
  EXPECT_EQ(grids[0]->area.x, grids[1]->area.x);
  EXPECT_EQ(grids[0]->area.w, grids[1]->area.w);
  EXPECT_GT(grids[1]->area.y, grids[0]->area.bottom());
  EXPECT_LE(grids[1]->area.bottom(), pair.options.height_px);
  // The second run ends after a third of the time.
  const layout::Color none = layout::light_theme().plot_background;
  const auto is_free = [&](const CellGrid& grid, double share) {
    const auto column = static_cast<uint32_t>(share * grid.column_count);
    const layout::Color color = grid.cells[column];
    return color == none || color == layout::kTransparent;
  };
  EXPECT_FALSE(is_free(*grids[0], 0.9));
  EXPECT_FALSE(is_free(*grids[1], 0.3));
  EXPECT_TRUE(is_free(*grids[1], 0.4));
}

}  // namespace
}  // namespace pathline::figure

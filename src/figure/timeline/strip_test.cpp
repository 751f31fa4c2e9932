// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/strip.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/timeline/test_timeline.hpp"

namespace pathline::figure {
namespace {

using layout::Label;

Options with(MessageMode mode) {
  Options options;
  options.messages = mode;
  return options;
}

Scene draw_with(const Trace& trace, const Options& options, TimelineReport* report = nullptr,
                const StepMarks& steps = {}) {
  base::ThreadPool pool(2);
  auto scene = timeline(trace, {}, options, steps, pool, report);
  return std::move(scene).value();
}

/// Many messages between all neighbours of a ring.
Trace ring(uint32_t ranks, uint64_t rounds) {
  TestTrace test(ranks);
  const Region main = test.region("main");
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).enter(0, main);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      test.on(rank).send(100 * round + 10, (rank + 1) % ranks, 8);
    }
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      test.on(rank).recv(100 * round + 60, (rank + ranks - 1) % ranks, 8);
    }
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).leave(100 * rounds, main);
  return test.finish();
}

TEST(MessageMode, IsLinesWhereTheyCanBeFollowedAndTheStripElsewhere) {
  TimelineReport report;
  draw_with(ring(8, 4), {}, &report);
  EXPECT_EQ(report.mode, MessageMode::kLines);
  EXPECT_EQ(report.bundled.mode, "none");
  draw_with(ring(8, 4000), {}, &report);
  EXPECT_EQ(report.mode, MessageMode::kStrip);
  EXPECT_GT(report.lines_window_s, 0);
  EXPECT_LT(report.lines_window_s, 0.0004);
}

TEST(MessageMode, DoesNotDependOnThePartOfTheRun) {
  const Trace trace = ring(8, 4000);
  base::ThreadPool pool(1);
  for (const uint64_t window : {200'000U, 20'000U, 2'000U, 200U}) {
    std::optional<MessageMode> mode;
    for (uint64_t from = 0; from + window <= 400'000; from += 40'000) {
      trace::Selection selection;
      selection.from_ticks = from + 1;
      selection.until_ticks = from + 1 + window;
      TimelineReport report;
      ASSERT_TRUE(timeline(trace, selection, {}, {}, pool, &report).ok());
      EXPECT_EQ(report.mode, mode.value_or(report.mode)) << window << " from " << from;
      mode = report.mode;
    }
  }
}

TEST(Strip, LeavesTheRowsAsTheyAre) {
  const Trace trace = ring(8, 4000);
  Options invisible;
  invisible.opacity = 0;
  const Scene strip = draw_with(trace, {});
  const Scene bare = draw_with(trace, invisible);
  EXPECT_TRUE(layers_of<Segments>(strip).empty());
  EXPECT_EQ(states(strip).cells, states(bare).cells);
  EXPECT_EQ(states(strip).area.h, states(bare).area.h);
}

TEST(Strip, IsOneChartOfFewRanksAndAHeatMapOfMany) {
  EXPECT_EQ(layers_of<CellGrid>(draw_with(ring(64, 400), with(MessageMode::kStrip))).size(), 1U);
  const Scene many = draw_with(ring(65, 400), with(MessageMode::kStrip));
  const auto grids = layers_of<CellGrid>(many);
  ASSERT_EQ(grids.size(), 2U);
  EXPECT_EQ(grids[1]->row_count, 12U);
  EXPECT_EQ(grids[1]->area.x, grids[0]->area.x);
  EXPECT_EQ(grids[1]->area.w, grids[0]->area.w);
  EXPECT_GE(grids[1]->area.y, grids[0]->area.bottom());
}

TEST(Strip, SaysHowManyAndWhenLinesAppear) {
  // 8 messages in 100 ns.
  const auto labels = labels_of(draw_with(ring(8, 4000), {}));
  EXPECT_NE(find_label(labels, "messages sent"), nullptr);
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const Label& label) {
    return label.text.starts_with("as lines when zoomed to ");
  }));
  const auto rate = std::find_if(labels.begin(), labels.end(),
                                 [](const Label& label) { return label.text.ends_with(" M/s"); });
  ASSERT_NE(rate, labels.end());
  EXPECT_NEAR(std::stod(rate->text), 80, 4);
}

TEST(Strip, ListsTheMessagesSentInAColumn) {
  const Trace trace = ring(8, 40);
  Options options = with(MessageMode::kStrip);
  TimelineReport report;
  const Scene scene = draw_with(trace, options, &report);
  const layout::Rect plot = states(scene).area;
  // Round 20 is sent at 2010 ns of 4000.
  options.pick = Pixel{static_cast<uint32_t>(plot.x + 2010.0 / 4000 * plot.w),
                       static_cast<uint32_t>(plot.bottom() + 10)};
  draw_with(trace, options, &report);
  ASSERT_EQ(report.picked.size(), 8U);
  for (const uint32_t i : report.picked) EXPECT_EQ(trace.messages.send_ticks[i], 2010U);
}

TEST(StepLane, NumbersTheStepsWhereThereIsRoom) {
  const Trace trace = ring(4, 20);
  StepMarks marks;
  marks.windows.resize(4);
  for (uint32_t step = 0; step < 20; ++step) {
    marks.windows[0].push_back({step, 100 * step, 100 * (step + 1)});
  }
  const auto wide = labels_of(draw_with(trace, {}, nullptr, marks));
  EXPECT_NE(find_label(wide, "19"), nullptr);
  EXPECT_NE(find_label(wide, "20 steps, mean 100 ns"), nullptr);
  marks.windows[0].clear();
  for (uint32_t step = 0; step < 1000; ++step) {
    marks.windows[0].push_back({step, 2 * step, 2 * (step + 1)});
  }
  const auto many = labels_of(draw_with(trace, {}, nullptr, marks));
  EXPECT_NE(find_label(many, "step 0 to 999"), nullptr);
}

}  // namespace
}  // namespace pathline::figure

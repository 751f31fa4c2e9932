// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/critical_line.hpp"

#include <gtest/gtest.h>

#include "figure/timeline/test_timeline.hpp"

namespace pathline::figure {
namespace {

/// Four ranks, 1,000 ns: 0 to 400 work, then "solve" until 800, then MPI_Barrier.
Trace four_ranks() {
  TestTrace test(4);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  const Region barrier = test.region("MPI_Barrier");
  for (uint32_t rank = 0; rank < 4; ++rank) {
    test.on(rank).enter(0, main).enter(400, solve).leave(800, solve);
    test.on(rank).enter(800, barrier).leave(1000, barrier).leave(1000, main);
  }
  return test.finish();
}

/// Location 3 until 300, location 0 until 900, location 1 until the end.
const CriticalPath kPath = {{3, 0, 300}, {0, 300, 900}, {1, 900, 1000}};

/// What is drawn, without its rims.
std::vector<layout::Polyline> line_of(const Trace& trace, const trace::Selection& selection,
                                      TimeRange range, const CriticalPath& path = kPath) {
  Scene scene;
  add_critical_line(scene, path, choose_rows(trace, selection), range, {100, 50, 1000, 400},
                    nullptr);
  const auto layers = layers_of<layout::Polylines>(scene);
  EXPECT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers.at(0)->lines.size(), layers.at(1)->lines.size());
  return layers.at(1)->lines;
}

void expect_line(const layout::Polyline& line, layout::Point from, layout::Point to) {
  ASSERT_EQ(line.points.size(), 2U);
  constexpr double kEnd = 1.01;  // Corners are closed.
  EXPECT_NEAR(line.points[0].x, from.x, kEnd);
  EXPECT_NEAR(line.points[0].y, from.y, 0.01);
  EXPECT_NEAR(line.points[1].x, to.x, kEnd);
  EXPECT_NEAR(line.points[1].y, to.y, 0.01);
}

TEST(CriticalLine, RunsAlongTheRowsAndJumpsWhereThePathDoes) {
  const auto lines = line_of(four_ranks(), {}, {0, 1000});
  ASSERT_EQ(lines.size(), 5U);
  // The rows are 100 px high; connectors come first.
  expect_line(lines[0], {400, 100}, {400, 400});
  expect_line(lines[1], {1000, 100}, {1000, 200});
  expect_line(lines[2], {100, 400}, {400, 400});
  expect_line(lines[3], {400, 100}, {1000, 100});
  expect_line(lines[4], {1000, 200}, {1100, 200});
}

TEST(CriticalLine, IsCutAtTheEdgesOfTheTimeShown) {
  const auto lines = line_of(four_ranks(), {}, {500, 700});
  ASSERT_EQ(lines.size(), 1U);
  expect_line(lines[0], {100, 100}, {1100, 100});
}

TEST(CriticalLine, HasAHoleOnRanksThatAreNotShown) {
  const Trace trace = four_ranks();
  trace::Selection selection;
  selection.ranks = {false, true, true, true};
  const auto lines = line_of(trace, selection, {0, 1000});
  ASSERT_EQ(lines.size(), 2U) << "no connector leads there";
  expect_line(lines[0], {100, 50 + 400 * 5 / 6.0}, {400, 50 + 400 * 5 / 6.0});
  expect_line(lines[1], {1000, 50 + 400 / 6.0}, {1100, 50 + 400 / 6.0});
}

TEST(CriticalLine, DoesNotGrowWithThePath) {
  CriticalPath path;
  for (uint32_t i = 0; i < 100'000; ++i) path.push_back({i % 4, 10 * i, 10 * i + 10});
  const auto lines = line_of(four_ranks(), {}, {0, 1'000'000}, path);
  EXPECT_LT(lines.size(), 4000U);
  EXPECT_GE(lines.size(), 1000U) << "one connector in each column";
}

TEST(CriticalLine, SaysWhatThePathIsMadeOf) {
  const Trace trace = four_ranks();
  const CriticalShares all = critical_shares(trace, kPath, choose_rows(trace, {}), {0, 1000});
  ASSERT_EQ(all.regions.size(), 3U);
  EXPECT_EQ(trace.definitions.regions[all.regions[0].first].name, "main");
  EXPECT_DOUBLE_EQ(all.regions[0].second, 0.4);
  EXPECT_DOUBLE_EQ(all.regions[1].second, 0.4);
  EXPECT_DOUBLE_EQ(all.regions[2].second, 0.2);
  EXPECT_EQ(all.hidden, 0);
  const auto whole = critical_legend(trace, kPath, choose_rows(trace, {}), {0, 1000});
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].value, "main 40 %, solve 40 %");

  // Of 500 ns from 450 on rank 0 has 450: 350 in solve, 100 in the barrier.
  trace::Selection selection;
  selection.ranks = {true, false, false, false};
  const Rows rows = choose_rows(trace, selection);
  const CriticalShares part = critical_shares(trace, kPath, rows, {450, 950});
  ASSERT_EQ(part.regions.size(), 2U);
  EXPECT_DOUBLE_EQ(part.regions[0].second, 0.7);
  EXPECT_DOUBLE_EQ(part.regions[1].second, 0.2);
  EXPECT_DOUBLE_EQ(part.hidden, 0.1);
  const auto legend = critical_legend(trace, kPath, rows, {450, 950});
  ASSERT_EQ(legend.size(), 2U);
  EXPECT_EQ(legend[0].value, "solve 70 %") << "there is no room for MPI_Barrier 20 %";
  EXPECT_EQ(legend[1].text, "10 % of it on ranks not shown");
  // Of 300 ns from 601 on one is on another rank.
  EXPECT_EQ(critical_legend(trace, kPath, rows, {601, 901}).size(), 1U);
  EXPECT_EQ(critical_legend(trace, {}, rows, {450, 950}).at(0).value, "not in the time shown");
}

TEST(CriticalLine, StandsInTimelinesAboveTheRows) {
  Options options;
  options.critical = std::make_shared<const CriticalPath>(kPath);
  const Scene scene = draw(four_ranks(), {}, options);
  EXPECT_NE(find_label(labels_of(scene), "critical path"), nullptr);
  EXPECT_NE(find_label(labels_of(scene), "main 40 %, solve 40 %"), nullptr);
  EXPECT_EQ(find_label(labels_of(draw(four_ranks())), "critical path"), nullptr);
}

}  // namespace
}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/cause_marks.hpp"

#include <gtest/gtest.h>

#include "figure/timeline/test_timeline.hpp"

namespace pathline::figure {
namespace {

/// Four ranks, 1,000 ns, twice 500: "solve" for 100 ns, of rank 2 for 300, with a write of 50
/// inside and a call of "norm" for 20 at its end, then MPI_Barrier.
Trace four_ranks() {
  TestTrace test(4);
  const Region main = test.region("main");
  const Region solve = test.region("solve");
  const Region norm = test.region("norm");
  const Region write = test.region("write", trace::RegionRole::kFileIo);
  const Region barrier = test.region("MPI_Barrier");
  for (uint32_t rank = 0; rank < 4; ++rank) {
    test.on(rank).enter(0, main);
    for (const uint64_t begin : {uint64_t{0}, uint64_t{500}}) {
      const uint64_t end = begin + (rank == 2 ? 300 : 100);
      test.on(rank).enter(begin, solve).enter(begin + 10, write).leave(begin + 60, write);
      test.on(rank).enter(end - 20, norm).leave(end, norm).leave(end, solve);
      test.on(rank).enter(end, barrier).leave(begin + 500, barrier);
    }
    test.on(rank).leave(1000, main);
  }
  return test.finish();
}

Region region(const Trace& trace, std::string_view name) {
  for (uint32_t i = 0; i < trace.definitions.regions.size(); ++i) {
    if (trace.definitions.regions[i].name == name) return Region(i);
  }
  return {};
}

Cause solve_of(const Trace& trace, std::vector<uint32_t> ranks, uint64_t from, uint64_t until) {
  return {.name = "1 slow_rank",
          .remark = "20.0 %, rank 2",
          .ranks = std::move(ranks),
          .path = {region(trace, "main"), region(trace, "solve")},
          .begin_ticks = from,
          .end_ticks = until};
}

struct Found {
  uint32_t row;
  uint64_t from;
  uint64_t until;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> spans(const Trace& trace, const Cause& cause, const CriticalPath* critical,
                         const trace::Selection& selection = {}, TimeRange range = {0, 1000}) {
  std::vector<Found> found;
  const Causes causes = {cause};
  for (const auto& visible :
       visible_causes(trace, causes, critical, choose_rows(trace, selection), range)) {
    for (const CauseSpan& span : visible.spans) {
      found.push_back({span.row, span.time.from, span.time.until});
    }
  }
  return found;
}

TEST(CauseMarks, AreTheTimeInTheCallPathWithItsFilesAndWithoutOtherCalls) {
  const Trace trace = four_ranks();
  const CriticalPath none;
  EXPECT_EQ(spans(trace, solve_of(trace, {2}, 0, 1000), &none),
            (std::vector<Found>{{2, 0, 280}, {2, 500, 780}}));
}

TEST(CauseMarks, AreOnlyWhereTheFindingIsLargest) {
  const Trace trace = four_ranks();
  Cause cause = solve_of(trace, {2}, 600, 1000);
  cause.path.push_back(region(trace, "norm"));
  EXPECT_EQ(spans(trace, cause, nullptr), (std::vector<Found>{{2, 780, 800}}));
  EXPECT_TRUE(spans(trace, cause, nullptr, {}, {0, 600}).empty()) << "not in the time shown";
  EXPECT_EQ(spans(trace, cause, nullptr, {}, {790, 1000}), (std::vector<Found>{{2, 790, 800}}));
  trace::Selection selection;
  selection.ranks = {true, true, false, true};
  EXPECT_TRUE(spans(trace, cause, nullptr, selection).empty()) << "its row is not shown";
}

TEST(CauseMarks, OfAllRanksAreOnTheCriticalPath) {
  const Trace trace = four_ranks();
  Cause cause = solve_of(trace, {}, 0, 1000);
  cause.path.push_back(region(trace, "norm"));
  const CriticalPath critical = {{1, 0, 90}, {2, 90, 500}, {3, 500, 585}, {2, 585, 1000}};
  EXPECT_EQ(spans(trace, cause, &critical),
            (std::vector<Found>{{1, 80, 90}, {2, 280, 300}, {2, 780, 800}, {3, 580, 585}}));
  EXPECT_TRUE(spans(trace, cause, nullptr).empty());
}

TEST(CauseMarks, AreSeenInRowsOfAPixel) {
  TestTrace test(512);
  const Region main = test.region("main");
  for (uint32_t rank = 0; rank < 512; ++rank) test.on(rank).enter(0, main).leave(1000, main);
  const Trace trace = test.finish();
  const Causes causes = {{.name = "1 imbalance",
                          .remark = "",
                          .ranks = {100, 101, 102, 103, 400},
                          .path = {main},
                          .begin_ticks = 200,
                          .end_ticks = 300}};
  const Rows rows = choose_rows(trace, {});
  const auto found = visible_causes(trace, causes, nullptr, rows, {0, 1000});
  ASSERT_EQ(found.size(), 1U);
  Scene scene;
  add_cause_outlines(scene, found, rows, {0, 1000}, {100, 50, 1000, 512}, nullptr);
  const auto lines = layers_of<layout::Polylines>(scene).at(1)->lines;
  ASSERT_EQ(lines.size(), 2U) << "neighbours are one";
  for (const layout::Polyline& line : lines) {
    EXPECT_GE(line.points[2].y - line.points[1].y, 6);
    EXPECT_NEAR(line.points[0].x, 300, 3);
    EXPECT_NEAR(line.points[1].x, 400, 3);
  }
}

TEST(CauseMarks, WithoutAPlaceAreOnlyInTheLegend) {
  const Trace trace = four_ranks();
  Cause cause = solve_of(trace, {}, 0, 1000);
  cause.path = {region(trace, "MPI_Barrier")};
  const Causes causes = {cause};
  const Rows rows = choose_rows(trace, {});
  const auto found = visible_causes(trace, causes, nullptr, rows, {0, 1000});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].spans.empty());
  const auto legend = cause_legend(found);
  ASSERT_EQ(legend.size(), 1U);
  EXPECT_EQ(legend[0].color, layout::kTransparent);
}

std::shared_ptr<const Causes> shared(Causes causes) {
  return std::make_shared<const Causes>(std::move(causes));
}

TEST(CauseMarks, AreOutlinedNamedAndInTheLegend) {
  const Trace trace = four_ranks();
  Options options;
  const size_t without = layers_of<layout::Polylines>(draw(trace, {}, options)).size();
  options.causes = shared({solve_of(trace, {2}, 0, 500)});
  const Scene scene = draw(trace, {}, options);
  EXPECT_EQ(layers_of<layout::Polylines>(scene).size(), without + 2) << "a rim and a core";
  const auto labels = labels_of(scene);
  EXPECT_EQ(std::count_if(labels.begin(), labels.end(),
                          [](const auto& label) { return label.text == "1 slow_rank"; }),
            2)
      << "beside it and in the legend";
  EXPECT_NE(find_label(labels, "20.0 %, rank 2"), nullptr);
}

TEST(CauseMarks, HaveNamesThatCoverNothingOfOthers) {
  const Trace trace = four_ranks();
  Causes causes;
  for (int i = 0; i < 9; ++i) {
    causes.push_back(solve_of(trace, {2}, 0, 500));
    causes.back().name = std::to_string(i + 1) + " growing_imbalance";
  }
  for (const double width : {1280.0, 480.0, 240.0}) {
    Options options;
    options.width_px = width;
    options.height_px = 320;
    options.causes = shared(causes);
    const Scene scene = draw(trace, {}, options);
    const auto grounds = layers_of<Boxes>(scene);
    // Names have grounds of one height, in a layer of their own.
    for (const Boxes* boxes : grounds) {
      for (size_t i = 0; i < boxes->x.size(); ++i) {
        if (boxes->h[i] != 14) continue;
        for (size_t j = i + 1; j < boxes->x.size(); ++j) {
          const bool apart = boxes->x[i] + boxes->w[i] <= boxes->x[j] ||
                             boxes->x[j] + boxes->w[j] <= boxes->x[i] ||
                             boxes->y[i] + boxes->h[i] <= boxes->y[j] ||
                             boxes->y[j] + boxes->h[j] <= boxes->y[i];
          EXPECT_TRUE(apart) << i << " and " << j << " at " << width;
        }
      }
    }
    const auto labels = labels_of(scene);
    EXPECT_EQ(find_label(labels, "5 growing_imbalance"), nullptr) << "four are enough";
  }
}

}  // namespace
}  // namespace pathline::figure

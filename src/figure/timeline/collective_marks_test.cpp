// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/collective_marks.hpp"

#include <gtest/gtest.h>

#include "figure/timeline/test_timeline.hpp"

namespace pathline::figure {
namespace {

/// Four ranks; in each of `count` broadcasts rank 2, the root, comes `late` ns after the others.
Trace broadcasts(size_t count, uint64_t late) {
  TestTrace test(4);
  const Region main = test.region("main");
  for (uint32_t rank = 0; rank < 4; ++rank) {
    auto& thread = test.on(rank).enter(0, main);
    for (size_t i = 0; i < count; ++i) {
      thread.collective(1000 * i + 100 + (rank == 2 ? late : 0), 1000 * i + 900, 1, 8, 8,
                        TestTrace::kWorld, 2);
    }
    thread.leave(1000 * count, main);
  }
  return test.finish();
}

struct Marks {
  std::vector<layout::Polyline> shapes;
  std::vector<layout::LegendEntry> legend;
};

Marks marks_of(const Trace& trace, uint64_t from, uint64_t until) {
  Scene scene;
  Marks marks;
  marks.legend = add_collective_marks(scene, layout::light_theme(), {100, 50, 1000, 400}, trace,
                                      choose_rows(trace, {}), {from, until});
  for (const auto* lines : layers_of<layout::Polylines>(scene)) {
    marks.shapes.insert(marks.shapes.end(), lines->lines.begin(), lines->lines.end());
  }
  return marks;
}

TEST(CollectiveMarks, ShowWhoComesLastAndTheRoot) {
  const Marks marks = marks_of(broadcasts(10, 400), 0, 10'000);
  ASSERT_EQ(marks.legend.size(), 2U);
  ASSERT_EQ(marks.shapes.size(), 20U);
  // The tip of the triangle is where rank 2 comes: at 500 ns, in the third row of four.
  EXPECT_NEAR(marks.shapes[1].points[0].x, 100 + 50, 0.01);
  EXPECT_NEAR(marks.shapes[1].points[0].y, 50 + 250, 0.01);
}

TEST(CollectiveMarks, AreOnlyWhereSomebodyWaits) {
  EXPECT_TRUE(marks_of(broadcasts(10, 10), 0, 10'000).shapes.empty());
}

TEST(CollectiveMarks, AreNotDrawnWhereTheyWouldCrowd) {
  EXPECT_TRUE(marks_of(broadcasts(100, 400), 0, 100'000).shapes.empty());
  EXPECT_EQ(marks_of(broadcasts(100, 400), 50'000, 60'000).shapes.size(), 20U);
}

}  // namespace
}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::Boxes;
using layout::Label;
using layout::Polylines;
using layout::Scene;
using testing::HasSubstr;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

base::Result<Scene> drawn(const Trace& trace, const trace::Selection& selection,
                          const Options& options) {
  base::ThreadPool pool(1);
  return profile(trace, selection, profile::from_trace(trace, selection, pool),
                 profile::from_trace(trace, {}, pool), options);
}

Scene draw(const Trace& trace, const trace::Selection& selection = {},
           const Options& options = {}) {
  auto scene = drawn(trace, selection, options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

const Boxes& bars(const Scene& scene) { return *layers_of<Boxes>(scene).at(1); }

/// Exclusive times, in ns: main 100 and 100, work 600 and 200 on ranks 0 and 1.
Trace two_ranks() {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region work = test.region("work");
  test.on(0).enter(0, main).enter(100, work).leave(700, work).leave(700, main);
  test.on(1).enter(0, main).enter(100, work).leave(300, work).leave(300, main);
  return test.finish();
}

TEST(ProfileFigure, HasABarForTheMeanAndALineFromTheSmallestToTheLargestRank) {
  const Scene scene = draw(two_ranks());
  const layout::Rect plot{bars(scene).x.at(0), 0, 0, 0};
  ASSERT_EQ(bars(scene).w.size(), 2U);
  // Boxes snap to pixels when they are drawn, not here: 400 ns to 100 ns is 4 to 1.
  const double ns_px = bars(scene).w[0] / 400;
  EXPECT_NEAR(bars(scene).w[1], 100 * ns_px, 0.01);
  EXPECT_LT(bars(scene).y[0], bars(scene).y[1]);
  const Polylines& spread = *layers_of<Polylines>(scene).at(1);
  ASSERT_EQ(spread.lines.size(), 6U);  // A line and its two ends, twice.
  EXPECT_NEAR(spread.lines[0].points[0].x, plot.x + 200 * ns_px, 0.01);
  EXPECT_NEAR(spread.lines[0].points[1].x, plot.x + 600 * ns_px, 0.01);
  // Both ranks alike: a line without length, moved onto a pixel.
  EXPECT_NEAR(spread.lines[3].points[0].x, plot.x + 100 * ns_px, 0.5);
  EXPECT_NEAR(spread.lines[3].points[1].x, plot.x + 100 * ns_px, 0.5);
  // The longest line ends inside the plot, whose right end is where the shares begin.
  const auto labels = labels_of(scene);
  const Label* share = find_label(labels, "80.0 %  400 ns");
  ASSERT_NE(share, nullptr);
  EXPECT_GT(share->at.x, spread.lines[0].points[1].x);
  EXPECT_NE(find_label(labels, "20.0 %  100 ns"), nullptr);
}

TEST(ProfileFigure, PutsNameBarAndShareOfARegionInOneRow) {
  const Scene scene = draw(two_ranks());
  const auto labels = labels_of(scene);
  const Label* work = find_label(labels, "work");
  const Label* main = find_label(labels, "main");
  ASSERT_NE(work, nullptr);
  ASSERT_NE(main, nullptr);
  const auto inside = [&](const Label& label, size_t bar) {
    return label.at.y > bars(scene).y[bar] && label.at.y < bars(scene).y[bar] + bars(scene).h[bar];
  };
  EXPECT_TRUE(inside(*work, 0));
  EXPECT_TRUE(inside(*find_label(labels, "80.0 %  400 ns"), 0));
  EXPECT_TRUE(inside(*main, 1));
  EXPECT_TRUE(inside(*find_label(labels, "20.0 %  100 ns"), 1));
}

TEST(ProfileFigure, TakesTheMeanOverTheChosenRanks) {
  trace::Selection selection;
  selection.ranks = {true, false};
  const Scene scene = draw(two_ranks(), selection);
  const auto labels = labels_of(scene);
  EXPECT_NE(find_label(labels, "85.7 %  600 ns"), nullptr);
  EXPECT_NE(find_label(labels, "14.3 %  100 ns"), nullptr);
  // One rank has no spread.
  EXPECT_TRUE(layers_of<Polylines>(scene).at(1)->lines.empty());
}

TEST(ProfileFigure, TellsMpiFromTheProgramByItsColour) {
  TestTrace test(1);
  const Region own = test.region("own");
  const Region mpi = test.region("MPI_Send");
  test.on(0).enter(0, own).leave(300, own).enter(300, mpi).leave(400, mpi);
  Trace trace = test.finish();
  trace.definitions.regions[mpi].paradigm = trace::kParadigmMpi;
  trace.definitions.regions[own].paradigm = trace::kParadigmMpi + 1;
  const Scene scene = draw(trace);
  ASSERT_EQ(bars(scene).color.size(), 2U);
  const layout::RegionShades& shades = layout::light_theme().regions;
  const auto& program = shades.program;
  EXPECT_NE(std::find(program.begin(), program.end(), bars(scene).color[0]), program.end());
  EXPECT_EQ(bars(scene).color[1], shades.mpi[layout::RegionShades::kSend]);
}

TEST(ProfileFigure, ShowsAsManyRegionsAsHaveRoomButCountsAll) {
  TestTrace test(1);
  uint64_t now = 0;
  for (size_t i = 0; i < 100; ++i) {
    const Region region = test.region("r" + std::to_string(i));
    test.on(0).enter(now, region).leave(now + 100, region);
    now += 100;
  }
  Options options;
  options.height_px = 300;
  const Scene scene = draw(test.finish(), {}, options);
  const size_t shown = bars(scene).w.size();
  EXPECT_GE(shown, 5U);
  EXPECT_LT(shown, 20U);
  EXPECT_LE(bars(scene).y.back() + bars(scene).h.back(), 300 - 44);
  const auto labels = labels_of(scene);
  // 100 regions of 100 ns each.
  EXPECT_EQ(std::count_if(labels.begin(), labels.end(),
                          [](const Label& label) { return label.text == "1.0 %  100 ns"; }),
            static_cast<ptrdiff_t>(shown));
}

TEST(ProfileFigure, RefusesWhatCannotBeDrawn) {
  TestTrace silent(2);
  const auto empty = drawn(silent.finish(), {}, {});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, base::ErrorCode::kInvalidArgument);
  Options options;
  options.width_px = 120;
  options.height_px = 90;
  const auto small = drawn(two_ranks(), {}, options);
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().message, HasSubstr("120x90"));
}

}  // namespace
}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "figure/timeline/states.hpp"
#include "figure/timeline/test_timeline.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {
namespace {

using layout::Label;
using layout::Polylines;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

TEST(Timeline, SaysWhatASelectionLeavesOut) {
  const Trace trace = two_messages();
  trace::Selection selection;
  selection.ranks = {true, false};
  const Scene scene = draw(trace, selection);
  EXPECT_EQ(labels_of(scene).at(1).text,
            "1 of 2 ranks, 1 of 2 locations, 0 messages (and 2 from or to other ranks), 1.00 µs");
}

TEST(Timeline, DrawsNoLinesWithoutOpacity) {
  Options options;
  options.opacity = 0;
  const Scene scene = draw(two_messages(), {}, options);
  EXPECT_TRUE(layers_of<Segments>(scene).empty());
  EXPECT_EQ(scene.message_count, 2U) << "they are there all the same";
}

TEST(Timeline, HasARowForEachLocationThatRecordedCalls) {
  TestTrace test(2, 3);
  const Region main = test.region("main");
  for (const uint32_t rank : {1U, 0U}) {
    test.on(rank, 0).enter(0, main).leave(100, main);
    test.on(rank, 2).enter(0, main).leave(100, main);
    // Thread 1 records something, but no calls.
    test.on(rank, 1).add(trace::EventKind::kThreadTeamBegin, 50, {TestTrace::kWorld});
  }
  const Trace trace = test.finish();
  const Scene scene = draw(trace);
  EXPECT_EQ(states(scene).row_count % 4, 0U);
  const auto labels = labels_of(scene);
  std::map<double, std::string> rows;
  for (const Label& label : labels) {
    if (label.anchor == layout::Anchor::kEnd) rows[label.at.y] = label.text;
  }
  std::vector<std::string> names;
  for (const auto& [y, name] : rows) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("rank 0", "0: thread 2", "rank 1", "1: thread 2"));

  trace::Selection selection;
  selection.ranks = {false, true};
  const Scene part = draw(trace, selection);
  EXPECT_EQ(states(part).row_count % 2, 0U);
  EXPECT_EQ(find_label(labels_of(part), "rank 0"), nullptr);
  EXPECT_NE(find_label(labels_of(part), "rank 1"), nullptr);
}

TEST(Timeline, BeginsABlockAtItsFirstRankThatHasARow) {
  // Two hosts of three ranks, and one of which no rank recorded calls; ranks 0 and 3 neither.
  TestTrace test(8);
  const Region main = test.region("main");
  for (const uint32_t rank : {1U, 2U, 4U, 5U}) test.on(rank).enter(0, main).leave(100, main);
  comm::ProcessOrder order;
  for (uint32_t rank = 0; rank < 8; ++rank) {
    order.rank_at_position.push_back(rank);
    order.position_of_rank.push_back(rank);
  }
  order.block_begin = {0, 3, 6};
  const Rows rows = choose_rows(test.finish(), {}, &order);
  EXPECT_EQ(rows.rows.size(), 4U);
  EXPECT_THAT(rows.block_begin, ElementsAre(0, 2));
}

TEST(Timeline, DrawsAMessageFromItsSendToItsReceive) {
  const Scene scene = draw(two_messages());
  const Segments& drawn = lines(scene);
  ASSERT_EQ(drawn.size(), 2U);
  const layout::Rect plot = states(scene).area;
  const auto x = [&](double ns) {
    return FloatNear(static_cast<float>(plot.x + ns / 1000 * plot.w), 0.01F);
  };
  const auto y = [&](double row) {
    return FloatNear(static_cast<float>(plot.y + (row + 0.5) / 2 * plot.h), 0.01F);
  };
  EXPECT_THAT(drawn.x1, ElementsAre(x(100), x(600)));
  EXPECT_THAT(drawn.y1, ElementsAre(y(0), y(1)));
  EXPECT_THAT(drawn.x2, ElementsAre(x(300), x(900)));
  EXPECT_THAT(drawn.y2, ElementsAre(y(1), y(0)));
  EXPECT_EQ(drawn.clip.x, plot.x);
  EXPECT_EQ(drawn.clip.w, plot.w);
}

TEST(Timeline, LeadsALineToTheThreadThatSentAndToTheRanksRowIfThatThreadHasNone) {
  TestTrace test(2, 2);
  const Region main = test.region("main");
  for (const uint32_t rank : {0U, 1U}) test.on(rank, 0).enter(0, main).leave(1000, main);
  test.on(0, 1).enter(0, main).send(100, 1, 8).leave(1000, main);
  test.on(1, 1).recv(300, 0, 8);  // No calls, no row.
  const Scene scene = draw(test.finish());
  const layout::Rect plot = states(scene).area;
  const auto y = [&](double row) {
    return FloatNear(static_cast<float>(plot.y + (row + 0.5) / 3 * plot.h), 0.01F);
  };
  EXPECT_THAT(lines(scene).y1, ElementsAre(y(1)));
  EXPECT_THAT(lines(scene).y2, ElementsAre(y(2)));
}

TEST(Timeline, DrawsTheMessagesThatTouchTheTimeShownAndCountsThem) {
  const Trace trace = two_messages();
  struct Case {
    uint64_t from;
    uint64_t until;
    size_t count;
  };
  // The first is on its way from 100 to 300, the second from 600 to 900.
  for (const auto& [from, until, count] : {Case{0, 1000, 2}, Case{200, 250, 1}, Case{310, 590, 0},
                                           Case{250, 700, 2}, Case{901, 1000, 0}, Case{0, 99, 0}}) {
    trace::Selection selection;
    selection.from_ticks = from;
    selection.until_ticks = until;
    const Scene scene = draw(trace, selection);
    EXPECT_EQ(layers_of<Segments>(scene).empty() ? 0 : lines(scene).size(), count)
        << from << " to " << until;
    const std::string counted = base::counted(count, "message", "messages");
    EXPECT_THAT(scene.description, HasSubstr("with " + counted));
    EXPECT_EQ(scene.message_count, count);
    const auto labels = labels_of(scene);
    const std::string part = ", " + counted + ", ";
    EXPECT_TRUE(
        std::any_of(labels.begin(), labels.end(),
                    [&](const Label& label) { return label.text.find(part) != std::string::npos; }))
        << from << " to " << until;
  }
  trace::Selection one_rank;
  one_rank.ranks = {true, false};
  const Scene scene = draw(trace, one_rank);
  EXPECT_TRUE(layers_of<Segments>(scene).empty());
  EXPECT_THAT(scene.description, HasSubstr("with 0 messages"));
}

TEST(Timeline, DrawsAsManyLinesBetweenTwoRowsAsTheMatrixHasMessages) {
  std::mt19937_64 random(5);
  TestTrace test(5);
  const Region main = test.region("main");
  for (uint32_t rank = 0; rank < 5; ++rank) test.on(rank).enter(0, main);
  for (uint64_t t = 1; t < 400; ++t) {
    const auto sender = static_cast<uint32_t>(random() % 5);
    const auto receiver = static_cast<uint32_t>(random() % 5);
    test.on(sender).send(10 * t, receiver, 8);
    test.on(receiver).recv(10 * t + 3, sender, 8);
  }
  for (uint32_t rank = 0; rank < 5; ++rank) test.on(rank).leave(5000, main);
  const Trace trace = test.finish();
  base::ThreadPool pool(1);
  const graph::Traffic traffic = comm::matrix(trace, {}, {}, pool).traffic;
  std::map<std::pair<int, int>, uint64_t> expected;
  for (uint32_t sender = 0; sender < 5; ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      expected[{sender, traffic.receiver[i]}] = traffic.messages[i];
    }
  }
  const Scene scene = draw(trace);
  const layout::Rect plot = states(scene).area;
  const auto row = [&](float y) { return static_cast<int>((y - plot.y) / plot.h * 5); };
  std::map<std::pair<int, int>, uint64_t> found;
  const Segments& drawn = lines(scene);
  for (size_t i = 0; i < drawn.size(); ++i) ++found[{row(drawn.y1[i]), row(drawn.y2[i])}];
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(drawn.weight.empty());  // Each counts once.
}

TEST(Timeline, HasItsTicksWhereTheirTimesAre) {
  TestTrace test(1);
  const Region main = test.region("main");
  test.on(0).enter(5000, main).leave(1'005'000, main);  // 1 ms, begun late
  const Trace trace = test.finish();
  trace::Selection selection;
  selection.from_ticks = 205'000;
  selection.until_ticks = 805'000;
  const Scene scene = draw(trace, selection);
  const layout::Rect plot = states(scene).area;
  const auto labels = labels_of(scene);
  const auto* rules = layers_of<Polylines>(scene).at(0);
  size_t found = 0;
  for (const double us : {200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0}) {
    const Label* label = find_label(labels, std::to_string(int(us)) + " µs");
    if (label == nullptr) continue;
    ++found;
    // A grid line over the whole plot, on the nearest pixel.
    const double x = plot.x + (us - 200) / 600 * plot.w;
    EXPECT_TRUE(std::any_of(rules->lines.begin(), rules->lines.end(),
                            [&](const layout::Polyline& line) {
                              return line.points.size() == 2 &&
                                     std::abs(line.points[0].x - x) <= 0.75 &&
                                     std::abs(line.points[0].y - line.points[1].y) > plot.h - 2;
                            }))
        << us << " µs";
    EXPECT_NEAR(label->at.x, x, 30);
  }
  EXPECT_GE(found, 4U);
  EXPECT_EQ(find_label(labels, "0 µs"), nullptr);
  EXPECT_EQ(find_label(labels, "900 µs"), nullptr);
}

TEST(Timeline, KeepsEverythingInsideThePicture) {
  for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {400.0, 200.0}, {300.0, 900.0}}) {
    Options options;
    options.width_px = width;
    options.height_px = height;
    options.title = std::string(300, 'W');
    const Scene scene = draw(two_messages(), {}, options);
    const layout::Rect plot = states(scene).area;
    EXPECT_GE(plot.x, 0);
    EXPECT_LE(plot.right(), width);
    EXPECT_LE(plot.bottom() + 44, height);
    for (const Label& label : labels_of(scene)) {
      EXPECT_GE(label.at.x, 0) << label.text;
      EXPECT_LE(label.at.x, width) << label.text;
      EXPECT_GE(label.at.y, 0) << label.text;
      EXPECT_LE(label.at.y, height) << label.text;
    }
  }
}

TEST(Timeline, TakesThemePaletteBlendAndOpacityFromTheOptions) {
  Options options;
  options.theme = layout::ThemeName::kDark;
  options.palette = "green-red";
  options.blend = layout::Blend::kAdditive;
  options.opacity = 0.25;
  const Scene scene = draw(two_messages(), {}, options);
  EXPECT_EQ(scene.background, layout::dark_theme().background);
  const auto gradient = layout::message_gradient("green-red", layout::ThemeName::kDark).value();
  const std::vector<const Segments*> drawn = layers_of<Segments>(scene);
  ASSERT_EQ(drawn.size(), 2U) << "a halo, and the lines on it";
  EXPECT_EQ(drawn[0]->style.begin, layout::dark_theme().plot_background);
  EXPECT_EQ(drawn[0]->style.width_px, 3);
  EXPECT_EQ(drawn[1]->style.begin, gradient.begin);
  EXPECT_EQ(drawn[1]->style.end, gradient.end);
  EXPECT_EQ(drawn[1]->style.blend, layout::Blend::kAdditive);
  EXPECT_EQ(drawn[1]->style.opacity, 0.25);
  const auto entries = legend(scene);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "message");
  EXPECT_EQ(entries[0].color, gradient.begin);
}

TEST(Timeline, RefusesWhatCannotBeDrawn) {
  base::ThreadPool pool(1);
  const Trace trace = two_messages();
  Options options;
  options.palette = "rainbow";
  EXPECT_FALSE(timeline(trace, {}, options, {}, pool).ok());
  options = {};
  options.width_px = 100;
  options.height_px = 50;
  const auto small = timeline(trace, {}, options, {}, pool);
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().message, HasSubstr("100x50"));
  TestTrace silent(2);
  const auto empty = timeline(silent.finish(), {}, {}, {}, pool);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, base::ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pathline::figure

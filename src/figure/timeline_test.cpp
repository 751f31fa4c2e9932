// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "figure/timeline_states.hpp"
#include "layout/theme.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::Boxes;
using layout::CellGrid;
using layout::Color;
using layout::Label;
using layout::Polylines;
using layout::Scene;
using layout::Segments;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

Scene draw(const Trace& trace, const trace::Selection& selection = {}, Options options = {}) {
  options.bundling.mode = Bundling::kNone;  // bundling_test.cpp looks at the others
  base::ThreadPool pool(2);
  auto scene = timeline(trace, selection, options, pool);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

const CellGrid& states(const Scene& scene) { return *layers_of<CellGrid>(scene).at(0); }
const Segments& lines(const Scene& scene) { return *layers_of<Segments>(scene).at(0); }

/// Name and share of each entry of the legend, and its colour.
struct Entry {
  std::string name;
  std::string share;
  Color color;
};

std::vector<Entry> legend(const Scene& scene) {
  const Boxes& swatches = *layers_of<Boxes>(scene).back();
  const auto& texts = layers_of<layout::Labels>(scene).back()->items;
  std::vector<Entry> entries;
  size_t box = 0;
  for (size_t i = 0; i + 1 < texts.size() && box < swatches.color.size(); i += 2) {
    entries.push_back({texts[i].text, texts[i + 1].text, swatches.color[box]});
    // A gradient is made of boxes one pixel wide.
    do ++box;
    while (box < swatches.color.size() && swatches.w[box] == 1 && swatches.w[box - 1] == 1);
  }
  return entries;
}

/// sRGB of IEC 61966-2-1.
double to_linear(uint8_t byte) {
  const double value = byte / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}
double to_srgb(double value) {
  return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055);
}

/// Calls of a location as a test knows them: who is innermost from when to when.
struct Span {
  uint64_t from;
  uint64_t until;
  size_t region;
};

/// The slow way: every cell looks at every span.
std::array<double, 3> cell_color(const std::vector<std::vector<Span>>& rows, double from,
                                 double until, const std::vector<Color>& colors, Color background) {
  std::array<double, 3> light{};
  for (const auto& spans : rows) {
    double open = until - from;
    const double weight = 1 / (open * static_cast<double>(rows.size()));
    const auto add = [&](Color color, double ticks) {
      light[0] += weight * ticks * to_linear(color.r);
      light[1] += weight * ticks * to_linear(color.g);
      light[2] += weight * ticks * to_linear(color.b);
    };
    for (const Span& span : spans) {
      const double ticks = std::min(until, static_cast<double>(span.until)) -
                           std::max(from, static_cast<double>(span.from));
      if (ticks <= 0) continue;
      add(colors[span.region], ticks);
      open -= ticks;
    }
    add(background, open);
  }
  return {to_srgb(light[0]), to_srgb(light[1]), to_srgb(light[2])};
}

/// Random nested calls, many of them shorter than a pixel; returns the innermost spans.
std::vector<Span> random_calls(TestTrace::Thread& thread, const std::vector<Region>& regions,
                               uint64_t begin, uint64_t end, std::mt19937_64& random) {
  std::vector<Span> spans;
  std::vector<size_t> open;
  uint64_t now = begin;
  const auto pick = [&](uint64_t most) { return random() % most; };
  const auto pass = [&](uint64_t ticks) {
    if (!open.empty() && ticks > 0) spans.push_back({now, now + ticks, open.back()});
    now += ticks;
  };
  while (now < end) {
    pass(pick(4) == 0 ? pick(30'000) : pick(300));
    if (open.size() < 5 && (open.empty() || pick(2) == 0)) {
      open.push_back(pick(regions.size()));
      thread.enter(now, regions[open.back()]);
    } else {
      thread.leave(now, regions[open.back()]);
      open.pop_back();
    }
  }
  while (!open.empty()) {
    thread.leave(now, regions[open.back()]);
    open.pop_back();
    pass(100);
  }
  return spans;
}

/// Two ranks; one message each way inside 0 to 1000 ns.
Trace two_messages() {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(0, main).send(100, 1, 8).recv(900, 1, 16).leave(1000, main);
  test.on(1).enter(0, main).recv(300, 0, 8).send(600, 0, 16).leave(1000, main);
  return test.finish();
}

class TimelineOracle : public testing::TestWithParam<std::pair<uint32_t, double>> {};

// More rows than pixels, and fewer; a whole run, and a part of it that cuts calls.
INSTANTIATE_TEST_SUITE_P(Rows, TimelineOracle,
                         testing::Values(std::pair{40U, 230.0}, std::pair{200U, 230.0}));

TEST(Timeline, StacksTheCallsThatShareAColumnOfATallRow) {
  std::mt19937_64 random(17);
  TestTrace test(3);
  std::vector<Region> regions;
  for (size_t i = 0; i < 6; ++i) regions.push_back(test.region("r" + std::to_string(i)));
  std::vector<std::vector<Span>> spans;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    spans.push_back(random_calls(test.on(rank), regions, 1'000'000, 1'900'000, random));
  }
  const Trace trace = test.finish();
  const Scene scene = draw(trace);
  const CellGrid& grid = states(scene);
  const Color background = layout::light_theme().plot_background;
  const auto entries = legend(scene);
  const uint32_t lines = grid.row_count / 3;
  ASSERT_GT(lines, 100U);
  constexpr uint32_t kGap = 4;
  const double column_ticks =
      static_cast<double>(trace.end_ticks - trace.start_ticks) / grid.column_count;
  const auto cell = [&](uint32_t row, uint32_t line, uint32_t column) {
    return grid.cells[size_t{row * lines + line} * grid.column_count + column];
  };
  for (uint32_t row = 0; row < 3; ++row) {
    for (uint32_t column = 0; column < grid.column_count; ++column) {
      const double from = static_cast<double>(trace.start_ticks) + column * column_ticks;
      for (uint32_t line = lines - kGap; line < lines; ++line) {
        ASSERT_EQ(cell(row, line, column), background);
      }
      uint32_t above = lines - kGap;  // From the bottom upwards, in the order of the legend.
      for (const Entry& entry : entries) {
        double ticks = 0;
        for (const Span& span : spans[row]) {
          if (span.region != size_t(entry.name.at(1) - '0')) continue;
          ticks += std::max(0.0, std::min(from + column_ticks, static_cast<double>(span.until)) -
                                     std::max(from, static_cast<double>(span.from)));
        }
        uint32_t found = 0;
        while (above > 0 && cell(row, above - 1, column) == entry.color) {
          --above;
          ++found;
        }
        ASSERT_NEAR(found, ticks / column_ticks * (lines - kGap), 1.01)
            << entry.name << ", row " << row << ", column " << column;
      }
      for (; above > 0; --above) ASSERT_EQ(cell(row, above - 1, column), background);
    }
  }
}

TEST(Timeline, KeepsTheColoursOfTheRunInItsParts) {
  TestTrace test(1);
  const Region init = test.region("init");
  const Region solve = test.region("solve");
  const Region write = test.region("write");
  test.on(0).enter(0, init).leave(1000, init).enter(1000, solve).leave(1500, solve);
  test.on(0).enter(1500, write).leave(1600, write);
  const Trace trace = test.finish();
  std::map<std::string, Color> whole;
  for (const Entry& entry : legend(draw(trace))) whole[entry.name] = entry.color;
  trace::Selection selection;
  selection.from_ticks = 1480;
  const auto part = legend(draw(trace, selection));
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0].name, "write") << "the most time in this part";
  for (const Entry& entry : part) EXPECT_EQ(entry.color, whole.at(entry.name)) << entry.name;
}

TEST(Timeline, GivesARegionWithoutAColourInTheRunTheSameOneInItsParts) {
  // Twenty regions, each shorter than the one before: the last ones only matter when zoomed into.
  TestTrace test(1);
  std::vector<Region> regions;
  uint64_t now = 0;
  std::vector<uint64_t> begin;
  for (size_t i = 0; i < 20; ++i) regions.push_back(test.region("r" + std::to_string(i)));
  for (size_t i = 0; i < regions.size(); ++i) {
    begin.push_back(now);
    test.on(0).enter(now, regions[i]).leave(now + 2000 - 80 * i, regions[i]);
    now += 2000 - 80 * i;
  }
  const Trace trace = test.finish();
  std::map<std::string, std::set<uint32_t>> colors;
  // Parts with region 15 and more and more of those before it, none of which has its colour.
  for (size_t first = 6; first < 15; ++first) {
    trace::Selection selection;
    selection.from_ticks = begin[first] + 10;
    selection.until_ticks = begin[16];
    for (const Entry& entry : legend(draw(trace, selection))) {
      const Color& c = entry.color;
      colors[entry.name].insert(uint32_t{c.r} << 16 | uint32_t{c.g} << 8 | c.b);
    }
  }
  EXPECT_EQ(colors.at("r15").size(), 1U);
  EXPECT_EQ(colors.at("r14").size(), 1U);
}

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

TEST_P(TimelineOracle, AveragesTheCallsOfEachPixel) {
  const auto [rank_count, height_px] = GetParam();
  std::mt19937_64 random(17);
  TestTrace test(rank_count);
  std::vector<Region> regions;
  for (size_t i = 0; i < 6; ++i) regions.push_back(test.region("r" + std::to_string(i)));
  std::vector<std::vector<Span>> spans;
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    spans.push_back(
        random_calls(test.on(rank), regions, 1'000'000 + random() % 50'000, 1'900'000, random));
  }
  const Trace trace = test.finish();
  for (const bool whole : {true, false}) {
    trace::Selection selection;
    if (!whole) {
      selection.from_ticks = 1'234'567;
      selection.until_ticks = 1'345'678;
    }
    Options options;
    options.width_px = 700;
    options.height_px = height_px;
    const Scene scene = draw(trace, selection, options);
    const CellGrid& grid = states(scene);
    const Color background = layout::light_theme().plot_background;
    std::vector<Color> colors(regions.size(), background);
    for (const Entry& entry : legend(scene))
      colors.at(size_t(entry.name.at(1) - '0')) = entry.color;

    EXPECT_EQ(grid.column_count, static_cast<uint32_t>(grid.area.w));
    EXPECT_EQ(grid.row_count, std::min(rank_count, static_cast<uint32_t>(grid.area.h)));
    const auto begin = static_cast<double>(whole ? trace.start_ticks : selection.from_ticks);
    const auto end = static_cast<double>(whole ? trace.end_ticks : selection.until_ticks);
    const double column_ticks = (end - begin) / grid.column_count;
    size_t wrong = 0;
    for (uint32_t row = 0; row < grid.row_count; ++row) {
      const std::vector<std::vector<Span>> shared(
          spans.begin() + row * rank_count / grid.row_count,
          spans.begin() + (row + 1) * rank_count / grid.row_count);
      for (uint32_t column = 0; column < grid.column_count; ++column) {
        const auto expected = cell_color(shared, begin + column * column_ticks,
                                         begin + (column + 1) * column_ticks, colors, background);
        const Color cell = grid.cells[size_t{row} * grid.column_count + column];
        const std::array<double, 3> found = {double(cell.r), double(cell.g), double(cell.b)};
        for (size_t c = 0; c < 3; ++c) {
          // Half a step of rounding, and the table that encodes with 4096 steps.
          if (std::abs(found[c] - expected[c]) < 1.1) continue;
          if (++wrong < 5) {
            ADD_FAILURE() << "row " << row << ", column " << column << ", channel " << c << ": "
                          << found[c] << ", expected " << expected[c];
          }
        }
      }
    }
    EXPECT_EQ(wrong, 0U) << "seed 17";
  }
}

TEST(Timeline, GivesTheRegionsWithMostTimeTheColoursAndSaysTheirShares) {
  // Region i runs for 10 (i + 1) ns inside main, which keeps 40 ns for itself: 14 regions, of
  // which the smallest three share "other". 10 + ... + 130 = 910, and 40: 950 ns.
  TestTrace test(1);
  const Region main = test.region("main");
  std::vector<Region> regions;
  for (size_t i = 0; i < 13; ++i) regions.push_back(test.region("r" + std::to_string(i)));
  test.on(0).enter(0, main);
  uint64_t now = 40;
  for (size_t i = 0; i < 13; ++i) {
    test.on(0).enter(now, regions[i]);
    now += 10 * (i + 1);
    test.on(0).leave(now, regions[i]);
  }
  test.on(0).leave(now, main);
  const Trace trace = test.finish();
  const Scene scene = draw(trace);
  const auto entries = legend(scene);
  std::vector<std::string> found;
  for (const Entry& entry : entries) found.push_back(entry.name + " " + entry.share);
  // main with 40 ns stands before r3 with as much, since it was defined first.
  EXPECT_THAT(found, ElementsAre("r12 13.7 %", "r11 12.6 %", "r10 11.6 %", "r9 10.5 %", "r8 9.5 %",
                                 "r7 8.4 %", "r6 7.4 %", "r5 6.3 %", "r4 5.3 %", "main 4.2 %",
                                 "r3 4.2 %", "other regions 6.3 %"));
  // The pixel in the middle of each call has the colour of the legend.
  const CellGrid& grid = states(scene);
  const auto color_at = [&](double ns) {
    return grid.cells.at(static_cast<size_t>(ns / 950 * grid.column_count));
  };
  uint64_t begin = 40;
  for (size_t i = 0; i < 13; ++i) {
    const double middle = static_cast<double>(begin) + 5.0 * static_cast<double>(i + 1);
    const std::string name = i < 3 ? "other regions" : "r" + std::to_string(i);
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& candidate) { return candidate.name == name; });
    ASSERT_NE(entry, entries.end());
    EXPECT_EQ(color_at(middle), entry->color) << name;
    begin += 10 * (i + 1);
  }
  EXPECT_EQ(color_at(20), entries[9].color);
  for (size_t i = 0; i < entries.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(entries[i].color, entries[k].color) << i << ' ' << k;
  }
}

TEST(Timeline, CountsTheSharesOfTheLegendInTheSelectionOnly) {
  TestTrace test(2);
  const Region a = test.region("a");
  const Region b = test.region("b");
  for (const uint32_t rank : {0U, 1U}) {
    test.on(rank).enter(0, a).leave(300, a).enter(300, b).leave(400, b);
  }
  const Trace trace = test.finish();
  trace::Selection selection;
  selection.from_ticks = 250;
  selection.ranks = {true, false};
  const auto entries = legend(draw(trace, selection));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name + entries[0].share, "b66.7 %");
  EXPECT_EQ(entries[1].name + entries[1].share, "a33.3 %");
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
  EXPECT_EQ(lines(scene).style.begin, gradient.begin);
  EXPECT_EQ(lines(scene).style.end, gradient.end);
  EXPECT_EQ(lines(scene).style.blend, layout::Blend::kAdditive);
  EXPECT_EQ(lines(scene).style.opacity, 0.25);
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
  EXPECT_FALSE(timeline(trace, {}, options, pool).ok());
  options = {};
  options.width_px = 100;
  options.height_px = 50;
  const auto small = timeline(trace, {}, options, pool);
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().message, HasSubstr("100x50"));
  TestTrace silent(2);
  const auto empty = timeline(silent.finish(), {}, {}, pool);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, base::ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pathline::figure

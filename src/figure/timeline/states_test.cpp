// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "figure/timeline/smoothing.hpp"
#include "figure/timeline/test_timeline.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {
namespace {

using testing::ElementsAre;

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
    size_t compared = 0;
    for (uint32_t row = 0; row < grid.row_count; ++row) {
      const std::vector<std::vector<Span>> shared(
          spans.begin() + row * rank_count / grid.row_count,
          spans.begin() + (row + 1) * rank_count / grid.row_count);
      // Where calls change faster than pixels can show, cells are means of their neighbourhood.
      std::vector<uint8_t> is_changing(grid.column_count);
      for (const std::vector<Span>& of_row : shared) {
        for (const Span& span : of_row) {
          const double from = std::max(begin, static_cast<double>(span.from));
          if (from >= std::min(end, static_cast<double>(span.until))) continue;
          is_changing[static_cast<size_t>((from - begin) / column_ticks)] = 1;
        }
      }
      std::vector<uint8_t> is_mean(grid.column_count);
      for (const FastZone& zone : fast_zones(is_changing)) {
        std::fill(is_mean.begin() + zone.begin, is_mean.begin() + zone.end, 1);
      }
      for (uint32_t column = 0; column < grid.column_count; ++column) {
        if (is_mean[column] != 0) continue;
        ++compared;
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
    EXPECT_GT(compared, size_t{grid.row_count} * grid.column_count / 4);
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

}  // namespace
}  // namespace pathline::figure

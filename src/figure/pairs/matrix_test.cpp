// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::CellGrid;
using layout::Color;
using layout::Label;
using layout::Scene;
using testing::HasSubstr;
using trace::TestTrace;
using trace::Trace;

Scene draw(const Trace& trace, const trace::Selection& selection = {},
           const Options& options = {}) {
  base::ThreadPool pool(1);
  auto scene = matrix(trace, selection, comm::matrix(trace, selection, {}, pool), options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

const CellGrid& cells(const Scene& scene) { return *layers_of<CellGrid>(scene).at(0); }

/// Sends of a test: sender, receiver, messages, bytes of each. A message takes `bytes` ns.
struct Sends {
  uint32_t sender;
  uint32_t receiver;
  uint32_t count;
  uint64_t bytes;
};

Trace trace_of(uint32_t rank_count, const std::vector<Sends>& list) {
  TestTrace test(rank_count);
  uint64_t now = 1000;
  for (const Sends& sends : list) {
    for (uint32_t i = 0; i < sends.count; ++i, now += 100'000) {
      test.on(sends.sender).send(now, sends.receiver, sends.bytes);
      test.on(sends.receiver).recv(now + sends.bytes, sends.sender, sends.bytes);
    }
  }
  return test.finish();
}

/// The colour of a value between the smallest and the largest: logarithmic from a factor of 20.
Color heat(double value, double low, double high) {
  if (high <= 20 * low) return layout::light_theme().heat.at(0.12 + 0.88 * value / high);
  return layout::light_theme().heat.at(0.12 + 0.88 * std::log(value / low) / std::log(high / low));
}

Color at(const Scene& scene, uint32_t sender, uint32_t receiver) {
  const CellGrid& grid = cells(scene);
  return grid.cells.at(size_t{sender} * grid.column_count + receiver);
}

TEST(MatrixFigure, HasSendersDownwardsReceiversToTheRightAndLogarithmicColours) {
  const Trace trace = trace_of(4, {{0, 1, 1, 10}, {1, 2, 10, 10}, {3, 0, 1, 1000}});
  const Scene scene = draw(trace);
  const CellGrid& grid = cells(scene);
  ASSERT_EQ(grid.column_count, 4U);
  ASSERT_EQ(grid.row_count, 4U);
  EXPECT_EQ(grid.area.w, grid.area.h);
  std::map<std::pair<uint32_t, uint32_t>, Color> expected = {
      {{0, 1}, heat(10, 10, 1000)}, {{1, 2}, heat(100, 10, 1000)}, {{3, 0}, heat(1000, 10, 1000)}};
  for (uint32_t sender = 0; sender < 4; ++sender) {
    for (uint32_t receiver = 0; receiver < 4; ++receiver) {
      const auto found = expected.find({sender, receiver});
      EXPECT_EQ(at(scene, sender, receiver),
                found == expected.end() ? layout::light_theme().plot_background : found->second)
          << sender << " to " << receiver;
    }
  }
}

TEST(MatrixFigure, ShowsTheMetricAskedFor) {
  // 4 messages of 100 bytes in 100 ns each, and 1 of 800 bytes in 800 ns.
  const Trace trace = trace_of(3, {{0, 1, 4, 100}, {1, 2, 1, 800}});
  Options options;
  const auto colors = [&](Metric metric) {
    options.metric = metric;
    const Scene scene = draw(trace, {}, options);
    return std::pair{at(scene, 0, 1), at(scene, 1, 2)};
  };
  const Color high = heat(1, 1, 1);
  EXPECT_EQ(colors(Metric::kMessages), (std::pair{high, heat(1, 1, 4)}));
  EXPECT_EQ(colors(Metric::kBytes), (std::pair{heat(400, 400, 800), high}));
  EXPECT_EQ(colors(Metric::kTime), (std::pair{heat(100, 100, 800), high}));
  EXPECT_EQ(colors(Metric::kBandwidth), (std::pair{high, high}));  // 1 byte per ns both.
}

TEST(MatrixFigure, MovesWithTheNumbersOfTheRanks) {
  const std::vector<Sends> list = {{0, 1, 1, 10}, {1, 2, 10, 10}, {3, 0, 1, 1000}, {2, 2, 3, 7}};
  const std::array<uint32_t, 4> permuted = {2, 0, 3, 1};
  std::vector<Sends> other = list;
  for (Sends& sends : other) {
    sends.sender = permuted[sends.sender];
    sends.receiver = permuted[sends.receiver];
  }
  const Scene a = draw(trace_of(4, list));
  const Scene b = draw(trace_of(4, other));
  for (uint32_t sender = 0; sender < 4; ++sender) {
    for (uint32_t receiver = 0; receiver < 4; ++receiver) {
      EXPECT_EQ(at(a, sender, receiver), at(b, permuted[sender], permuted[receiver]));
    }
  }
}

TEST(MatrixFigure, SumsNeighbouringRanksWhenThereAreMoreThanPixels) {
  // A picture so small that cells are shared; each rank sends to the next one.
  constexpr uint32_t kRanks = 500;
  std::vector<Sends> list;
  for (uint32_t rank = 0; rank + 1 < kRanks; ++rank) list.push_back({rank, rank + 1, 1, rank + 1});
  const Trace trace = trace_of(kRanks, list);
  Options options;
  options.width_px = 420;
  options.height_px = 240;
  const Scene scene = draw(trace, {}, options);
  const CellGrid& grid = cells(scene);
  ASSERT_LT(grid.row_count, kRanks);
  ASSERT_EQ(grid.row_count, static_cast<uint32_t>(grid.area.h));
  std::map<std::pair<uint32_t, uint32_t>, double> sums;
  for (const Sends& sends : list) {
    sums[{sends.sender * grid.row_count / kRanks, sends.receiver * grid.row_count / kRanks}] +=
        static_cast<double>(sends.bytes);
  }
  double low = HUGE_VAL;
  double high = 0;
  for (const auto& [cell, bytes] : sums) {
    low = std::min(low, bytes);
    high = std::max(high, bytes);
  }
  for (uint32_t row = 0; row < grid.row_count; ++row) {
    for (uint32_t column = 0; column < grid.row_count; ++column) {
      const auto sum = sums.find({row, column});
      ASSERT_EQ(at(scene, row, column), sum == sums.end() ? layout::light_theme().plot_background
                                                          : heat(sum->second, low, high))
          << row << ' ' << column;
    }
  }
}

TEST(MatrixFigure, ShowsAndCountsTheChosenRanksOnly) {
  const Trace trace = trace_of(4, {{0, 1, 1, 10}, {1, 2, 10, 10}, {3, 1, 2, 1000}});
  trace::Selection selection;
  selection.ranks = {false, true, false, true};
  const Scene scene = draw(trace, selection);
  const CellGrid& grid = cells(scene);
  ASSERT_EQ(grid.row_count, 2U);
  const Color none = layout::light_theme().plot_background;
  EXPECT_EQ(at(scene, 0, 0), none);
  EXPECT_EQ(at(scene, 0, 1), none);
  EXPECT_EQ(at(scene, 1, 0), heat(2, 2, 2));
  EXPECT_EQ(at(scene, 1, 1), none);
  const auto labels = labels_of(scene);
  EXPECT_NE(find_label(labels,
                       "2 of 4 ranks, 1 pair, 2 messages, 2.00 kB (and 11 messages from "
                       "or to other ranks) — rank order, mean distance 1 rank"),
            nullptr)
      << labels.at(1).text;
  EXPECT_NE(find_label(labels, "3"), nullptr);
  EXPECT_EQ(find_label(labels, "2"), nullptr);
}

TEST(MatrixFigure, GivesTheColourBarTheScaleOfTheCells) {
  const Trace trace = trace_of(3, {{0, 1, 1, 16}, {1, 2, 1, 65536}});
  const Scene scene = draw(trace);
  const CellGrid& bar = *layers_of<CellGrid>(scene).at(1);
  // 16 B to 64 KiB on a logarithmic scale: 1 kB lies at log(1000 / 16) / log(4096).
  const auto labels = labels_of(scene);
  for (const auto& [text, position] :
       {std::pair{"16 B", 0.0}, std::pair{"1.00 kB", 0.49714}, std::pair{"65.5 kB", 1.0}}) {
    const Label* label = find_label(labels, text);
    ASSERT_NE(label, nullptr) << text;
    EXPECT_NEAR(label->at.y, bar.area.bottom() - position * bar.area.h, 0.5) << text;
  }
  EXPECT_EQ(bar.cells.back(), at(scene, 0, 1)) << "the smallest value";
  EXPECT_EQ(bar.cells.front(), at(scene, 1, 2)) << "the largest";
}

TEST(MatrixFigure, HasALinearScaleFromZeroWhenValuesAreNear) {
  const Scene near = draw(trace_of(3, {{0, 1, 1, 100}, {1, 2, 1, 2000}}));
  EXPECT_EQ(at(near, 0, 1), layout::light_theme().heat.at(0.12 + 0.88 * 0.05));
  EXPECT_EQ(at(near, 1, 2), layout::light_theme().heat.at(1));
  EXPECT_NE(find_label(labels_of(near), "bytes of a pair, linear scale"), nullptr);
  EXPECT_NE(find_label(labels_of(near), "0"), nullptr);
  const Scene far = draw(trace_of(3, {{0, 1, 1, 100}, {1, 2, 1, 2001}}));
  EXPECT_EQ(at(far, 0, 1), layout::light_theme().heat.at(0.12));
  EXPECT_NE(find_label(labels_of(far), "bytes of a pair, log scale"), nullptr);
}

TEST(MatrixFigure, PutsRanksInTheOrderAskedForAndKeepsTheirNumbers) {
  // The path 2 - 0 - 3 - 1.
  const Trace trace = trace_of(4, {{2, 0, 1, 10}, {0, 3, 1, 20}, {3, 1, 1, 30}});
  Options options;
  options.order = comm::Order::kSpectral;
  const Scene scene = draw(trace, {}, options);
  EXPECT_EQ(at(scene, 0, 1), heat(10, 10, 30));
  EXPECT_EQ(at(scene, 1, 2), heat(20, 10, 30));
  EXPECT_EQ(at(scene, 2, 3), heat(30, 10, 30));
  std::vector<std::string> names;
  for (const Label& label : labels_of(scene)) {
    if (label.text.size() == 1 && label.text >= "0" && label.text <= "3") {
      names.push_back(label.text);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"2", "0", "3", "1", "2", "0", "3", "1", "0"}))
      << "rows, columns, and the 0 of the colour bar";
  EXPECT_THAT(
      labels_of(scene).at(1).text,
      HasSubstr("spectral order (Fiedler vector), mean distance 1 rank; 2.3 in rank order"));
}

TEST(MatrixFigure, DrawsRulesBetweenTheBlocksOfAnOrder) {
  TestTrace test(6);
  test.communicator({0, 2, 4});
  test.communicator({1, 3, 5});
  Options options;
  const Trace trace = test.finish();
  const size_t plain = layers_of<layout::Polylines>(draw(trace, {}, options)).size();
  options.order = comm::Order::kCommunicator;
  const Scene scene = draw(trace, {}, options);
  const auto lines = layers_of<layout::Polylines>(scene);
  ASSERT_EQ(lines.size(), plain + 1);
  ASSERT_EQ(lines[0]->lines.size(), 2U);
  const layout::Rect plot = cells(scene).area;
  EXPECT_NEAR(lines[0]->lines[0].points[0].x, plot.x + plot.w / 2, 1);
  EXPECT_NEAR(lines[0]->lines[1].points[0].y, plot.y + plot.h / 2, 1);
}

TEST(MatrixFigure, OfNoMessagesSaysSo) {
  TestTrace test(3);
  const Scene scene = draw(test.finish());
  EXPECT_NE(find_label(labels_of(scene), "no point-to-point messages"), nullptr);
  for (const Color cell : cells(scene).cells) {
    EXPECT_EQ(cell, layout::light_theme().plot_background);
  }
  EXPECT_EQ(layers_of<CellGrid>(scene).size(), 1U);  // No colour bar.
}

TEST(MatrixFigure, OfMessagesWithoutBytesDoesNotSayThatThereAreNone) {
  const Scene scene = draw(trace_of(2, {{0, 1, 3, 0}}));
  EXPECT_EQ(find_label(labels_of(scene), "no point-to-point messages"), nullptr);
  EXPECT_NE(find_label(labels_of(scene), "no value above zero"), nullptr);
}

TEST(MatrixFigure, RefusesAPictureThatIsTooSmallAndARunWithoutRanks) {
  base::ThreadPool pool(1);
  const Trace trace = trace_of(2, {{0, 1, 1, 8}});
  Options options;
  options.width_px = 200;
  options.height_px = 100;
  const auto small = matrix(trace, {}, comm::matrix(trace, {}, {}, pool), options);
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().message, HasSubstr("200x100"));
  TestTrace test(0);
  const Trace empty = test.finish();
  EXPECT_FALSE(matrix(empty, {}, comm::matrix(empty, {}, {}, pool), {}).ok());
}

}  // namespace
}  // namespace pathline::figure

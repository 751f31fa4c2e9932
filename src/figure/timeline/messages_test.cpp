// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/messages.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "bundle/raster_quality.hpp"
#include "render/raster.hpp"

namespace pathline::figure {
namespace {

constexpr uint32_t kRanks = 64;
constexpr layout::Rect kPlot{40, 20, 800, 500};

/// Messages only, as a CSV file gives them: steps of 1 ms with a burst of 100 us each.
trace::Trace messages_of(size_t count) {
  trace::Trace trace;
  trace.definitions.clock.ticks_per_second = 1000000000;
  trace.rank_count = kRanks;
  std::mt19937_64 random(4);
  trace.messages.resize(count);
  std::vector<uint64_t> sends(count);
  for (uint64_t& send : sends) send = random() % 40 * 1000000 + random() % 100000;
  std::sort(sends.begin(), sends.end());
  trace::Messages& messages = trace.messages;
  for (size_t i = 0; i < count; ++i) {
    messages.sender.set(i, static_cast<uint32_t>(random() % kRanks));
    messages.receiver.set(i, static_cast<uint32_t>(random() % kRanks));
    messages.send_ticks.set(i, sends[i]);
    // Some clocks disagree.
    messages.recv_ticks.set(i, std::max<uint64_t>(sends[i] + random() % 60000, 2000) - 2000);
    messages.bytes.set(i, random() % 5000);
    messages.send_location.set(i, UINT32_MAX);
    messages.recv_location.set(i, UINT32_MAX);
  }
  trace.end_ticks = 40 * 1000000;
  return trace;
}

Rows rows_of(uint32_t count) {
  Rows rows;
  for (uint32_t rank = 0; rank < count; ++rank) {
    rows.rows.push_back({UINT32_MAX, ""});
    rows.of_rank.push_back(rank);
  }
  return rows;
}

TEST(LineRows, AreThoseOfTheRanksHoweverLowTheRowsAre) {
  base::ThreadPool pool(1);
  const trace::Trace trace = messages_of(500);
  const Rows rows = rows_of(kRanks);
  const auto visible = visible_messages(trace, rows, {0, 40000000}, pool);
  const auto found = line_rows(trace, visible, rows);
  ASSERT_EQ(found.size(), 500U);
  for (size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].sender, trace.messages.sender[visible[k]]);
    EXPECT_EQ(found[k].receiver, trace.messages.receiver[visible[k]]);
  }
}

TEST(MessageLines, BeginAndEndWithinHalfAPixelOfTheirEvents) {
  base::ThreadPool pool(1);
  const trace::Trace trace = messages_of(5000);
  const Rows rows = rows_of(kRanks);
  for (const TimeRange range : {TimeRange{0, 40000000}, {9990000, 10200000}, {10000, 20000}}) {
    const auto visible = visible_messages(trace, rows, range, pool);
    const auto lines = message_lines(trace, visible, rows, range, kPlot, Metric::kMessages, pool);
    ASSERT_EQ(lines.size(), visible.size());
    const double scale = kPlot.w / static_cast<double>(range.until - range.from);
    const auto x_of = [&](uint64_t ticks) {
      return kPlot.x + (static_cast<double>(ticks) - static_cast<double>(range.from)) * scale;
    };
    const auto y_of = [&](uint32_t rank) { return kPlot.y + (rank + 0.5) * kPlot.h / kRanks; };
    for (size_t k = 0; k < lines.size(); ++k) {
      const size_t i = visible[k];
      ASSERT_NEAR(lines.x1[k], x_of(trace.messages.send_ticks[i]), 0.501) << k;
      ASSERT_NEAR(lines.x2[k], x_of(trace.messages.recv_ticks[i]), 0.501) << k;
      ASSERT_NEAR(lines.y1[k], y_of(trace.messages.sender[i]), 0.501) << k;
      ASSERT_NEAR(lines.y2[k], y_of(trace.messages.receiver[i]), 0.501) << k;
    }
  }
}

TEST(MessageLines, AreThoseThatTouchTheRangeWhateverTheNumberOfThreads) {
  const trace::Trace trace = messages_of(200000);
  const Rows rows = rows_of(kRanks);
  const TimeRange range{4990000, 17050000};
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < trace.messages.size(); ++i) {
    const auto send = static_cast<int64_t>(trace.messages.send_ticks[i]);
    const auto recv = static_cast<int64_t>(trace.messages.recv_ticks[i]);
    if (std::max(send, recv) >= 4990000 && std::min(send, recv) <= 17050000) expected.push_back(i);
  }
  for (const unsigned threads : {1U, 2U, 8U}) {
    base::ThreadPool pool(threads);
    const auto visible = visible_messages(trace, rows, range, pool);
    EXPECT_TRUE(std::equal(visible.begin(), visible.end(), expected.begin(), expected.end()));
  }
}

TEST(MessageLines, WeighBytesOrTimeButNoTimeBelowZero) {
  base::ThreadPool pool(1);
  const trace::Trace trace = messages_of(2000);
  const Rows rows = rows_of(kRanks);
  const TimeRange range{0, 40000000};
  const auto visible = visible_messages(trace, rows, range, pool);
  const auto bytes = message_lines(trace, visible, rows, range, kPlot, Metric::kBytes, pool);
  const auto times = message_lines(trace, visible, rows, range, kPlot, Metric::kTime, pool);
  for (size_t k = 0; k < visible.size(); ++k) {
    const size_t i = visible[k];
    EXPECT_EQ(bytes.weight[k], static_cast<float>(trace.messages.bytes[i]));
    const auto ns = static_cast<double>(trace.messages.recv_ticks[i]) -
                    static_cast<double>(trace.messages.send_ticks[i]);
    EXPECT_FLOAT_EQ(times.weight[k], static_cast<float>(std::max(0.0, ns) * 1e-9));
  }
}

layout::Density drawn_through_the_pyramid(const trace::Trace& trace, TimeRange range,
                                          size_t max_messages, base::ThreadPool& pool,
                                          size_t& records_drawn) {
  const trace::Messages& messages = trace.messages;
  const auto pyramid = pyramid::MessagePyramid::build({messages.send_ticks.plain(),
                                                       messages.recv_ticks.plain(),
                                                       messages.sender.plain(),
                                                       messages.receiver.plain(),
                                                       {},
                                                       kRanks},
                                                      {.tile_message_count = 4096}, pool);
  pyramid::MessageRecords records;
  pyramid.query({.from_ticks = range.from,
                 .until_ticks = range.until,
                 .width_px = kPlot.w,
                 .height_px = kPlot.h,
                 .max_message_count = max_messages},
                records);
  records_drawn = records.size();
  return render::rasterize(record_lines(records, range, 0, kRanks, kPlot), pool);
}

TEST(RecordLines, DrawWhatMessagesDrawWhileThereAreFew) {
  base::ThreadPool pool(1);
  const trace::Trace trace = messages_of(20000);
  const Rows rows = rows_of(kRanks);
  const TimeRange range{4990000, 17050000};
  const auto visible = visible_messages(trace, rows, range, pool);
  const auto exact = render::rasterize(
      message_lines(trace, visible, rows, range, kPlot, Metric::kMessages, pool), pool);
  size_t records = 0;
  const auto density = drawn_through_the_pyramid(trace, range, 1 << 20, pool, records);
  EXPECT_EQ(records, visible.size());
  EXPECT_LT(bundle::difference(density, exact, 1), 1e-3) << "positions are rounded elsewhere";
}

TEST(RecordLines, OfCellsDrawNearlyTheSamePicture) {
  base::ThreadPool pool(1);
  trace::Trace trace = messages_of(400000);
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    trace.messages.receiver.set(
        i, (trace.messages.sender[i] + 9 + static_cast<uint32_t>(i % 3)) % kRanks);
  }
  const Rows rows = rows_of(kRanks);
  const TimeRange range{0, 40000000};
  const auto visible = visible_messages(trace, rows, range, pool);
  const auto exact = render::rasterize(
      message_lines(trace, visible, rows, range, kPlot, Metric::kMessages, pool), pool);
  size_t records = 0;
  const auto density = drawn_through_the_pyramid(trace, range, 0, pool, records);
  EXPECT_LT(records, visible.size() / 2) << "cells, not messages";
  EXPECT_LT(bundle::difference(density, exact, 8), 0.03);
}

}  // namespace
}  // namespace pathline::figure

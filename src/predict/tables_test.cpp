// SPDX-License-Identifier: BSD-3-Clause
#include "predict/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/test_rows.hpp"

namespace pathline::predict {
namespace {

using testing::HasSubstr;

Time plain(double value) { return {value, value, value}; }

TEST(Curve, IsStraightForPowers) {
  const Curve curve({{1, plain(2)}, {100, plain(200)}, {200, plain(200)}});
  Time time;
  ASSERT_TRUE(curve.find(10, time));
  EXPECT_NEAR(time.value, 20, 1e-9);
  ASSERT_TRUE(curve.find(100, time));
  EXPECT_EQ(time.value, 200);
  ASSERT_TRUE(curve.find(150, time));
  EXPECT_NEAR(time.value, 200, 1e-9);
  ASSERT_TRUE(curve.find(0.5, time));  // An octave below goes on as it came.
  EXPECT_NEAR(time.value, 1, 1e-9);
  EXPECT_NEAR(time.low, 1, 1e-9);
  EXPECT_NEAR(time.high, 2, 1e-9);
  EXPECT_FALSE(curve.find(0.49, time));
  EXPECT_TRUE(curve.find(400, time));
  EXPECT_FALSE(curve.find(401, time));
  EXPECT_FALSE(Curve({}).find(1, time));
}

TEST(Curve, DoesNotLookAcrossAnEdge) {
  const Curve curve({{8, plain(1)}, {16, plain(1)}, {32, plain(10)}, {64, plain(20)}});
  Time time;
  ASSERT_TRUE(curve.find(30, time, 0, 32));
  EXPECT_NEAR(time.value, 1, 1e-9);
  ASSERT_TRUE(curve.find(24, time, 24, 1e9));
  EXPECT_NEAR(time.value, 7.5, 1e-9);
}

TEST(ComputeTable, RefusesWhatWasNotMeasured) {
  TestRows rows;
  for (const uint32_t side : {8U, 16U, 32U, 64U}) {
    rows.add_compute("flat", 1, side, 1e-9 * side * side);
    rows.add_compute("growing", 1, side, 1e-9 * side * side * side);
  }
  const ComputeTable table(rows.computes, rows.launches);
  const auto bytes = [](uint64_t side) { return 8 * 13 * (side + 2) * (side + 2); };
  EXPECT_NEAR(table.per_cell("flat", 1, bytes(20)).value().value, 1e-9, 1e-15);
  EXPECT_NEAR(table.per_cell("growing", 1, bytes(32)).value().value, 32e-9, 1e-15);
  // Flat ends may go on; others not by a byte.
  EXPECT_NEAR(table.per_cell("flat", 1, bytes(5000)).value().value, 1e-9, 1e-15);
  EXPECT_NEAR(table.per_cell("flat", 1, bytes(1)).value().value, 1e-9, 1e-15);
  const auto beyond = table.per_cell("growing", 1, bytes(64) + 8);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(beyond.error().message, HasSubstr("growing was measured with working sets from"));
  EXPECT_FALSE(table.per_cell("growing", 1, bytes(7)));
  EXPECT_THAT(table.per_cell("flat", 2, bytes(20)).error().message,
              HasSubstr("not measured with these cores"));
  EXPECT_FALSE(table.per_cell("other", 1, bytes(20)));
}

TEST(HaloTable, TakesLanesAndHopsBetweenThoseMeasured) {
  TestRows rows;
  for (const uint32_t lanes : {1U, 2U, 4U}) {
    for (const uint32_t hops : {1U, 3U}) {
      rows.add_halos("network", hops, lanes,
                     [&](double bytes) { return 1e-6 * hops + 1e-9 * bytes * lanes; });
    }
  }
  rows.add_halos("L3Cache", 0, 1, [](double bytes) { return 1e-9 * bytes; });
  for (const uint32_t lanes : {1U, 2U, 4U}) {
    rows.add_halos("jumps", 1, lanes,
                   [&](double bytes) { return 1e-9 * bytes * (lanes < 4 ? lanes : 20); });
  }
  const HaloTable table(rows.halos, rows.probes, rows.launches);
  const auto value = [&](uint32_t hops, uint64_t bytes, double lanes) {
    auto time = table.time({"network", hops}, "contiguous", bytes, lanes);
    EXPECT_TRUE(time) << time.error().message;
    return time ? time.value().value : 0;
  };
  EXPECT_NEAR(value(1, 4096, 1), 1e-6 + 4096e-9, 1e-12);
  EXPECT_NEAR(value(2, 4096, 1), 2e-6 + 4096e-9, 1e-12);
  EXPECT_NEAR(value(5, 4096, 1), 5e-6 + 4096e-9, 1e-12);
  EXPECT_NEAR(value(1, 4096, 3), 1e-6 + 3 * 4096e-9, 1e-12);
  EXPECT_NEAR(value(1, 4096, 1.5), 1e-6 + 1.5 * 4096e-9, 1e-12);
  // Four times the lanes, where the last three are on a line; else nothing.
  EXPECT_NEAR(value(1, 1U << 20U, 16), 1e-6 + 16 * 1048576e-9, 1e-6);
  EXPECT_FALSE(table.time({"network", 1}, "contiguous", 1U << 20U, 17));
  EXPECT_NEAR(value(1, 8, 5), 1e-6 + 5 * 8e-9, 1e-12);
  EXPECT_THAT(table.time({"jumps", 1}, "contiguous", 8, 5).error().message,
              HasSubstr("does not grow with their number"));
  EXPECT_THAT(table.time({"L3Cache", 0}, "strided", 8, 2).error().message,
              HasSubstr("2 messages at once within one L3Cache were not measured, only up to 1"));
  EXPECT_THAT(table.time({"network", 1}, "contiguous", (1U << 21U) + 1, 1).error().message,
              HasSubstr("over 1 hop of the network"));
  EXPECT_FALSE(table.time({"network", 1}, "contiguous", 3, 1));
  EXPECT_TRUE(table.time({"network", 1}, "contiguous", 4, 1));
  EXPECT_THAT(table.time({"network", 1}, "packed", 8, 1).error().message, HasSubstr("'packed'"));
  EXPECT_THAT(table.time({"Package", 0}, "strided", 8, 1).error().message,
              HasSubstr("within one Package"));
  EXPECT_TRUE(table.time({"L3Cache", 0}, "strided", 8, 1));
}

TEST(HaloTable, ProbesTellProtocols) {
  TestRows rows;
  // A jump by ten at 64 KiB, and points on both sides of it only by powers of two.
  rows.add_halos("network", 1, 1, [](double bytes) { return bytes < 65536 ? 1e-6 : 1e-5; });
  rows.add_halos("network", 2, 1, [](double bytes) { return bytes < 65536 ? 1e-6 : 1e-5; });
  rows.probes = {{.launch = 1,
                  .connection = "network",
                  .hops = 1,
                  .bytes = 8,
                  .late_s = 1e-3,
                  .send_s = {1e-7},
                  .receive_wait_s = {1e-8},
                  .overhead_s = {2e-7},
                  .oneway_s = {1e-6}},
                 {.launch = 1,
                  .connection = "network",
                  .hops = 1,
                  .bytes = 65536,
                  .late_s = 1e-3,
                  .send_s = {1e-3},
                  .receive_wait_s = {1e-5},
                  .overhead_s = {1e-5},
                  .oneway_s = {1e-5}}};
  EXPECT_THAT(protocol_changes(rows.probes), testing::ElementsAre(std::pair(8, 65536)));
  const HaloTable table(rows.halos, rows.probes, rows.launches);
  EXPECT_FALSE(table.protocol("network", 65535).waits_for_receiver);
  EXPECT_TRUE(table.protocol("network", 65535).moves_early);
  EXPECT_EQ(table.protocol("network", 8).overhead_s, 2e-7);
  EXPECT_TRUE(table.protocol("network", 65536).waits_for_receiver);
  EXPECT_FALSE(table.protocol("network", 65536).moves_early);
  EXPECT_FALSE(table.protocol("L3Cache", 65536).waits_for_receiver);
  EXPECT_NEAR(table.time({"network", 1}, "contiguous", 65535, 1).value().value, 1e-6, 1e-12);
  EXPECT_NEAR(table.time({"network", 1}, "contiguous", 65536, 1).value().value, 1e-5, 1e-12);
  EXPECT_NEAR(table.time({"network", 1}, "contiguous", 50000, 1).value().value, 1e-6, 1e-12);
}

TEST(Tables, NoiseWidensTheInterval) {
  TestRows rows;
  rows.launches = {{.id = 1}, {.id = 2}, {.id = 3}};
  for (store::Id launch = 1; launch <= 3; ++launch) {
    rows.halos.push_back({.launch = launch,
                          .connection = "network",
                          .hops = 1,
                          .layout = "contiguous",
                          .bytes = 8,
                          .lanes = 1,
                          .samples = {1, 2, 2, 2, 9}});
  }
  const auto width = [&] {
    const HaloTable table(rows.halos, rows.probes, rows.launches);
    const Time time = table.time({"network", 1}, "contiguous", 8, 1).value();
    EXPECT_EQ(time.value, 2);
    return time.high - time.low;
  };
  const double quiet = width();
  rows.launches[1].noisy = true;
  EXPECT_GT(width(), quiet);
}

}  // namespace
}  // namespace pathline::predict

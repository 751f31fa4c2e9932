// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/pixel_shares.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using trace::Region;
using trace::TestTrace;

/// "0.2 r1 0.5": row and column, region, share.
std::vector<std::string> texts(const PixelShares& shares) {
  std::vector<std::string> result;
  for (size_t i = 0; i < shares.row.size(); ++i) {
    result.push_back(fmt::format("{}.{} r{} {:.3g}", shares.row[i], shares.column[i],
                                 shares.region[i], shares.share[i]));
  }
  return result;
}

TEST(PixelShares, AreOfTheInnermostCallsByFirstOccurrence) {
  TestTrace test(2, 1);
  const Region a = test.region("a");
  const Region b = test.region("b");
  test.on(0, 0).enter(0, a).enter(5, b).leave(30, b).leave(35, a);
  test.on(1, 0).enter(20, b).leave(40, b);
  const trace::Trace trace = test.finish(1);
  base::ThreadPool pool(2);
  const PixelShares shares = pixel_shares(trace, choose_rows(trace, {}), {0, 40}, 4, pool);
  EXPECT_THAT(texts(shares),
              testing::ElementsAre("0.0 r0 0.5", "0.0 r1 0.5", "0.1 r1 1", "0.2 r1 1", "0.3 r0 0.5",
                                   "1.2 r1 1", "1.3 r1 1"));
  const PixelShares part = pixel_shares(trace, choose_rows(trace, {}), {4, 8}, 1, pool);
  EXPECT_THAT(texts(part), testing::ElementsAre("0.0 r0 0.25", "0.0 r1 0.75"));
}

TEST(PixelShares, CutTheRangeIntoWholeTicksOfAnyLength) {
  EXPECT_EQ(column_begin({10, 17}, 3, 0), 10U);
  EXPECT_EQ(column_begin({10, 17}, 3, 1), 12U);
  EXPECT_EQ(column_begin({10, 17}, 3, 2), 14U);
  EXPECT_EQ(column_begin({10, 17}, 3, 3), 17U);
  EXPECT_EQ(column_begin({0, UINT64_MAX}, 65536, 65536), UINT64_MAX);
  EXPECT_EQ(column_begin({5, 6}, 4, 3), 5U);  // Without any tick.
  TestTrace test(1, 1);
  const Region a = test.region("a");
  test.on(0, 0).enter(5, a).leave(6, a);
  const trace::Trace trace = test.finish(1);
  base::ThreadPool pool(1);
  EXPECT_THAT(texts(pixel_shares(trace, choose_rows(trace, {}), {5, 6}, 4, pool)),
              testing::ElementsAre("0.3 r0 1"));
}

}  // namespace
}  // namespace pathline::figure

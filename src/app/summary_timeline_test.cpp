// SPDX-License-Identifier: BSD-3-Clause
#include "app/summary_timeline.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/reduce.hpp"
#include "base/scratch_folder.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "summary/file.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kRanks = 61;
constexpr uint32_t kCalls = 200;  // Of a rank.

/// A summary of ranks with calls of random lengths, and its archive.
class SummaryTimeline : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(11);
    trace::TestTrace test(kRanks, 1);
    const trace::Region main = test.region("main");
    const trace::Region work = test.region("work");
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      uint64_t at = 1;
      auto& on = test.on(rank).enter(at, main);
      for (uint32_t i = 0; i < kCalls; ++i) {
        on.enter(at += 1 + random() % 100, work);
        on.leave(at += 1 + random() % 100, work);
      }
      on.leave(at + 1, main);
    }
    base::Progress progress;
    ASSERT_TRUE(otf2::write(test.finish(1), folder_.path(), "traces", progress).ok());
    const fs::path archive = folder_.path() / "traces.otf2";
    std::vector<std::string> notes;
    exchange::Exchange alone;
    auto reduced = reduce_run(archive, {}, pool_, progress, notes, alone);
    ASSERT_TRUE(reduced.ok()) << reduced.error().message;
    ASSERT_TRUE(write_summary(reduced.value(), archive, file_).ok());
    auto read = summary::read(file_);
    ASSERT_TRUE(read.ok()) << read.error().message;
    summary_ = std::move(read).value();
    auto whole = otf2::read(archive, {}, pool_, progress);
    ASSERT_TRUE(whole.ok());
    whole_ = std::move(whole).value();
  }
  /// Of the whole run, so wide that no bins are narrow enough, with memory for so many events.
  base::Result<TimelineSource> source(double lines, uint64_t most_events) {
    const TimelineLook look{
        .columns = 1e6, .lines = lines, .trim = false, .most_events = most_events};
    return timeline_source(file_, summary_, summary_.run, {}, look, pool_);
  }

  base::ScratchFolder folder_;
  base::ThreadPool pool_{2};
  const fs::path file_ = folder_.path() / "run.plsum";
  summary::RunSummary summary_;
  trace::Trace whole_;
};

TEST_F(SummaryTimeline, IsOfAllEventsWhereTheseAreFew) {
  const auto made = source(10, kRanks * (2 * kCalls + 2) * 2);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE(made.value().part);
  EXPECT_EQ(made.value().rows_for_one, 1U);
  EXPECT_THAT(made.value().calls->remarks(), testing::IsEmpty());
}

TEST_F(SummaryTimeline, IsOfTheEventsOfSomeRowsWhereALineOfPixelsHasMany) {
  const auto made = source(10, kRanks * (2 * kCalls + 2) / 4);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const TimelineSource& of = made.value();
  ASSERT_TRUE(of.part);
  EXPECT_GT(of.rows_for_one, 3U);
  EXPECT_THAT(of.calls->remarks(),
              testing::ElementsAre("one of " + std::to_string(of.rows_for_one) + " rows"));
  EXPECT_FALSE(of.calls->has_stretches());
  size_t rows = 0;
  for (uint32_t i = 0; i < kRanks; ++i) {
    const trace::Events& events = of.part->locations[i].events;
    EXPECT_EQ(of.calls->ends(i).has_calls, !events.kind.empty()) << i;
    if (events.kind.empty()) continue;
    ++rows;
    const trace::Events& expected = whole_.locations[i].events;
    EXPECT_TRUE(std::equal(events.ticks.begin(), events.ticks.end(), expected.ticks.begin(),
                           expected.ticks.end()))
        << i;
  }
  EXPECT_EQ(rows, (kRanks + of.rows_for_one - 1) / of.rows_for_one);
}

TEST_F(SummaryTimeline, IsOfBinsWhereTheArchiveIsNotThere) {
  fs::remove(folder_.path() / "traces.otf2");
  const auto made = source(10, kRanks * (2 * kCalls + 2) / 4);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_FALSE(made.value().part);
  EXPECT_EQ(made.value().rows_for_one, 1U);
  EXPECT_TRUE(made.value().calls->has_stretches());
  EXPECT_THAT(made.value().calls->remarks(), testing::Contains("the archive cannot be read"));
}

TEST_F(SummaryTimeline, IsOfBinsWhereEachRowHasALine) {
  for (const double lines : {0.0, 100.0}) {
    const auto made = source(lines, kRanks * (2 * kCalls + 2) / 4);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_FALSE(made.value().part);
    EXPECT_GT(made.value().bin_ticks, 0U);
    EXPECT_TRUE(made.value().calls->has_stretches());
  }
}

}  // namespace
}  // namespace pathline::app

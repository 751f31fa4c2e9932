// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_glance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/run_json.hpp"
#include "base/scratch_folder.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::TestTrace;

/// Rank 1 works three times as long as rank 0, which waits for it.
trace::Trace uneven_run() {
  TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region barrier = test.region("MPI_Barrier");
  for (const uint32_t rank : {0, 1}) {
    const uint64_t until = rank == 1 ? 900 : 300;
    test.on(rank).enter(0, main).enter(until, barrier);
    test.on(rank).collective(until, 900, 0).leave(900, barrier).leave(900, main);
  }
  return test.finish();
}

TEST(Glance, SaysWhatFindingsSay) {
  const trace::Trace run = uneven_run();
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto report = find_findings(run, "run", {}, pool, progress);
  ASSERT_TRUE(report.ok());
  const Glance seen = glance(run, "run", pool);
  EXPECT_TRUE(seen.can_judge);
  EXPECT_EQ(seen.line, findings_line(report.value()));
  EXPECT_THAT(seen.line, testing::StartsWith("1 finding, 300 ns of 900 ns: "));
  EXPECT_THAT(seen.line, testing::HasSubstr("rank 1"));
}

TEST(Glance, IsSilentAboutARunThatCannotBeJudged) {
  TestTrace test(1);
  const trace::Region main = test.region("main");
  test.on(0).enter(0, main).leave(200, main);
  base::ThreadPool pool(1);
  const Glance seen = glance(test.finish(), "run", pool);
  EXPECT_FALSE(seen.can_judge);
  EXPECT_EQ(seen.line, "");
}

TEST(Glance, DoesNotOpenWhatIsLargeUnknownOrBroken) {
  const base::ScratchFolder run;
  // Without a description, a large one, damaged ones; there is nothing to open either.
  EXPECT_EQ(glance(run.path()).line, "");
  ASSERT_TRUE(write_run_json(run.path(), {{"events", 2000001}}).ok());
  EXPECT_EQ(glance(run.path()).line, "not judged in passing, with 2,000,001 events");
  for (const char* events : {"-1", "\"many\"", "null", "10"}) {
    ASSERT_TRUE(
        write_run_json(run.path(), {{"events", nlohmann::ordered_json::parse(events)}}).ok());
    const Glance seen = glance(run.path());
    EXPECT_TRUE(seen.can_judge) << events;
    EXPECT_EQ(seen.line, "") << events;
  }
}

}  // namespace
}  // namespace pathline::app

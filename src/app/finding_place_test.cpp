// SPDX-License-Identifier: BSD-3-Clause
#include "app/finding_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/findings.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using trace::TestTrace;

/// A program without regions: in each of ten rounds rank 1 works 500 where others work 100 before
/// the reduction, and all 50 before the barrier.
trace::Trace without_regions(bool names_place) {
  TestTrace test(3);
  const trace::Region app = test.region("app");
  const trace::Region barrier = test.region("MPI_Barrier");
  constexpr uint32_t kNone = trace::kUndefined;
  const uint32_t place = names_place ? test.text("called from norm (a.c:7)") : kNone;
  test.define(
      trace::DefinitionKind::kRegion,
      {TestTrace::kFirstRegion + 2, test.text("MPI_Allreduce"), kNone, place,
       static_cast<uint32_t>(trace::RegionRole::kFunction), trace::kParadigmMpi, 0, kNone, 0, 0});
  const trace::Region reduce(2);
  constexpr uint32_t kBarrier = 0;
  constexpr uint32_t kAllreduce = 11;
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, app);
  uint64_t begin = 0;
  for (int round = 0; round < 10; ++round) {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      const uint64_t done = begin + (rank == 1 ? 500 : 100);
      test.on(rank).enter(done, reduce).collective(done, begin + 510, kAllreduce, 8, 8);
      test.on(rank).leave(begin + 510, reduce).enter(begin + 560, barrier);
      test.on(rank).collective(begin + 560, begin + 570, kBarrier).leave(begin + 570, barrier);
    }
    begin += 570;
  }
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).leave(begin, app);
  return test.finish();
}

FindingRow first_finding(const trace::Trace& trace) {
  base::ThreadPool pool(1);
  base::Progress progress;
  auto report = find_findings(trace, "run", {}, pool, progress);
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(report.value().findings.empty());
  return report.value().findings.empty() ? FindingRow() : report.value().findings[0];
}

TEST(FindingPlace, IsBetweenTheCallsOfMpiThatMostOfItLiesBetween) {
  const FindingRow row = first_finding(without_regions(false));
  EXPECT_EQ(row.call_path, "app");
  // Of 10 rounds nine are between the two: the first has no barrier before it.
  EXPECT_EQ(row.place, "90 % of the excess between MPI_Barrier and MPI_Allreduce");
  EXPECT_THAT(row.text, testing::HasSubstr("in app before MPI_Allreduce"));
}

TEST(FindingPlace, NamesWhoMakesTheCall) {
  const FindingRow row = first_finding(without_regions(true));
  EXPECT_EQ(row.place, "90 % of the excess between MPI_Barrier and MPI_Allreduce in norm (a.c:7)");
}

TEST(FindingPlace, IsNotSaidOfAFunctionThatCallsNoMpi) {
  TestTrace test(2);
  const trace::Region app = test.region("app");
  const trace::Region solve = test.region("solve");
  const trace::Region barrier = test.region("MPI_Barrier");
  for (const uint32_t rank : {0, 1}) {
    test.on(rank).enter(0, app);
    for (uint64_t i = 0; i < 5; ++i) {
      const uint64_t done = 1000 * i + (rank == 1 ? 900 : 300);
      test.on(rank).enter(1000 * i, solve).leave(done, solve).enter(done, barrier);
      test.on(rank).collective(done, 1000 * i + 950, 0).leave(1000 * i + 950, barrier);
    }
    test.on(rank).leave(5000, app);
  }
  const FindingRow row = first_finding(test.finish());
  EXPECT_EQ(row.call_path, "app->solve");
  EXPECT_EQ(row.place, "");
}

}  // namespace
}  // namespace pathline::app

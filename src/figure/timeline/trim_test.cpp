// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/trim.hpp"

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

/// Two ranks in MPI_Init until 300 and 320 us, and in MPI_Finalize from 900 and 950 on, of 1 ms;
/// `own` us of work before, by both.
trace::Trace run_of(uint64_t own, const char* init_name = "MPI_Init") {
  constexpr uint64_t kUs = 1000;
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region init = test.region(init_name);
  const trace::Region finalize = test.region("MPI_Finalize");
  for (const uint32_t rank : {0U, 1U}) {
    test.on(rank).enter(0, main).enter(own * kUs, init).leave((300 + 20 * rank) * kUs, init);
    test.on(rank).enter((900 + 50 * rank) * kUs, finalize).leave(999 * kUs, finalize);
    test.on(rank).leave(1000 * kUs, main);
  }
  return test.finish();
}

Trim trimmed(const trace::Trace& trace, const trace::Selection& selection = {}) {
  return trim_of(trace, choose_rows(trace, selection), selection);
}

TEST(Trim, CutsWhatAllRanksSpendInInitAndFinalize) {
  const trace::Trace trace = run_of(10);
  const Trim trim = trimmed(trace);
  EXPECT_EQ(trim.begin_ticks, 300'000U);
  EXPECT_EQ(trim.end_ticks, 50'000U);
  EXPECT_EQ(trim_text(trace, trim), "without 300 µs of MPI_Init and 50.0 µs of MPI_Finalize");
  EXPECT_EQ(trimmed(run_of(10, "MPI_Init_thread")).begin_ticks, 300'000U);
}

TEST(Trim, KeepsAnEndThatWasAskedFor) {
  const trace::Trace trace = run_of(10);
  trace::Selection selection;
  selection.from_ticks = 5;
  EXPECT_EQ(trimmed(trace, selection).begin_ticks, 0U);
  EXPECT_EQ(trimmed(trace, selection).end_ticks, 50'000U);
  selection = {};
  selection.until_ticks = 800'000;
  EXPECT_EQ(trimmed(trace, selection).begin_ticks, 300'000U);
  EXPECT_EQ(trimmed(trace, selection).end_ticks, 0U);
}

TEST(Trim, KeepsATimeInsideOfWhatItWouldCut) {
  const trace::Trace trace = run_of(10);
  trace::Selection selection;
  for (const uint64_t until : {1U, 299'000U, 300'000U}) {
    selection.until_ticks = until;
    EXPECT_EQ(trimmed(trace, selection).begin_ticks, 0U) << until;
  }
  selection = {};
  for (const uint64_t from : {950'000U, 999'000U}) {
    selection.from_ticks = from;
    EXPECT_EQ(trimmed(trace, selection).end_ticks, 0U) << from;
  }
}

TEST(Trim, KeepsWorkBeforeMpi) { EXPECT_EQ(trimmed(run_of(200)).begin_ticks, 0U); }

TEST(Trim, KnowsOtherFunctionsFromMpiInit) {
  EXPECT_EQ(trimmed(run_of(10, "MPI_Initialized")).begin_ticks, 0U);
}

TEST(Trim, SaysNothingOfNothing) { EXPECT_EQ(trim_text(run_of(10), {}), ""); }

}  // namespace
}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/efficiency.hpp"
#include "app/findings_against.hpp"
#include "app/judged_metrics.hpp"
#include "app/judged_run.hpp"
#include "app/wait_rows.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using trace::TestTrace;

/// Twenty rounds, in each of which rank 1 works `late` longer than the others before a barrier.
trace::Trace late_rank(uint64_t late) {
  TestTrace test(3);
  const trace::Region main = test.region("main");
  const trace::Region work = test.region("work");
  const trace::Region barrier = test.region("MPI_Barrier");
  constexpr uint32_t kBarrier = 0;
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  uint64_t begin = 1000;
  for (int round = 0; round < 20; ++round) {
    const uint64_t end = begin + 1000 + late + 10;
    for (uint32_t rank = 0; rank < 3; ++rank) {
      const uint64_t done = begin + 1000 + (rank == 1 ? late : 0);
      test.on(rank).enter(begin, work).leave(done, work).enter(done, barrier);
      test.on(rank).collective(done, end, kBarrier, 0, 0).leave(end, barrier);
    }
    begin = end;
  }
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).leave(begin, main);
  return test.finish();
}

FindingsReport report_of(const trace::Trace& trace, const FindingsRequest& request = {}) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto report = find_findings(trace, "the run", request, pool, progress);
  EXPECT_TRUE(report.ok());
  return report.ok() ? std::move(report).value() : FindingsReport{};
}

TEST(Findings, NameTheRankThePlaceAndTheSeconds) {
  const FindingsReport report = report_of(late_rank(500));
  ASSERT_EQ(report.findings.size(), 1U);
  const FindingRow& first = report.findings[0];
  EXPECT_EQ(first.kind, "slow_rank");
  EXPECT_EQ(first.ranks, "1");
  EXPECT_EQ(first.call_path, "main->work");
  // 20 times 500 ticks, of which an even share stays; ticks are whole, so one a round is rounded.
  EXPECT_NEAR(first.recoverable_s, 20 * 500e-9 * 2 / 3, 20e-9);
  EXPECT_NEAR(first.cost_rank_s, 2 * 20 * 500e-9, 1e-8);
  EXPECT_THAT(first.text, HasSubstr("rank 1 takes 29 % longer than the mean in work"));
  EXPECT_THAT(first.show.front(),
              HasSubstr("pathline figure timeline 'the run' --critical --from "));
  EXPECT_FALSE(expects_none(report));
}

TEST(Findings, ShowWhoIsLateWhereItIsNowThisRankNowThatOne) {
  constexpr uint32_t kRanks = 70;  // More than a picture shows all of.
  TestTrace test(kRanks);
  const trace::Region main = test.region("main");
  const trace::Region step = test.region("time step");
  const trace::Region work = test.region("work");
  const trace::Region barrier = test.region("MPI_Barrier");
  const auto late_in = [](uint64_t round) { return static_cast<uint32_t>(round * 27 % kRanks); };
  constexpr uint64_t kRounds = 40;
  constexpr uint64_t kLength = 1810;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    test.on(rank).enter(0, main);
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint64_t begin = 1000 + round * kLength;
      const uint64_t end = begin + kLength;
      const uint64_t done = begin + (rank == late_in(round) ? 1800 : 1000 + (rank + round) % 5);
      test.on(rank).enter(begin, step).enter(begin, work).leave(done, work).enter(done, barrier);
      test.on(rank).collective(done, end, 0, 0, 0).leave(end, barrier).leave(end, step);
    }
    test.on(rank).leave(1000 + kRounds * kLength, main);
  }
  const trace::Trace trace = test.finish();
  const FindingsReport report = report_of(trace);
  ASSERT_FALSE(report.findings.empty());
  const FindingRow& row = report.findings[0];
  ASSERT_EQ(row.kind, "jitter");
  const double middle_s = (row.view.from_s + row.view.until_s) / 2;
  const double round_s = trace.seconds(trace.start_ticks + kLength);
  const auto round = static_cast<uint64_t>((middle_s - trace.seconds(1000)) / round_s);
  EXPECT_THAT(row.view.ranks, testing::Contains(late_in(round)));
}

TEST(Findings, AreNoneWhereNothingIsWrong) {
  const FindingsReport report = report_of(late_rank(0));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(expects_none(report));
  EXPECT_EQ(findings_line(report), "nothing found that would gain 2 % or more");
  EXPECT_DOUBLE_EQ(report.nothing_above_pct, 2);
}

TEST(Findings, TimesAddUpToThoseOfAllRanks) {
  const FindingsReport report = report_of(late_rank(500));
  EXPECT_NEAR(report.useful_s + report.wait_s + report.rest_s + report.polling_s, report.rank_s,
              1e-12);
  const auto json = findings_json(report);
  EXPECT_EQ(json["focus"]["kind"], "run");
  EXPECT_EQ(json["findings"][0]["kind"], "slow_rank");
  EXPECT_TRUE(json["findings"][0]["steps"].is_null());
}

TEST(Findings, OfAPartAreOfThatPart) {
  const trace::Trace trace = late_rank(500);
  FindingsRequest request{.focus = findings::Focus::kTime};
  request.from_s = trace.seconds(1000 + 4 * 1510);
  request.until_s = trace.seconds(1000 + 8 * 1510);
  EXPECT_NEAR(report_of(trace, request).findings.at(0).recoverable_s, 4 * 500e-9 * 2 / 3, 1e-8);
  request.from_s = 10;
  request.until_s = 20;
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto refused = find_findings(trace, "run", request, pool, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("nothing of the run lies in the focus"));
}

TEST(Findings, NeedCallsOfMpi) {
  TestTrace test(1);
  const trace::Region main = test.region("main");
  test.on(0).enter(0, main).leave(10, main);
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto refused = find_findings(test.finish(), "run", {}, pool, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, base::ErrorCode::kUnsupported);
}

TEST(Findings, OfTwoRunsSayWhatChanged) {
  const FindingsReport slow = report_of(late_rank(500));
  const FindingsReport fast = report_of(late_rank(0));
  const FindingsChange better = compare_findings(slow, fast);
  ASSERT_EQ(better.rows.size(), 1U);
  EXPECT_EQ(better.rows[0].verdict, "gone");
  EXPECT_EQ(compare_findings(fast, slow).rows.at(0).verdict, "new");
  EXPECT_EQ(compare_findings(slow, slow).rows.at(0).verdict, "same");
  EXPECT_EQ(compare_findings(report_of(late_rank(300)), slow).rows.at(0).verdict, "worse");
  EXPECT_THAT(change_text(better), HasSubstr("parallel efficiency"));
}

TEST(Findings, OfTwoRunsMeetByTheFunctionThatCosts) {
  // Most of what a function costs may be at one call path in a run, and at several in another.
  const auto report = [](const std::string& kind, const std::string& path) {
    FindingsReport of;
    of.findings.emplace_back();
    of.findings[0].kind = kind;
    of.findings[0].call_path = path;
    of.findings[0].recoverable_s = 1;
    return of;
  };
  const auto change = [&](const std::string& kind) {
    return compare_findings(report(kind, "main->solve->MPI_Send"), report(kind, "MPI_Send")).rows;
  };
  ASSERT_EQ(change("transfer").size(), 1U);
  EXPECT_EQ(change("transfer")[0].verdict, "same");
  EXPECT_EQ(change("transfer")[0].call_path, "MPI_Send");
  EXPECT_EQ(change("jitter").size(), 2U);
}

TEST(Findings, WhatLimitsThemGainsNothingAndStandsBehind) {
  trace::Trace trace = late_rank(500);
  trace.complete = false;
  const FindingsReport report = report_of(trace);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].kind, "slow_rank");
  const FindingRow& note = report.findings[1];
  EXPECT_EQ(note.kind, "incomplete");
  EXPECT_EQ(note.confidence, "low");
  EXPECT_EQ(note.recoverable_s, 0);
  EXPECT_TRUE(note.is_note);
  EXPECT_THAT(report.warnings, ElementsAre(note.text));
  EXPECT_THAT(note.show, ElementsAre("pathline info 'the run'"));
  EXPECT_EQ(compare_findings(report, report).rows.size(), 1U);

  trace = late_rank(0);
  trace.complete = false;
  const FindingsReport nothing = report_of(trace);
  EXPECT_EQ(nothing.findings.size(), 1U);
  EXPECT_TRUE(expects_none(nothing));
  EXPECT_THAT(findings_line(nothing), HasSubstr("nothing found"));
}

TEST(Findings, TellHowMuchOfARunIsItsStart) {
  TestTrace test(1);
  const trace::Region init = test.region("MPI_Init");
  const trace::Region barrier = test.region("MPI_Barrier");
  test.on(0).enter(0, init).leave(600, init).enter(900, barrier);
  test.on(0).collective(900, 1000, 0).leave(1000, barrier);
  const FindingsReport report = report_of(test.finish());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.back().kind, "start_up");
  EXPECT_NEAR(report.findings.back().cost_rank_s, 600e-9, 1e-15);
}

/// 10 s of work of each rank.
FindingsReport counted(uint32_t ranks, double instructions, double cycles) {
  FindingsReport report;
  report.run = "run";
  report.end_s = 20;
  report.ranks = ranks;
  report.useful_s = 10.0 * ranks;
  report.ticks_per_second = 100;
  // Half of it was counted.
  report.counted = findings::CountedWork{
      .ticks = 500 * ranks, .instructions = instructions * ranks / 2, .cycles = cycles * ranks / 2};
  return report;
}

TEST(CounterFindings, SayWhyWorkTakesLonger) {
  const FindingsReport before = counted(4, 40e9, 20e9);
  FindingsReport slow = counted(4, 40e9, 25e9);
  add_counter_findings(before, 2, slow);
  ASSERT_EQ(slow.findings.size(), 1U);
  EXPECT_EQ(slow.findings[0].kind, "ipc_drop");
  EXPECT_NEAR(slow.findings[0].recoverable_s, 10 * 0.2, 1e-9);
  EXPECT_NEAR(slow.findings[0].recoverable_pct, 10, 1e-9);
  EXPECT_THAT(slow.findings[0].text, HasSubstr("1.60 instructions in a cycle"));
  EXPECT_FALSE(expects_none(slow));
  FindingsReport cool = counted(4, 24e9, 12e9);
  add_counter_findings(counted(4, 24e9, 20e9), 2, cool);
  std::vector<std::string> kinds;
  for (const FindingRow& row : cool.findings) kinds.push_back(row.kind);
  EXPECT_THAT(kinds, ElementsAre("frequency_drop"));
  FindingsReport same = counted(4, 42e9, 20.5e9);
  add_counter_findings(before, 2, same);
  EXPECT_TRUE(same.findings.empty());
}

TEST(CounterFindings, TellAProblemThatGrewFromWorkThatIsRepeated) {
  const FindingsReport before = counted(4, 40e9, 20e9);
  // Eight ranks that do as much each: the problem grew.
  FindingsReport weak = counted(8, 40e9, 20e9);
  add_counter_findings(before, 2, weak);
  EXPECT_TRUE(weak.findings.empty());
  EXPECT_TRUE(work_scaling(before, weak)->weak);
  // Eight that do 0.6 times as much each: of the same problem a fifth more.
  FindingsReport strong = counted(8, 24e9, 12e9);
  add_counter_findings(before, 2, strong);
  EXPECT_FALSE(work_scaling(before, strong)->weak);
  ASSERT_FALSE(strong.findings.empty());
  const auto more =
      std::find_if(strong.findings.begin(), strong.findings.end(),
                   [](const FindingRow& row) { return row.kind == "more_instructions"; });
  ASSERT_NE(more, strong.findings.end());
  EXPECT_THAT(more->text, HasSubstr("20 % more instructions"));
  // Factors multiply to useful time before over after.
  const WorkScaling scaling = *work_scaling(before, strong);
  EXPECT_NEAR(*scaling.instructions * *scaling.ipc * *scaling.frequency,
              before.useful_s / strong.useful_s, 1e-12);
  EXPECT_NEAR(scaling_json(compare_findings(before, strong))["ipc"].get<double>(), 1, 1e-12);
}

TEST(Ranges, AreShortForNeighbours) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({3}), "3");
  EXPECT_EQ(ranges_text({0, 1, 2, 7, 9, 10}), "0-2,7,9-10");
}

TEST(JudgedRun, ComesBackFromItsTextAndTrustsNone) {
  const trace::Trace trace = late_rank(500);
  base::ThreadPool pool(2);
  base::Progress progress;
  const auto judged = judge_run(trace, "run", {.min_percent = 3}, pool, progress);
  ASSERT_TRUE(judged.ok());
  summary::RunSummary summary{.judged = to_text(judged.value())};
  const auto again = judged_run("there/it is.plsum", summary.judged, trace);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const JudgedRun& kept = *again.value();
  EXPECT_TRUE(kept.answers({.min_percent = 3}));
  EXPECT_TRUE(kept.answers({.min_percent = 5}));
  EXPECT_FALSE(kept.answers({}));
  EXPECT_FALSE(kept.answers({.focus = findings::Focus::kRun, .min_percent = 3}));
  ASSERT_EQ(kept.findings.findings.size(), judged.value().findings.findings.size());
  EXPECT_THAT(kept.findings.findings[0].show[0], HasSubstr(" 'there/it is.plsum' "));
  EXPECT_EQ(causes_of(kept.findings)[0].path, causes_of(judged.value().findings)[0].path);
  // A part of a number or a name may be another one; what could lead out of the run is refused.
  const std::string text = summary.judged;
  EXPECT_FALSE(judged_run("x", text.substr(0, text.size() / 2), trace).ok());
  trace::Trace less;
  less.rank_count = 1;
  less.definitions.regions = trace.definitions.regions;
  EXPECT_THAT(judged_run("x", summary.judged, less).error().message,
              HasSubstr("a rank that does not"));
  less.rank_count = 3;
  less.definitions.regions.resize(1);
  EXPECT_THAT(judged_run("x", summary.judged, less).error().message,
              HasSubstr("a region that does not"));
  EXPECT_FALSE(judged_run("x", "", trace).value().has_value());
}

TEST(JudgedRun, HasTheLargerFindingsAlone) {
  base::ThreadPool pool(2);
  base::Progress progress;
  const trace::Trace trace = late_rank(500);
  const auto judged = judge_run(trace, "run", {.min_percent = 0}, pool, progress);
  ASSERT_TRUE(judged.ok());
  ASSERT_FALSE(judged.value().findings.findings.empty());
  for (const double least : {1.0, 5.0, judged.value().findings.findings[0].recoverable_pct + 1}) {
    const FindingsRequest request{.min_percent = least};
    JudgedRun kept = judged.value();
    ASSERT_TRUE(kept.answers(request));
    kept.leave_out_below(least);
    const auto expected = find_findings(trace, "run", request, pool, progress);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(findings_json(kept.findings), findings_json(expected.value())) << least;
  }
}

TEST(WaitCauses, AreWhatTheLateOneDid) {
  const trace::Trace trace = late_rank(500);
  base::ThreadPool pool(2);
  const comm::Dependencies all = comm::dependencies(trace, pool);
  const auto causes = wait_causes(trace, all, {}, pool);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].rank, 1U);
  EXPECT_EQ(causes[0].kind, "barrier");
  EXPECT_EQ(causes[0].call_path, "main->work");
  EXPECT_NEAR(causes[0].short_term_rank_s, 2 * 20 * 500e-9, 1e-8);
  const auto waits = waits_by_call_path(trace, all, {}, pool);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].call_path, "main->MPI_Barrier");
  EXPECT_EQ(waits[0].count, 40U);
  trace::Selection first;
  first.ranks = {true, false, false};
  EXPECT_EQ(waits_by_call_path(trace, all, first, pool).at(0).count, 20U);
  EXPECT_TRUE(wait_causes(trace, all, first, pool).empty() ||
              wait_causes(trace, all, first, pool)[0].rank == 0U);
}

TEST(JudgedMetrics, OfARunAddUpToItsLength) {
  base::ThreadPool pool(1);
  base::Progress progress;
  const trace::Trace trace = late_rank(500);
  const auto lost = judged_metric(trace, "run", "lost_time", pool, progress);
  ASSERT_TRUE(lost.ok());
  double sum = 0;
  for (const double value : lost.value().values[0]) sum += value;
  const auto efficiency = find_efficiency(trace, "run", {}, std::nullopt, pool, progress);
  ASSERT_TRUE(efficiency.ok());
  EXPECT_NEAR(sum, efficiency.value().end_s - efficiency.value().begin_s, 1e-12);
  const auto factors = judged_metric(trace, "run", "efficiency", pool, progress);
  ASSERT_TRUE(factors.ok());
  EXPECT_EQ(factors.value().call_paths[0].region, "parallel");
  EXPECT_TRUE(is_judged_metric("findings"));
  EXPECT_FALSE(is_judged_metric("time"));
}

}  // namespace
}  // namespace pathline::app

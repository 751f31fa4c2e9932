// SPDX-License-Identifier: BSD-3-Clause
//
// What is concluded of a run that is read part by part is what the whole says.

#include "app/judge_in_parts.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/judged_part.hpp"
#include "app/test_archived_run.hpp"
#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "findings/test_random_program.hpp"

namespace pathline::app {
namespace {

std::string text_of(const EfficiencyReport& report) {
  std::string text = efficiency_json(report.whole, report.ticks_per_second).dump(1);
  text += fmt::format("\n{} {} {}\n", report.begin_s, report.end_s, report.whole.forced);
  for (const EfficiencyRow& row : report.rows) {
    text +=
        fmt::format("{} {} {} {} {} {} {}\n", row.name, row.mean_s, row.max_s, row.max_rank,
                    row.load_balance, row.communication.value_or(-1), row.length_s.value_or(-1));
  }
  return text;
}

/// A run in parts of about so many events.
RunInParts cut(const ArchivedRun& run, const FindingsRequest& request, uint64_t events_of_part) {
  base::ThreadPool pool(1);
  const auto judged = judged_part(run.whole, "run", request, pool);
  EXPECT_TRUE(judged.ok());
  return {run.known(), judged.value()->window, events_of_part};
}

void compare_efficiency(ArchivedRun& run, const FindingsRequest& request, const RunInParts& cut) {
  base::Progress progress;
  const auto parts = efficiency_in_parts(cut, run.summary(), run.pool, progress);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_TRUE(parts.value());
  for (const auto by : {std::optional<EfficiencyBy>(), std::optional(EfficiencyBy::kRegion),
                        std::optional(EfficiencyBy::kHost), std::optional(EfficiencyBy::kStep)}) {
    const auto whole = find_efficiency(run.whole, "run", request, by, run.pool, progress);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    const EfficiencyReport report = efficiency_report(
        run.summary().run, cut.window, parts.value()->efficiency, parts.value()->useful, by);
    ASSERT_EQ(text_of(report), text_of(whole.value()));
  }
}

std::string text_of(const CriticalReport& report) {
  std::string text = fmt::format("{} {} {}\n", report.begin_s, report.end_s, report.segments);
  for (const CriticalRow& row : report.rows) {
    text += fmt::format("{} {} {} {}\n", row.call_path, row.rank, row.on_path_s, row.imbalance_s);
  }
  return text;
}

void compare_critical_path(ArchivedRun& run, const FindingsRequest& request,
                           const RunInParts& cut) {
  base::Progress progress;
  const auto parts = critical_path_in_parts(cut, run.summary(), run.pool, progress);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_TRUE(parts.value());
  const auto whole = find_critical_path(run.whole, "run", request, run.pool, progress);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  ASSERT_EQ(text_of(critical_report(run.summary().run, cut.window, *parts.value())),
            text_of(whole.value()));
}

std::string text_of(const StepFindings& steps) {
  std::string text = fmt::format("{}\n", steps.median_s);
  for (const StepFinding& row : steps.rows) {
    text += fmt::format("{} {} {} {} {} {} {} {}\n", row.step, row.length_s, row.excess_s,
                        row.wait_rank_s, row.waits, row.rank, row.call_path, row.cause_s);
  }
  return text;
}

void compare_steps(ArchivedRun& run, const FindingsRequest& request, const RunInParts& cut) {
  base::Progress progress;
  const auto parts = step_findings_in_parts(cut, run.summary(), run.pool, progress);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_TRUE(parts.value());
  const auto whole = find_step_findings(run.whole, "run", request, run.pool, progress);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  ASSERT_EQ(text_of(*parts.value()), text_of(whole.value()));
}

std::string text_of(const std::vector<PathWaits>& rows) {
  std::string text;
  for (const PathWaits& row : rows) {
    text += fmt::format("{} {} {} {}\n", row.kind, row.call_path, row.count, row.wait_s);
  }
  return text;
}

trace::Selection time_of(const RunInParts& cut) {
  trace::Selection selection;
  selection.from_ticks = cut.window.begin_ticks;
  selection.until_ticks = cut.window.end_ticks;
  return selection;
}

void compare_waits(ArchivedRun& run, const RunInParts& cut) {
  base::Progress progress;
  const trace::Selection selection = time_of(cut);
  const auto parts = waits_by_call_path_in_parts(cut, run.summary(), selection, run.pool, progress);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_TRUE(parts.value());
  const comm::Dependencies all = comm::dependencies(run.whole, run.pool);
  ASSERT_EQ(text_of(*parts.value()),
            text_of(waits_by_call_path(run.whole, all, selection, run.pool)));
}

std::string text_of(const std::vector<WaitCause>& rows) {
  std::string text;
  for (const WaitCause& row : rows) {
    text += fmt::format("{} {} {} {} {}\n", row.kind, row.rank, row.call_path,
                        row.short_term_rank_s, row.long_term_rank_s);
  }
  return text;
}

void compare_causes(ArchivedRun& run, const RunInParts& cut) {
  base::Progress progress;
  const trace::Selection selection = time_of(cut);
  const auto parts = wait_causes_in_parts(cut, run.summary(), selection, run.pool, progress);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  const comm::Dependencies all = comm::dependencies(run.whole, run.pool);
  // Clocks that disagree are for the whole.
  ASSERT_EQ(parts.value().has_value(), all.early.empty());
  if (!parts.value()) return;
  ASSERT_EQ(text_of(*parts.value()), text_of(wait_causes(run.whole, all, selection, run.pool)));
}

void compare(ArchivedRun& run, const FindingsRequest& request, uint64_t events_of_part) {
  const RunInParts parts = cut(run, request, events_of_part);
  compare_efficiency(run, request, parts);
  compare_critical_path(run, request, parts);
  compare_steps(run, request, parts);
  compare_waits(run, parts);
  compare_causes(run, parts);
}

TEST(JudgeInParts, SaysWhatTheWholeSays) {
  for (uint32_t seed = 0; seed < base::scaled(4); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ArchivedRun run(findings::RandomProgram(seed).trace(), 40);
    std::mt19937 random(seed);
    compare(run, {}, 1 + random() % 40);
    compare(run, {.focus = findings::Focus::kRun}, 1);
    const double length = run.whole.duration_seconds();
    const double from = length * (0.1 + 0.5 * static_cast<double>(random() % 100) / 100);
    compare(run, {.focus = findings::Focus::kTime, .from_s = from, .until_s = from + length / 3},
            1 + random() % 100);
    if (testing::Test::HasFailure()) return;
  }
}

/// Of a time in which a send waits for its receiver that began long before.
TEST(JudgeInParts, SaysWhatTheWholeSaysOfLongWaits) {
  ArchivedRun run(long_wait(), 20);
  for (const auto& [from, until] : {std::pair(4000U, 8000U), {500U, 5000U}, {500U, 9000U}}) {
    SCOPED_TRACE(testing::Message() << from << " to " << until);
    compare(run,
            {.focus = findings::Focus::kTime,
             .from_s = run.whole.seconds(from),
             .until_s = run.whole.seconds(until)},
            100);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(JudgeInParts, SaysWhatTheWholeSaysOfRealRuns) {
  const auto folder = base::third_party_data("otf2");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  for (const char* name : {"scorep-lulesh8", "scorep-miniamr8", "scorep-minimd8", "scorep-npb-cg4",
                           "scorep-npb-mg4"}) {
    SCOPED_TRACE(name);
    base::ThreadPool pool(2);
    base::Progress progress;
    auto trace = otf2::read(folder / name / "traces.otf2", {}, pool, progress);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    ArchivedRun run(std::move(trace).value(), 20);
    compare(run, {}, 1000);
    const findings::Window all = cut(run, {.focus = findings::Focus::kRun}, 1).window;
    const double from = run.whole.seconds(all.begin_ticks);
    const double length = run.whole.seconds(all.end_ticks) - from;
    compare(run,
            {.focus = findings::Focus::kTime,
             .from_s = from + 0.3 * length,
             .until_s = from + 0.8 * length},
            1000);
  }
}

}  // namespace
}  // namespace pathline::app

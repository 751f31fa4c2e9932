// SPDX-License-Identifier: BSD-3-Clause
//
// What is concluded from a part of a run that was read back is what the whole says of that time.

#include "app/part_of_run.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/rank_rows.hpp"
#include "app/test_archived_run.hpp"
#include "base/test_scale.hpp"
#include "comm/matrix.hpp"
#include "comm/waits.hpp"
#include "findings/test_random_program.hpp"
#include "profile/profile.hpp"

namespace pathline::app {
namespace {

FindingsReport findings_of_time(const trace::Trace& trace, uint64_t from_ticks,
                                uint64_t until_ticks, base::ThreadPool& pool) {
  base::Progress progress;
  const FindingsRequest request{.focus = findings::Focus::kTime,
                                .from_s = trace.seconds(from_ticks),
                                .until_s = trace.seconds(until_ticks)};
  auto found = find_findings(trace, "run", request, pool, progress);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return std::move(found).value();
}

std::string text_of(const FindingsReport& report) {
  auto json = findings_json(report);
  json.erase("warnings");  // Of the whole.
  json.erase("findings");
  for (const FindingRow& row : report.findings) {
    if (!row.is_note) json["findings"].push_back(row.kind + row.text);
  }
  return json.dump(1);
}

std::string waits_of_time(const trace::Trace& trace, uint64_t from_ticks, uint64_t until_ticks,
                          base::ThreadPool& pool) {
  trace::Selection selection;
  selection.from_ticks = from_ticks;
  selection.until_ticks = until_ticks;
  std::string text;
  for (const comm::WaitRow& row : comm::waits(trace, selection, pool).rows) {
    text += fmt::format("{} {} {} {}\n", comm::wait_name(row.kind), row.rank, row.count, row.ticks);
  }
  return text;
}

/// What each region and rank took.
std::string profile_of_time(const trace::Trace& trace, uint64_t from_ticks, uint64_t until_ticks,
                            base::ThreadPool& pool) {
  trace::Selection selection;
  selection.from_ticks = from_ticks;
  selection.until_ticks = until_ticks;
  const auto profile = profile::from_trace(trace, selection, pool);
  std::string text;
  for (const auto& row : profile::by_region(trace, selection, profile)) {
    if (row.inclusive_ticks == 0 && row.visits == 0) continue;
    text += fmt::format("{}: {} {} {} {} {}\n", trace.definitions.regions[row.region].name,
                        row.visits, row.inclusive_ticks, row.exclusive_ticks,
                        row.exclusive_min_ticks, row.exclusive_max_ticks);
  }
  for (const WorkRow& row : work_by_rank(trace, profile, comm::waits(trace, selection, pool))) {
    text += fmt::format("{} {} {} {}\n", row.rank, row.compute_s, row.mpi_s, row.wait_s);
  }
  return text;
}

TEST(PartOfRun, SaysWhatTheWholeSaysOfItsTime) {
  size_t smaller = 0;
  for (uint32_t seed = 0; seed < base::scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ArchivedRun run(findings::RandomProgram(seed).trace(), 40);
    std::mt19937 random(seed);
    const uint64_t span = run.whole.end_ticks - run.whole.start_ticks;
    for (int k = 0; k < 6; ++k) {
      const uint64_t from = run.whole.start_ticks + 60 + random() % (span * 3 / 4);
      const uint64_t until = from + 1 + random() % (span / 3);
      const trace::Trace waits = run.part(from, until, PartNeeds::kWaits);
      EXPECT_EQ(waits_of_time(waits, from, until, run.pool),
                waits_of_time(run.whole, from, until, run.pool));
      EXPECT_EQ(profile_of_time(waits, from, until, run.pool),
                profile_of_time(run.whole, from, until, run.pool));
      const FindingsReport expected = findings_of_time(run.whole, from, until, run.pool);
      EXPECT_EQ(text_of(findings_of_time(waits, from, until, run.pool)), text_of(expected));
      const trace::Trace part = run.part(from, until, PartNeeds::kFindings);
      EXPECT_EQ(text_of(findings_of_time(part, from, until, run.pool)), text_of(expected));
      if (testing::Test::HasFailure()) return;
    }
    smaller += run.smaller;
  }
  EXPECT_GT(smaller, base::scaled(60));
}

/// Of a send that waits for its receiver from long before the time to long behind it, too.
TEST(PartOfRun, SaysWhatWaitsForLong) {
  ArchivedRun run(long_wait(), 20);
  for (const auto& [from, until] : {std::pair(4000U, 5000U), {4000U, 8000U}, {500U, 5000U}}) {
    SCOPED_TRACE(testing::Message() << from << " to " << until);
    const FindingsReport expected = findings_of_time(run.whole, from, until, run.pool);
    for (const PartNeeds needs : {PartNeeds::kWaits, PartNeeds::kFindings}) {
      const trace::Trace part = run.part(from, until, needs);
      EXPECT_EQ(text_of(findings_of_time(part, from, until, run.pool)), text_of(expected));
      if (needs == PartNeeds::kFindings) continue;  // Without the waits of calls from before.
      EXPECT_EQ(waits_of_time(part, from, until, run.pool),
                waits_of_time(run.whole, from, until, run.pool));
    }
  }
  EXPECT_GT(run.smaller, 0U);
}

std::string pairs_of_step(const trace::Trace& trace, uint32_t step, base::ThreadPool& pool) {
  const comm::Matrix matrix = comm::matrix(trace, {}, step, pool);
  std::string text;
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      text += fmt::format("{} {} {} {} {} {}\n", sender, matrix.traffic.receiver[i],
                          matrix.traffic.messages[i], matrix.traffic.bytes[i], matrix.min_ticks[i],
                          matrix.max_ticks[i]);
    }
  }
  return text;
}

TEST(PartOfRun, HasTheMessagesOfATimeStep) {
  size_t smaller = 0;
  size_t with_messages = 0;
  for (uint32_t seed = 0; seed < base::scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ArchivedRun run(findings::RandomProgram(seed).trace(), 40);
    std::map<uint32_t, trace::StepWindow> steps;
    for (const auto& of_rank : trace::marked_steps(run.whole)) {
      for (const trace::StepWindow& one : of_rank) {
        trace::StepWindow& all = steps.try_emplace(one.step, one).first->second;
        all.begin_ticks = std::min(all.begin_ticks, one.begin_ticks);
        all.end_ticks = std::max(all.end_ticks, one.end_ticks);
      }
    }
    for (const auto& [number, time] : steps) {
      const trace::Trace part = run.messages_of(time.begin_ticks, time.end_ticks + 1);
      const std::string expected = pairs_of_step(run.whole, number, run.pool);
      EXPECT_EQ(pairs_of_step(part, number, run.pool), expected) << "step " << number;
      with_messages += expected.empty() ? 0 : 1;
      if (testing::Test::HasFailure()) return;
    }
    smaller += run.smaller;
  }
  EXPECT_GT(smaller, base::scaled(60));
  EXPECT_GT(with_messages, base::scaled(60));
}

}  // namespace
}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "findings/judge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/planted_program.hpp"
#include "findings/program_count.hpp"

namespace pathline::findings {
namespace {

using testing::IsEmpty;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;

/// All that a verdict says, as numbers.
std::vector<double> said(const Judgement& judged) {
  std::vector<double> values = {judged.nothing_above_share, judged.efficiency.parallel,
                                static_cast<double>(judged.efficiency.ideal_ticks)};
  for (const Finding& finding : judged.findings) {
    values.insert(values.end(),
                  {static_cast<double>(finding.kind), static_cast<double>(finding.confidence),
                   static_cast<double>(finding.part), finding.recoverable_ticks,
                   finding.after_above_ticks.value_or(-1), finding.cost_ticks,
                   static_cast<double>(finding.first_step), static_cast<double>(finding.last_step),
                   static_cast<double>(finding.seen.begin_ticks),
                   static_cast<double>(finding.seen.end_ticks)});
    values.insert(values.end(), finding.ranks.begin(), finding.ranks.end());
    values.insert(values.end(), finding.waiting.begin(), finding.waiting.end());
    for (const Region region : finding.path) values.push_back(uint32_t{region});
    for (const auto& [name, value] : finding.evidence) values.push_back(value);
  }
  return values;
}

TEST(Judge, SaysTheSameForAnyNumberOfThreads) {
  for (size_t kind = 0; kind <= kFindingKindCount; ++kind) {
    SCOPED_TRACE(kind);
    const PlantedProgram program(kind, 7);
    const std::vector<double> one = said(Verdict(program.trace(), 1).judged);
    EXPECT_EQ(one, said(Verdict(program.trace(), 2).judged));
    EXPECT_EQ(one, said(Verdict(program.trace(), 5).judged));
  }
}

/// What findings keep to, whatever is missing in a trace.
void expect_sane(const Verdict& verdict) {
  const Judgement& judged = verdict.judged;
  const auto focus = static_cast<double>(judged.model->window.ticks());
  const trace::Trace& trace = verdict.trace;
  EXPECT_GE(judged.nothing_above_share, 0);
  for (const Finding& finding : judged.findings) {
    SCOPED_TRACE(finding_name(finding.kind));
    EXPECT_GT(finding.recoverable_ticks, 0);
    EXPECT_LE(finding.recoverable_ticks, focus);
    EXPECT_TRUE(std::isfinite(finding.cost_ticks));
    EXPECT_GE(finding.after_above_ticks.value_or(0), 0);
    EXPECT_LE(finding.seen.begin_ticks, finding.seen.end_ticks);
    EXPECT_TRUE(std::is_sorted(finding.ranks.begin(), finding.ranks.end()));
    for (const uint32_t rank : finding.ranks) EXPECT_LT(rank, trace.rank_count);
    for (const uint32_t rank : finding.waiting) EXPECT_LT(rank, trace.rank_count);
    for (const Region region : finding.path) {
      EXPECT_LT(region, trace.definitions.regions.size());
    }
    for (const auto& [name, value] : finding.evidence) EXPECT_TRUE(std::isfinite(value)) << name;
  }
}

/// The trace with only those events that `keeps(location, event)` wants.
trace::Trace without(trace::Trace trace, const std::function<bool(uint32_t, size_t)>& keeps) {
  for (uint32_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Events& events = trace.locations[i].events;
    trace::EventsBuilder builder;
    for (size_t event = 0; event < events.size(); ++event) {
      if (!keeps(i, event)) continue;
      const EventKind kind = events.kind[event];
      const uint64_t ticks = events.ticks[event];
      const trace::Fields fields = events.fields(event);
      if (kind == EventKind::kEnter) {
        builder.enter(ticks, events.region(event));
      } else if (kind == EventKind::kLeave) {
        builder.leave(ticks, events.region(event));
      } else if (fields.size() < 2) {
        builder.add(kind, ticks, fields.empty() ? 0 : fields[0]);
      } else {
        std::copy(fields.begin(), fields.end(), builder.add_words(kind, ticks, fields.size()));
      }
    }
    trace.locations[i].events = builder.finish();
    trace.locations[i].complete = false;
  }
  trace.complete = false;
  base::ThreadPool pool(1);
  base::Progress progress;
  trace::finish(trace, pool, progress);
  return trace;
}

/// Calls `look` with damaged traces: ranks that end early or begin late, that are missing, or of
/// which single events got lost.
void damage(size_t kind, uint32_t seed, const std::function<void(trace::Trace)>& look) {
  std::mt19937 random(seed);
  const PlantedProgram program(kind, seed);
  const auto number = [&](size_t below) { return random() % std::max<size_t>(1, below); };
  const trace::Trace whole = program.trace();
  std::vector<size_t> limit;
  for (const trace::Location& location : whole.locations) {
    limit.push_back(number(location.events.size()));
  }
  look(without(program.built(), [&](uint32_t i, size_t event) { return event < limit[i]; }));
  look(without(program.built(), [&](uint32_t i, size_t event) { return event >= limit[i]; }));
  const size_t missing = number(whole.rank_count);
  look(without(program.built(), [&](uint32_t i, size_t) { return i != missing; }));
  look(without(program.built(), [&](uint32_t i, size_t) { return i == missing; }));
  look(without(program.built(), [&](uint32_t, size_t) { return number(20) != 0; }));
  look(without(program.built(), [&](uint32_t, size_t) { return false; }));
}

TEST(Judge, TakesTracesOfWhichPartsAreMissing) {
  for (size_t kind = 0; kind <= kFindingKindCount; ++kind) {
    for (uint32_t seed = 0; seed < std::min(program_count(1), 20U); ++seed) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << ", seed " << seed);
      damage(kind, seed, [](trace::Trace trace) { expect_sane(Verdict(std::move(trace))); });
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Judge, TakesAnyWindow) {
  const PlantedProgram program(static_cast<size_t>(FindingKind::kSlowRank), 3);
  base::ThreadPool pool(2);
  const trace::Trace trace = program.trace();
  const comm::Dependencies all = comm::dependencies(trace, pool);
  const Window whole = program_window(trace, all);
  for (uint64_t part = 0; part < 40; ++part) {
    const uint64_t begin = whole.begin_ticks + part * whole.ticks() / 40;
    for (const uint64_t ticks : {uint64_t{0}, uint64_t{1}, uint64_t{30}, whole.ticks() / 50}) {
      SCOPED_TRACE(testing::Message() << begin << " + " << ticks);
      const Judgement judged =
          judge(trace, all,
                {.focus = Focus::kTime, .program = whole, .window = {begin, begin + ticks}}, pool);
      for (const Finding& finding : judged.findings) {
        EXPECT_LE(finding.recoverable_ticks, static_cast<double>(ticks));
      }
      if (ticks == 0) {
        EXPECT_THAT(judged.findings, IsEmpty());
      }
    }
  }
}

/// Ranks that work for 1000 ticks without steps, the last of them for 3000, and meet; `times`
/// times.
trace::Trace meetings(uint32_t ranks, uint32_t times, bool meet) {
  TestTrace test(ranks);
  Simulation run(ranks, 3, &test);
  for (uint32_t i = 0; i < times; ++i) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      run.work(rank, "work", rank + 1 == ranks ? 3000 : 1000);
    }
    if (meet) run.collective(Simulation::Operation::kBarrier);
  }
  run.finish();
  return test.finish();
}

TEST(Judge, ShowsEachFindingWhereItsCauseIs) {
  // Rank 0 is late twice, in two functions, the second time longer.
  TestTrace test(4);
  Simulation run(4, 10, &test);
  for (uint32_t step = 0; step < 10; ++step) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      run.begin_step(rank, step);
      run.work(rank, "work", 1000);
    }
    if (step == 2) run.work(0, "slow", 3000);
    if (step == 7) run.work(0, "slower", 4000);
    run.collective(Simulation::Operation::kBarrier);
    for (uint32_t rank = 0; rank < 4; ++rank) run.end_step(rank);
  }
  run.finish();
  const Verdict verdict(test.finish());
  ASSERT_EQ(verdict.judged.findings.size(), 2U);
  for (const Finding& finding : verdict.judged.findings) {
    ASSERT_EQ(finding.first_step, finding.last_step);
    const trace::StepWindow& step = verdict.judged.model->step_windows[0][finding.first_step];
    EXPECT_LT(finding.seen.begin_ticks, step.end_ticks) << finding.first_step;
    EXPECT_GT(finding.seen.end_ticks, step.begin_ticks) << finding.first_step;
  }
}

TEST(Judge, NeedsNoSteps) {
  const Verdict verdict(meetings(5, 10, true));
  ASSERT_FALSE(verdict.judged.findings.empty());
  const Finding& first = verdict.judged.findings[0];
  EXPECT_EQ(first.kind, FindingKind::kSlowRank);
  EXPECT_EQ(first.ranks, std::vector<uint32_t>{4});
  EXPECT_EQ(first.first_step, kNone);
  // All as the mean of 1400.
  EXPECT_DOUBLE_EQ(first.recoverable_ticks, 10 * (3000 - 1400));
}

TEST(Judge, FindsUnevenWorkOfWhichResultsAreTakenAsTheyCome) {
  // 16 ranks with 60 parts each hand them to rank 0, which takes what is there first; each part of
  // the last of them is twice one of the first. The same order with even parts would be slower.
  constexpr uint32_t kWorkers = 16;
  constexpr uint64_t kParts = 60;
  const auto part_ticks = [](uint32_t worker) { return 10000 + 10000 * (worker - 1) / kWorkers; };
  std::vector<std::pair<uint64_t, uint32_t>> parts;
  for (uint32_t worker = 1; worker <= kWorkers; ++worker) {
    for (uint64_t part = 1; part <= kParts; ++part) {
      parts.emplace_back(part * part_ticks(worker), worker);
    }
  }
  std::sort(parts.begin(), parts.end());
  TestTrace test(kWorkers + 1);
  Simulation run(kWorkers + 1, 3, &test);
  for (const auto& [ticks, worker] : parts) {
    run.work(worker, "part", part_ticks(worker));
    run.synchronous(worker, 0);
  }
  run.collective(Simulation::Operation::kBarrier);
  run.finish();

  const Verdict verdict(test.finish());
  ASSERT_FALSE(verdict.judged.findings.empty());
  const Finding& finding = verdict.judged.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::kImbalance);
  EXPECT_EQ(finding.confidence, Confidence::kMedium);
  EXPECT_EQ(finding.ranks.back(), kWorkers);
  // The last takes 19,375 a part, the mean of all 17 ranks is 13,824.
  EXPECT_NEAR(finding.recoverable_ticks, kParts * (19375 - 13824), kParts * 100);
  EXPECT_FALSE(finding.after_above_ticks);
}

TEST(Judge, CountsWhatSomeCallsTakeLongerThanMost) {
  // One of ten exchanges takes a hundred times as long as the others on all ranks.
  TestTrace test(4);
  Simulation run(4, 10, &test);
  for (uint32_t i = 0; i < 100; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) run.work(rank, "work", 100);
    run.call_ticks(i % 10 == 4 ? 1000 : 10);
    if (i >= 10) run.enter(0, "often");
    run.ring();
    if (i >= 10) run.leave(0, "often");
  }
  run.finish();
  const Verdict verdict(test.finish());
  const Judgement& judged = verdict.judged;
  ASSERT_EQ(judged.findings.size(), 1U);
  const Finding& finding = judged.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::kTransfer);
  EXPECT_EQ(finding.recoverable_ticks, 10 * 1000 + 90 * 10);
  const auto all = static_cast<double>(judged.model->window.ticks());
  ASSERT_EQ(finding.evidence.size(), 2U);
  EXPECT_EQ(finding.evidence[0].first, "share_of_rank_time");
  EXPECT_NEAR(finding.evidence[0].second, (10 * 1000 + 90 * 10) / all, 1e-9);
  EXPECT_EQ(finding.evidence[1].first, "share_of_slow_calls");
  EXPECT_NEAR(finding.evidence[1].second, 10 * 990 / all, 1e-9);
  // A look there shows the first of them, with as much behind it and all before it.
  EXPECT_EQ(finding.seen.ticks(), (4 * (100 + 10) + 100) + 2 * 1000U);
  // Rank 0 has 90 of its calls in another function, others have theirs in main.
  ASSERT_FALSE(finding.path.empty());
  const auto& regions = verdict.trace.definitions.regions;
  EXPECT_EQ(regions[finding.path.back()].name, "MPI_Sendrecv");
  EXPECT_EQ(regions[finding.path[0]].name, "main");
  EXPECT_EQ(finding.path.size(), 2U);
}

TEST(Judge, FindsNothingWhereNobodyWaits) {
  EXPECT_THAT(Verdict(meetings(1, 10, true)).judged.findings, IsEmpty());
  EXPECT_THAT(Verdict(meetings(1, 10, false)).judged.findings, IsEmpty());
  EXPECT_THAT(Verdict(PlantedProgram(kFindingKindCount, 1).trace()).judged.findings, IsEmpty());
}

TEST(Judge, BlamesWhoComesLateToMpiFinalize) {
  const Verdict verdict(meetings(4, 10, false));
  ASSERT_FALSE(verdict.judged.findings.empty());
  EXPECT_EQ(verdict.judged.findings[0].ranks, std::vector<uint32_t>{3});
}

TEST(Judge, TakesATraceWithoutAnything) {
  TestTrace test(2);
  const Verdict verdict(test.finish());
  EXPECT_THAT(verdict.judged.findings, IsEmpty());
}

}  // namespace
}  // namespace pathline::findings

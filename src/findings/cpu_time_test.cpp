// SPDX-License-Identifier: BSD-3-Clause
#include "findings/cpu_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/planted_program.hpp"
#include "trace/cpu_time.hpp"

namespace pathline::findings {
namespace {

using testing::DoubleNear;
using trace::DefinitionKind;
using trace::EventKind;
using trace::Region;
using trace::TestTrace;

constexpr uint64_t kUnit = 1'000'000;
constexpr uint32_t kRounds = 10;
constexpr uint32_t kSet = 9;

/// What a rank has of each round.
struct Use {
  uint64_t cpu_ticks;
  uint32_t involuntary = 0;
  uint32_t voluntary = 0;
};

/// Ten rounds in which rank 0 is 10 in `work` and rank 1 is 20 before they meet; what they read of
/// their CPU time at the end of each round. readings  or none
trace::Trace run(Use first, Use second, bool readings = true) {
  TestTrace test(2);
  if (readings) {
    // Not in the order in which they are looked for, and beside another one.
    const char* names[] = {trace::kVoluntarySwitches, "instructions", trace::kCpuTime,
                           trace::kInvoluntarySwitches};
    for (uint32_t i = 0; i < 4; ++i) {
      test.define(DefinitionKind::kMetricMember,
                  {50 + i, test.text(names[i]), test.text(""), 0, 0, 4, 1, 0, 0, test.text("#")});
    }
    test.define(DefinitionKind::kMetricClass, {kSet, 4, 50, 51, 52, 53, 1, 2});
  }
  const Region main = test.region("main");
  const Region work = test.region("work");
  const Region barrier = test.region("MPI_Barrier");
  const Use uses[] = {first, second};
  for (const uint32_t rank : {0, 1}) {
    auto& on = test.on(rank);
    const Use& use = uses[rank];
    const auto read = [&](uint64_t at, uint32_t round) {
      if (!readings) return;
      on.add(EventKind::kMetric, at,
             {kSet, 4, 4, 7 + round * use.voluntary, 0, 4, 1, 0, 4,
              static_cast<uint32_t>(500 + round * use.cpu_ticks), 0, 4, 3 + round * use.involuntary,
              0});
    };
    on.enter(0, main);
    read(0, 0);
    for (uint32_t round = 0; round < kRounds; ++round) {
      const uint64_t begin = 20 * kUnit * round;
      const uint64_t meets = begin + (rank == 0 ? 10 : 20) * kUnit;
      const uint64_t end = begin + 20 * kUnit;
      on.enter(begin, work).leave(meets, work).enter(meets, barrier);
      on.collective(meets, end, 0);
      read(end, round + 1);
      on.leave(end, barrier);
    }
    on.leave(20 * kUnit * kRounds, main);
  }
  return test.finish();
}

double evidence(const Finding& finding, std::string_view name) {
  for (const auto& [key, value] : finding.evidence) {
    if (key == name) return value;
  }
  return -1000;
}

/// The one finding.
Finding found_in(trace::Trace trace) {
  const Verdict verdict(std::move(trace));
  EXPECT_EQ(verdict.judged.findings.size(), 1U);
  return verdict.judged.findings.empty() ? Finding{} : verdict.judged.findings[0];
}

// Rank 0 is in MPI for half of the time, with its core.
constexpr Use kWorks = {20 * kUnit};

TEST(CpuTime, OfARankThatLostItsCoreIsNoImbalance) {
  const Finding finding = found_in(run(kWorks, {10 * kUnit, 4, 0}));
  EXPECT_EQ(finding.kind, FindingKind::kJitter);
  EXPECT_EQ(finding.confidence, Confidence::kHigh);
  EXPECT_EQ(finding.ranks, std::vector<uint32_t>{1});
  EXPECT_THAT(evidence(finding, "preempted_s"), DoubleNear(0.1, 1e-6));
  EXPECT_THAT(evidence(finding, "cpu_s"), DoubleNear(0.1, 1e-6));
  EXPECT_EQ(evidence(finding, "involuntary_switches"), 40);
  EXPECT_EQ(evidence(finding, "held_cores"), -1);
}

TEST(CpuTime, OfARankThatWorksIsAnImbalance) {
  const Finding finding = found_in(run(kWorks, {20 * kUnit, 1, 0}));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
  EXPECT_EQ(evidence(finding, "preempted_s"), 0);
  EXPECT_THAT(evidence(finding, "cpu_s"), DoubleNear(0.2, 1e-6));
  EXPECT_EQ(evidence(finding, "held_cores"), 1);
}

TEST(CpuTime, OfARankThatSleepsSaysNothing) {
  const Finding finding = found_in(run(kWorks, {kUnit, 4, 1}));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
  EXPECT_EQ(evidence(finding, "preempted_s"), 0);
  EXPECT_EQ(evidence(finding, "held_cores"), 0);
}

TEST(CpuTime, WithoutAnySwitchIsNotLost) {
  // As where the clock of the thread stands still, on a simulated machine.
  const Finding finding = found_in(run(kWorks, {0, 0, 0}));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
  EXPECT_EQ(evidence(finding, "preempted_s"), 0);
}

TEST(CpuTime, IsNotMissedWhereNobodyReadIt) {
  const Finding finding = found_in(run(kWorks, kWorks, false));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
  EXPECT_EQ(evidence(finding, "cpu_s"), -1000);
}

TEST(CpuTime, OfARankThatLosesItsCoreAndHasMoreToDoIsAnImbalance) {
  // 18 of 20: a third of its excess at most.
  const Finding finding = found_in(run(kWorks, {18 * kUnit, 2, 0}));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
  EXPECT_THAT(evidence(finding, "preempted_s"), DoubleNear(0.02, 1e-6));
  EXPECT_EQ(evidence(finding, "held_cores"), 0);
}

TEST(CpuTime, CountsPerOversubscribedCore) {
  // Both need twice as long as they work, one of them has twice as much to do.
  const Finding finding = found_in(run({5 * kUnit, 5, 0}, {10 * kUnit, 5, 0}));
  EXPECT_EQ(finding.kind, FindingKind::kSlowRank);
}

TEST(CpuTime, IsCountedInTheWindowOnly) {
  const trace::Trace trace = run(kWorks, {10 * kUnit, 4, 0});
  base::ThreadPool pool(2);
  const comm::Dependencies all = comm::dependencies(trace, pool);
  // From within the third round to within the sixth: the rounds between are whole.
  const Window window{55 * kUnit, 105 * kUnit};
  const Model cut = model(trace, all, window, trace::marked_steps(trace), pool);
  const CpuTimes times = cpu_times(cut, pool);
  ASSERT_TRUE(times.known);
  EXPECT_EQ(times.lanes[1].useful_ticks, 50 * kUnit);
  // 5 and 5 of rounds in which it had its core for 10 or more.
  EXPECT_EQ(times.lanes[1].preempted_ticks, 20 * kUnit);
  uint64_t work = 0;
  for (size_t piece = 0; piece < times.work_ticks.size(); ++piece) {
    EXPECT_LE(times.work_ticks[piece], cut.piece_ticks[piece]);
    work += times.work_ticks[piece];
  }
  EXPECT_EQ(work, times.lanes[0].useful_ticks + 30 * kUnit);
}

}  // namespace
}  // namespace pathline::findings

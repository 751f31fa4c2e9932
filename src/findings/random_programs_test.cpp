// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/critical_path.hpp"
#include "findings/delay_costs.hpp"
#include "findings/efficiency.hpp"
#include "findings/program_count.hpp"
#include "findings/replay.hpp"
#include "findings/test_random_program.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

void check_accounts(const TestRun& run, uint64_t ticks) {
  for (const LaneTime& time : lane_times(run.model)) {
    ASSERT_EQ(time.useful_ticks + time.wait_ticks + time.rest_ticks + time.polling_ticks, ticks);
  }
}

void check_replays(const TestRun& run, const RandomProgram& program, uint64_t ticks) {
  const Replay replay(run.model);
  const base::Column<uint64_t> gaps = gap_ticks(run.model);
  const Replayed measured = replay.run(gaps, call_costs(run.model, CallCost::kRest));
  ASSERT_EQ(measured.ticks, ticks);
  ASSERT_EQ(measured.forced, 0U);
  ASSERT_EQ(replay.run(gaps, call_costs(run.model, CallCost::kIdeal)).ticks,
            program.ticks(true, 0));
  const base::Column<uint64_t> typical = call_costs(run.model, CallCost::kTypical);
  ASSERT_EQ(replay.run(gaps, typical).ticks, ticks);
  uint32_t planted = run.path("main/planted");
  if (planted == kNone) planted = run.path("main/time step/planted");
  ASSERT_NE(planted, kNone);
  ASSERT_EQ(replay.run(changed_gaps(run.model, planted, Change::kRemove), typical).ticks,
            program.ticks(false));
}

void check_causes(const TestRun& run, uint64_t ticks) {
  const DelayCosts costs = delay_costs(run.model, run.measured);
  uint64_t waits = 0;
  for (const LaneTime& time : lane_times(run.model)) waits += time.wait_ticks;
  uint64_t sum = 0;
  for (const DelayCost& cost : costs.rows) sum += cost.short_ticks + cost.long_ticks;
  ASSERT_EQ(costs.wait_ticks, waits);
  ASSERT_EQ(costs.unknown_ticks, 0U);
  ASSERT_EQ(sum, waits);

  const CriticalPath path = critical_path(run.model);
  uint64_t at = run.model.window.begin_ticks;
  for (const CriticalSegment& segment : path.segments) {
    ASSERT_EQ(segment.begin_ticks, at);
    at = segment.end_ticks;
  }
  ASSERT_EQ(at, run.model.window.end_ticks);
  uint64_t length = 0;
  for (const CriticalPart& part : path.parts) length += part.ticks;
  ASSERT_EQ(length, ticks);
}

/// Delay costs by their definition: every wait looks at all others, every interval at the whole
/// lane.
class SlowBlame {
 public:
  explicit SlowBlame(const TestRun& run) : model_(run.model), all_(run.all) {
    for (uint32_t call = 0; call < all_.calls.size(); ++call) {
      if (!model_.in_window(call) || model_.wait_ticks(call) == 0) continue;
      waits_.push_back({call, all_.calls.lane_of(call), all_.calls.lane_of(all_.cause[call]),
                        model_.begin(call), model_.wait_end(call), 0});
    }
    std::stable_sort(waits_.begin(), waits_.end(),
                     [](const Wait& a, const Wait& b) { return a.end > b.end; });
  }

  /// By lane and path, short-term and long-term.
  std::map<std::pair<uint32_t, uint32_t>, std::array<double, 2>> costs() {
    std::map<std::pair<uint32_t, uint32_t>, std::array<double, 2>> costs;
    for (Wait& wait : waits_) {
      const uint64_t since = together(wait);
      std::map<uint32_t, double> times;
      add(wait.cause_lane, since, wait.end, 1, times);
      add(wait.lane, since, wait.begin, -1, times);
      double total = 0;
      for (const auto& [path, ticks] : times) total += std::max(0.0, ticks);
      for (const Wait& other : waits_) {
        if (other.lane == wait.cause_lane) total += overlap(other, since, wait.end);
      }
      const auto own = static_cast<double>(wait.end - wait.begin);
      for (const auto& [path, ticks] : times) {
        if (ticks <= 0) continue;
        costs[{wait.cause_lane, path}][0] += own * ticks / total;
        costs[{wait.cause_lane, path}][1] += wait.inherited * ticks / total;
      }
      for (Wait& other : waits_) {
        if (other.lane != wait.cause_lane) continue;
        other.inherited += (own + wait.inherited) * overlap(other, since, wait.end) / total;
      }
    }
    return costs;
  }
  [[nodiscard]] size_t wait_count() const { return waits_.size(); }

 private:
  struct Wait {
    uint32_t call;
    uint32_t lane;
    uint32_t cause_lane;
    uint64_t begin;
    uint64_t end;
    double inherited;
  };

  static double overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t until) {
    a = std::max(a, from);
    b = std::min(b, until);
    return a < b ? static_cast<double>(b - a) : 0;
  }
  static double overlap(const Wait& wait, uint64_t from, uint64_t until) {
    return overlap(wait.begin, wait.end, from, until);
  }

  [[nodiscard]] uint64_t together(const Wait& wait) const {
    uint64_t last = model_.window.begin_ticks;
    for (const Wait& other : waits_) {
      const bool both = (other.lane == wait.lane && other.cause_lane == wait.cause_lane) ||
                        (other.lane == wait.cause_lane && other.cause_lane == wait.lane);
      if (both && other.end <= wait.begin) last = std::max(last, other.end);
    }
    for (uint32_t group = 0; group < all_.group_kind.size(); ++group) {
      if (all_.group_kind[group] == comm::WaitKind::kEarlyScan) continue;
      bool has_lane = false;
      bool has_cause = false;
      bool is_own = false;
      for (uint32_t row = all_.group_first[group]; row < all_.group_first[group + 1]; ++row) {
        const uint32_t lane = all_.calls.lane_of(all_.member[row]);
        has_lane |= lane == wait.lane;
        has_cause |= lane == wait.cause_lane;
        is_own |= all_.member[row] == wait.call;
      }
      const uint64_t latest = all_.calls.begin_ticks[all_.group_latest[group]];
      if (has_lane && has_cause && !is_own && latest <= wait.begin) last = std::max(last, latest);
    }
    return last;
  }

  /// What a lane did without waiting.
  void add(uint32_t lane, uint64_t from, uint64_t until, double sign,
           std::map<uint32_t, double>& times) const {
    const Model::Lane& of = model_.lanes[lane];
    for (uint32_t call = of.first_call; call <= of.end_call; ++call) {
      const size_t gap = Model::gap(call, lane);
      uint64_t at = model_.gap_begin(call, of);
      for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
        times[model_.piece_path[i]] += sign * overlap(at, at + model_.piece_ticks[i], from, until);
        at += model_.piece_ticks[i];
      }
      if (call == of.end_call) return;
      times[model_.call_path[call]] +=
          sign * overlap(model_.wait_end(call), model_.end(call), from, until);
    }
  }

  const Model& model_;
  const comm::Dependencies& all_;
  std::vector<Wait> waits_;  // The last to end first.
};

void check_slowly(const TestRun& run) {
  SlowBlame slow(run);
  auto expected = slow.costs();
  // Ticks are handed out whole: by each wait, the one that it comes from and all before.
  const double most_off = 3.0 * static_cast<double>(slow.wait_count());
  for (const DelayCost& cost : delay_costs(run.model, run.measured).rows) {
    const auto& [of_short, of_long] = expected[{cost.lane, cost.path}];
    ASSERT_NEAR(static_cast<double>(cost.short_ticks), of_short, most_off);
    ASSERT_NEAR(static_cast<double>(cost.long_ticks), of_long, most_off);
    expected.erase({cost.lane, cost.path});
  }
  for (const auto& [key, ticks] : expected) ASSERT_LE(ticks[0] + ticks[1], most_off);
}

void check_efficiency(TestRun& run, uint64_t ticks) {
  const Efficiency found = efficiency(run.model, run.replay, run.measured, run.pool);
  ASSERT_EQ(found.replayed_ticks, ticks);
  ASSERT_NEAR(found.load_balance * found.communication, found.parallel, 1e-12);
  ASSERT_NEAR(found.serialisation * found.transfer, found.communication, 1e-12);
  ASSERT_NEAR(found.migration * found.dependency, found.serialisation, 1e-12);
  for (const double factor :
       {found.load_balance, found.serialisation, found.transfer, found.migration}) {
    ASSERT_LE(factor, 1 + 1e-12);
  }
}

TEST(RandomPrograms, AreReplayedBlamedAndFollowedToTheTick) {
  for (uint32_t seed = 0; seed < program_count(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomProgram program(seed);
    TestRun run(program.trace());
    const uint64_t ticks = program.ticks(true);
    ASSERT_EQ(run.model.window.ticks(), ticks);
    ASSERT_EQ(run.all.violations, 0U);
    check_accounts(run, ticks);
    check_replays(run, program, ticks);
    check_causes(run, ticks);
    check_efficiency(run, ticks);
    if (seed % 8 == 0) check_slowly(run);
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Column>
void add(const Column& column, std::vector<uint64_t>& values) {
  for (const auto value : column) values.push_back(static_cast<uint64_t>(value));
}

/// What all kernels say of a program.
std::vector<uint64_t> said_by(uint32_t seed, unsigned threads) {
  TestRun run(RandomProgram(seed).trace(), threads);
  std::vector<uint64_t> values;
  add(run.all.dep_ticks, values);
  add(run.all.cause, values);
  add(run.all.kind, values);
  for (const comm::Dependency& one : run.all.list) values.push_back(one.target);
  add(run.model.piece_path, values);
  add(run.model.piece_ticks, values);
  for (const DelayCost& cost : delay_costs(run.model, run.measured).rows) {
    add(std::vector{uint64_t{cost.lane}, uint64_t{cost.path}, cost.short_ticks, cost.long_ticks},
        values);
  }
  for (const CriticalPart& part : critical_path(run.model).parts) {
    add(std::vector{uint64_t{part.path}, uint64_t{part.lane}, part.ticks}, values);
  }
  values.push_back(efficiency(run.model, run.replay, run.measured, run.pool).ideal_ticks);
  return values;
}

TEST(RandomPrograms, GiveTheSameForAnyNumberOfThreads) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_EQ(said_by(seed, 1), said_by(seed, 7));
  }
}

}  // namespace
}  // namespace pathline::findings

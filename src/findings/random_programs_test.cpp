// SPDX-License-Identifier: BSD-3-Clause
// Long because the programs, what they come to and the checks are one idea.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "findings/critical_path.hpp"
#include "findings/delay_costs.hpp"
#include "findings/efficiency.hpp"
#include "findings/replay.hpp"
#include "findings/test_run.hpp"

namespace pathline::findings {
namespace {

using trace::Region;
using trace::TestTrace;

constexpr uint64_t kPlanted = 1500;

/// A program of random work and random operations, and what happens when it runs: simulated
/// forward, call by call, which no kernel does.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed), ranks_(2 + number(7)) {
    slow_ = number(ranks_);
    in_halves_ = ranks_ >= 4 && number(2) == 0;
    steps_ = number(2) == 0;
    const uint32_t rounds = 3 + number(23);
    for (uint32_t i = 0; i < rounds; ++i) {
      Round round{
          static_cast<Operation>(number(kOperationCount)), number(ranks_), number(3) == 0, {}, {}};
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        round.a.push_back(100 + number(1901));
        round.b.push_back(1 + number(500));
      }
      rounds_.push_back(std::move(round));
    }
  }

  /// returns  from MPI_Init until the last rank comes to MPI_Finalize.
  uint64_t ticks(bool planted, uint64_t call_ticks = kCall) {
    writes_ = false;
    call_ticks_ = call_ticks;
    return simulate(planted);
  }
  /// With the plant.
  trace::Trace trace() {
    TestTrace test(ranks_);
    test_ = &test;
    writes_ = true;
    call_ticks_ = kCall;
    for (const char* name :
         {"main", "time step", "a", "b", "planted", "MPI_Init", "MPI_Finalize", "MPI_Sendrecv",
          "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce",
          "MPI_Scan", "MPI_Barrier"}) {
      regions_.push_back(test.region(name));
    }
    halves_[0] = TestTrace::kWorld;
    if (in_halves_) {
      std::vector<uint64_t> members[2];
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        members[2 * rank < ranks_ ? 0 : 1].push_back(rank);
      }
      for (size_t half = 0; half < 2; ++half) halves_[half] = test.communicator(members[half]);
    }
    simulate(true);
    test_ = nullptr;
    return test.finish();
  }

 private:
  static constexpr uint64_t kCall = 3;
  static constexpr uint64_t kStart = 50;
  enum Name : size_t {
    kMain,
    kStep,
    kA,
    kB,
    kPlantedName,
    kInit,
    kFinalize,
    kSendrecv,
    kIrecv,
    kIsend,
    kWaitall,
    kAllreduce,
    kBcast,
    kReduce,
    kScan,
    kBarrier
  };
  enum Operation : uint32_t {
    kRing,
    kExchange,
    kAllreduceOf,
    kBcastOf,
    kReduceOf,
    kScanOf,
    kBarrierOf,
    kHalves,
    kOperationCount
  };
  struct Round {
    Operation operation;
    uint32_t root;
    bool both;  // An exchange with both neighbours.
    std::vector<uint64_t> a, b;
  };

  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  [[nodiscard]] Region region(Name name) const { return regions_[name]; }

  void work(uint32_t rank, Name name, uint64_t ticks) {
    if (writes_) test_->on(rank).enter(clock_[rank], region(name));
    clock_[rank] += ticks;
    if (writes_) test_->on(rank).leave(clock_[rank], region(name));
  }

  uint64_t simulate(bool planted) {
    clock_.assign(ranks_, 0);
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (writes_) test_->on(rank).enter(0, region(kMain)).enter(10 + rank, region(kInit));
      clock_[rank] = kStart;
      if (writes_) test_->on(rank).leave(kStart, region(kInit));
    }
    for (size_t i = 0; i < rounds_.size(); ++i) {
      const Round& round = rounds_[i];
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        if (writes_ && steps_) test_->on(rank).enter(clock_[rank], region(kStep));
        work(rank, kA, round.a[rank]);
        if (planted && rank == slow_ && i % 3 == 0) work(rank, kPlantedName, kPlanted);
      }
      communicate(round);
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        work(rank, kB, round.b[rank]);
        if (writes_ && steps_) test_->on(rank).leave(clock_[rank], region(kStep));
      }
    }
    const uint64_t end = *std::max_element(clock_.begin(), clock_.end());
    for (uint32_t rank = 0; rank < ranks_ && writes_; ++rank) {
      test_->on(rank).enter(clock_[rank], region(kFinalize)).leave(end + 7, region(kFinalize));
      test_->on(rank).leave(end + 9, region(kMain));
    }
    return end - kStart;
  }

  void communicate(const Round& round) {
    const std::vector<uint64_t> begin = clock_;
    switch (round.operation) {
      case kRing: ring(begin); break;
      case kExchange: exchange(begin, round.both); break;
      case kAllreduceOf: collective(round, kAllreduce, 11, 0, ranks_); break;
      case kBcastOf: collective(round, kBcast, 1, 0, ranks_); break;
      case kReduceOf: collective(round, kReduce, 12, 0, ranks_); break;
      case kScanOf: collective(round, kScan, 14, 0, ranks_); break;
      case kBarrierOf: collective(round, kBarrier, 0, 0, ranks_); break;
      case kHalves:
        if (!in_halves_) return;
        collective(round, kAllreduce, 11, 0, (ranks_ + 1) / 2);
        collective(round, kAllreduce, 11, (ranks_ + 1) / 2, ranks_);
        break;
      case kOperationCount: break;
    }
  }

  void ring(const std::vector<uint64_t>& begin) {
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      const uint32_t left = (rank + ranks_ - 1) % ranks_;
      clock_[rank] = std::max(begin[rank], begin[left]) + call_ticks_;
      if (!writes_) continue;
      auto& on = test_->on(rank);
      on.enter(begin[rank], region(kSendrecv)).send(begin[rank], (rank + 1) % ranks_, 8);
      on.recv(clock_[rank], left, 8).leave(clock_[rank], region(kSendrecv));
    }
  }

  /// All nonblocking, to the right or to both sides.
  void exchange(const std::vector<uint64_t>& begin, bool both) {
    const uint32_t sends = both && ranks_ > 2 ? 2 : 1;
    const auto peer = [&](uint32_t rank, uint32_t i, bool sends_to) {
      const bool right = (i == 0) == sends_to;
      return (rank + (right ? 1 : ranks_ - 1)) % ranks_;
    };
    const auto sent = [&](uint32_t rank, uint32_t i) {
      return begin[rank] + (sends + i) * call_ticks_;
    };
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      uint64_t at = begin[rank];
      const uint64_t first = request_ + 100 * rank;
      for (uint32_t i = 0; i < sends && writes_; ++i) {
        const uint64_t posted = at + i * call_ticks_;
        test_->on(rank).enter(posted, region(kIrecv)).irecv_request(posted, first + i);
        test_->on(rank).leave(posted + call_ticks_, region(kIrecv));
      }
      for (uint32_t i = 0; i < sends && writes_; ++i) {
        test_->on(rank).enter(sent(rank, i), region(kIsend));
        test_->on(rank).isend(sent(rank, i), first + 10 + i, peer(rank, i, true), 8, i);
        test_->on(rank).leave(sent(rank, i) + call_ticks_, region(kIsend));
      }
      at += 2 * sends * call_ticks_;
      const uint64_t waits = at;
      for (uint32_t i = 0; i < sends; ++i) at = std::max(at, sent(peer(rank, i, false), i));
      clock_[rank] = at + call_ticks_;
      if (!writes_) continue;
      auto& on = test_->on(rank);
      on.enter(waits, region(kWaitall));
      for (uint32_t i = 0; i < sends; ++i) {
        on.irecv(clock_[rank], first + i, peer(rank, i, false), 8, i);
        on.isend_complete(clock_[rank], first + 10 + i);
      }
      on.leave(clock_[rank], region(kWaitall));
    }
    request_ += 1000;
  }

  void collective(const Round& round, Name name, uint32_t operation, uint32_t first, uint32_t end) {
    const std::vector<uint64_t> begin = clock_;
    const bool whole = end - first == ranks_;
    uint64_t before = 0;
    for (uint32_t rank = first; rank < end; ++rank) {
      before = std::max(before, begin[rank]);
      const uint64_t all = *std::max_element(begin.begin() + first, begin.begin() + end);
      const bool is_root = rank == round.root;
      const uint64_t until = name == kBcast    ? std::max(begin[rank], begin[round.root])
                             : name == kReduce ? (is_root ? all : begin[rank])
                             : name == kScan   ? before
                                               : all;
      clock_[rank] = until + call_ticks_;
      if (!writes_) continue;
      const uint32_t comm = whole ? TestTrace::kWorld : halves_[first == 0 ? 0 : 1];
      const bool has_root = name == kBcast || name == kReduce;
      test_->on(rank).enter(begin[rank], region(name));
      test_->on(rank).collective(begin[rank], clock_[rank], operation, 8, 8, comm,
                                 has_root ? round.root : trace::kUndefined);
      test_->on(rank).leave(clock_[rank], region(name));
    }
  }

  std::mt19937 random_;
  uint32_t ranks_;
  uint32_t slow_ = 0;
  bool in_halves_ = false;
  bool steps_ = false;
  std::vector<Round> rounds_;

  std::vector<uint64_t> clock_;
  uint64_t call_ticks_ = kCall;
  bool writes_ = false;
  TestTrace* test_ = nullptr;
  std::vector<Region> regions_;
  uint32_t halves_[2] = {};
  uint64_t request_ = 1;
};

/// How many programs; PATHLINE_RANDOM_PROGRAMS says another number.
uint32_t program_count() {
  const char* text = std::getenv("PATHLINE_RANDOM_PROGRAMS");
  const int wanted = text == nullptr ? 0 : std::atoi(text);
  return wanted > 0 ? static_cast<uint32_t>(wanted) : static_cast<uint32_t>(base::scaled(300));
}

void check_accounts(const TestRun& run, uint64_t ticks) {
  for (const LaneTime& time : lane_times(run.model)) {
    ASSERT_EQ(time.useful_ticks + time.wait_ticks + time.rest_ticks + time.polling_ticks, ticks);
  }
}

void check_replays(const TestRun& run, RandomProgram& program, uint64_t ticks) {
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
  for (uint32_t seed = 0; seed < program_count(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomProgram program(seed);
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

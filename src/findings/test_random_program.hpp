// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "findings/test_program.hpp"

namespace pathline::findings {

/// A program of random work and random operations. For tests only.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed), ranks_(2 + number(7)) {
    slow_ = number(ranks_);
    in_halves_ = ranks_ >= 4 && number(2) == 0;
    steps_ = number(2) == 0;
    const uint32_t rounds = 3 + number(23);
    for (uint32_t i = 0; i < rounds; ++i) {
      Round round{static_cast<Talk>(number(kTalkCount)), number(ranks_), number(3) == 0, {}, {}};
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        round.a.push_back(100 + number(1901));
        round.b.push_back(1 + number(500));
      }
      rounds_.push_back(std::move(round));
    }
  }

  /// returns  from MPI_Init until the last rank comes to MPI_Finalize.
  [[nodiscard]] uint64_t ticks(bool planted, uint64_t call_ticks = kCall) const {
    return simulate(Simulation(ranks_, call_ticks), planted);
  }
  /// With the plant.
  [[nodiscard]] trace::Trace trace() const {
    trace::TestTrace test(ranks_);
    simulate(Simulation(ranks_, kCall, &test), true);
    return test.finish();
  }

 private:
  static constexpr uint64_t kCall = 3;
  static constexpr uint64_t kPlanted = 1500;
  enum Talk : uint32_t {
    kRing,
    kExchange,
    kAllreduce,
    kBcast,
    kReduce,
    kScan,
    kBarrier,
    kHalves,
    kTalkCount
  };
  struct Round {
    Talk talk;
    uint32_t root;
    bool both;  // An exchange with both neighbours.
    std::vector<uint64_t> a, b;
  };

  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  uint64_t simulate(Simulation run, bool planted) const {
    for (uint32_t i = 0; i < rounds_.size(); ++i) {
      const Round& round = rounds_[i];
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        if (steps_) run.begin_step(rank, i);
        run.work(rank, "a", round.a[rank]);
        if (planted && rank == slow_ && i % 3 == 0) run.work(rank, "planted", kPlanted);
      }
      talk(run, round);
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        run.work(rank, "b", round.b[rank]);
        if (steps_) run.end_step(rank);
      }
    }
    return run.finish();
  }

  void talk(Simulation& run, const Round& round) const {
    using Operation = Simulation::Operation;
    switch (round.talk) {
      case kRing: run.ring(); break;
      case kExchange: run.exchange(round.both); break;
      case kAllreduce: run.collective(Operation::kAllreduce); break;
      case kBcast: run.collective(Operation::kBcast, round.root); break;
      case kReduce: run.collective(Operation::kReduce, round.root); break;
      case kScan: run.collective(Operation::kScan); break;
      case kBarrier: run.collective(Operation::kBarrier); break;
      case kHalves:
        if (!in_halves_) return;
        run.collective(Operation::kAllreduce, 0, 0, (ranks_ + 1) / 2);
        run.collective(Operation::kAllreduce, 0, (ranks_ + 1) / 2, ranks_);
        break;
      case kTalkCount: break;
    }
  }

  std::mt19937 random_;
  uint32_t ranks_;
  uint32_t slow_ = 0;
  bool in_halves_ = false;
  bool steps_ = false;
  std::vector<Round> rounds_;
};

}  // namespace pathline::findings

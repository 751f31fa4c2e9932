// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "findings/judge.hpp"
#include "findings/test_program.hpp"

namespace pathline::findings {

/// A program that prepares, computes, communicates, finishes its time steps and cleans up, with
/// noise of 0 to 5 % on what each rank does in each step, and one fault or none. For tests only.
///
/// What the fault costs is what the simulated run takes longer than the one without:
///
///   one rank alone   its work shared among all ranks; of a bottleneck, for which no such program
///                    is known, (1 - 1 / ranks) of what a run without the work takes less
///   chain            all ranks sweep at once
///   load             each rank computes the mean of all in each step
///   wrong order      messages are received in the order in which they are sent
///   tiny messages    one in place of all
///   lock             all may hold it at the same time
class PlantedProgram {
 public:
  /// kind  of the fault; kFindingKindCount: none.
  PlantedProgram(size_t kind, uint32_t seed)
      : kind_(static_cast<FindingKind>(kind)), random_(seed * 64 + static_cast<uint32_t>(kind)) {
    ranks_ = 4 + number(13);
    steps_ = 12 + number(29);
    talk_ = number(8);
    root_ = number(ranks_);
    culprit_ = number(ranks_);
    at_end_ = number(2) == 0;
    call_ticks_ = 3 + number(60);
    noise_ = 0.01 * number(6);
    mean_ = 20'000 + number(100'000);
    compute_ = noisy(static_cast<double>(mean_));
    updates_ = number(4);
    update_ = noisy(between(0.1, 0.5) * mean_);
    around_ = number(2) == 0 ? noisy(between(0, 2) * mean_)[0] : std::vector<uint64_t>(ranks_, 0);
    switch (kind_) {
      case FindingKind::kSerialIo:
      case FindingKind::kLateRoot:
      case FindingKind::kSerialSection: plant_alone(); break;
      case FindingKind::kBottleneckRank: plant_bottleneck(); break;
      case FindingKind::kSerialisedChain: plant_chain(); break;
      case FindingKind::kGrowingImbalance:
      case FindingKind::kSlowRank:
      case FindingKind::kImbalance:
      case FindingKind::kJitter: plant_load(); break;
      case FindingKind::kWrongOrder: plant_order(); break;
      case FindingKind::kTinyMessages: plant_tiny(); break;
      case FindingKind::kLockContention: plant_lock(); break;
      default: break;
    }
  }

  /// With the fault.
  [[nodiscard]] trace::Trace trace() const {
    trace::TestTrace test(ranks_);
    simulate(Simulation(ranks_, call_ticks_, &test), true);
    return test.finish();
  }
  /// The same before finish().
  [[nodiscard]] trace::Trace built() const {
    trace::TestTrace test(ranks_);
    simulate(Simulation(ranks_, call_ticks_, &test), true);
    return test.build();
  }
  /// What the fault costs, in ticks.
  [[nodiscard]] double cost() const {
    const auto with = static_cast<double>(simulate(Simulation(ranks_, call_ticks_), true));
    const auto without = static_cast<double>(simulate(Simulation(ranks_, call_ticks_), false));
    const bool is_bottleneck = kind_ == FindingKind::kBottleneckRank;
    return (with - without) * (is_bottleneck ? 1 - 1.0 / ranks_ : 1);
  }
  [[nodiscard]] const std::vector<uint32_t>& ranks() const { return at_; }  ///< None: all.
  /// Last regions of the call path: one of these.
  [[nodiscard]] const std::vector<std::string_view>& regions() const { return regions_; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} ranks, {} steps, communication {}, noise {}, call {} of {}", ranks_,
                       steps_, talk_, noise_, call_ticks_, mean_);
  }

 private:
  using Operation = Simulation::Operation;
  /// Ticks by step and rank.
  using Work = std::vector<std::vector<uint64_t>>;

  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  /// From `first` to `last`.
  double between(double first, double last) { return first + (last - first) * number(1001) / 1000; }
  Work noisy(double ticks) {
    Work work(steps_, std::vector<uint64_t>(ranks_));
    for (auto& step : work) {
      for (uint64_t& of_rank : step) {
        of_rank = static_cast<uint64_t>(ticks * between(1 - noise_, 1 + noise_));
      }
    }
    return work;
  }

  void plant_alone() {
    at_ = {culprit_};
    regions_ = {kind_ == FindingKind::kSerialIo   ? "output"
                : kind_ == FindingKind::kLateRoot ? "prepare"
                                                  : "setup"};
    root_ = kind_ == FindingKind::kLateRoot ? culprit_ : (culprit_ + 1) % ranks_;
    extra_ = noisy(between(0.2, 1) * mean_);
    every_ = 1 + number(3);
  }
  void plant_bottleneck() {
    at_ = {culprit_};
    regions_ = {"serve"};
    updates_ = 0;  // A server waits for nobody.
    // The workers ask more often than one rank can serve.
    extra_ = noisy(between(1.3, 2.5) * mean_ / (ranks_ - 1));
    if (ranks_ < 6) extra_ = noisy(between(1.3, 2.5) * mean_ / 2);
  }
  void plant_chain() {
    regions_ = {"sweep"};
    extra_ = noisy(between(0.3, 1) * mean_);
    compute_ = noisy(between(0, 0.5) * mean_);
  }
  void plant_load() {
    regions_ = {"compute"};
    if (kind_ == FindingKind::kImbalance) {
      const uint32_t count = 2 + number(ranks_ / 2 - 1);
      for (uint32_t i = 0; i < count; ++i) at_.push_back((culprit_ + i) % ranks_);
      std::sort(at_.begin(), at_.end());
    } else if (kind_ != FindingKind::kJitter) {
      at_ = {culprit_};
    }
    const double more = between(0.15, 1);
    in_own_path_ = kind_ == FindingKind::kImbalance && number(2) == 0;
    extra_ = Work(steps_, std::vector<uint64_t>(ranks_, 0));
    if (in_own_path_) regions_ = {"extra"};
    for (uint32_t step = 0; step < steps_; ++step) {
      const double grown = kind_ == FindingKind::kGrowingImbalance ? 2.0 * step / steps_ : 1;
      for (const uint32_t rank : at_) add(step, rank, more * grown);
      if (kind_ != FindingKind::kJitter) continue;
      const uint32_t late = 1 + number(ranks_ / 4);
      for (uint32_t i = 0; i < late; ++i) add(step, number(ranks_), between(0.2, 1.5));
    }
  }
  void add(uint32_t step, uint32_t rank, double share) {
    (in_own_path_ ? extra_ : compute_)[step][rank] += static_cast<uint64_t>(share * mean_);
  }
  void plant_order() {
    at_ = {culprit_};
    regions_ = {"MPI_Recv"};
    extra_ = noisy(between(0.4, 1) * mean_ / (ranks_ - 1));
    // One behind the other, but not in the order of ranks.
    sent_at_.resize(ranks_ - 1);
    for (uint32_t i = 0; i < ranks_ - 1; ++i) sent_at_[i] = (i + 1.0) / (ranks_ - 1);
    std::shuffle(sent_at_.begin(), sent_at_.end(), random_);
    sent_at_.insert(sent_at_.begin() + culprit_, 0);
  }
  void plant_tiny() {
    regions_ = {"MPI_Send", "MPI_Recv"};
    tiny_ = 25 + number(100);
    call_ticks_ = static_cast<uint64_t>(between(0.2, 1) * mean_ / tiny_);
    if (number(2) == 0) at_ = {culprit_};
  }
  void plant_lock() {
    noise_ = std::max(noise_, 0.01);  // Else the same rank comes last each time, and stops nobody.
    compute_ = noisy(mean_);
    regions_ = {"MPI_Win_lock", "update"};
    extra_ = noisy(between(0.5, 2) * mean_ / ranks_);
  }

  uint64_t simulate(Simulation run, bool fault) const {
    for (uint32_t rank = 0; rank < ranks_; ++rank) run.work(rank, "prepare mesh", around_[rank]);
    run.collective(Operation::kBarrier);
    for (uint32_t step = 0; step < steps_; ++step) {
      for (uint32_t rank = 0; rank < ranks_; ++rank) run.begin_step(rank, step);
      play(run, step, fault);
      update(run, step);
      for (uint32_t rank = 0; rank < ranks_; ++rank) run.end_step(rank);
    }
    for (uint32_t rank = 0; rank < ranks_; ++rank) run.work(rank, "clean up", around_[rank]);
    return run.finish();
  }

  void play(Simulation& run, uint32_t step, bool fault) const {
    switch (kind_) {
      case FindingKind::kSerialIo:
      case FindingKind::kLateRoot:
      case FindingKind::kSerialSection:
        if (at_end_) talk(run, step, compute_[step]);
        if (step % every_ == 0) alone(run, step, fault);
        if (!at_end_) talk(run, step, compute_[step]);
        break;
      case FindingKind::kBottleneckRank: serve(run, step, fault); break;
      case FindingKind::kSerialisedChain: sweep(run, step, fault); break;
      case FindingKind::kWrongOrder: receive(run, step, fault); break;
      case FindingKind::kTinyMessages: send(run, step, fault); break;
      case FindingKind::kLockContention:
        compute(run, compute_[step]);
        run.locked("update", extra_[step], fault);
        run.collective(Operation::kBarrier);
        break;
      default:
        for (uint32_t rank = 0; in_own_path_ && rank < ranks_; ++rank) {
          const uint64_t ticks = fault ? extra_[step][rank] : evened(extra_[step])[rank];
          if (ticks > 0) run.work(rank, "extra", ticks);
        }
        talk(run, step, fault || in_own_path_ ? compute_[step] : evened(compute_[step]));
    }
  }

  /// A second part of each step, which has nothing wrong.
  void update(Simulation& run, uint32_t step) const {
    if (updates_ == 0) return;
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      run.work(rank, "update halo", update_[step][rank]);
    if (updates_ == 1) run.ring();
    if (updates_ == 2) run.collective(Operation::kAllreduce);
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      run.work(rank, "finish", update_[step][rank] / 8);
  }

  static std::vector<uint64_t> evened(const std::vector<uint64_t>& ticks) {
    const uint64_t sum = std::accumulate(ticks.begin(), ticks.end(), uint64_t{0});
    return std::vector<uint64_t>(ticks.size(), sum / ticks.size());
  }

  void compute(Simulation& run, const std::vector<uint64_t>& ticks) const {
    for (uint32_t rank = 0; rank < ranks_; ++rank) run.work(rank, "compute", ticks[rank]);
  }

  /// Computes and communicates, so that all ranks wait for one that is late, soon or in later
  /// steps.
  void talk(Simulation& run, uint32_t step, const std::vector<uint64_t>& ticks) const {
    compute(run, ticks);
    switch (talk_) {
      case 0: run.ring(); break;
      case 1: run.exchange(true); break;
      case 2: run.collective(Operation::kAllreduce); break;
      case 3:
        run.ring();
        run.collective(Operation::kAllreduce);
        break;
      case 4:
        run.exchange(false);
        run.collective(Operation::kBcast, root_);
        break;
      case 5:
        run.exchange(true);
        run.collective(Operation::kReduce, root_);
        break;
      case 6: run.collective(Operation::kBarrier); break;
      default:
        run.exchange(true);
        if (step % 5 == 0) run.collective(Operation::kAllreduce);
        break;
    }
  }

  /// What one rank does while all others wait, or its share on each.
  void alone(Simulation& run, uint32_t step, bool fault) const {
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (fault && rank != culprit_) continue;
      const uint64_t ticks = extra_[step][culprit_] / (fault ? 1 : ranks_);
      if (kind_ == FindingKind::kSerialIo) {
        run.enter(rank, "output");
        run.write(rank, "fwrite", ticks, 1 << 20);
        run.leave(rank, "output");
      } else {
        run.work(rank, regions_[0], ticks);
      }
    }
    if (kind_ == FindingKind::kLateRoot) run.collective(Operation::kBcast, culprit_);
    if (kind_ == FindingKind::kSerialIo && at_end_) run.collective(Operation::kBarrier);
  }

  /// Workers get one task of each other from the culprit.
  void serve(Simulation& run, uint32_t step, bool fault) const {
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank != culprit_) run.send(rank, culprit_);
    }
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == culprit_) continue;
      run.recv(rank, culprit_);
      if (fault) run.work(culprit_, "serve", extra_[step][rank]);
      run.send(culprit_, rank);
    }
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == culprit_) continue;
      run.recv(culprit_, rank);
      run.work(rank, "task", compute_[step][rank]);
    }
  }

  void sweep(Simulation& run, uint32_t step, bool fault) const {
    compute(run, compute_[step]);
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (fault && rank > 0) run.recv(rank - 1, rank);
      run.work(rank, "sweep", extra_[step][rank]);
      if (fault && rank + 1 < ranks_) run.send(rank, rank + 1);
    }
    run.collective(at_end_ ? Operation::kAllreduce : Operation::kBarrier);
  }

  /// All send to the culprit at some time of what they compute.
  void receive(Simulation& run, uint32_t step, bool fault) const {
    std::vector<uint32_t> order;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == culprit_) continue;
      order.push_back(rank);
      const auto before =
          static_cast<uint64_t>(sent_at_[rank] * static_cast<double>(compute_[step][rank]));
      run.work(rank, "compute", before);
      run.send(rank, culprit_);
      run.work(rank, "compute", compute_[step][rank] - before);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return fault ? sent_at_[a] > sent_at_[b] : sent_at_[a] < sent_at_[b];
    });
    for (const uint32_t rank : order) {
      run.recv(rank, culprit_);
      run.work(culprit_, "use", extra_[step][rank]);
    }
    run.collective(at_end_ ? Operation::kAllreduce : Operation::kBarrier);
  }

  /// All send many messages to the right, or the culprit does.
  void send(Simulation& run, uint32_t step, bool fault) const {
    compute(run, compute_[step]);
    const uint32_t count = fault ? tiny_ : 1;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (!at_.empty() && rank != culprit_) continue;
      for (uint32_t i = 0; i < count; ++i) run.send(rank, (rank + 1) % ranks_, 8);
    }
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (!at_.empty() && rank != culprit_) continue;
      for (uint32_t i = 0; i < count; ++i) run.recv(rank, (rank + 1) % ranks_, 8);
    }
    run.collective(at_end_ ? Operation::kAllreduce : Operation::kBarrier);
  }

  FindingKind kind_;
  std::mt19937 random_;
  uint32_t ranks_ = 0;
  uint32_t steps_ = 0;
  uint32_t talk_ = 0;
  uint32_t root_ = 0;
  uint32_t culprit_ = 0;
  bool at_end_ = false;
  uint64_t call_ticks_ = 0;
  uint32_t mean_ = 0;
  double noise_ = 0;
  Work compute_;
  Work update_;
  uint32_t updates_ = 0;
  std::vector<uint64_t> around_;
  Work extra_;  // Of the fault.
  bool in_own_path_ = false;
  uint32_t every_ = 1;  // Step.
  uint32_t tiny_ = 0;
  std::vector<double> sent_at_;
  std::vector<uint32_t> at_;
  std::vector<std::string_view> regions_;
};

/// The verdict on a program, and what to open it with.
struct Verdict {
  explicit Verdict(trace::Trace run, unsigned threads = 1)
      : pool(threads), trace(std::move(run)), all(comm::dependencies(trace, pool)) {
    const Window program = program_window(trace, all);
    const Window window = steps_window(trace::marked_steps(trace), program);
    judged =
        judge(trace, all, {.focus = Focus::kSteps, .program = program, .window = window}, pool);
  }
  [[nodiscard]] std::string_view region(const Finding& finding) const {
    return finding.path.empty() ? "" : trace.definitions.regions[finding.path.back()].name;
  }
  base::ThreadPool pool;
  trace::Trace trace;
  comm::Dependencies all;
  Judgement judged;
};

}  // namespace pathline::findings

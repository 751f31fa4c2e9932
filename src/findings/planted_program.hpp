// SPDX-License-Identifier: BSD-3-Clause
//
// Long because it is one program: each fault is a few lines of it.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "findings/judge.hpp"
#include "findings/planted_plays.hpp"
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
///   late receives    sends end at once; the same of windows that are exposed late
///   barrier          is left out
///   costs            calls of one function take no time
///   threads          have as much to do as each other, or all a part of what one did
///
/// Those without a fault have such constructs, too: a barrier with work behind it, receives in
/// time, balanced threads.
class PlantedProgram {
 public:
  /// kind   of the fault; kFindingKindCount: none.
  /// small  the fault is 3 to 15 % of a step, else more.
  PlantedProgram(size_t kind, uint32_t seed, bool small = false)
      : kind_(static_cast<FindingKind>(kind)),
        small_(small),
        random_(seed * 64 + static_cast<uint32_t>(kind)) {
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
      case FindingKind::kLatePostOfReceive:
      case FindingKind::kLatePost: plant_leave(); break;
      case FindingKind::kNeedlessBarrier:
      case FindingKind::kTransfer:
      case FindingKind::kCollectiveCost:
      case FindingKind::kFenceCost: plant_cost(); break;
      case FindingKind::kOmpImbalance:
      case FindingKind::kOmpSerial: plant_threads(); break;
      default: choose_construct(); break;
    }
  }

  /// With the fault.
  [[nodiscard]] trace::Trace trace() const {
    trace::TestTrace test(ranks_, threads_);
    simulate(Simulation(ranks_, call_ticks_, &test), true);
    return test.finish();
  }
  /// The same before finish().
  [[nodiscard]] trace::Trace built() const {
    trace::TestTrace test(ranks_, threads_);
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
  /// The fault, beside what ranks compute in a step.
  double size(double first, double last) {
    return small_ ? between(0.03, 0.15) : between(first, last);
  }
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
    extra_ = noisy(size(0.2, 1) * mean_);
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
    extra_ = noisy((small_ ? size(0, 0) / ranks_ : between(0.3, 1)) * mean_);
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
    const double more = size(0.15, 1);
    in_own_path_ = kind_ == FindingKind::kImbalance && number(2) == 0;
    extra_ = Work(steps_, std::vector<uint64_t>(ranks_, 0));
    if (in_own_path_) regions_ = {"extra"};
    for (uint32_t step = 0; step < steps_; ++step) {
      const double grown = kind_ == FindingKind::kGrowingImbalance ? 2.0 * step / steps_ : 1;
      for (const uint32_t rank : at_) add(step, rank, more * grown);
      if (kind_ != FindingKind::kJitter) continue;
      const uint32_t late = 1 + number(ranks_ / 4);
      for (uint32_t i = 0; i < late; ++i) add(step, number(ranks_), size(0.2, 1.5));
    }
  }
  void add(uint32_t step, uint32_t rank, double share) {
    (in_own_path_ ? extra_ : compute_)[step][rank] += static_cast<uint64_t>(share * mean_);
  }
  void plant_order() {
    at_ = {culprit_};
    regions_ = {"MPI_Recv"};
    extra_ = noisy(size(0.4, 1) * mean_ / (ranks_ - 1));
    // One behind the other, but not in the order of ranks.
    sent_at_.resize(ranks_ - 1);
    for (uint32_t i = 0; i < ranks_ - 1; ++i) sent_at_[i] = (i + 1.0) / (ranks_ - 1);
    std::shuffle(sent_at_.begin(), sent_at_.end(), random_);
    sent_at_.insert(sent_at_.begin() + culprit_, 0);
  }
  void plant_tiny() {
    regions_ = {"MPI_Send", "MPI_Recv"};
    tiny_ = 25 + number(100);
    call_ticks_ = static_cast<uint64_t>(size(0.2, 1) * mean_ / tiny_);
    if (number(2) == 0) at_ = {culprit_};
  }
  void plant_lock() {
    noise_ = std::max(noise_, 0.01);  // Else the same rank comes last each time, and stops nobody.
    compute_ = noisy(mean_);
    regions_ = {"MPI_Win_lock", "update"};
    extra_ = noisy((small_ ? size(0, 0) : between(0.5, 2)) * mean_ / ranks_);
  }

  void plant_leave() {
    at_ = {culprit_};
    const bool by_window = kind_ == FindingKind::kLatePost;
    regions_ = {by_window ? "MPI_Win_post" : "MPI_Recv"};
    before_ = small_ ? between(0.85, 0.97) : between(0.1, 0.8);
  }
  void plant_cost() {
    const bool of_all = kind_ == FindingKind::kNeedlessBarrier || kind_ == FindingKind::kFenceCost;
    regions_ = {kind_ == FindingKind::kNeedlessBarrier  ? "MPI_Barrier"
                : kind_ == FindingKind::kFenceCost      ? "MPI_Win_fence"
                : kind_ == FindingKind::kCollectiveCost ? "MPI_Allreduce"
                                                        : "MPI_Sendrecv"};
    // Another function in the second part of a step; transfer counts only where it is a tenth.
    if (!of_all && updates_ == (kind_ == FindingKind::kTransfer ? 1 : 2)) updates_ = 0;
    extra_ = noisy((of_all ? size(0.1, 0.5) : between(0.3, 0.8)) * mean_);
    before_ = between(0, 0.4);
  }
  void plant_threads() {
    regions_ = {""};
    updates_ = 0;  // All that ranks do is parallel, but what is planted.
    threads_ = 2 + number(6);
    more_ = between(0.5, 1.5);
    extra_ = noisy(between(0.4, 1) * mean_);
    for (uint32_t thread = 0; thread < threads_; ++thread) thread_.push_back(noisy(mean_));
  }
  void choose_construct() {
    regions_ = {""};
    construct_ = static_cast<Construct>(std::min(number(10), 6U));
    if (construct_ == Construct::kTeams) plant_threads();
    before_ = between(0.8, 2);
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
      case FindingKind::kLatePostOfReceive:
      case FindingKind::kLatePost:
        hand_over(run, compute_[step], culprit_, before_, kind_ == FindingKind::kLatePost, fault);
        run.collective(at_end_ ? Operation::kAllreduce : Operation::kBarrier);
        break;
      case FindingKind::kNeedlessBarrier: {
        const uint64_t ticks = extra_[step][0];
        compute(run, compute_[step]);
        twice(run, ranks_, at_end_, static_cast<uint64_t>(before_ * static_cast<double>(ticks)),
              ticks, fault);
        break;
      }
      case FindingKind::kTransfer:
      case FindingKind::kCollectiveCost:
      case FindingKind::kFenceCost: pay(run, step, fault); break;
      case FindingKind::kOmpImbalance: work_in_teams(run, step, more_, fault); break;
      case FindingKind::kOmpSerial:
        for (uint32_t rank = 0; rank < ranks_ && fault; ++rank) {
          run.work(rank, "assemble", extra_[step][rank]);
        }
        work_in_teams(run, step, 0, true, fault ? std::vector<uint64_t>() : extra_[step]);
        break;
      default:
        if (construct_ != Construct::kTalk) {
          do_right(run, step);
          break;
        }
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

  /// Calls that take long, or no time.
  void pay(Simulation& run, uint32_t step, bool fault) const {
    compute(run, compute_[step]);
    const uint64_t others = run.call_ticks(fault ? extra_[step][0] : 0);
    if (kind_ == FindingKind::kTransfer) run.ring();
    if (kind_ == FindingKind::kCollectiveCost) run.collective(Operation::kAllreduce);
    if (kind_ == FindingKind::kFenceCost) run.fence();
    run.call_ticks(others);
  }

  void work_in_teams(Simulation& run, uint32_t step, double more, bool fault,
                     const std::vector<uint64_t>& shared = {}) const {
    std::vector<std::vector<uint64_t>> ticks(ranks_);
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      for (const Work& thread : thread_) {
        ticks[rank].push_back(thread[step][rank] + (shared.empty() ? 0 : shared[rank] / threads_));
      }
    }
    teams(run, ticks, more, fault);
    run.collective(at_end_ ? Operation::kAllreduce : Operation::kBarrier);
  }

  /// What would be a fault if it were done otherwise.
  void do_right(Simulation& run, uint32_t step) const {
    switch (construct_) {
      case Construct::kTeams: return work_in_teams(run, step, 0, true);
      case Construct::kFence: compute(run, compute_[step]); return run.fence();
      case Construct::kWindow:
      case Construct::kReceive:
        hand_over(run, compute_[step], culprit_, 1, construct_ == Construct::kWindow, true);
        return run.collective(Operation::kBarrier);
      case Construct::kBarrier:  // With work behind it.
        compute(run, compute_[step]);
        return twice(run, ranks_, at_end_, update_[step][0], call_ticks_, true);
      default:  // Needless, but too cheap to matter.
        compute(run, compute_[step]);
        return twice(run, ranks_, at_end_, 0, mean_ / 100, true);
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

  /// What a program without a fault has.
  enum class Construct : uint8_t {
    kTeams,
    kFence,
    kWindow,
    kReceive,
    kBarrier,
    kCheapBarrier,
    kTalk
  };

  FindingKind kind_;
  bool small_;
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
  Construct construct_ = Construct::kTalk;
  double before_ = 0;
  uint32_t threads_ = 1;
  double more_ = 0;           // Of one thread.
  std::vector<Work> thread_;  // By thread.
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "findings/growing_replay.hpp"
#include "findings/model.hpp"
#include "findings/replay.hpp"
#include "findings/step_ends.hpp"
#include "findings/threads.hpp"
#include "findings/useful_time.hpp"

namespace pathline::findings {

/// One time step. A step lasts from the latest end of the step before, of all ranks, to its own.
struct StepEfficiency {
  uint32_t step;
  uint64_t ticks;
  double load_balance;
  /// At most 1. Ranks drift apart: only where a step and the one before end with all ranks in one
  /// operation.
  std::optional<double> communication;
  /// False for one that lasts until the end of the window, as the last one marked does.
  bool complete;
};

/// Efficiencies after the POP project (co-design.pop-coe.eu/metrics), as products:
///
///   parallel = load balance x communication
///   communication = serialisation x transfer
///   serialisation = migration x dependency
///
/// Migration is ours: load that is balanced over the run, but not in each step, looks like waiting
/// in a chain, and is none. Without steps it is 1.
struct Efficiency {
  uint32_t ranks = 0;
  uint64_t measured_ticks = 0;
  uint64_t ideal_ticks = 0;  ///< On an ideal network.
  uint64_t replayed_ticks =
      0;                ///< The replay of what was measured: how far the others are to be trusted.
  uint64_t forced = 0;  ///< Dependencies that the replay had to drop.
  uint64_t useful_ticks = 0;  ///< Of all ranks.
  uint64_t most_useful_ticks = 0;

  double parallel = 0;
  double parallel_high = 0;  ///< If all was useful of which it is not known, see LaneTime.
  double load_balance = 0;
  double communication = 0;
  double serialisation = 0;
  double migration = 1;
  double dependency = 0;
  double transfer = 0;

  /// Of ranks with threads; the factors above take OpenMP as useful.
  struct OpenMp {
    uint32_t threads;
    double parallel;  ///< Of all threads: Efficiency::parallel x openmp.
    double openmp;    ///< serial x load_balance x scheduling
    double serial;
    double load_balance;
    double scheduling;
  };
  std::optional<OpenMp> openmp;

  std::vector<StepEfficiency> steps;  ///< Those of which 99 % or more lie in the window.
};

/// replay, measured  of the same model.
/// useful            of it.
/// cost  one replay.
Efficiency efficiency(const Model& model, const Replay& replay, const Measured& measured,
                      const UsefulTime& useful, base::ThreadPool& pool);
inline Efficiency efficiency(const Model& model, const Replay& replay, const Measured& measured,
                             base::ThreadPool& pool) {
  return efficiency(model, replay, measured, useful_time(model), pool);
}

/// Efficiency::steps of a run that is modelled part by part, and the same to the last digit.
class GrowingSteps {
 public:
  /// cost  O(pieces + steps of all ranks in the part).
  void add(const Model& part);
  [[nodiscard]] std::vector<StepEfficiency> finish() const;

 private:
  friend class GrowingEfficiency;
  Window window_{0, 0};
  uint32_t ranks_ = 0;
  CallNumbers numbers_;
  GrowingUsefulTime useful_;
  GrowingStepEnds step_ends_;
};

/// efficiency() of a run that is modelled part by part, and the same to the last digit. Not of
/// ranks with several threads that call MPI or fork and join.
class GrowingEfficiency {
 public:
  /// returns, cost  as GrowingReplay::add().
  bool add(const Model& part, const NextPart& next);
  struct Found {
    Efficiency efficiency;
    UsefulTime useful;
  };
  /// nullopt as GrowingReplay::finish().
  std::optional<Found> finish();

 private:
  uint64_t unknown_ticks_ = 0;
  GrowingSteps steps_;
  GrowingReplay replay_;
};

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "findings/test_program.hpp"

// What ranks do in a time step of a PlantedProgram, with or without what is wrong with it. For
// tests only.
namespace pathline::findings {

inline std::vector<uint64_t> evened(const std::vector<uint64_t>& ticks) {
  const uint64_t sum = std::accumulate(ticks.begin(), ticks.end(), uint64_t{0});
  return std::vector<uint64_t>(ticks.size(), sum / ticks.size());
}

inline void compute(Simulation& run, const std::vector<uint64_t>& ticks) {
  for (uint32_t rank = 0; rank < ticks.size(); ++rank) run.work(rank, "compute", ticks[rank]);
}

/// All hand something to `target`, by messages or by its window, when they have done the part
/// `before` of what they compute; the target takes it when it has done all.
///
/// waits  whether they go on only when it is taken
inline void hand_over(Simulation& run, const std::vector<uint64_t>& ticks, uint32_t target,
                      double before, bool by_window, bool waits) {
  std::vector<uint64_t> behind = ticks;
  for (uint32_t rank = 0; rank < ticks.size(); ++rank) {
    const auto first = static_cast<uint64_t>(before * static_cast<double>(ticks[rank]));
    behind[rank] -= rank == target ? ticks[rank] : first;
    run.work(rank, "compute", rank == target ? ticks[rank] : first);
  }
  if (by_window) run.post(target);
  for (uint32_t rank = 0; rank < ticks.size(); ++rank) {
    if (rank == target) continue;
    if (by_window) run.put(rank, target, !waits);
    if (!by_window) run.synchronous(rank, target, !waits);
  }
  if (by_window) run.wait(target);
  for (uint32_t rank = 0; rank < ticks.size(); ++rank) {
    if (behind[rank] > 0) run.work(rank, "compute", behind[rank]);
  }
}

/// A barrier and an operation of all with all, with `between` ticks on each rank between them.
///
/// with  the barrier, which costs `ticks`
inline void twice(Simulation& run, uint32_t ranks, bool barrier_first, uint64_t between,
                  uint64_t ticks, bool with) {
  const auto barrier = [&] {
    if (!with) return;
    const uint64_t others = run.call_ticks(ticks);
    run.collective(Simulation::Operation::kBarrier);
    run.call_ticks(others);
  };
  if (barrier_first) barrier();
  if (!barrier_first) run.collective(Simulation::Operation::kAllreduce);
  for (uint32_t rank = 0; rank < ranks && between > 0; ++rank) run.work(rank, "check", between);
  if (barrier_first) run.collective(Simulation::Operation::kAllreduce);
  if (!barrier_first) barrier();
}

/// A parallel region of each rank, in which a thread has its part of what the rank computes, one of
/// them `more` of it.
///
/// fault  else all threads have as much
inline void teams(Simulation& run, const std::vector<std::vector<uint64_t>>& of_threads,
                  double more, bool fault) {
  for (uint32_t rank = 0; rank < of_threads.size(); ++rank) {
    std::vector<uint64_t> ticks = of_threads[rank];
    const size_t slow = rank % ticks.size();
    ticks[slow] += static_cast<uint64_t>(more * static_cast<double>(ticks[slow]));
    run.team(rank, fault ? ticks : evened(ticks));
  }
}

}  // namespace pathline::findings

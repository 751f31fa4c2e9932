// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/thread_pool.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// What the threads of all ranks did while their first thread was outside of MPI.
struct ThreadTime {
  uint32_t threads = 0;          ///< Of all ranks.
  uint64_t all_ticks = 0;        ///< Threads of each rank times its useful ticks.
  uint64_t useful_ticks = 0;     ///< Of it, in no barrier.
  uint64_t serial_ticks = 0;     ///< Lost: other threads, outside of parallel regions.
  uint64_t imbalance_ticks = 0;  ///< Lost: until the slowest thread of each region is done.
  uint64_t schedule_ticks = 0;  ///< Lost: what a region lasts longer than its slowest thread works.
};

/// Threads fork and join as their events say. Without a rank of several threads and a fork all is
/// 0. useful + serial + imbalance + schedule = all, to the tick.
///
/// cost  O(events of ranks with threads), parallel over ranks.
ThreadTime thread_time(const Model& model, base::ThreadPool& pool);

}  // namespace pathline::findings

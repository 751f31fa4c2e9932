// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "base/thread_pool.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// What hardware counters say of the work of a run: the first threads of ranks, outside of MPI.
struct CountedWork {
  uint64_t ticks = 0;  ///< Useful time that was counted.
  std::optional<double> instructions;
  std::optional<double> cycles;
};

/// From counters that add up ("instructions", "PAPI_TOT_INS", "perf::INSTRUCTIONS" ...; "cycles",
/// "PAPI_TOT_CYC" ...), sample by sample: what lies between two of them counts for where the
/// program was. nullopt without any, or if they cover less than half of the useful time.
///
/// cost  O(events of the first threads), parallel.
std::optional<CountedWork> counted_work(const Model& model, base::ThreadPool& pool);

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdio>

#include <mpi.h>

#include "bench/shallow/division.hpp"
#include "bench/shallow/options.hpp"
#include "bench/shallow/timers.hpp"

namespace shallow {

/// The times of all ranks in few numbers, in seconds.
struct TimeSummary {
  double loop_s;  ///< Until the last rank had done its last step.
  /// Over the steps, of what the slowest rank needed for each block.
  std::array<Quantiles, kBlockCount> blocks;
  /// Over the steps, of how much later the last rank was done with a step than the last rank with
  /// the step before: what the step cost the program. These add up to loop_s.
  Quantiles step;
};

/// Collective; rank 0 gets the result.
TimeSummary summarize(const StepTimes& times, MPI_Comm communicator);

/// Prints the quantiles as a table, and the lines "time = " and "seconds per step".
void print(const TimeSummary& summary);

/// Writes what bench/shallow/README.md describes. Collective.
///
/// file     open for writing on rank 0, ignored elsewhere; is closed.
/// returns  whether all of it could be written, on rank 0.
bool write_samples(std::FILE* file, const Options& options, const Division& division,
                   const TimeSummary& summary, const StepTimes& times, MPI_Comm communicator);

}  // namespace shallow

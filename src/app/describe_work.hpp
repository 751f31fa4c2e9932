// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/describe_shifts.hpp"
#include "predict/application.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// The kernels of a time step.
struct Work {
  /// As many stretches as RankStep::work has in the reference's pattern, with their kernels.
  std::vector<std::vector<predict::Kernel>> stretches;
  /// Kernels in regions that send or receive as well: packing, perhaps.
  std::vector<std::string> beside_messages;
  double share = 0;  ///< Of the reference's time outside of MPI: in these kernels.
};

/// Makes kernels of the time outside of MPI between the messages of `reference`: one of each
/// region, and of what lies in no region, "work 1", "work 2" ... A kernel's time per cell is the
/// lower quartile over ranks and steps; of time in no region, and of regions that send or receive,
/// over the ranks that send as the reference does.
///
/// A region that only works is left out where it takes less than 0.2 % of a step's time outside of
/// MPI. The other time between calls holds what the recorder itself needs, and what a core needs to
/// fill its caches again after it has waited: it is left out below 0.2 % of the whole step, and
/// below 5 us.
///
/// patterns, ways  by rank.
/// cells_of_rank  how many each has.
Work find_work(const trace::Trace& trace, const RankSteps& steps, std::span<const Pattern> patterns,
               std::span<const Ways> ways, uint32_t reference,
               std::span<const double> cells_of_rank);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "comm/step_table.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// A call that starts time steps.
struct StepMarker {
  std::string function;           ///< Small letters, without "MPI_": "allreduce".
  std::optional<uint64_t> bytes;  ///< That one rank gives or takes; absent: any.
  uint32_t every = 1;             ///< Every how many such calls start a step.
};

/// "allreduce", "allreduce:16", "MPI_Allreduce:16/4".
/// errors  kInvalidArgument.
base::Result<StepMarker> parse_step_marker(std::string_view text);

/// Per rank the steps that begin with the marker on its first thread; the last one ends where
/// MPI_Finalize begins, or with the recording. Some recorders (Score-P) write for a collective
/// operation the bytes times the members: these count as well.
StepWindows marked_by_calls(const trace::Trace& trace, const StepMarker& marker);

}  // namespace pathline::comm

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "findings/critical_path.hpp"
#include "findings/efficiency.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// What made a time step as long as it was.
struct StepCause {
  uint32_t step = 0;   ///< Its number.
  uint64_t ticks = 0;  ///< As StepEfficiency has it.
  /// Waits of all ranks that began in the step, by kind.
  std::array<uint64_t, comm::kWaitKindCount> waits{};
  /// The call path that has most on the critical path of this step beyond the mean of all ranks,
  /// and the rank's lane that has most of that; kNone where nothing is beyond the mean.
  uint32_t path = kNone;
  uint32_t lane = kNone;
  double beyond_ticks = 0;
};

/// For the steps of `efficiency`, in their order.
///
/// efficiency, critical  of the same model
/// cost                  O(calls log steps + pieces log paths)
std::vector<StepCause> step_causes(const Model& model, const Efficiency& efficiency,
                                   const CriticalPath& critical);

}  // namespace pathline::findings

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/findings.hpp"
#include "findings/step_causes.hpp"

namespace pathline::app {

/// One time step: how long it was, and what made it so.
struct StepFinding {
  uint32_t step = 0;
  double length_s = 0;     ///< From the latest end of the step before to its own.
  double excess_s = 0;     ///< Beyond the median of all steps; negative for shorter ones.
  double wait_rank_s = 0;  ///< Of all ranks.
  std::string waits;       ///< "late_sender 0.012000000 collective 0.003000000", most first.
  std::string rank;        ///< Whose work is most beyond the mean of all; "" for nobody's.
  std::string call_path;   ///< Where; "" outside of all calls, too.
  double cause_s = 0;      ///< By how much the critical path has more of it than the mean rank.
};

struct StepFindings {
  double median_s = 0;
  std::vector<StepFinding> rows;  ///< In the order of steps.
};

/// errors  as find_findings()
base::Result<StepFindings> find_step_findings(const trace::Trace& trace, const std::string& input,
                                              const FindingsRequest& request,
                                              base::ThreadPool& pool, base::Progress& progress);

class PathNames;
/// The same of what was found otherwise.
///
/// run           whose clock that is.
/// rank_of_lane  what the lanes of `causes` are
/// names         of their paths.
StepFindings step_findings(const trace::Trace& run, const std::vector<findings::StepCause>& causes,
                           const std::vector<uint32_t>& rank_of_lane, const PathNames& names);
/// And of a run that was judged.
StepFindings step_findings(const findings::Model& model, const findings::Efficiency& efficiency,
                           const findings::CriticalPath& critical);

}  // namespace pathline::app

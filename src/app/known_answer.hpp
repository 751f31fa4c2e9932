// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/step_findings.hpp"
#include "app/wait_rows.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"

// What follows from all events of a run, without having them at a time: what its summary keeps, or
// what is found in its archive part by part where the run is larger than memory.
namespace pathline::app {

/// A summary that is asked.
struct AskedSummary {
  const std::filesystem::path& path;
  const summary::RunSummary& summary;
  base::ThreadPool& pool;
  base::Progress& progress;
  std::vector<std::string>& notes;  ///< Get a line where the archive was read.
};

template <class Answer>
struct KnownAnswer {
  Answer answer;
  bool kept = false;  ///< The summary had it; else its archive was read.
};

/// returns  nullopt where all events, or those of a part, have to be read at a time.
/// errors   those of judged_run(), run_in_parts() and of what is found part by part.
template <class Answer>
using MaybeKnown = base::Result<std::optional<KnownAnswer<Answer>>>;

/// As find_efficiency().
MaybeKnown<EfficiencyReport> known_efficiency(const AskedSummary& asked,
                                              const FindingsRequest& request,
                                              std::optional<EfficiencyBy> by);

/// As find_critical_path().
MaybeKnown<CriticalReport> known_critical_path(const AskedSummary& asked,
                                               const FindingsRequest& request);

/// As find_step_findings().
MaybeKnown<StepFindings> known_step_findings(const AskedSummary& asked,
                                             const FindingsRequest& request);

/// As waits_by_call_path() of the whole time.
MaybeKnown<std::vector<PathWaits>> known_waits_by_call_path(const AskedSummary& asked,
                                                            const trace::Selection& selection);

/// As wait_causes() of the whole time.
MaybeKnown<std::vector<WaitCause>> known_wait_causes(const AskedSummary& asked,
                                                     const trace::Selection& selection);

}  // namespace pathline::app

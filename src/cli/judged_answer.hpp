// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "app/efficiency.hpp"
#include "app/wait_rows.hpp"
#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"

namespace pathline::cli {

/// What was concluded of a run.
template <class Report>
struct JudgedAnswer {
  Report answer;
  bool kept = false;  ///< Its summary had it; else its events were read.
};

/// The efficiencies of a run that was opened, or of a summary: what that keeps, or what its archive
/// says, which is read part by part where it is larger than memory. Notes on stderr say which.
///
/// request  of a run that is too large and cannot be read so, gets the part that was judged.
/// errors   those of kept_answer(), app::run_in_parts() and app::find_efficiency().
base::Result<JudgedAnswer<app::EfficiencyReport>> efficiency_of(const CommonOptions& options,
                                                                app::FindingsRequest& request,
                                                                std::optional<app::EfficiencyBy> by,
                                                                Opened& run);

/// The same for the critical path.
base::Result<JudgedAnswer<app::CriticalReport>> critical_path_of(const CommonOptions& options,
                                                                 app::FindingsRequest& request,
                                                                 Opened& run);

/// Waits by call path of the chosen ranks, of a summary whose run is larger than memory; nullopt
/// where that is not so, the summary keeps what `answers`, or the run cannot be read part by part.
base::Result<std::optional<std::vector<app::PathWaits>>> waits_in_parts(
    const CommonOptions& options, const Answers& answers, Opened& run);

/// The same for the causes of waits.
base::Result<std::optional<std::vector<app::WaitCause>>> wait_causes_in_parts(
    const CommonOptions& options, const Answers& answers, Opened& run);

}  // namespace pathline::cli

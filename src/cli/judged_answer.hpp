// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/known_answer.hpp"
#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"

namespace pathline::cli {

/// The efficiencies of a run that was opened, or of a summary: what is known of it
/// (app::known_efficiency()), or what all events say, or those of a part. Notes on stderr say
/// which.
///
/// request  of a run that is too large, and is not known, gets the part that was judged.
/// choice   how another part is chosen.
/// errors   those of app::known_efficiency(), kept_answer() and app::find_efficiency().
base::Result<app::KnownAnswer<app::EfficiencyReport>> efficiency_of(
    const CommonOptions& options, app::FindingsRequest& request,
    std::optional<app::EfficiencyBy> by, Opened& run, std::string_view choice = kByFocus);

/// The same for the critical path.
base::Result<app::KnownAnswer<app::CriticalReport>> critical_path_of(const CommonOptions& options,
                                                                     app::FindingsRequest& request,
                                                                     Opened& run);

/// The same for what made each time step as long as it was.
base::Result<app::KnownAnswer<app::StepFindings>> step_findings_of(const CommonOptions& options,
                                                                   app::FindingsRequest& request,
                                                                   Opened& run);

/// The same for waits by call path, and for their causes, of the ranks and the time that were
/// chosen; of a part that was judged the selection of `run` tells.
base::Result<app::KnownAnswer<std::vector<app::PathWaits>>> waits_by_call_path_of(
    const CommonOptions& options, Opened& run);
base::Result<app::KnownAnswer<std::vector<app::WaitCause>>> wait_causes_of(
    const CommonOptions& options, Opened& run);

}  // namespace pathline::cli

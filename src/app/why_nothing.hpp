// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/launch_line.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// The likeliest reason why a run left no recording, and what to do about it.
///
/// programs  what the launcher started, as given to it; the first that explains anything is named
/// ending    how COMMAND ended
base::Error why_nothing_was_recorded(base::Launcher launcher,
                                     const std::vector<std::string>& programs,
                                     const base::Ending& ending);

}  // namespace pathline::app

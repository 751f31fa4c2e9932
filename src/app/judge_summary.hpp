// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/findings.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"

namespace pathline::app {

/// Findings of a run whose summary keeps none, from the events that it was made of: of all of it
/// up to 2^24 events, else of middle_part().
///
/// notes    get a line that says what is read.
/// returns  nullopt where the events are not there, too many, or none of MPI, which a note says.
std::optional<FindingsReport> judge_summary(const std::filesystem::path& path,
                                            const summary::RunSummary& summary,
                                            base::ThreadPool& pool, base::Progress& progress,
                                            std::vector<std::string>& notes);

}  // namespace pathline::app

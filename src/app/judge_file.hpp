// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/findings.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"

namespace pathline::app {

/// Adds to the file of a summary whose run is larger than memory what follows from all events, as
/// JudgedRun has it, from its archive part by part. Findings without a chosen time are of a part in
/// the middle (middle_part()), and say so; the critical path for a timeline is that of the time
/// judged.
///
/// notes    get a line about the part.
/// returns  false where the run is to be read as a whole: nothing is added.
/// errors   those of reading and writing the summary, of its archive, and of find_findings().
/// cost     the archive is read four times, with very many call paths five times.
base::Result<bool> judge_file_in_parts(const std::filesystem::path& file,
                                       const FindingsRequest& request, base::ThreadPool& pool,
                                       base::Progress& progress, std::vector<std::string>& notes);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Trace Event JSON for Perfetto and chrome://tracing: one process per rank, one thread per
/// location, calls as complete events, messages as flow arrows, metrics as counters. Times in
/// microseconds since the start of the run.
/// cost  O(events), streamed.
base::Status export_chrome(const trace::Trace& trace, const trace::Selection& selection,
                           const std::filesystem::path& path, base::Progress& progress);

/// A folder of CSV tables: locations.csv, regions.csv, calls.csv, messages.csv and
/// events.csv (every event that is neither Enter nor Leave, with its fields by name). What is not
/// known or does not apply is empty.
base::Status export_csv(const trace::Trace& trace, const trace::Selection& selection,
                        const std::filesystem::path& folder, base::Progress& progress);

}  // namespace pathline::app

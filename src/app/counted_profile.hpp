// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "profile/metric_table.hpp"

namespace pathline::app {

/// Whether `run` is a run directory in which calls were counted only (record --mode profile or
/// both).
bool has_counted_profile(const std::filesystem::path& run);

/// Reads profile.csv of a run directory: regions without callers, metrics "time" and "visits";
/// locations are threads, in the order of their ranks.
///
/// errors  kNotFound without such a file; kCorrupt naming the line that is none.
/// cost    O(size of the file + regions x threads).
base::Result<profile::MetricTable> read_counted_profile(const std::filesystem::path& run);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "app/findings.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"

namespace pathline::app {

/// The folder of the campaign that a run belongs to; "" for none.
std::filesystem::path campaign_of_run(const std::string& input);

/// More events than this, of one run for each size, are not judged for models in passing.
inline constexpr uint64_t kMostModelledEvents = 4'000'000;

/// Says of a run in a campaign with at least three values of each parameter what of it will grow
/// (FindingsReport::growing, FindingRow::grows): models of what is found in the campaign's other
/// runs, one for each size and as many repetitions as the bound leaves room for. A warning says
/// why there are none. Nothing of a run without a campaign.
///
/// min_percent  as FindingsRequest: what stays below at the size that is predicted is not said
/// cost         that of find_findings() for at most kMostModelledEvents
void add_growth(const std::string& input, double min_percent, FindingsReport& report,
                base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::app

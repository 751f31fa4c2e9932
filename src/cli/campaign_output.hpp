// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "app/campaign.hpp"
#include "base/result.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// What would run: a row for each run with its cores and its command.
base::Status print_plan(const CommonOptions& options, const app::PlannedStudy& planned);

/// How far a campaign is, step by step, and which runs failed.
base::Status print_status(const CommonOptions& options, campaign::State& state);

/// For people a row for each combination of parameters, otherwise one for each repetition.
base::Status print_result(const CommonOptions& options, const campaign::ResultTable& table);

/// options.format may be "markdown" and "junit" as well.
base::Status print_comparison(const CommonOptions& options, const std::string& before,
                              const std::string& after, const campaign::ComparisonReport& report);

}  // namespace pathline::cli

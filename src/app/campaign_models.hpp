// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model_input.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"

namespace pathline::app {

/// Measurements of a campaign (is_campaign(request.data)): the profiles of its recorded runs, one
/// at a time, and the numbers of its result table, which are metrics of the call path "results".
///
/// Parameters of the models are those that multiply the study and are numbers above 0: the first of
/// each list, of lists that vary together the first. What varies and is no number (a solver's name)
/// stands at the root of the call paths: "solver=cg->main->solve". With several steps that are
/// recorded so does the step.
///
/// errors  kInvalidArgument where no number varies; kNotFound where nothing is done; those of
///         reading.
base::Result<ModelInput> campaign_measurements(const ModelRequest& request, base::ThreadPool& pool,
                                               base::Progress& progress);

/// A run of a campaign that was recorded and is done.
struct RecordedRun {
  std::filesystem::path folder;  ///< What `pathline record` made.
  std::vector<double> coordinates;
  std::string root;  ///< What varies and is no number: "solver=cg->".
};

struct RecordedRuns {
  std::vector<std::string> parameters;
  std::vector<RecordedRun> runs;  ///< In the order of the plan.
};

/// The recorded runs of the campaign in a folder, with the parameters of campaign_measurements().
///
/// errors  those of open_campaign()
/// cost    O(runs); no trace is opened
base::Result<RecordedRuns> recorded_runs(const std::filesystem::path& campaign);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace pathline::app

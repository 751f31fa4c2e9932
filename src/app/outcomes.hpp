// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/prediction.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "predict/calibration.hpp"
#include "store/database.hpp"

namespace pathline::app {

/// A run that was measured, and the last prediction of it.
struct RunOutcome {
  store::AppRun run;
  std::optional<store::Prediction> prediction;
};

base::Result<std::vector<RunOutcome>> outcomes_of(store::Database& database, store::Id machine);

/// What the runs of a machine say about the model.
base::Result<predict::Calibration> calibration_of(store::Database& database, store::Id machine);

/// Runs of an application, to see whether it takes as long as was predicted.
struct TrialRequest {
  std::string application;  ///< As open_application() takes it; its name is kept with the runs.
  std::vector<Deployed> deployed;
  /// Starts one: {launcher} stands for that of the benchmarks, {n} is the number of ranks,
  /// {hostfile} a file with the host of each rank, {grid}, {rank_grid}, {ranks_per_node} and
  /// {steps} are what they say; {reversed_grid} and {reversed_rank_grid} have the last axis first.
  std::vector<std::string> command;
  uint32_t steps = 20;
};

struct TrialReport {
  uint32_t started = 0;
  uint32_t present = 0;  ///< Had been run before.
  /// What cannot be, as a mapping that does not divide the ranks, and why.
  std::vector<std::string> left_out = {};
};

/// Predicts each run, starts it, and stores both: what was run before is left out. The program says
/// how long a step took in a line "seconds per step = X"; lines of a table with the names of its
/// kernels and their minimum, lower quartile, median and 90th percentile say what of it was
/// computation. Call it before there are threads.
///
/// errors  kInvalidArgument for placeholders that are missing; kIo naming a command that failed or
///         did not say how long it took, and its last words; those of the database
base::Result<TrialReport> run_trials(const TrialRequest& request, store::Database& database,
                                     const MeasuredMachine& machine, base::Progress& progress);

/// Predicts all runs of an application that are stored, with the model and the rows as they are
/// now. The model is judged by runs on other grids: those of one grid say too much about each
/// other.
///
/// returns  how many
base::Result<uint32_t> predict_again(const std::string& application, store::Database& database,
                                     const MeasuredMachine& machine, base::ThreadPool& pool,
                                     base::Progress& progress);

/// How near predictions came.
struct Agreement {
  uint32_t runs = 0;  ///< That were predicted.
  uint32_t refused = 0;
  double median_error_pct = 0;  ///< Of the step, without its sign.
  double p90_error_pct = 0;
  double median_communication_error_pct = 0;  ///< Of the step over what is not computation.
  double coverage_pct = 0;                    ///< Runs inside of their interval.
};
Agreement agreement_of(const std::vector<const RunOutcome*>& outcomes);

/// Of groups of runs that differ in nothing but mapping and binding.
struct Choices {
  uint32_t groups = 0;
  uint32_t named = 0;  ///< The one predicted to be fastest was, or within 3 % of it.
  uint32_t tied = 0;   ///< Not, but the fastest was marked as a tie.
};
Choices choices_of(const std::vector<RunOutcome>& outcomes);

}  // namespace pathline::app

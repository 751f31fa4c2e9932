// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/model_input.hpp"
#include "cli/command.hpp"
#include "scaling/ranking.hpp"
#include "scaling/search/search.hpp"

namespace pathline::cli {

/// Options of the commands that model a series of runs.
struct ModelDataOptions {
  std::vector<std::string> data;
  std::vector<std::string> parameters;  ///< As many as `--parameter` was given.
  std::vector<bool> is_data;            ///< What of the two came when.
  std::vector<std::string> metrics;
  std::string aggregate = "mean";
  std::string scaling = "weak";
  bool scaling_given = false;
  int terms = 2;
  std::string rank_by = "value";
  bool rank_by_given = false;
  std::vector<std::string> at;
  std::vector<std::string> from;
};

/// --parameter, --at-least, --aggregate, --scaling, --terms, --at, --rank-by.
/// group  headline of the help under which they stand; "": the usual one.
void add_model_data_options(Command& command, ModelDataOptions& options,
                            const std::string& group = "");

/// Notes which of the runs and `--parameter` came when; `command` was just parsed.
/// names  of the positional options that hold runs.
void note_order(const Command& command, const std::vector<std::string>& names,
                ModelDataOptions& options);

/// errors  kInvalidArgument for values that are no numbers above 0 and for runs without any.
base::Result<app::ModelRequest> model_request(const ModelDataOptions& options, bool partial);

/// errors  kInvalidArgument where `output` is one of the inputs or lies in the folder of a run.
base::Status check_output(const std::string& output, const app::ModelRequest& request);

/// Where to predict: parameters that nobody names stay at their largest measured value; without
/// --at 16 times the largest value of the first parameter.
/// errors  kInvalidArgument, and kNotFound for a parameter that does not exist.
base::Result<std::vector<std::vector<double>>> model_targets(const ModelDataOptions& options,
                                                             const scaling::Experiment& experiment);

scaling::Aggregate aggregate_of(const ModelDataOptions& options);
scaling::LocationRule locations_of(const ModelDataOptions& options);
scaling::RankBy rank_by_of(const ModelDataOptions& options);

/// Warnings and the first of the skipped kernels, on stderr.
void print_model_notes(const scaling::Experiment& experiment);

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "scaling/experiment.hpp"
#include "scaling/read/from_profiles.hpp"

namespace pathline::app {

/// One run of a series: a folder that holds Cube profiles, a profile, or any INPUT that has calls.
struct SeriesRun {
  std::string path;
  std::vector<std::pair<std::string, double>> parameters;  ///< In the order they were given.
};

/// Where measurements are: in one file or folder, or in runs that somebody says the parameters of.
struct ModelRequest {
  /// A file of measurements, a folder with one folder per run, a campaign or its study.
  std::string data;
  std::vector<SeriesRun> runs;       ///< Instead of `data`.
  std::vector<std::string> metrics;  ///< Those wanted, in this order; empty: all.
  /// Parameters and the least of their values that counts: one rank alone sends nothing, and says
  /// nothing of many.
  std::vector<std::pair<std::string, double>> from;
  scaling::FromProfilesOptions profiles;
  bool partial = false;  ///< As input::OpenOptions.
};

struct ModelInput {
  scaling::Experiment experiment;
  /// Whether the measurements are profiles of locations: what ModelRequest::profiles is for.
  bool from_profiles = false;
  /// Metrics whose values are no parts of a whole: least and most of something.
  std::vector<std::string> not_additive;
};

/// Whether ModelRequest::from leaves a point in. names  of its coordinates.
bool is_counted(const ModelRequest& request, const std::vector<std::string>& names,
                std::span<const double> coordinates);

/// Reads measurements for models: a file of scaling::read_file; a folder that holds a folder per
/// run, named after its parameters ("mm.p64.n100.r2", scaling::parse_run_name); or runs.
///
/// Of a folder, names that begin with '.' and folders without profiles do not count. Several
/// profiles in one folder, folders that differ in the repetition only and runs with the same values
/// are repetitions. Parameters with one value are left out. Profiles are read several at a time.
///
/// errors  kNotFound for files and metrics that do not exist; kInvalidArgument where runs disagree
///         about the parameters, naming two of them, and where no parameter varies in a folder;
///         those of the readers.
base::Result<ModelInput> open_measurements(const ModelRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress);

}  // namespace pathline::app

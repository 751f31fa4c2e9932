// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model_input.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// One profile of a series, before it is read.
struct Source {
  std::filesystem::path path;  ///< Any INPUT.
  std::vector<double> coordinates;
  /// Whether it is a file of a profile.
  [[nodiscard]] bool is_cube() const {
    std::error_code ignored;
    return path.extension() == ".cubex" && !std::filesystem::is_directory(path, ignored);
  }
};

struct Series {
  std::vector<std::string> parameters;
  std::vector<Source> sources;
  std::vector<std::string> warnings;
};

/// What can be read of one run: the Cube profiles in its folder; else the folder itself if it holds
/// a trace, nothing if it does not. A file is all there is of its run.
base::Result<std::vector<std::filesystem::path>> profiles_in(const std::filesystem::path& run);

/// The profiles of `runs`, not empty; parameters with one value are left out, unless all have one.
/// errors  kInvalidArgument where runs disagree about the parameters; kNotFound for a run without
///         profile and trace.
base::Result<Series> series_of(const std::vector<SeriesRun>& runs);

/// The profiles in the folders of `folder`, each named after its parameters.
/// errors  those of series_of; kInvalidArgument for other names and where no parameter varies;
///         kNotFound where there is no run.
base::Result<Series> series_in(const std::filesystem::path& folder);

}  // namespace pathline::app

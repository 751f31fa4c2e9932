// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/record_settings.hpp"
#include "base/result.hpp"

namespace pathline::app {

struct RecordRequest {
  std::vector<std::string> words;  ///< COMMAND and its arguments; at least one.
  SettingTexts options;            ///< Settings of the command line.
  bool quiet = false;              ///< For what turns the raw files into an archive.
};

struct RecordOutcome {
  /// As it was asked for: relative names stay relative. "" where nothing was recorded and COMMAND
  /// failed: no folder is left.
  std::filesystem::path run;
  bool has_archive = false;  ///< There are events to look at.
  int exit_status = 0;       ///< COMMAND's own, 128 + signal if one ended it.
};

/// Called at once with what the user should know and what is not an error.
using Note = std::function<void(const base::Error&)>;

/// Whether this process is one rank of a job, so that record_rank() is what is wanted: a launcher
/// has left its variables, and the command is not a launcher itself.
bool is_rank(const std::vector<std::string>& words);

/// Makes a run directory, runs the command with the recorder in its ranks, and turns what they
/// wrote into an archive. Call it before there are threads.
///
/// errors  kInvalidArgument for a setting; kNotFound without a recorder library or without such a
///         command; kIo
base::Result<RecordOutcome> record(const RecordRequest& request, const Note& note);

/// Becomes the command with the recorder in it; the ranks agree on a run directory in MPI_Init. In
/// a job of several programs of which some lack the recorder, becomes the command without it and
/// says so. Returns only if it fails, with an error of record().
base::Error record_rank(const RecordRequest& request, const Note& note);

}  // namespace pathline::app

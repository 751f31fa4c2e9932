// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "campaign/plan.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// What a run is done with.
struct WorkOrder {
  const Study* study = nullptr;
  const Plan* plan = nullptr;
  const Package* package = nullptr;
  std::filesystem::path folder;  ///< Absolute. Replaced if it exists.
  /// The folders of the runs before it and the names of their steps, in the order of Step::after.
  std::vector<std::pair<std::string, std::filesystem::path>> before;
  /// What `pathline record` is started by: {"/usr/bin/pathline", "record"}.
  std::vector<std::string> record;
  int64_t id = 0;  ///< Of the run.
};

/// The names that stand for something in each text of a step, beside those of parameters: run_id,
/// repetition (from 1), step, run_dir, study_dir and campaign_dir.
std::vector<std::pair<std::string, std::string>> names_of(const WorkOrder& order);

/// What the shell is to run, lines of Step::command with its names filled in and through `pathline
/// record` where the step says so. "" for a step without a command.
std::string command_of(const WorkOrder& order);
std::string check_of(const WorkOrder& order);

/// How many cores a run takes: Step::cores, or what its launcher is told to start.
/// errors  kInvalidArgument when it is no whole number above 0.
base::Result<uint32_t> cores_of(const Study& study, const Plan& plan, const Package& package);

/// What the run is made of; it changes when command, check or files do.
uint64_t definition_of(const WorkOrder& order);

/// Makes the folder of a run: files of the runs before it (small ones are copies, so that it may
/// change them, the others links), copies, links, templates, and the file `command`.
///
/// errors  kNotFound naming file and line of the step for a file that is not there; kIo.
base::Status make_folder(const WorkOrder& order);

/// errors  kNotFound naming file and line of the step for a file beside the study that no run could
///         find: those that name parameters, and templates that a step before may make, are left
///         out.
base::Status check_files(const Study& study);

/// A word as a shell reads it.
std::string shell_word(std::string_view word);

/// errors  kIo when the disk of the folder is full, where every run would fail whatever it is.
base::Status check_space(const std::filesystem::path& folder);

/// The last lines of what a run printed, printable, indented; "" if it printed nothing.
std::string last_words(const std::filesystem::path& folder);

/// Names of files that Pathline writes into the folder of a run.
inline constexpr const char* kCommandFile = "command";
inline constexpr const char* kOutputFile = "stdout";
inline constexpr const char* kErrorFile = "stderr";
inline constexpr const char* kCheckFile = "check.out";

}  // namespace pathline::campaign

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pathline::campaign {

/// A job of Slurm that is a run.
struct SlurmJob {
  std::string name;  ///< Unique among all campaigns of all users.
  std::filesystem::path folder;
  uint32_t cores = 1;
  std::string options;  ///< For sbatch, as a shell reads them.
};

/// How a job ended.
struct SlurmEnd {
  int status = 0;      ///< Of the command.
  double seconds = 0;  ///< The command took.
  std::string reason;  ///< "" if the command came to its end; else what Slurm says: "TIMEOUT".
};

/// The batch system, by its programs sbatch, squeue, scontrol and scancel.
class Slurm {
 public:
  /// Submits the file `command` in the job's folder. Returns Slurm's number for it.
  /// errors  kNotFound without sbatch; kIo with what sbatch said.
  base::Result<std::string> submit(const SlurmJob& job);

  /// The number of a job of this name that waits or runs; "" for none.
  std::string find(const std::string& name);

  /// How the job of this folder ended; nullopt while it waits or runs. Looks at files that jobs
  /// leave, and asks Slurm now and then, for jobs that could leave none.
  std::optional<SlurmEnd> ended(const std::string& number, const std::filesystem::path& folder);

  void cancel(const std::string& number);

 private:
  using Clock = std::chrono::steady_clock;
  void look();

  std::map<std::string, std::string> queued_;      // Number -> state.
  std::map<std::string, Clock::time_point> gone_;  // Since when a job is in no queue.
  std::optional<Clock::time_point> looked_;        // Absent: not yet.
  bool could_look_ = false;
};

}  // namespace pathline::campaign

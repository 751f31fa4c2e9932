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
  double timeout_s = 0;  ///< After it the command is told to end; 0: never.
  std::string options;   ///< For sbatch, as a shell reads them.
};

/// How a job ended.
struct SlurmEnd {
  int status = 0;        ///< Of the command.
  double seconds = 0;    ///< The command took.
  bool is_late = false;  ///< Its time was over.
  std::string reason;    ///< "" if the command came to its end; else what Slurm says.
};

/// The batch system, by its programs sbatch, squeue and scontrol.
class Slurm {
 public:
  /// Submits the file `command` in the job's folder. Returns Slurm's number for it. A job that was
  /// submitted for the folder before and has not begun by now will do nothing.
  /// errors  kNotFound without sbatch; kIo with what sbatch said.
  base::Result<std::string> submit(const SlurmJob& job);

  /// The number of a job of this name that waits or runs; "" for none.
  /// errors  kIo when Slurm does not answer: there may be one.
  base::Result<std::string> find(const std::string& name);

  /// How the job of this folder ended; nullopt while it waits or runs. Looks at files that jobs
  /// leave, and asks Slurm now and then, for jobs that could leave none.
  /// timeout_s  as SlurmJob has it
  std::optional<SlurmEnd> ended(const std::string& number, const std::filesystem::path& folder,
                                double timeout_s);

  /// What squeue said when it was asked last and had no answer; "" if it had.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// A job that is in no queue.
  struct Gone {
    Clock::time_point since;
    Clock::time_point asked;  ///< When Slurm was asked what became of it.
  };
  void look();

  std::map<std::string, std::string> queued_;  // Number -> state.
  std::map<std::string, Gone> gone_;
  std::optional<Clock::time_point> looked_;  // Absent: not yet.
  std::string trouble_;
};

}  // namespace pathline::campaign

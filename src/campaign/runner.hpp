// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "campaign/extract.hpp"
#include "campaign/plan.hpp"
#include "campaign/process.hpp"
#include "campaign/state.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

struct RunnerOptions {
  std::vector<std::string> record;  ///< As WorkOrder::record.
  uint32_t cores = 0;               ///< At a time; 0: as the study says.
  /// Told at once what the user should know: failures with the last lines of their log.
  std::function<void(const std::string&)> note;
};

struct RunnerReport {
  uint64_t done = 0;      ///< Now.
  uint64_t kept = 0;      ///< Were done before.
  uint64_t failed = 0;    ///< Now.
  uint64_t blocked = 0;   ///< Not begun, as a run before them failed.
  uint64_t changed = 0;   ///< Of those kept: what they ran is no longer what the study says.
  uint64_t waiting = 0;   ///< Not begun, or put back, as somebody sent a signal.
  uint64_t in_queue = 0;  ///< Jobs that go on without us.
  int signal = 0;         ///< That somebody sent.
  double seconds = 0;
};

/// Runs all packages that are not done, as many at a time as the cores allow: each when those
/// before it are done, in the order of the plan where there is a choice, and one that wants more
/// cores than there are alone. What an earlier process left running is ended and done again, or
/// waited for if it is a job of Slurm. A run that fails blocks those behind it and nothing else.
///
/// errors  kInvalidArgument for cores that are no number; kIo when the state cannot be written, or
///         Slurm takes no job at all. Everything that was done is kept.
base::Result<RunnerReport> run_packages(State& state, const Study& study, const Plan& plan,
                                        const Extractor& extractor, Attention& attention,
                                        const RunnerOptions& options, base::ThreadPool& pool,
                                        base::Progress& progress);

}  // namespace pathline::campaign

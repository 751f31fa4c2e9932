// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "app/step_source.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "insitu/figures.hpp"
#include "raw/run.hpp"

namespace pathline::app {

/// What follow_run() gives the steps of a run to.
class StepWriter {
 public:
  StepWriter() = default;
  StepWriter(const StepWriter&) = delete;
  StepWriter& operator=(const StepWriter&) = delete;
  virtual ~StepWriter() = default;

  /// Before each pass. returns  whether there is enough to write steps, as there may not be yet.
  virtual base::Result<bool> prepare(const raw::Run& run) = 0;
  /// One step behind those before. figures  all steps that are complete so far.
  virtual base::Status add(const insitu::Figures& figures, const insitu::Step& step) = 0;
};

struct FollowRequest {
  insitu::FigureOptions figures;
  StepSource steps;
};

/// Gives the time steps of a run to `writer` while it goes on: each when all ranks are two steps
/// further, so that its messages have arrived. Ends when the command has, by run.json; what was
/// written then is not all, and may lack arrays for what came later. Spends at most a tenth of one
/// core, in passes that come the rarer the longer they take; gives up on more than a gigabyte of
/// raw files.
///
/// run      a run directory in which a recorder writes, or soon will
/// errors   those of the writer; kUnsupported when it gives up. What cannot be read yet is tried
///          again.
base::Status follow_run(const std::filesystem::path& run, FollowRequest request, StepWriter& writer,
                        base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Messages that end before they begin: what is left of the clocks' differences. Not those that
/// threads may have exchanged (trace::Backwards).
struct Causality {
  uint64_t messages = 0;
  uint64_t violations = 0;
  double worst_s = 0;        ///< By how much the worst receive ends before its send starts.
  double error_bound_s = 0;  ///< Two clocks may be wrong by so much against each other.
  [[nodiscard]] bool within_error_bound() const { return worst_s <= error_bound_s; }
};
Causality check_causality(const trace::Trace& trace, double error_bound_s, base::ThreadPool& pool);

enum class Finish : uint8_t {
  kDone,         ///< Was not finished and is now.
  kWasFinished,  ///< There was nothing to do.
  kStillRuns,    ///< A process still writes: nothing was changed.
  kMayRun,       ///< One on another host may still write, see FinishOptions: nothing was changed.
};

struct FinishReport {
  Finish outcome = Finish::kWasFinished;
  // What was made of the raw files; not for kWasFinished.
  uint32_t ranks = 0;
  uint64_t threads = 0;
  uint64_t hosts = 0;
  uint64_t events = 0;
  double duration_s = 0;
  uint64_t raw_bytes = 0;
  uint64_t archive_bytes = 0;
  bool complete = true;
  Causality causality;
  std::vector<std::string> warnings;
};

struct FinishOptions {
  bool keep_raw = false;
  /// The caller knows that the run is over. Otherwise a process that did not finish, on another
  /// host, is taken for alive until the launcher has written "end_time" into run.json.
  bool has_ended = true;
  /// So long, processes on this host that still write are waited for: ranks may outlive the
  /// launcher that was killed by a second or two.
  double patience_s = 0;
};

/// True if raw files lie in the run directory `run` that no archive was made of yet.
bool needs_finish(const std::filesystem::path& run);

/// Completes the run directory `run`: raw files become RUN/traces.otf2, steps.csv and, where calls
/// were counted, profile.csv; run.json gets what is known of the run, beside what the launcher
/// wrote there. The raw files go at the very end, unless `keep_raw`, when everything is on the
/// disk: interrupted at any moment, it can be done again. Two at a time wait for each other.
///
/// errors  kNotFound if `run` is no run directory; those of reading, where nothing is readable;
/// kIo,
///         which leaves the raw files as they are.
base::Result<FinishReport> finish_run(const std::filesystem::path& run,
                                      const FinishOptions& options, base::ThreadPool& pool,
                                      base::Progress& progress);

}  // namespace pathline::app

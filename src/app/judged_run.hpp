// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/step_findings.hpp"
#include "app/wait_rows.hpp"
#include "base/result.hpp"
#include "summary/run_summary.hpp"

namespace pathline::app {

/// All that follows from who waits for whom, which a summary can keep: it needs all events at once.
struct JudgedRun {
  FindingsRequest request;  ///< What `findings`, `efficiency`, `critical` and `steps` answer.
  FindingsReport findings;
  EfficiencyTables efficiency;
  CriticalReport critical;
  StepFindings steps;
  // Of the whole run.
  std::vector<PathWaits> waits_by_path;
  std::vector<WaitCause> wait_causes;
  bool has_all_causes = true;  ///< False: `wait_causes` has only those that cost most.

  /// Whether the findings are of a part in the middle alone, for want of memory.
  [[nodiscard]] bool has_findings_of_part() const {
    return findings.focus == findings::Focus::kTime && request.focus != findings::Focus::kTime;
  }
  /// Whether a question is the one that was answered, or asks for no more than its larger findings.
  [[nodiscard]] bool answers(const FindingsRequest& other) const;
  /// Makes it the answer to a question that answers() holds for.
  void leave_out_below(double min_percent);
};

/// cost  find_findings(), and about as much for the rest
/// errors  those of find_findings()
base::Result<JudgedRun> judge_run(const trace::Trace& trace, const std::string& input,
                                  const FindingsRequest& request, base::ThreadPool& pool,
                                  base::Progress& progress);

/// Leaves out what a summary does not keep: causes but for those that cost most, and a critical
/// path that is too long.
void keep_most(JudgedRun& judged);

/// As a summary keeps it: the same for the same run.
std::string to_text(const JudgedRun& judged);

/// What a summary keeps; nullopt if it keeps nothing of the kind. Commands name `file`.
///
/// text    RunSummary::judged
/// run     of the summary, or what was read of it
/// errors  kCorrupt for a text that is none, or does not fit the run.
base::Result<std::optional<JudgedRun>> judged_run(const std::filesystem::path& file,
                                                  const std::string& text, const trace::Trace& run);

}  // namespace pathline::app

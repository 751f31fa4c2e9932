// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "figure/timeline/cause.hpp"
#include "figure/timeline/critical_path.hpp"
#include "findings/counted_work.hpp"
#include "findings/judge.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

struct FindingsRequest {
  findings::Focus focus = findings::Focus::kSteps;
  double from_s = 0;  ///< For Focus::kTime, seconds since the start of the run.
  double until_s = 0;
  double min_percent = 2;
  bool critical_path = false;  ///< FindingsReport::stretches, too.
};

/// The part of a timeline that shows a finding.
struct FindingView {
  double from_s = 0;
  double until_s = 0;
  std::vector<uint32_t> ranks;  ///< Who causes it and who waits, ascending; empty: all.
};

/// How what is found at a call path grows by the models of a campaign.
struct FindingGrowth {
  std::string call_path;
  std::string grows_as;      ///< "p * log2(p)", of its seconds.
  double here_pct = 0;       ///< Of the time; 0 where nothing was found.
  double there_pct = 0;      ///< Predicted at FindingsReport::growth_at.
  double there_low_pct = 0;  ///< 90 % of what is believed lies between.
  double there_high_pct = 0;
};

/// One finding, ready to be read.
struct FindingRow {
  std::string kind;
  std::string confidence;
  double recoverable_s = 0;
  double recoverable_pct = 0;  ///< Of the focus.
  std::optional<double> after_above_s;
  double cost_rank_s = 0;
  std::string ranks;      ///< "5", "0-3,7"; "all".
  std::string call_path;  ///< "main->solve"; "" where it is no single one.
  std::string place;      ///< "98 % of the excess before MPI_Send in main (a.c:7)"; "" where a call
                          ///< path calls no MPI itself.
  std::string steps;      ///< "0-29"; "" outside of steps.
  double from_s = 0;      ///< Where to look, seconds since the start of the run.
  double until_s = 0;
  std::string text;    ///< What is wrong, in a sentence.
  std::string advice;  ///< What to do.
  std::vector<std::pair<std::string, double>> evidence;
  std::vector<std::string> show;  ///< Commands that show it.
  bool is_note = false;           ///< It limits the verdict and gains nothing; see warnings.
  findings::Finding found;        ///< What it is made of.
  FindingView view;
  std::optional<FindingGrowth> grows;
};

/// What a run says about itself.
struct FindingsReport {
  std::string run;  ///< As the user named it.
  findings::Focus focus = findings::Focus::kRun;
  double begin_s = 0;
  double end_s = 0;
  std::vector<std::pair<std::string, double>>
      outside_rank_s;  ///< Of the program, not judged with it.
  uint32_t ranks = 0;
  uint32_t threads = 0;
  size_t steps = 0;
  double ticks_per_second = 1;
  findings::Efficiency efficiency;
  double rank_s = 0;  ///< All that follow add up to it, but for parts of others.
  double useful_s = 0;
  double io_s = 0;  ///< Part of useful_s.
  double wait_s = 0;
  double rest_s = 0;
  double polling_s = 0;
  double unknown_polling_s = 0;  ///< The part of polling_s that may be useful.
  std::optional<findings::CountedWork> counted;
  struct Wait {
    std::string kind;
    uint64_t count;
    double wait_s;
  };
  std::vector<Wait> waits;  ///< Most first.
  struct Critical {
    std::string call_path;
    std::string rank;
    double on_path_s;
    double imbalance_s;
  };
  std::vector<Critical> critical;  ///< Most time on the path first.
  struct Cause {
    uint32_t rank;
    std::string call_path;
    double short_rank_s;
    double long_rank_s;
  };
  std::vector<Cause> causes;         ///< Most first.
  std::vector<FindingRow> findings;  ///< Those that gain something first.
  double nothing_above_pct = 0;
  std::vector<std::string> not_looked_at;
  std::vector<std::string> warnings;
  // Of a run in a campaign, see add_growth().
  std::vector<std::pair<std::string, double>> growth_at;  ///< Parameters and their values.
  std::vector<FindingGrowth> growing;                     ///< Most at growth_at first.
  /// The critical path from MPI_Init to MPI_Finalize, or of what was read of the run, for a
  /// timeline; empty if not asked for.
  figure::CriticalPath stretches;
};

/// Judges a run.
///
/// input   what it was opened from: run.json and placement.csv may lie there, and commands name it.
/// errors  kInvalidArgument for a focus outside of the run, kUnsupported for a run without MPI
/// calls.
base::Result<FindingsReport> find_findings(const trace::Trace& trace, const std::string& input,
                                           const FindingsRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress);

struct JudgedPart;
/// A report and what it was made of.
struct JudgedReport {
  FindingsReport report;
  findings::Judgement judgement;
};
/// find_findings() where it is known who waits for whom, in the part that `request` chooses.
JudgedReport findings_of(const trace::Trace& trace, const JudgedPart& judged,
                         const std::string& input, const FindingsRequest& request,
                         base::ThreadPool& pool, base::Progress& progress);

/// Lets the commands of a report name what the user opened, in place of where its events are.
void name_run(const std::string& input, FindingsReport& report);

/// The findings as a timeline marks them, those that gain most first.
figure::Causes causes_of(const FindingsReport& report);

/// As design/findings.md, section 6, has it.
nlohmann::ordered_json findings_json(const FindingsReport& report);

/// "3 findings: rank 5 takes ...": the first one, for people; or that nothing was found.
std::string findings_line(const FindingsReport& report);

/// Whether `--expect none` holds: no finding of high or medium confidence.
bool expects_none(const FindingsReport& report);

/// "0-3,7" for ascending numbers.
std::string ranges_text(const std::vector<uint32_t>& numbers);

}  // namespace pathline::app

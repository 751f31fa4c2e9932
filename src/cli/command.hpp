// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/part_of_run.hpp"
#include "app/sums_of_time.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "cli/option.hpp"
#include "comm/matrix.hpp"
#include "comm/summary.hpp"
#include "input/input.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::cli {

inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;
inline constexpr int kFailed = 2;

/// Stands between the two sides of `diff A1 A2 -- B1 B2` when its options are read.
inline constexpr std::string_view kOtherSide = "\x1f";

/// What the chosen command does; returns the exit status. A command's registration sets it.
using Action = std::function<base::Result<int>()>;

/// Options that mean the same in every command that reads a run.
struct CommonOptions {
  std::string input;
  std::string output = "-";
  bool makes_folder = false;  ///< The output may be a folder, made with all above it.
  trace::WantedMessages messages = trace::WantedMessages::kList;  ///< That the command looks at.
  std::string format;  ///< "table", "csv", "json"; "" chooses by where the output goes.
  unsigned threads = 0;
  std::optional<double> from_s;
  std::optional<double> until_s;
  std::string ranks;
  bool partial = false;
  std::string scratch;
  bool quiet = false;
  std::string sort;  ///< A column; "" for the order of the rows.
  size_t top = 0;    ///< Rows; 0 for all.
};

/// "run7" for run7/traces.otf2 and for run7/: what a user calls the run.
std::string run_name(const std::string& input);

void add_input(Command& command, CommonOptions& options, bool required = true,
               bool with_summaries = true);
/// Those of INPUT, for commands that take several.
void add_input_options(Command& command, CommonOptions& options);
void add_output(Command& command, CommonOptions& options);
void add_format(Command& command, CommonOptions& options);
/// --sort and --top, for commands that print a Table.
void add_rows(Command& command, CommonOptions& options);
void add_selection(Command& command, CommonOptions& options);

/// A run that a command works on.
struct Opened {
  explicit Opened(unsigned threads) : pool(threads) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  /// Leaves the run of a summary to the end of the process: to take apart what ten thousands of
  /// locations hold would cost a tenth of what opening the file does.
  ~Opened();
  base::ThreadPool pool;
  base::Progress progress;
  trace::Trace trace;
  /// The tables of a summary, whose run is `trace`, without events.
  std::optional<summary::RunSummary> summary;
  /// These tables are of the chosen time, which is larger than memory.
  bool is_summed = false;
  bool lacks_waits = false;  ///< SumsOfTime::lacks_waits
  /// Of the whole run, where `trace` is a part of it.
  std::optional<comm::Summary> facts;
  /// What `trace` was read from: the input, or where the events of a summary are.
  std::string source;
  /// RunSummary::judged of a summary whose events `trace` are.
  std::string judged;
  trace::Selection selection;
  app::KeptIndex index;  ///< Of a summary of which a part of the time is asked for.

  /// Who sent how much to whom, of what was chosen: of a summary from its pairs.
  ///
  /// step  only messages sent in this marked time step; not of a summary.
  [[nodiscard]] comm::Matrix matrix(std::optional<uint32_t> step = std::nullopt);
  /// The tables are those of the file.
  [[nodiscard]] bool is_of_file() const { return summary && !is_summed; }
  /// app::why_no_messages() of the run.
  [[nodiscard]] std::string why_no_messages() const;
};

/// Of a summary no more than its pairs of ranks.
inline constexpr summary::Parts kOnlyPairs = {
    .profile = false, .waits = false, .bytes = false, .steps = false, .judged = false};

/// Whether a command can do with the tables of a summary: of a part of its time if they have that
/// (kPartsOfSummaries), or if they are made of it where its events are larger than memory (kSums).
enum class Takes : uint8_t { kTraces, kSummaries, kSums, kPartsOfSummaries };

/// Opens the input of `options` with progress on stderr, notes on stderr what is wrong with it, and
/// resolves the selection. Of a summary that is not taken the events are read.
/// needs   what the command wants of a part of the time: less than the whole is read then, if it
/// can
///         be.
/// errors  kUnsupported for a profile, which has no events; kInvalidArgument for a time range of a
///         summary; those of the readers and of read_events().
base::Result<std::unique_ptr<Opened>> open(const CommonOptions& options,
                                           Takes takes = Takes::kTraces,
                                           const summary::Parts& tables = {},
                                           std::optional<app::PartNeeds> needs = std::nullopt);

/// open() of the events of a marked time step: of a summary no more than those, if `needs` allows.
/// errors  kNotFound for a step that there is not, those of open().
base::Result<std::unique_ptr<Opened>> open_step(const CommonOptions& options, uint32_t step,
                                                std::optional<app::PartNeeds> needs);

/// The events that the summary of `options` was made of, with progress and notes on stderr.
/// errors  those of app::open_events()
base::Result<trace::Trace> events_of(const CommonOptions& options,
                                     const summary::RunSummary& summary, base::ThreadPool& pool,
                                     base::Progress& progress);

/// The tables of a part of the time that `options` choose, the same; nullopt where its events fit
/// into memory.
///
/// kept    of this summary.
/// errors  those of app::sums_of_time() and select()
base::Result<std::optional<app::SumsOfTime>> sums_of(const CommonOptions& options,
                                                     const summary::RunSummary& summary,
                                                     app::PartNeeds needs, base::ThreadPool& pool,
                                                     base::Progress& progress,
                                                     app::KeptIndex& kept);

/// Makes the tables of a summary that was opened those of the chosen time, if sums_of() has them.
///
/// returns  whether it has.
base::Result<bool> take_sums(const CommonOptions& options, app::PartNeeds needs, Opened& opened);

/// The events of a part of the time that `options` choose, the same; nullopt where all are needed.
/// errors  those of app::read_part() and select()
base::Result<std::optional<trace::Trace>> part_of(const CommonOptions& options,
                                                  const summary::RunSummary& summary,
                                                  app::PartNeeds needs, base::ThreadPool& pool,
                                                  app::KeptIndex* kept = nullptr);

/// Reads these events, for what tables do not tell: from then on `opened` is of a trace.
/// errors  those of app::open_events()
/// needs  as of open(), where they are of a part of the time.
base::Status read_events(const CommonOptions& options, Opened& opened,
                         std::optional<app::PartNeeds> needs = std::nullopt);

/// Opens the input of `options`, and notes on stderr what is wrong with it.
/// metrics  all that is read of a profile.
/// tables   and of a summary.
base::Result<input::Input> open_input(const CommonOptions& options,
                                      const std::vector<std::string>& metrics,
                                      base::ThreadPool& pool, base::Progress& progress,
                                      const summary::Parts& tables = {});

/// The part of `trace` that `options` choose.
base::Result<trace::Selection> select(const CommonOptions& options, const trace::Trace& trace);

/// Shows `progress` on stderr from its first second on while `job` runs.
void with_progress(base::Progress& progress, bool quiet, const std::function<void()>& job);

/// Prints "pathline: ..." on stderr, in one piece and without a look at the outcome: results do not
/// depend on who reads notes. Every note of a command takes this way, as it may name files, whose
/// names may hold line ends and commands to a terminal.
void note(std::string_view text);

/// Prints "pathline: ..." and the advice; returns kFailed.
int report_error(const base::Error& error);

/// Writes a finished result to `path`, "-" being standard output.
base::Status write_result(const std::string& path, const std::string& text);

/// `words` is COMMAND: what stands behind the first "--" of the command line.
void add_record_command(Command& program, Action& action, std::vector<std::string> words);
void add_finish_command(Command& program, Action& action);
void add_reduce_command(Command& program, Action& action);
void add_score_command(Command& program, Action& action);
void add_info_command(Command& program, Action& action);
void add_profile_command(Command& program, Action& action);
void add_matrix_command(Command& program, Action& action);
void add_messages_command(Command& program, Action& action);
void add_waits_command(Command& program, Action& action);
void add_findings_command(Command& program, Action& action);
void add_efficiency_command(Command& program, Action& action);
void add_critical_command(Command& program, Action& action);
void add_steps_command(Command& program, Action& action);
void add_diff_command(Command& program, Action& action);
void add_figure_command(Command& program, Action& action);
void add_export_command(Command& program, Action& action);
void add_topology_command(Command& program, Action& action);
void add_mesh_command(Command& program, Action& action);
void add_report_command(Command& program, Action& action);
void add_routes_command(Command& program, Action& action);
void add_infer_command(Command& program, Action& action);
void add_reroute_command(Command& program, Action& action);
void add_remap_command(Command& program, Action& action);
void add_model_command(Command& program, Action& action);
void add_bench_command(Command& program, Action& action);
void add_predict_command(Command& program, Action& action);
void add_campaign_command(Command& program, Action& action);
/// `words` is COMMAND, as above.
void add_validate_command(Command& program, Action& action, std::vector<std::string> words);

}  // namespace pathline::cli

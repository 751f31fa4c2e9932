// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/part_of_run.hpp"
#include "app/picture.hpp"
#include "app/run_tables.hpp"
#include "app/timeline_table.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "profile/profile_file.hpp"
#include "python/shown_tables.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::python {

/// Becomes pathline.Error: the message, and the advice in a second line.
struct Failure : std::runtime_error {
  explicit Failure(const base::Error& error);
};

template <class T>
T need(base::Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}

/// What Python calls a part of a run; see trace::SelectionText.
struct Part {
  std::optional<double> begin_s;
  std::optional<double> end_s;
  std::string ranks;

  [[nodiscard]] bool is_all() const { return !has_window() && ranks.empty(); }
  [[nodiscard]] bool has_window() const { return begin_s || end_s; }
};

/// What a figure looks like.
struct Look {
  double width = 0;
  double height = 0;
  double scale = 1;
  bool svg = false;
};

/// An INPUT that was opened: a trace, or what a summary or a profile knows of the whole run. What
/// a summary does not know is answered by the events it was made of, which are read then and stay.
/// Nothing here needs Python's lock; several threads may ask at once.
///
/// errors  Failure, in the words of the command.
class Run {
 public:
  Run(const std::filesystem::path& path, bool partial, unsigned threads);

  [[nodiscard]] app::DataTable profile(const std::string& by, const Part& part) const;
  [[nodiscard]] app::DataTable matrix(const std::string& by, std::optional<uint32_t> step,
                                      const Part& part) const;
  /// What was judged, and what a user has to know besides: that it is of a part, of a summary whose
  /// run is too large for memory.
  using Judged = std::pair<app::DataTable, std::vector<std::string>>;

  [[nodiscard]] Judged waits(const std::string& by, const Part& part) const;
  [[nodiscard]] app::DataTable steps(bool detect, const Part& part) const;
  [[nodiscard]] app::TimelineTable timeline(uint32_t width, const Part& part) const;
  /// by  "run", or "step", which knows no `min_percent`
  [[nodiscard]] Judged findings(const std::string& by, double min_percent, const Part& part) const;
  [[nodiscard]] Judged efficiency(const std::string& by, const Part& part) const;
  [[nodiscard]] Judged critical(const Part& part) const;
  [[nodiscard]] app::DataTable messages(const Part& part) const;
  [[nodiscard]] app::DataTable locations() const;
  [[nodiscard]] app::DataTable regions() const;
  /// id  of a location; nullopt for all.
  [[nodiscard]] app::DataTable events(std::optional<uint64_t> id, const Part& part) const;
  /// The picture of `kind` as bytes of SVG or PNG, and what is to be known besides, as of Judged.
  [[nodiscard]] std::pair<std::string, std::vector<std::string>> figure(const std::string& kind,
                                                                        const Part& part,
                                                                        const Look& look) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// "trace", "summary", "profile"
  [[nodiscard]] const char* source() const;
  /// Without events where source() is not "trace".
  [[nodiscard]] const trace::Trace& trace() const;
  /// nullopt for a profile, which does not know.
  [[nodiscard]] std::optional<uint64_t> event_count() const;
  [[nodiscard]] std::optional<double> duration_s() const;
  [[nodiscard]] std::string format() const;

 private:
  using SharedProfile = std::shared_ptr<const profile::TableProfile>;

  [[nodiscard]] base::ThreadPool pool() const { return base::ThreadPool(threads_); }
  [[nodiscard]] const app::SummaryFile* summary() const {
    return std::get_if<app::SummaryFile>(&source_);
  }
  /// The summary, for what it can answer.
  [[nodiscard]] const app::SummaryFile* summary(bool knows) const {
    return knows ? summary() : nullptr;
  }
  /// A table of the summary that is read once it is asked for: it may take longer than all others.
  struct LateTable {
    std::mutex reading;
    app::SummaryFile file;
  };
  const app::SummaryFile& read(LateTable& table, bool summary::Parts::*which) const;
  [[nodiscard]] const app::SummaryFile& summary_with_pairs() const {
    return read(pairs_, &summary::Parts::pairs);
  }
  [[nodiscard]] const app::SummaryFile& summary_with_steps() const {
    return read(steps_, &summary::Parts::steps);
  }
  /// The one that a figure of the whole run takes.
  [[nodiscard]] const app::SummaryFile& summary_for(app::FigureKind kind) const;
  [[nodiscard]] const app::SharedTrace& events_needed() const;
  /// The same for a part; of a summary no more is read than that takes, where it can be.
  [[nodiscard]] app::SharedTrace events_needed(const Part& part, app::PartNeeds needs) const;
  /// The tables of a chosen time of a summary, whose events are larger than memory.
  [[nodiscard]] std::optional<app::SumsOfTime> sums_of(const Part& part,
                                                       app::PartNeeds needs) const;
  /// The events of one location or all as they were recorded; those of no others, where it can be.
  [[nodiscard]] app::SharedTrace recorded_events(std::optional<uint32_t> location,
                                                 const Part& part) const;
  struct ToJudge {
    app::SharedTrace trace;
    std::string source;  ///< What it was read from.
    Part part;           ///< The part asked for, or that in the middle of too large a run.
  };
  /// What is to be judged where the summary does not know the answer.
  ///
  /// request  gets the time.
  /// notes    get a line where that was not asked for.
  [[nodiscard]] ToJudge events_to_judge(const Part& part, app::PartNeeds needs,
                                        app::FindingsRequest& request,
                                        std::vector<std::string>& notes) const;
  /// What `ask` knows of a summary, or `judge` finds in the events of `part`.
  template <class Answer, class Ask, class Judge>
  Answer judged(const Part& part, app::PartNeeds needs, app::FindingsRequest& request,
                std::vector<std::string>& notes, Ask ask, Judge judge) const;
  [[nodiscard]] Judged step_findings(const Part& part) const;
  [[nodiscard]] app::EfficiencyReport efficiency(std::optional<app::EfficiencyBy> by,
                                                 const Part& part,
                                                 std::vector<std::string>& notes) const;
  [[nodiscard]] layout::Scene scene(app::FigureKind kind, const Part& part,
                                    const figure::Options& options,
                                    std::vector<std::string>& notes) const;
  /// The focus on a time that was chosen.
  void focus_on(const Part& part, app::FindingsRequest& request) const;
  void open_profile(profile::MetricTable table);
  template <class T>
  T need_here(base::Result<T> result) const;
  [[nodiscard]] trace::Selection selection(const Part& part) const;
  [[nodiscard]] std::string run_name() const;

  std::string path_;
  unsigned threads_;
  std::vector<std::string> warnings_;
  std::variant<app::SharedTrace, app::SummaryFile, SharedProfile> source_;
  mutable std::mutex reading_;
  mutable LateTable pairs_;
  mutable LateTable steps_;
  mutable app::KeptIndex kept_;      ///< Of a summary.
  mutable app::SharedTrace events_;  ///< Of a summary, once they were needed.
  mutable unsigned read_alone_ = 0;  ///< How often the events of one location were.
  mutable ShownTables shown_;
  SharedProfile counted_;  ///< Of a trace without events: what the recorder counted.
};

}  // namespace pathline::python

// SPDX-License-Identifier: BSD-3-Clause
// Long because a page is one thing after the other.
#include "app/report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "app/judged_part.hpp"
#include "app/picture.hpp"
#include "app/profile_rows.hpp"
#include "app/rank_rows.hpp"
#include "app/report_findings.hpp"
#include "app/report_timeline.hpp"
#include "app/step_lines.hpp"
#include "app/summary_picture.hpp"
#include "base/text.hpp"
#include "comm/detect_steps.hpp"
#include "comm/step_table.hpp"
#include "comm/summary.hpp"
#include "comm/waits.hpp"
#include "profile/profile.hpp"

namespace pathline::app {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --fg: #1b1f24; --muted: #57606a; --bg: #ffffff; --line: #d0d7de;
        --warn: #fff4d6; --far: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --fg: #e6edf3; --muted: #9da7b1; --bg: #14171b; --line: #3a4149; --warn: #3d3213;
          --far: #ff9a85; } }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--fg);
       background: var(--bg); max-width: 1280px; margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 36px 0 10px; }
p { margin: 0 0 10px; } .muted { color: var(--muted); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 14px 24px; }
dt { color: var(--muted); font-size: 13px; } dd { margin: 0; font-size: 18px; }
.warn { background: var(--warn); border-radius: 6px; padding: 10px 16px 10px 32px;
        margin: 0 0 10px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px; text-align: right; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
th { color: var(--muted); font-weight: 600; font-size: 13px; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere;
                                 min-width: 16em; }
img { width: 100%; height: auto; display: block; }
th { cursor: pointer; user-select: none; } th.up::after { content: " \25B4"; }
th.down::after { content: " \25BE"; }
td.far { font-weight: 700; color: var(--far); }
code { overflow-wrap: anywhere; }
footer { margin-top: 40px; color: var(--muted); font-size: 13px; }
)";

/// A click on a heading sorts its table by that column, amounts from the largest; again, the other
/// way. Cells hold their values in data-v.
constexpr const char* kScript = R"(
for (const table of document.querySelectorAll('table:not(.tree)')) {
  const heads = [...table.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const value = row => { const v = row.cells[column].dataset.v;
                           return v === undefined ? row.cells[column].textContent : Number(v); };
    const rows = [...table.rows].slice(1);
    const text = typeof value(rows[0]) === "string";
    const up = head.className ? head.className === "down" : text;
    for (const other of heads) other.className = "";
    head.className = up ? "up" : "down";
    rows.sort((a, b) => { const x = value(a), y = value(b);
                          return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); });
    for (const row of rows) row.parentNode.append(row);
  }));
}
)";

/// A cell of a table: what is read, and what is sorted by.
struct Cell {
  std::string text;
  std::optional<double> value = {};  ///< Absent: the text.
  bool is_far = false;               ///< Unlike the others of its column.
};

class Report {
 public:
  Report(const ReportedRun& run, const trace::Selection& selection,
         const std::optional<RunFacts>& about, const std::optional<FindingsReport>& findings,
         base::ThreadPool& pool)
      : trace_(run.trace),
        tables_(run.tables),
        file_(run.file),
        known_facts_(run.facts != nullptr    ? run.facts
                     : run.tables != nullptr ? &run.tables->facts
                                             : nullptr),
        judged_(run.judged != nullptr   ? run.judged
                : run.tables == nullptr ? &run.trace
                                        : nullptr),
        efficiency_(run.efficiency),
        selection_(selection),
        about_(about),
        findings_(findings),
        pool_(pool) {}

  base::Result<std::string> make(const std::string& name) {
    const std::string title = base::html_escaped(base::printable(name));
    add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} - Pathline</title>\n<style>{}{}{}</style>\n</head>\n<body>\n",
        title, kStyle, findings_ ? kFindingsStyle : "", has_views() ? kTimelineStyle : "");
    add("<h1>{}</h1>\n<p class=\"muted\">{}, written by {}</p>\n", title,
        base::html_escaped(trace_.format),
        trace_.creator.empty() ? "an unknown recorder"
                               : base::html_escaped(base::printable(trace_.creator)));
    if (about_) run_line();
    if (has_time() || !selection_.ranks.empty()) {
      add("<p class=\"warn\">{}</p>\n", base::html_escaped(selection_text()));
    }
    const profile::Profile profile = tables_ != nullptr
                                         ? chosen(trace_, tables_->profile, selection_)
                                         : profile::from_trace(trace_, selection_, pool_);
    waits_ = tables_ != nullptr ? comm::chosen(tables_->waits, selection_)
                                : comm::waits(trace_, selection_, pool_);
    work_ = work_by_rank(trace_, profile, waits_);
    facts();
    headline();
    if (findings_) add("{}", findings_section(*findings_, efficiency_, has_views()));
    warnings();
    if (auto status = timeline(); !status) return status.error();
    if (!profile.call_paths.empty()) profile_table(profile);
    if (work_.size() > 1) ranks();
    waits();
    if (message_count_ > 0) {
      if (auto status =
              picture("Communication matrix", FigureKind::kMatrix, "Bytes by sender and receiver");
          !status) {
        return status.error();
      }
    }
    if (auto status = steps(); !status) return status.error();
    add("<footer>Made with Pathline {}.</footer>\n<script>{}{}</script>\n</body>\n</html>\n",
        PATHLINE_VERSION, kScript, has_views() ? kTimelineScript : "");
    return std::move(html_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(html_), format, std::forward<Arguments>(arguments)...);
  }

  void fact(const char* name, const std::string& value) {
    add("<div><dt>{}</dt><dd>{}</dd></div>\n", name, base::html_escaped(value));
  }

  std::string selection_text() const {
    return fmt::format("This is about {}{}. The figures at the top are of the whole run{}.",
                       figure::ranks_text(trace_, selection_),
                       has_time() ? " from " + time_text() : "",
                       findings_ && !selection_.ranks.empty() ? ", findings of all ranks" : "");
  }

  void facts() {
    const comm::Summary summary =
        known_facts_ != nullptr ? *known_facts_ : comm::summarise(trace_, pool_);
    message_count_ = summary.messages;
    add("<dl>\n");
    fact("duration", base::human_seconds(trace_.duration_seconds()));
    const auto count = [&](const char* name, uint64_t number) {
      if (number > 0) fact(name, base::human_count(number));
    };
    const auto bytes = [&](const char* name, uint64_t number) {
      if (number > 0) fact(name, base::human_bytes(static_cast<double>(number)));
    };
    count("ranks", trace_.rank_count);
    if (summary.cpu_threads != trace_.rank_count) count("threads", summary.cpu_threads);
    count("GPU streams", summary.streams);
    count("hosts", summary.hosts);
    count("messages", summary.messages);
    bytes("sent", summary.message_bytes);
    count("collective operations", summary.collectives);
    bytes("read", summary.io_bytes_read);
    bytes("written", summary.io_bytes_written);
    marked_steps_ = summary.marked_steps;
    count("time steps", summary.marked_steps);
    count("regions visited", summary.regions_visited);
    count("events", summary.events);
    add("</dl>\n");
  }

  /// Command, date, hosts, how it ended.
  void run_line() {
    if (!about_->command.empty()) {
      add("<p><code>{}</code></p>\n", base::html_escaped(about_->command));
    }
    std::vector<std::string> parts;
    if (!about_->start_time.empty()) parts.push_back(date_text(*about_));
    constexpr size_t kMostHosts = 6;
    if (!about_->hosts.empty()) {
      const size_t shown = std::min(about_->hosts.size(), kMostHosts);
      const auto end = about_->hosts.begin() + static_cast<std::ptrdiff_t>(shown);
      parts.push_back(fmt::format("on {}{}", fmt::join(about_->hosts.begin(), end, ", "),
                                  shown < about_->hosts.size() ? " ..." : ""));
    }
    const bool ended_well = about_->signal == 0 && about_->exit_status == 0;
    if (ended_well) parts.push_back(ending_text(*about_));
    add("<p class=\"muted\">{}</p>\n",
        base::html_escaped(fmt::format("{}", fmt::join(parts, ", "))));
    if (!ended_well) {
      add("<p class=\"warn\">The command {}.</p>\n", base::html_escaped(ending_text(*about_)));
    }
  }

  /// Where the time went, and who is not like the others.
  void headline() {
    double compute = 0;
    double mpi = 0;
    double wait = 0;
    double io = 0;
    std::vector<std::string> far;
    for (const WorkRow& row : work_) {
      compute += row.compute_s;
      mpi += row.mpi_s;
      wait += row.wait_s;
      io += row.io_s;
      if (row.stands_out) far.push_back(fmt::format("{}", row.rank));
    }
    const double all = compute + mpi + io;
    if (all <= 0) return;
    add("<p>Of {} {:.1f} % is computing, {:.1f} % MPI ({:.1f} % waiting for others)",
        has_time()                 ? "this time"
        : selection_.ranks.empty() ? "the time"
                                   : "the time of these ranks",
        100 * compute / all, 100 * mpi / all, 100 * wait / all);
    if (io > 0) add(", {:.1f} % file I/O", 100 * io / all);
    add(".");
    constexpr size_t kMost = 8;
    const size_t count = far.size();
    if (count > kMost) far.resize(kMost);
    if (count > 0) {
      add(" {} {}{} {} not like the others: compute time far from the median.",
          count == 1 ? "Rank" : "Ranks", fmt::join(far, ", "), count > kMost ? " ..." : "",
          count == 1 ? "is" : "are");
    }
    add("</p>\n");
  }

  void table(const std::vector<const char*>& heads, const std::vector<std::vector<Cell>>& rows) {
    add("<div class=\"scroll\"><table>\n<tr>");
    for (const char* head : heads) add("<th>{}</th>", head);
    add("</tr>\n");
    for (const std::vector<Cell>& row : rows) {
      add("<tr>");
      for (const Cell& cell : row) {
        add("<td{}", cell.is_far ? " class=\"far\"" : "");
        if (cell.value) add(" data-v=\"{:.9g}\"", *cell.value);
        add(">{}</td>", base::html_escaped(cell.text));
      }
      add("</tr>\n");
    }
    add("</table></div>\n");
  }
  static Cell seconds(double value) { return {base::human_seconds(value), value}; }
  static Cell number(uint64_t value) {
    return {base::human_count(value), static_cast<double>(value)};
  }
  void note_more(size_t all, size_t shown, const char* what) {
    if (all > shown) {
      add("<p class=\"muted\">and {} {}</p>\n", base::human_count(all - shown), what);
    }
  }

  /// Those that are not like the others first, then by their computing.
  void ranks() {
    constexpr size_t kMostRows = 32;
    std::vector<WorkRow> rows = work_;
    if (rows.size() > kMostRows) {
      std::stable_sort(rows.begin(), rows.end(), [](const WorkRow& a, const WorkRow& b) {
        return std::tie(b.stands_out, b.compute_s) < std::tie(a.stands_out, a.compute_s);
      });
      rows.resize(kMostRows);
    }
    add("<h2>Ranks</h2>\n");
    std::vector<std::vector<Cell>> cells;
    for (const WorkRow& row : rows) {
      Cell compute = seconds(row.compute_s);
      compute.is_far = row.stands_out;
      cells.push_back({number(row.rank),
                       compute,
                       seconds(row.mpi_s),
                       seconds(row.wait_s),
                       seconds(row.io_s),
                       {row.host}});
    }
    table({"rank", "compute", "MPI", "of it waiting", "file I/O", "host"}, cells);
    note_more(work_.size(), rows.size(), "ranks more that compute less");
  }

  /// Kind by kind, and who waits most.
  void waits() {
    struct Sum {
      uint64_t ticks = 0;
      uint64_t count = 0;
      uint64_t most_ticks = 0;
      uint32_t most_rank = 0;
    };
    std::map<comm::WaitKind, Sum> kinds;
    for (const comm::WaitRow& row : waits_.rows) {
      Sum& sum = kinds[row.kind];
      sum.ticks += row.ticks;
      sum.count += row.count;
      if (row.ticks > sum.most_ticks) {
        sum.most_ticks = row.ticks;
        sum.most_rank = row.rank;
      }
    }
    if (kinds.empty()) return;
    add("<h2>Waiting</h2>\n<p class=\"muted\">Of {} in MPI {} are explained by ranks that come "
        "late."
        "</p>\n",
        base::human_seconds(mpi_seconds(work_)),
        base::human_seconds(trace_.span_seconds(waits_.mpi_ticks())));
    std::vector<std::vector<Cell>> cells;
    for (const auto& [kind, sum] : kinds) {
      std::string name(comm::wait_name(kind));
      std::replace(name.begin(), name.end(), '_', ' ');
      cells.push_back({{name},
                       seconds(trace_.span_seconds(sum.ticks)),
                       number(sum.count),
                       number(sum.most_rank),
                       seconds(trace_.span_seconds(sum.most_ticks))});
    }
    table({"kind", "time", "calls", "who waits most", "how long"}, cells);
  }

  base::Status steps() {
    if (marked_steps_ == 0) {
      if (tables_ != nullptr) return {};
      const comm::Detection found = comm::detect_steps(trace_, pool_);
      constexpr double kLeastCertainty = 0.5;
      if (!found.found() || found.certainty < kLeastCertainty) return {};
      add("<h2>Periods</h2>\n<p>The program marks no time steps, but its calls repeat: {} periods "
          "of "
          "about {}, each beginning with {} (certainty {}).</p>\n",
          base::human_count(found.count), base::counted(found.calls, "call", "calls"),
          base::html_escaped(base::printable(found.begins_with)), found.certainty_word());
      return {};
    }
    const char* alternative = "Time of each step, and the share of MPI in it by rank";
    if (auto status = picture("Time steps", FigureKind::kSteps, alternative); !status)
      return status;
    steps::Table own;
    if (tables_ == nullptr) {
      own = comm::step_table(trace_, trace::marked_steps(trace_), selection_, pool_);
    }
    const steps::Table& rows =
        tables_ != nullptr ? comm::chosen(tables_->steps, selection_, own) : own;
    if (const std::string trend = trend_text(step_trends(trace_, rows)); !trend.empty()) {
      add("<p>{}</p>\n", base::html_escaped(trend));
    }
    return {};
  }

  void warnings() {
    if (about_) {
      for (const std::string& loss : about_->losses) {
        add("<p class=\"warn\">{}</p>\n", base::html_escaped(loss));
      }
    }
    if (trace_.warnings.empty()) return;
    add("<h2>Warnings</h2>\n<ul class=\"warn\">\n");
    for (const std::string& warning : trace_.warnings) {
      add("<li>{}</li>\n", base::html_escaped(base::printable(warning)));
    }
    add("</ul>\n");
  }

  void profile_table(const profile::Profile& profile) {
    constexpr size_t kMostRows = 40;
    const auto rows = profile::by_region(trace_, selection_, profile);
    const auto labels = profile::region_labels(trace_, profile);
    double total = 0;
    for (const auto& row : rows) total += static_cast<double>(row.exclusive_ticks);
    add("<h2>Profile</h2>\n<p class=\"muted\">Times are sums over all threads and streams of the "
        "ranks; minimum and maximum are those of one rank; imbalance is the maximum over the "
        "mean.</p>\n");
    std::vector<std::vector<Cell>> cells;
    for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
      const auto& row = rows[i];
      const auto time = [&](uint64_t ticks) { return seconds(trace_.span_seconds(ticks)); };
      const double share = total > 0 ? 100 * static_cast<double>(row.exclusive_ticks) / total : 0;
      const bool any_time = row.imbalance > 0;
      cells.push_back(
          {{labels[row.region]},
           number(row.visits),
           time(row.exclusive_ticks),
           {fmt::format("{:.1f} %", share), share},
           time(row.inclusive_ticks),
           time(row.exclusive_min_ticks),
           time(row.exclusive_max_ticks),
           any_time && row.max_rank.valid() ? number(uint32_t{row.max_rank}) : Cell{"", -1},
           {any_time ? fmt::format("{:.2f}", row.imbalance) : "", row.imbalance}});
    }
    table({"region", "visits", "exclusive", "share", "inclusive", "min", "max", "at rank",
           "imbalance"},
          cells);
    note_more(rows.size(), kMostRows, "regions more with less time");
  }

  /// Nothing to draw is no section.
  base::Status picture(const char* title, FigureKind kind, const char* alternative) {
    figure::Options options;
    options.title = title;
    const auto html = picture_html(
        [&](const figure::Options& look) {
          return tables_ != nullptr ? make_summary_scene(kind, file_, *tables_, trace_, selection_,
                                                         look, pool_, nullptr)
                                    : make_scene(kind, trace_, selection_, look, {}, pool_);
        },
        options, alternative, pool_);
    if (!html) return html.error();
    if (!html.value().empty()) add("<h2>{}</h2>\n{}", title, html.value());
    return {};
  }

  base::Status timeline() {
    if (!has_views()) {
      return picture("Timeline", FigureKind::kTimeline, "Calls and messages over time");
    }
    // What is marked in it was found in all that it shows.
    const bool is_marked = tables_ == nullptr || !judged_->whole;
    figure::Options options = is_marked ? marked_look(*findings_) : figure::Options();
    options.title = "Timeline";
    const auto first = picture_html(
        [&](const figure::Options& look) {
          return is_marked
                     ? make_scene(FigureKind::kTimeline, *judged_, selection_, look, {}, pool_)
                     : make_summary_scene(FigureKind::kTimeline, file_, *tables_, trace_,
                                          selection_, look, pool_, nullptr);
        },
        options,
        is_marked ? "Calls and messages over time, with the critical path"
                  : "Calls and messages over time",
        pool_);
    if (!first) return first.error();
    const auto html = timeline_section({has_time() ? time_text() : "whole run", first.value()},
                                       *judged_, *findings_, pool_);
    if (!html) return html.error();
    html_ += html.value();
    return {};
  }

  /// Chosen ranks are shown as they are.
  [[nodiscard]] bool has_views() const {
    return judged_ != nullptr && findings_ && !findings_->stretches.empty() &&
           selection_.ranks.empty();
  }

  [[nodiscard]] bool has_time() const { return leaves_out_time(trace_, selection_); }
  [[nodiscard]] std::string time_text() const {
    return fmt::format("{:g} s to {:g} s",
                       trace_.seconds(std::max(selection_.from_ticks, trace_.start_ticks)),
                       trace_.seconds(std::min(selection_.until_ticks, trace_.end_ticks)));
  }

  const trace::Trace& trace_;
  const summary::RunSummary* const tables_;
  const std::filesystem::path& file_;
  const comm::Summary* const known_facts_;
  const trace::Trace* const judged_;  ///< nullptr: nobody has read events.
  const EfficiencyReport* const efficiency_;
  const trace::Selection& selection_;
  const std::optional<RunFacts>& about_;
  const std::optional<FindingsReport>& findings_;
  base::ThreadPool& pool_;
  comm::Waits waits_;
  std::vector<WorkRow> work_;
  uint64_t marked_steps_ = 0;
  uint64_t message_count_ = 0;
  std::string html_;
};

}  // namespace

base::Result<std::string> report_html(const ReportedRun& run, const trace::Selection& selection,
                                      const std::string& name, const std::optional<RunFacts>& facts,
                                      const std::optional<FindingsReport>& findings,
                                      base::ThreadPool& pool) {
  return Report(run, selection, facts, findings, pool).make(name);
}

}  // namespace pathline::app

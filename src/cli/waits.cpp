// SPDX-License-Identifier: BSD-3-Clause
#include "comm/waits.hpp"

#include "app/empty_result.hpp"
#include "app/profile_rows.hpp"
#include "app/rank_rows.hpp"
#include "app/wait_rows.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"
#include "cli/judged_answer.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct WaitsOptions : CommonOptions {
  std::string by = "rank";
};

std::string seconds(double value) { return fmt::format("{:.9f}", value); }

Table paths_table(const WaitsOptions& options) {
  return {options,
          {{.name = "kind", .is_text = true},
           {.name = "callpath", .is_text = true, .least = 16},
           {.name = "count", .unit = Unit::kCount, .spare = 1},
           {.name = "wait_s", .unit = Unit::kSeconds}}};
}

void add_rows(const std::vector<app::PathWaits>& rows, Table& table) {
  for (const app::PathWaits& row : rows) {
    table.row({row.kind, row.call_path, fmt::format("{}", row.count), seconds(row.wait_s)});
  }
}

Table causes_table(const WaitsOptions& options) {
  return {options,
          {{.name = "kind", .is_text = true, .spare = 2},
           {.name = "rank"},
           {.name = "callpath", .is_text = true, .least = 16},
           {.name = "waiting_rank_s", .unit = Unit::kSeconds},
           {.name = "short_term_rank_s", .unit = Unit::kSeconds, .spare = 1},
           {.name = "long_term_rank_s", .unit = Unit::kSeconds, .spare = 1}}};
}

void add_rows(const std::vector<app::WaitCause>& rows, Table& table) {
  for (const app::WaitCause& row : rows) {
    table.row({row.kind, fmt::format("{}", row.rank),
               row.call_path.empty() ? "(outside of calls)" : row.call_path,
               seconds(row.short_term_rank_s + row.long_term_rank_s),
               seconds(row.short_term_rank_s), seconds(row.long_term_rank_s)});
  }
}

/// Why there are none, if there are none; what is not known of messages.
void add_notes(const WaitsOptions& options, const Opened& run, const comm::Waits& waits) {
  if (options.quiet) return;
  const uint64_t messages =
      run.summary ? run.summary->facts.messages : uint64_t{run.trace.messages.size()};
  if (waits.rows.empty()) {
    note(run.summary ? app::why_no_waits(run.summary->facts, run.selection)
                     : app::why_no_waits(run.trace, run.selection, run.source));
  }
  if (waits.messages_without_call == 0) return;
  note(fmt::format(
      "{} of {} messages were sent or received outside of recorded MPI calls; whether anybody "
      "waited for them is not known",
      base::human_count(waits.messages_without_call), base::human_count(messages)));
}

/// returns  whether the summary kept them.
template <class Row>
base::Result<bool> add_answer(const base::Result<app::KnownAnswer<std::vector<Row>>>& found,
                              Table& table) {
  if (!found) return found.error();
  add_rows(found.value().answer, table);
  return found.value().kept;
}

/// What follows from who waits for whom.
base::Result<int> run_why(const WaitsOptions& options) {
  const bool by_cause = options.by == "cause";
  Table table = by_cause ? causes_table(options) : paths_table(options);
  if (auto status = table.check_sort(); !status) return status.error();
  auto opened = open(options, Takes::kSummaries, kJudgedOnly, app::PartNeeds::kWaits);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  const auto kept = by_cause ? add_answer(wait_causes_of(options, run), table)
                             : add_answer(waits_by_call_path_of(options, run), table);
  if (!kept) return kept.error();
  if (kept.value()) table.add_summary_to_json();
  // Of a run larger than memory a part may have been judged.
  const bool is_part = !options.from_s && !options.until_s && !run.selection.everything() &&
                       run.selection.until_ticks != UINT64_MAX;
  if (is_part) {
    table.add_to_json("from_s", fmt::format("{:.9f}", run.trace.seconds(run.selection.from_ticks)));
    table.add_to_json("until_s",
                      fmt::format("{:.9f}", run.trace.seconds(run.selection.until_ticks)));
  }
  if (table.empty() && !options.quiet) {
    note(run.summary ? app::why_no_waits(run.summary->facts, run.selection)
                     : app::why_no_waits(run.trace, run.selection, run.source));
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

base::Result<int> run_waits(const WaitsOptions& options) {
  if (options.by != "rank") return run_why(options);
  Table table(options, {{.name = "kind", .is_text = true},
                        {.name = "rank"},
                        {.name = "count", .unit = Unit::kCount},
                        {.name = "wait_s", .unit = Unit::kSeconds}});
  if (auto status = table.check_sort(); !status) return status.error();
  auto opened = open(options, Takes::kSums, {.pairs = false, .bytes = false, .steps = false},
                     app::PartNeeds::kWaits);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  const trace::Trace& trace = run.trace;
  const comm::Waits waits = run.summary ? comm::chosen(run.summary->waits, run.selection)
                                        : comm::waits(trace, run.selection, run.pool);
  for (const comm::WaitRow& row : waits.rows) {
    table.row({std::string(comm::wait_name(row.kind)), fmt::format("{}", row.rank),
               fmt::format("{}", row.count), fmt::format("{:.9f}", trace.span_seconds(row.ticks))});
  }
  if (table.is_for_people()) {
    const auto profile = run.summary
                             ? app::chosen(trace, std::move(run.summary->profile), run.selection)
                             : profile::from_trace(trace, run.selection, run.pool);
    const double mpi_s = app::mpi_seconds(app::work_by_rank(trace, profile, waits));
    if (mpi_s > 0) {
      table.footnote(fmt::format("of {} in MPI {} are explained", base::human_seconds(mpi_s),
                                 base::human_seconds(trace.span_seconds(waits.mpi_ticks()))));
    }
  }
  add_notes(options, run, waits);
  if (run.is_of_file()) table.add_summary_to_json();
  if (run.lacks_waits) table.add_to_json("exact", "false");
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_waits_command(Command& program, Action& action) {
  auto options = std::make_shared<WaitsOptions>();
  Command command = program.command("waits", "Who waits in MPI because others are late");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_selection(command, *options);
  command
      .option("--by", options->by,
              "Rows: who waits, where in the program (callpath), or who makes others wait (cause)")
      .one_of({"rank", "callpath", "cause"})
      .show_default();
  command.footer(
      "Per kind and waiting rank: in how many calls it waited, and how long.\n"
      "  late_sender    a receive or wait, until the message's send was entered\n"
      "  late_receiver  a send or wait, until the receive was posted\n"
      "  collective     an operation of all with all, until the last rank entered it\n"
      "  barrier        a barrier, the same\n"
      "  late_broadcast a broadcast or scatter, until its root entered it\n"
      "  early_reduce   a reduce or gather at its root, until the last rank entered it\n"
      "  early_scan     a scan, until the last rank up to its own entered it\n"
      "  finalize       MPI_Finalize, until the last rank entered it\n"
      "  fence          MPI_Win_fence or a window made or freed, the same\n"
      "  late_post      a start, put or complete, until its target posted\n"
      "  late_complete  MPI_Win_wait, until its last origin completed\n"
      "  lock           a lock or unlock, until the holder before released it\n"
      "  polling        a loop of tests or probes, until any of those happened\n"
      "  wrong_order    of late_sender, the part in which another message was at hand\n"
      "  omp_barrier    a barrier of OpenMP, not in MPI, until the last thread entered it\n"
      "A call that waits for several partners counts once, for the last of them. A cause is what a "
      "rank did longer than those that waited for it, and what others waited because of them "
      "(long_term).\nExamples:\n"
      "  pathline waits run\n  pathline waits run --by cause --top 5\n  pathline waits run --ranks "
      "0-3 --format csv");
  command.on_chosen([options, &action] { action = [options] { return run_waits(*options); }; });
}

}  // namespace pathline::cli

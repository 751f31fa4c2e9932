// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_lines.hpp"
#include "app/step_rows.hpp"
#include "app/step_source.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct StepsOptions : CommonOptions {
  bool detect = false;
  bool ignore_marks = false;
  bool summary = false;
  std::string step_marker;
};

void note_detection(const comm::Detection& detection, uint32_t rank_count, bool marked) {
  if (!detection.found()) return note("none found: " + detection.reason);
  note(fmt::format(
      "a guess, not time steps of the program: {} periods of about {}, each beginning with {}; a "
      "time step may be several of them",
      detection.count, base::counted(detection.calls, "call", "calls"), detection.begins_with));
  note(fmt::format(
      "certainty {} ({:.2f}): {} of {} ranks agree, the periods hold {:.1f} % of the "
      "communicating calls and {:.1f} % of the time, regularity {:.2f}",
      detection.certainty_word(), detection.certainty, detection.agreeing_ranks, rank_count,
      100 * detection.call_share, 100 * detection.time_share, detection.regularity));
  if (detection.outer_count > 0) {
    note(
        fmt::format("{} times something else is done after {} periods: these may be the time steps",
                    detection.outer_count, detection.outer_holds));
  }
  if (marked) note("the program marks time steps itself; they were ignored");
}

/// What a user should know besides the rows.
///
/// any  the run has steps, maybe others than those of the table.
void print_notes(const app::Steps& steps, bool any, const steps::Table& table,
                 const StepsOptions& options, uint32_t rank_count) {
  if (steps.detection) {
    note_detection(*steps.detection, rank_count, steps.marked);
  } else if (!any && !options.step_marker.empty()) {
    note("no rank made a call that fits --step-marker " + options.step_marker);
  } else if (!any) {
    note(
        "the program marks no time steps; 'pathline steps --detect' looks for a period in its "
        "calls");
  } else if (options.detect && options.step_marker.empty()) {
    note("the program marks its time steps: nothing had to be detected");
  }
  const app::StepSummary summary = app::summarized(table);
  if (summary.unrecorded > 0) {
    note(fmt::format("{} of {} {}s were not recorded: only their times are known",
                     summary.unrecorded, summary.steps, steps.word()));
  }
  const steps::Counters& outside = summary.outside;
  if (any && outside.sent_messages + outside.received_messages > 0) {
    note(fmt::format("outside the {}s {} sent and {} received", steps.word(),
                     base::counted(outside.sent_messages, "message was", "messages were"),
                     base::human_count(outside.received_messages)));
  }
}

Table rows_table(const StepsOptions& options, const app::Steps& steps, const trace::Trace& trace,
                 const steps::Table& rows) {
  std::vector<Column> columns;
  for (const std::string_view name : app::kStepColumns) {
    const bool is_instant = name == "begin_s" || name == "end_s";
    columns.push_back({.name = name,
                       .unit = is_instant                    ? Unit::kInstant
                               : name.ends_with("_s")        ? Unit::kSeconds
                               : name.ends_with("_bytes")    ? Unit::kBytes
                               : name.ends_with("_messages") ? Unit::kCount
                                                             : Unit::kNone,
                       .spare = static_cast<uint8_t>(name.starts_with("received") ? 1 : 0)});
  }
  columns[0].name = steps.word();
  Table table(options, columns);
  for (const steps::Row& row : rows.rows) {
    const auto cells = app::step_cells(trace, row);
    table.row({cells.begin(), cells.end()});
  }
  return table;
}

/// A line per step.
Table lines_table(const StepsOptions& options, const app::Steps& steps, const trace::Trace& trace,
                  const steps::Table& rows) {
  Table table(options, {{.name = steps.word()},
                        {.name = "begin_s", .unit = Unit::kInstant, .spare = 4},
                        {.name = "mean_s", .unit = Unit::kSeconds},
                        {.name = "max_s", .unit = Unit::kSeconds, .spare = 2},
                        {.name = "max_rank", .spare = 2},
                        {.name = "compute_mean_s", .unit = Unit::kSeconds},
                        {.name = "compute_max_s", .unit = Unit::kSeconds},
                        {.name = "compute_max_rank"},
                        {.name = "mpi_mean_s", .unit = Unit::kSeconds, .spare = 1},
                        {.name = "io_mean_s", .unit = Unit::kSeconds, .spare = 5},
                        {.name = "sent_messages", .unit = Unit::kCount, .spare = 6},
                        {.name = "sent_bytes", .unit = Unit::kBytes, .spare = 3}});
  const auto seconds = [](double value) { return fmt::format("{:.9f}", value); };
  const auto number = [](uint64_t value) { return fmt::format("{}", value); };
  for (const app::StepLine& line : app::step_lines(trace, rows)) {
    table.row({number(line.step), seconds(line.begin_s), seconds(line.mean_s), seconds(line.max_s),
               number(line.max_rank), seconds(line.compute_mean_s), seconds(line.compute_max_s),
               number(line.compute_max_rank), seconds(line.mpi_mean_s), seconds(line.io_mean_s),
               number(line.sent_messages), number(line.sent_bytes)});
  }
  if (const std::string trend = app::trend_text(app::step_trends(trace, rows)); !trend.empty()) {
    table.footnote(trend);
  }
  return table;
}

base::Result<app::Steps> find_steps(const StepsOptions& options, Opened& run) {
  if (run.summary) {
    return app::Steps{.windows = {}, .marked = !run.summary->steps.rows.empty(), .detection = {}};
  }
  base::Result<app::Steps> found = app::Steps{};
  base::Progress progress;
  progress.begin(options.detect ? "looking for a period in the calls" : "finding time steps", "",
                 0);
  with_progress(progress, options.quiet, [&] {
    found = app::find_steps(run.trace,
                            {.detect = options.detect,
                             .ignore_marks = options.ignore_marks,
                             .by_marker = options.step_marker},
                            run.pool);
  });
  return found;
}

base::Result<int> run_steps(const StepsOptions& options) {
  const bool needs_events = options.ignore_marks || !options.step_marker.empty();
  auto opened = open(options, needs_events ? Takes::kTraces : Takes::kPartsOfSummaries,
                     {.profile = false, .pairs = false, .waits = false, .bytes = false});
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (run.summary && run.summary->steps.rows.empty() && options.detect) {
    if (auto status = read_events(options, run); !status) return status.error();
  }
  const trace::Trace& trace = run.trace;
  const auto found = find_steps(options, run);
  if (!found) return found.error();
  const app::Steps& steps = found.value();
  steps::Table own;
  if (!run.summary) own = comm::step_table(trace, steps.windows, run.selection, run.pool);
  const steps::Table& rows =
      run.summary ? comm::chosen(run.summary->steps, run.selection, own) : own;
  Table table = options.summary ? lines_table(options, steps, trace, rows)
                                : rows_table(options, steps, trace, rows);
  if (run.summary) table.add_summary_to_json();
  if (steps.detection) table.add_to_json("detection", app::detection_json(*steps.detection));
  const bool any = run.summary ? steps.marked : steps.any();
  if (!options.quiet) print_notes(steps, any, rows, options, trace.rank_count);
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_steps_command(Command& program, Action& action) {
  auto options = std::make_shared<StepsOptions>();
  Command command = program.command("steps", "Each time step of each rank: time and traffic");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_selection(command, *options);
  const Option detect = command.flag("--detect", options->detect,
                                     "Where the program marks no time steps, look for a period in "
                                     "its calls and say how sure it is");
  command
      .flag("--ignore-marks", options->ignore_marks, "With --detect: as if the program marked none")
      .needs(detect);
  command.flag("--summary", options->summary,
               "A line per step: mean and maximum over ranks, and which rank that is");
  command
      .option("--step-marker", options->step_marker,
              "CALL:BYTES/N: every N-th such call starts a step, as in allreduce:16/4; "
              "BYTES and N may be left out")
      .excludes(detect);
  command.footer(
      "A step is in the time range when it begins there; it is never cut. Times are summed over "
      "the\nthreads of a rank; mpi_s is without file I/O, which is in io_s. A message belongs to "
      "the "
      "step\nthat it was sent in and to the one it was received in. With --detect the rows are "
      "periods,\nnot time steps.\nExamples:\n"
      "  pathline steps run --summary\n  pathline steps run --ranks 0\n  pathline steps run "
      "--detect --format json");
  command.on_chosen([options, &action] { action = [options] { return run_steps(*options); }; });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include <nlohmann/json.hpp>

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
  std::string step_marker;
};

std::string detection_json(const comm::Detection& detection) {
  nlohmann::ordered_json json;
  json["found"] = detection.found();
  if (!detection.found()) {
    json["reason"] = detection.reason;
    return json.dump();
  }
  json["begins_with"] = detection.begins_with;
  json["periods"] = detection.count;
  json["calls_per_period"] = detection.calls;
  json["ranks"] = detection.agreeing_ranks;
  json["share_of_calls"] = detection.call_share;
  json["share_of_time"] = detection.time_share;
  json["regularity"] = detection.regularity;
  json["certainty"] = detection.certainty;
  json["certainty_word"] = detection.certainty_word();
  return json.dump();
}

std::string notes_on_detection(const comm::Detection& detection, uint32_t rank_count, bool marked) {
  if (!detection.found()) return fmt::format("pathline: none found: {}\n", detection.reason);
  std::string text = fmt::format(
      "pathline: a guess, not time steps of the program: {} periods of about {}, each "
      "beginning with {}; a time step may be several of them\n",
      detection.count, base::counted(detection.calls, "call", "calls"), detection.begins_with);
  text += fmt::format(
      "pathline: certainty {} ({:.2f}): {} of {} ranks agree, the periods hold {:.1f} % of the "
      "communicating calls and {:.1f} % of the time, regularity {:.2f}\n",
      detection.certainty_word(), detection.certainty, detection.agreeing_ranks, rank_count,
      100 * detection.call_share, 100 * detection.time_share, detection.regularity);
  if (marked) text += "pathline: the program marks time steps itself; they were ignored\n";
  return text;
}

/// What a user should know besides the rows.
std::string notes(const app::Steps& steps, const steps::Table& table, const StepsOptions& options,
                  uint32_t rank_count) {
  std::string text;
  if (steps.detection) {
    text = notes_on_detection(*steps.detection, rank_count, steps.marked);
  } else if (!steps.any() && !options.step_marker.empty()) {
    text = fmt::format("pathline: no rank made a call that fits --step-marker {}\n",
                       options.step_marker);
  } else if (!steps.any()) {
    text =
        "pathline: the program marks no time steps; 'pathline steps --detect' looks for a period "
        "in its calls\n";
  } else if (options.detect && options.step_marker.empty()) {
    text = "pathline: the program marks its time steps: nothing had to be detected\n";
  }
  std::set<uint32_t> unknown;
  std::set<uint32_t> all;
  for (const steps::Row& row : table.rows) {
    all.insert(row.step);
    if (!row.recorded) unknown.insert(row.step);
  }
  if (!unknown.empty()) {
    text += fmt::format("pathline: {} of {} {}s were not recorded: only their times are known\n",
                        unknown.size(), all.size(), steps.word());
  }
  steps::Counters outside;
  for (const steps::Counters& counters : table.outside) outside += counters;
  if (steps.any() && outside.sent_messages + outside.received_messages > 0) {
    text += fmt::format("pathline: outside the {}s {} sent and {} received\n", steps.word(),
                        base::counted(outside.sent_messages, "message was", "messages were"),
                        outside.received_messages);
  }
  return text;
}

base::Result<int> run_steps(const StepsOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const auto found = app::find_steps(trace,
                                     {.detect = options.detect,
                                      .ignore_marks = options.ignore_marks,
                                      .by_marker = options.step_marker},
                                     opened.value()->pool);
  if (!found) return found.error();
  const app::Steps& steps = found.value();
  const steps::Table rows =
      comm::step_table(trace, steps.windows, opened.value()->selection, opened.value()->pool);
  std::vector<Column> columns;
  for (const std::string_view name : app::kStepColumns) columns.push_back({name});
  columns[0].name = steps.word();
  Table table(options, columns);
  for (const steps::Row& row : rows.rows) {
    const auto cells = app::step_cells(trace, row);
    table.row({cells.begin(), cells.end()});
  }
  if (steps.detection) table.add_to_json("detection", detection_json(*steps.detection));
  // In one piece and without a look at the outcome: results do not depend on who reads notes.
  if (!options.quiet) {
    std::fputs(notes(steps, rows, options, trace.rank_count).c_str(), stderr);
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_steps_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<StepsOptions>();
  CLI::App* command = app.add_subcommand("steps", "Each time step of each rank: time and traffic");
  add_input(*command, *options);
  add_output(*command, *options);
  add_format(*command, *options);
  add_selection(*command, *options);
  auto* detect = command->add_flag("--detect", options->detect,
                                   "Where the program marks no time steps, look for a period in "
                                   "its calls and say how sure it is");
  command
      ->add_flag("--ignore-marks", options->ignore_marks,
                 "With --detect: as if the program marked none")
      ->needs(detect);
  command->add_option("--step-marker", options->step_marker,
                      "CALL:BYTES/N: every N-th such call starts a step, as in allreduce:16/4; "
                      "BYTES and N may be left out");
  command->footer(
      "A step is in the time range when it begins there; it is never cut. Times are summed over "
      "the\nthreads of a rank; mpi_s is without file I/O, which is in io_s. A message belongs to "
      "the "
      "step\nthat it was sent in and to the one it was received in. With --detect the rows are "
      "periods,\nnot time steps.\nExamples:\n"
      "  pathline steps run --ranks 0\n  pathline steps run --detect --format json");
  command->callback([options, &action] { action = [options] { return run_steps(*options); }; });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "comm/summary.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const trace::Trace& trace) {
  const comm::Summary summary = comm::summarise(trace);
  Json types = Json::object();
  for (size_t kind = 0; kind < summary.events_by_kind.size(); ++kind) {
    if (summary.events_by_kind[kind] == 0) continue;
    types[std::string(trace::event_name(static_cast<trace::EventKind>(kind)))] =
        summary.events_by_kind[kind];
  }
  if (trace.unknown_events > 0) types["unknown"] = trace.unknown_events;
  Json warnings = Json::array();
  for (const std::string& warning : trace.warnings) warnings.push_back(base::printable(warning));
  Json json;
  json["format"] = trace.format;
  json["creator"] = trace.creator.empty() ? Json() : Json(base::printable(trace.creator));
  json["complete"] = trace.complete;
  json["locations"] = trace.locations.size();
  json["ranks"] = trace.rank_count;
  json["threads"] = summary.cpu_threads;
  json["streams"] = summary.streams;
  json["events"] = summary.events + trace.unknown_events;
  json["event_types"] = types;
  json["definitions"] = trace.definitions.size() + trace.unknown_definitions;
  json["regions"] = summary.regions_visited;
  json["regions_defined"] = trace.definitions.regions.size();
  json["communicators"] = summary.communicators;
  json["duration_s"] = trace.duration_seconds();
  json["clock_hz"] = trace.definitions.clock.ticks_per_second;
  json["steps"] = summary.marked_steps > 0 ? Json(summary.marked_steps) : Json();
  json["messages"] = {{"count", trace.messages.size()},
                      {"bytes", summary.message_bytes},
                      {"unmatched_sends", trace.unmatched_sends.size()},
                      {"unmatched_receives", trace.unmatched_receives.size()}};
  json["collectives"] = trace.collectives.size();
  json["io"] = {{"operations", summary.io_operations},
                {"bytes_read", summary.io_bytes_read},
                {"bytes_written", summary.io_bytes_written}};
  json["hosts"] = summary.hosts;
  json["warnings"] = warnings;
  return json;
}

base::Result<int> run_info(const CommonOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  if (auto status = print_json(options, to_json(opened.value()->trace)); !status) {
    return status.error();
  }
  return kDone;
}

}  // namespace

void add_info_command(Command& program, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command = program.command("info", "What a run holds, in numbers");
  add_input(command, *options);
  add_output(command, *options);
  add_json_format(command, *options);
  command.footer(
      "Threads are those of CPUs, streams those of GPUs; communicators and collectives are those "
      "of MPI. Collective operations on windows (MPI_Win_fence ...) stand among the event types "
      "as RmaCollectiveEnd, once for every member.\nExamples:\n  pathline info run/traces.otf2\n"
      "  pathline info run --format json | jq .messages");
  command.on_chosen([options, &action] { action = [options] { return run_info(*options); }; });
}

}  // namespace pathline::cli

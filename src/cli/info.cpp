// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/findings_glance.hpp"
#include "app/judged_run.hpp"
#include "app/run_facts.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"
#include "cli/json_output.hpp"
#include "cli/table.hpp"
#include "comm/summary.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const trace::Trace& trace, const comm::Summary& summary) {
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
  json["messages"] = {{"count", summary.messages},
                      {"bytes", summary.message_bytes},
                      {"unmatched_sends", summary.unmatched_sends},
                      {"unmatched_receives", summary.unmatched_receives}};
  json["collectives"] = summary.collectives;
  json["io"] = {{"operations", summary.io_operations},
                {"bytes_read", summary.io_bytes_read},
                {"bytes_written", summary.io_bytes_written}};
  json["hosts"] = summary.hosts;
  json["warnings"] = warnings;
  return json;
}

/// As --focus has it.
std::string focus_of(const app::FindingsRequest& request) {
  switch (request.focus) {
    case findings::Focus::kRun: return "run";
    case findings::Focus::kTime: return fmt::format("{}:{}", request.from_s, request.until_s);
    default: return "steps";
  }
}

/// What the recorder knew beside the events.
void add_facts(Json& json, const app::RunFacts& facts) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  json["command"] = text(facts.command);
  json["start_time"] = text(facts.start_time);
  json["working_directory"] = text(facts.working_directory);
  json["exit_status"] = facts.exit_status ? Json(*facts.exit_status) : Json();
  json["signal"] = facts.signal == 0 ? Json() : Json(facts.signal);
  json["host_names"] = facts.hosts;
  json["losses"] = facts.losses;
}

/// The same for people.
class Words {
 public:
  Words(const CommonOptions& options, const trace::Trace& trace, const comm::Summary& summary,
        const app::RunFacts& facts)
      : options_(options), trace_(trace), summary_(summary), facts_(facts) {}

  void add_numbers() {
    const comm::Summary& summary = summary_;
    const auto bytes = [](uint64_t count) { return base::human_bytes(static_cast<double>(count)); };
    add("command", facts_.command);
    if (!facts_.start_time.empty()) {
      add("started",
          app::date_text(facts_) +
              (facts_.working_directory.empty() ? "" : " in " + facts_.working_directory));
      add("outcome", app::ending_text(facts_));
    }
    add("duration", base::human_seconds(trace_.duration_seconds()));
    add("ranks", base::human_count(trace_.rank_count) +
                     (summary.hosts > 0
                          ? " on " + base::counted(summary.hosts, "host", "hosts") + host_names()
                          : ""));
    add("threads", base::human_count(summary.cpu_threads) +
                       (summary.streams > 0
                            ? ", " + base::counted(summary.streams, "GPU stream", "GPU streams")
                            : ""));
    add("messages", base::human_count(summary.messages) +
                        (summary.messages > 0 ? ", " + bytes(summary.message_bytes) : "") +
                        unmatched());
    add("collectives", base::human_count(summary.collectives));
    if (summary.marked_steps > 0) add("time steps", base::human_count(summary.marked_steps));
    if (summary.io_operations > 0) {
      add("file I/O", base::counted(summary.io_operations, "operation", "operations") + ", " +
                          bytes(summary.io_bytes_read) + " read, " +
                          bytes(summary.io_bytes_written) + " written");
    }
    add("regions",
        fmt::format("{} called of {} defined", base::human_count(summary.regions_visited),
                    base::human_count(trace_.definitions.regions.size())));
    add("events", base::human_count(summary.events + trace_.unknown_events));
    add("format",
        trace_.format +
            (trace_.creator.empty() ? "" : ", written by " + base::printable(trace_.creator)));
    if (!trace_.complete) add("incomplete", "something is missing, as said below");
    for (const std::string& loss : facts_.losses) add("lost", loss);
    for (const std::string& warning : trace_.warnings) add("warning", base::printable(warning));
  }
  /// What there is to see of a trace.
  void add_findings(base::ThreadPool& pool) {
    if (trace_.rank_count == 0 || summary_.events == 0) return;
    const app::Glance seen = app::glance(trace_, options_.input, pool);
    add("findings", seen.line);
    for (const std::string& command :
         app::next_commands(options_.input, seen.can_judge, summary_.marked_steps > 0)) {
      add("next", command);
    }
  }
  /// What there is to see of a summary.
  void add_tables(const summary::RunSummary& tables, const app::JudgedRun* judged) {
    add("summary", "of " + base::printable(tables.source) + ", of the whole run");
    if (judged != nullptr) {
      std::string kept = "kept of the focus " + focus_of(judged->request);
      if (judged->has_findings_of_part()) {
        kept += fmt::format("; findings of {:.6f} s to {:.6f} s alone, for want of memory",
                            judged->findings.begin_s, judged->findings.end_s);
      }
      add("findings", kept);
    }
    const std::string input = campaign::shell_word(options_.input);
    std::vector<const char*> commands = {"profile", "matrix"};
    if (summary_.events > 0) commands.insert(commands.begin(), "findings");
    for (const char* command : commands) {
      add("next", fmt::format("pathline {} {}", command, input));
    }
    const auto steps = "pathline steps " + input + " --summary";
    if (summary_.marked_steps > 0) add("next", steps);
    if (summary_.events == 0) return;
    const std::string picture = std::filesystem::path(options_.input).stem().string() + ".png";
    add("next",
        fmt::format("pathline figure timeline {} -o {}", input, campaign::shell_word(picture)));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    text_ += fmt::format("{:<12} {}\n", name == last_ ? "" : name, value);
    last_ = name;
  }
  [[nodiscard]] std::string host_names() const {
    constexpr size_t kMost = 4;
    if (facts_.hosts.empty()) return "";
    const size_t shown = std::min(facts_.hosts.size(), kMost);
    return fmt::format(" ({}{})",
                       fmt::join(facts_.hosts.begin(),
                                 facts_.hosts.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       facts_.hosts.size() > shown ? ", ..." : "");
  }
  [[nodiscard]] std::string unmatched() const {
    const uint64_t sends = summary_.unmatched_sends;
    const uint64_t receives = summary_.unmatched_receives;
    if (sends + receives == 0) return "";
    return fmt::format("; {} and {} without partner", base::counted(sends, "send", "sends"),
                       base::counted(receives, "receive", "receives"));
  }

  const CommonOptions& options_;
  const trace::Trace& trace_;
  const comm::Summary& summary_;
  const app::RunFacts& facts_;
  std::string text_;
  std::string_view last_;
};

base::Result<int> run_info(CommonOptions options) {
  // People are told what there is to see, too.
  if (!is_for_people(options)) options.messages = trace::WantedMessages::kCount;
  auto opened = open(options, Takes::kSummaries, kJudgedOnly);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const auto& tables = opened.value()->summary;
  std::optional<app::JudgedRun> judged;
  if (tables) {
    auto kept = app::judged_run(options.input, tables->judged, trace);
    if (!kept) return kept.error();
    judged = std::move(kept).value();
  }
  const comm::Summary summary =
      tables ? tables->facts : comm::summarise(trace, opened.value()->pool);
  const auto facts = app::run_facts(tables ? input::events_of(*tables, options.input)
                                           : std::filesystem::path(options.input));
  base::Status status;
  if (is_for_people(options)) {
    const app::RunFacts none;
    Words words(options, trace, summary, facts ? *facts : none);
    words.add_numbers();
    if (tables) {
      words.add_tables(*tables, judged ? &*judged : nullptr);
    } else {
      words.add_findings(opened.value()->pool);
    }
    status = write_result(options.output, words.text());
  } else {
    Json json = to_json(trace, summary);
    if (tables) {
      json["source"] = "summary";
      json["exact"] = true;
      json["findings_focus"] = judged ? Json(focus_of(judged->request)) : Json();
      if (judged && judged->has_findings_of_part()) {
        json["findings_from_s"] = judged->findings.begin_s;
        json["findings_until_s"] = judged->findings.end_s;
      }
    }
    if (facts) add_facts(json, *facts);
    status = print_json(options, json);
  }
  if (!status) return status.error();
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
      "as RmaCollectiveEnd, once for every member. Of runs of 'pathline record' there are command, "
      "date, exit status, hosts and what was lost besides.\nExamples:\n  pathline info "
      "run/traces.otf2\n"
      "  pathline info run --format json | jq .messages");
  command.on_chosen([options, &action] { action = [options] { return run_info(*options); }; });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "app/record.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "app/findings_glance.hpp"
#include "app/run_facts.hpp"
#include "cli/command.hpp"

namespace pathline::cli {
namespace {

void note_what_next(const app::RecordOutcome& outcome, bool says_findings) {
  const auto facts = app::run_facts(outcome.run);
  if (facts && outcome.exit_status != 0) cli::note("the command " + app::ending_text(*facts));
  if (!outcome.has_archive) return;
  const std::string run = outcome.run.string();
  const bool is_judged = says_findings && facts && outcome.exit_status == 0;
  const app::Glance seen = is_judged ? app::glance(outcome.run) : app::Glance();
  std::vector<std::string> commands = app::next_commands(run, seen.can_judge, false);
  if (!seen.line.empty()) cli::note(seen.line + ": " + commands.front());
  commands.insert(commands.begin() + (seen.can_judge ? 1 : 0), "pathline info " + run);
  cli::note(fmt::format("next: {}", fmt::join(commands, "; ")));
}

base::Result<int> run_record(const app::RecordRequest& request,
                             const std::vector<std::string>& misplaced, bool says_findings) {
  if (!misplaced.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("the command has to stand behind --, but '{}' does not", misplaced[0]),
        "As in: pathline record -- mpirun -n 4 ./app"};
  }
  if (request.words.empty() || request.words[0].empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no command to record",
                       "It comes last, behind --: pathline record -- mpirun -n 4 ./app"};
  }
  const auto note = [&](const base::Error& what) {
    if (!request.quiet) report_error(what);
  };
  if (app::is_rank(request.words)) return app::record_rank(request, note);
  const auto outcome = app::record(request, note);
  if (!outcome) return outcome.error();
  if (outcome.value().run.empty()) return outcome.value().exit_status;
  if (!request.quiet) note_what_next(outcome.value(), says_findings);
  std::signal(SIGPIPE, SIG_IGN);  // Until now COMMAND had to inherit what we were started with.
  const auto status = write_result("-", outcome.value().run.string() + '\n');
  if (!status) report_error(status.error());
  return outcome.value().exit_status;
}

}  // namespace

void add_record_command(Command& program, Action& action, std::vector<std::string> words) {
  auto request = std::make_shared<app::RecordRequest>();
  request->words = std::move(words);
  Command command = program.command("record", "Runs an MPI program and records what it does");
  auto misplaced = std::make_shared<std::vector<std::string>>();
  command.option("COMMAND", *misplaced, "What to run, behind --: -- mpirun -n 4 ./app");
  for (const app::RecordSetting& setting : app::record_settings()) {
    std::string option(setting.name);
    std::replace(option.begin(), option.end(), '_', '-');
    const std::string flag = setting.name == "output" ? "-o,--output" : "--" + option;
    const std::string name(setting.name);
    const auto take = [request, name](const std::string& text) { request->options[name] = text; };
    if (setting.value == "0|1") {
      command.flag_function(
          fmt::format("{},!--no-{}", flag, option), [take](bool on) { take(on ? "1" : "0"); },
          std::string(setting.help));
    } else {
      command.option_function(flag, take, std::string(setting.help))
          .value_name(std::string(setting.value))
          .suggest({setting.words.begin(), setting.words.end()});
    }
  }
  auto no_findings = std::make_shared<bool>(false);
  command.flag("--no-findings", *no_findings,
               "Do not judge the run for the note of what is wrong with it");
  command.flag("--quiet", request->quiet, "No notes on standard error");
  command.footer(
      "COMMAND is usually an mpirun, mpiexec or srun; the recorder is loaded into its ranks only. "
      "In scripts that start ranks on other nodes themselves put it in front of the program, as in "
      "the second example. Standard output is COMMAND's, with the run directory as its last line; "
      "the exit status is COMMAND's, or 2 if it could not be started.\n"
      "Each option is an environment variable as well: PATHLINE_MAX_SIZE for --max-size, "
      "PATHLINE_IO=1 "
      "for --io and PATHLINE_IO=0 for --no-io.\n"
      "Examples:\n"
      "  pathline record -- mpirun -n 4 ./app input.toml\n"
      "  mpirun -n 4 pathline record -o run --steps 100:200:10 -- ./app input.toml");
  command.on_chosen([request, misplaced, no_findings, &action] {
    action = [request, misplaced, no_findings] {
      return run_record(*request, *misplaced, !*no_findings);
    };
  });
}

}  // namespace pathline::cli

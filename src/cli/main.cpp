// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "base/heap.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "otf2/reader.hpp"

namespace {

using namespace pathline;

/// Reports what `command` (the program itself before its command is known) was told wrongly, where
/// help is and, if `meant` is not "", what the user probably wanted.
int usage_error(const CLI::App& command, std::string message, const std::string& meant = "") {
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const bool chosen = command.get_parent() != nullptr;
  const std::string help = fmt::format("'pathline {}--help' lists what there is.",
                                       chosen ? command.get_name() + ' ' : "");
  return cli::report_error(
      {base::ErrorCode::kInvalidArgument, message,
       meant.empty() ? help : fmt::format("Did you mean '{}'? {}", meant, help)});
}

int unknown_option(const CLI::App& command, std::string_view word) {
  const std::string_view option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    names.insert(names.end(), known->get_lnames().begin(), known->get_lnames().end());
  }
  const std::string_view meant =
      option.starts_with("--") ? base::nearest(option.substr(2), names) : "";
  return usage_error(command, fmt::format("there is no option '{}'", option),
                     meant.empty() ? "" : fmt::format("--{}", meant));
}

int unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return usage_error(app, fmt::format("there is no command '{}'", word),
                     std::string(base::nearest(word, names)));
}

/// CLI11's messages in our form: one line, and where help is.
int parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  // First of all, as what else seems wrong may follow from it: the value of a misspelt option is
  // taken for INPUT.
  for (const CLI::App* part : {&app, &command}) {
    for (const std::string& word : part->remaining()) {
      if (word.starts_with('-')) return unknown_option(*part, word);
    }
  }
  if (chosen.empty() && app.remaining_size() > 0) return unknown_command(app, app.remaining()[0]);
  return usage_error(command, error.what());
}

/// The first option or argument that was given nothing, nullptr if there is none. CLI11 takes it
/// for not given: --ranks '' would be all ranks.
const CLI::Option* first_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return option;
  }
  return nullptr;
}

/// Cuts what stands behind "--" off the command line of `record` and returns it: not one letter of
/// it is ours to read.
std::vector<std::string> cut_command(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "record") return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return {};
  argc = static_cast<int>(dashes - argv);
  return {dashes + 1, end};
}

int run(int argc, char** argv, void (*inherited_sigpipe)(int)) {
  std::vector<std::string> recorded_command = cut_command(argc, argv);
  CLI::App app("Pathline: performance analysis of parallel programs", "pathline");
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", fmt::format("pathline {} (OTF2 {})", PATHLINE_VERSION, otf2::library_version()));
  app.footer("'pathline COMMAND --help' explains a command.");
  cli::Action action;
  cli::add_record_command(app, action, std::move(recorded_command));
  cli::add_finish_command(app, action);
  cli::add_score_command(app, action);
  cli::add_info_command(app, action);
  cli::add_profile_command(app, action);
  cli::add_matrix_command(app, action);
  cli::add_messages_command(app, action);
  cli::add_waits_command(app, action);
  cli::add_steps_command(app, action);
  cli::add_diff_command(app, action);
  cli::add_figure_command(app, action);
  cli::add_export_command(app, action);
  cli::add_report_command(app, action);
  cli::add_routes_command(app, action);
  cli::add_infer_command(app, action);
  cli::add_reroute_command(app, action);
  cli::add_remap_command(app, action);
  cli::add_model_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_error(app, error);
  }
  const CLI::App& command = *app.get_subcommands()[0];
  if (const CLI::Option* option = first_empty(command)) {
    return usage_error(command, option->get_name() + " is empty");
  }
  if (command.get_name() == "record") std::signal(SIGPIPE, inherited_sigpipe);
  const auto status = action();
  return status ? status.value() : cli::report_error(status.error());
}

}  // namespace

int main(int argc, char** argv) {
  pathline::base::keep_freed_memory();
  const auto inherited_sigpipe =
      std::signal(SIGPIPE, SIG_IGN);  // A closed pipe ends a command quietly, see write_result.
  try {
    return run(argc, argv, inherited_sigpipe);
  } catch (const std::bad_alloc&) {
    return pathline::cli::report_error(
        {pathline::base::ErrorCode::kIo, "there is not enough memory for this input"});
  } catch (const std::exception& error) {
    return pathline::cli::report_error({pathline::base::ErrorCode::kIo, error.what()});
  }
}

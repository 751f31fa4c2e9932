// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "otf2/reader.hpp"

namespace {

using namespace pathline;

/// CLI11's messages in our form: one line, and where help is.
int usage_error(const CLI::App& app, const CLI::ParseError& error, const char* first_argument) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  if (app.get_subcommands().empty() && first_argument != nullptr && first_argument[0] != '-') {
    return cli::report_error({base::ErrorCode::kInvalidArgument,
                              fmt::format("there is no command '{}'", first_argument),
                              "'pathline --help' lists what there is."});
  }
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const auto chosen = app.get_subcommands();
  const std::string help =
      chosen.empty() ? "pathline --help" : "pathline " + chosen[0]->get_name() + " --help";
  return cli::report_error(
      {base::ErrorCode::kInvalidArgument, message, fmt::format("'{}' lists what there is.", help)});
}

int run(int argc, char** argv) {
  CLI::App app("Pathline: performance analysis of parallel programs", "pathline");
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", fmt::format("pathline {} (OTF2 {})", PATHLINE_VERSION, otf2::library_version()));
  app.footer("'pathline COMMAND --help' explains a command.");
  cli::Action action;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc > 1 ? argv[1] : nullptr);
  }
  const auto status = action();
  return status ? status.value() : cli::report_error(status.error());
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // A closed pipe ends a command quietly, see write_result.
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return pathline::cli::report_error(
        {pathline::base::ErrorCode::kIo, "there is not enough memory for this input"});
  } catch (const std::exception& error) {
    return pathline::cli::report_error({pathline::base::ErrorCode::kIo, error.what()});
  }
}

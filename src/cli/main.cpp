// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/heap.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/share.hpp"
#include "otf2/reader.hpp"

namespace {

using namespace pathline;

struct Registration {
  std::string_view name;
  std::function<void(cli::Command& program, cli::Action& action)> add;
};

/// Cuts what stands behind "--" off the command line of a command that starts another one, and
/// returns it: not one letter of it is ours to read.
std::vector<std::string> cut_command(int& argc, char** argv) {
  if (argc < 2) return {};
  const std::string_view command = argv[1];
  if (command != "record" && command != "validate") return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return {};
  argc = static_cast<int>(dashes - argv);
  return {dashes + 1, end};
}

/// Of "diff A1 A2 -- B1 B2 --min 5%" options stand on both sides: "--" becomes a word that nobody
/// types.
void mark_sides(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "diff") return;
  char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
  static std::string mark(cli::kOtherSide);
  if (dashes != argv + argc) *dashes = mark.data();
}

/// The commands, in the order of the help.
///
/// words  what stands behind "--".
std::vector<Registration> registrations(const std::vector<std::string>& words) {
  const auto with_words = [&](auto add) {
    return
        [add, words](cli::Command& program, cli::Action& action) { add(program, action, words); };
  };
  return {
      {"record", with_words(cli::add_record_command)},
      {"finish", cli::add_finish_command},
      {"reduce", cli::add_reduce_command},
      {"score", cli::add_score_command},
      {"info", cli::add_info_command},
      {"findings", cli::add_findings_command},
      {"profile", cli::add_profile_command},
      {"matrix", cli::add_matrix_command},
      {"messages", cli::add_messages_command},
      {"waits", cli::add_waits_command},
      {"efficiency", cli::add_efficiency_command},
      {"critical", cli::add_critical_command},
      {"steps", cli::add_steps_command},
      {"diff", cli::add_diff_command},
      {"figure", cli::add_figure_command},
      {"export", cli::add_export_command},
      {"topology", cli::add_topology_command},
      {"mesh", cli::add_mesh_command},
      {"report", cli::add_report_command},
      {"routes", cli::add_routes_command},
      {"infer", cli::add_infer_command},
      {"reroute", cli::add_reroute_command},
      {"remap", cli::add_remap_command},
      {"model", cli::add_model_command},
      {"bench", cli::add_bench_command},
      {"predict", cli::add_predict_command},
      {"campaign", cli::add_campaign_command},
      {"validate", with_words(cli::add_validate_command)},
  };
}

/// Makes the command that is asked for known to the program, or all where that is none of them:
/// the options of all take longer to say than most commands to start.
void add_commands(std::string_view asked, const std::vector<std::string>& words,
                  cli::Program& program, cli::Action& action) {
  const std::vector<Registration> all = registrations(words);
  const auto chosen = std::find_if(
      all.begin(), all.end(), [&](const Registration& command) { return command.name == asked; });
  if (chosen != all.end()) return chosen->add(program, action);
  for (const Registration& command : all) command.add(program, action);
}

int run(int argc, char** argv, void (*inherited_sigpipe)(int)) {
  const std::vector<std::string> other_command = cut_command(argc, argv);
  mark_sides(argc, argv);
  cli::Program program(
      "pathline", "Pathline: performance analysis of parallel programs",
      fmt::format("pathline {} (OTF2 {})", PATHLINE_VERSION, otf2::library_version()));
  program.footer("'pathline COMMAND --help' explains a command.");
  cli::Action action;
  add_commands(argc > 1 ? argv[1] : "", other_command, program, action);
  // Not in the help: it is for the build, which installs what this writes.
  if (argc == 3 && std::string_view(argv[1]) == "--write-share") {
    const auto status = cli::write_share(argv[2], program.description(), PATHLINE_VERSION);
    return status ? cli::kDone : cli::report_error(status.error());
  }
  if (const auto status = program.parse(argc, argv)) return *status;
  if (program.chosen() == "record") std::signal(SIGPIPE, inherited_sigpipe);
  const auto status = action();
  return status ? status.value() : cli::report_error(status.error());
}

/// A write beyond a limit on the size of files then fails with its reason. exec() forgets a
/// handler, but not what is ignored: what we start gets what we were started with.
void survive_file_size_limit() {
  if (std::signal(SIGXFSZ, [](int) {}) == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  pathline::base::keep_freed_memory();
  survive_file_size_limit();
  const auto inherited_sigpipe =
      std::signal(SIGPIPE, SIG_IGN);  // A closed pipe ends a command quietly, see write_result.
  try {
    return run(argc, argv, inherited_sigpipe);
  } catch (const std::bad_alloc&) {
    return pathline::cli::report_error(
        {pathline::base::ErrorCode::kIo, "there is not enough memory for this input",
         "Less is needed with --threads 1; a run needs less with a summary in its place ('pathline "
         "reduce' makes one in little memory); --scratch DIR has a disk in place of memory, but "
         "not "
         "of addresses, which 'ulimit -v' counts."});
  } catch (const std::system_error& error) {
    const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
    return pathline::cli::report_error(
        {pathline::base::ErrorCode::kIo,
         is_thread ? "a thread cannot be started: " + error.code().message() : error.what(),
         is_thread ? "There is too little memory for its stack, or a limit on processes: "
                     "'ulimit -v' and 'ulimit -u' say which."
                   : ""});
  } catch (const std::exception& error) {
    return pathline::cli::report_error({pathline::base::ErrorCode::kIo, error.what()});
  }
}

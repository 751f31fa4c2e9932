// SPDX-License-Identifier: BSD-3-Clause
#include "app/record.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/catalyst.hpp"
#include "app/parts.hpp"
#include "app/program_file.hpp"
#include "app/run_directory.hpp"
#include "app/run_json.hpp"
#include "app/why_nothing.hpp"
#include "base/child_process.hpp"
#include "base/file.hpp"
#include "base/launch_line.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "libpathline.so";
constexpr const char* kInsituFolder = "insitu";  ///< In the run directory.

fs::path own_executable() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure);
}

/// The recorder, as an absolute path that LD_PRELOAD can hold.
base::Result<std::string> find_library(const base::Environment& environment) {
  std::vector<fs::path> places;
  const auto given = environment.find("PATHLINE_LIBRARY");
  if (given != environment.end() && !given->second.empty()) {
    places.emplace_back(given->second);
  } else {
    const fs::path folder = own_executable().parent_path();
    places = {folder / "../lib" / kLibraryName, folder / ".." / PATHLINE_LIBDIR / kLibraryName};
  }
  std::error_code failure;
  for (const fs::path& place : places) {
    if (!fs::is_regular_file(place, failure)) continue;
    const std::string path = fs::canonical(place, failure).string();
    if (path.find_first_of(": ") == std::string::npos) return path;
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("the recorder {} cannot be preloaded: LD_PRELOAD takes no "
                                   "spaces and colons",
                                   path),
                       "Install it elsewhere, or set PATHLINE_LIBRARY to a link without them."};
  }
  return base::Error{base::ErrorCode::kNotFound,
                     fmt::format("there is no recorder {}", places[0].lexically_normal().string()),
                     given != environment.end()
                         ? "PATHLINE_LIBRARY says that it is there."
                         : "It is installed with the program; PATHLINE_LIBRARY can name it."};
}

/// What is preloaded: with --io also what sees the functions that read and write files.
std::string preloaded(const std::string& library, const SettingTexts& settings) {
  const auto io = settings.find("io");
  if (io == settings.end() || io->second != "1") return library;
  return library + ":" + (fs::path(library).parent_path() / "libpathline-io.so").string();
}

/// Kokkos programs find the recorder by a variable of their own. What the user says counts, also by
/// its older name: no program gets two tools.
void offer_to_kokkos(const std::string& library, const base::Environment& environment,
                     base::Environment& variables) {
  if (environment.count("KOKKOS_TOOLS_LIBS") + environment.count("KOKKOS_PROFILE_LIBRARY") == 0) {
    variables["KOKKOS_TOOLS_LIBS"] = library;
  }
}

/// The launcher in a command, if there is one.
struct FoundLauncher {
  base::Launcher kind = base::Launcher::kNone;
  size_t word = 0;
  std::string version;  ///< First line of what it says.
};

/// Whether `word` is a launcher by its name or by that of the file it leads to.
bool looks_like_launcher(const std::string& word) {
  const fs::path path = find_executable(word);
  if (path.empty()) return false;
  if (base::is_launcher_name(path.filename().string())) return true;
  std::error_code failure;
  return fs::is_symlink(path, failure) &&
         base::is_launcher_name(fs::canonical(path, failure).filename().string());
}

FoundLauncher launcher_of(const std::vector<std::string>& words) {
  FoundLauncher found{.word = base::find_launcher(words, looks_like_launcher)};
  if (found.word == words.size()) return {};
  const fs::path path = find_executable(words[found.word]);
  // Launchers of batch systems may be wrappers around others: what it says counts more than how it
  // is called. A loaded machine can need seconds for that.
  const std::string text = base::output_of({path.string(), "--version"}, std::chrono::seconds(10));
  found.version = base::printable(text.substr(0, text.find('\n')));
  found.kind = base::launcher_by_version(text);
  std::error_code failure;
  for (const fs::path& name : {path, fs::canonical(path, failure)}) {
    if (found.kind == base::Launcher::kNone)
      found.kind = base::launcher_by_name(name.filename().string());
  }
  return found;
}

bool is_program(const std::string& word) { return !find_executable(word).empty(); }

/// What a program is called in the name of its run: of `python3 solve.py` the script.
std::string short_name(const std::vector<std::string>& words, size_t program) {
  std::string name = fs::path(words[program]).filename().string();
  std::error_code failure;
  for (const std::string_view interpreter :
       {"python", "bash", "sh", "perl", "julia", "Rscript", "env"}) {
    if (!name.starts_with(interpreter)) continue;
    for (size_t i = program + 1; i < words.size(); ++i) {
      if (!words[i].starts_with('-') && fs::is_regular_file(words[i], failure)) {
        name = fs::path(words[i]).filename().string();
        break;
      }
    }
    break;
  }
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '-' || c == '+';
    if (!plain) c = '_';
  }
  return name.empty() ? "program" : name;
}

/// Settings as the variables of the ranks. The file of settings is left out, as its content stands
/// in the others, and so is what is done when the ranks have ended.
base::Environment rank_variables(const SettingTexts& settings) {
  base::Environment variables;
  for (const auto& [name, value] : settings) {
    if (name != "output" && name != "config" && name != "format") {
      variables[variable_name(name)] = value;
    }
  }
  return variables;
}

/// Puts the paths of --catalyst into the variables of the ranks.
base::Status add_catalyst(const SettingTexts& settings, const std::string& library,
                          base::Environment& variables) {
  const auto setting = settings.find("catalyst");
  if (setting == settings.end()) return {};
  auto scripts = catalyst_scripts(setting->second, library);
  if (!scripts) return scripts.error();
  variables[variable_name("catalyst")] = std::move(scripts).value();
  return {};
}

/// Our environment without what rank_variables() replaces.
base::Environment without_settings(base::Environment environment) {
  for (const RecordSetting& setting : record_settings()) {
    environment.erase(variable_name(setting.name));
  }
  return environment;
}

std::string value_of(const base::Environment& environment, const std::string& name,
                     const std::string& otherwise) {
  const auto found = environment.find(name);
  return found != environment.end() ? found->second : otherwise;
}

void note_warnings(const EffectiveSettings& settings, const Note& note) {
  for (const std::string& warning : settings.warnings) {
    note({base::ErrorCode::kInvalidArgument, warning});
  }
}

base::Result<fs::path> make_directory(const SettingTexts& settings, const std::string& program) {
  const auto wanted = settings.find("output");
  if (wanted == settings.end()) return make_run_directory(default_run_name(program));
  const auto name = expand_run_name(wanted->second);
  if (!name) return name.error();
  return make_run_directory(name.value());
}

nlohmann::ordered_json description(const std::vector<std::string>& words,
                                   const FoundLauncher& launcher,
                                   const std::vector<std::string>& programs,
                                   const SettingTexts& settings, const std::string& library) {
  std::error_code failure;
  nlohmann::ordered_json json;
  json["pathline_version"] = PATHLINE_VERSION;
  json["command"] = words;
  json["programs"] = programs;
  json["working_directory"] = fs::current_path(failure).string();
  json["host"] = host_name();
  json["launcher"] = {{"kind", base::launcher_name(launcher.kind)}, {"version", launcher.version}};
  json["recorder"] = library;
  json["settings"] = settings;
  json["start_time"] = utc_time();
  json["end_time"] = nullptr;
  json["exit_status"] = nullptr;
  return json;
}

/// Turns the raw files of a run into its archive, in a process of its own: whatever a damaged file
/// does there, COMMAND's status is kept.
base::Status finish(const fs::path& run, bool quiet) {
  std::vector<std::string> words = {own_executable().string(), "finish", "--wait", "5",
                                    run.string()};
  if (quiet) words.emplace_back("--quiet");
  const auto ending = base::run_beside(words);
  if (!ending) return ending.error();
  if (ending.value().exit_status() == 0) return {};
  return base::Error{base::ErrorCode::kIo,
                     fmt::format("the raw files in {} are not an archive yet", run.string()),
                     fmt::format("'pathline finish {}' tries again.", run.string())};
}

/// The command that writes what is wanted while the program runs; empty for nothing.
std::vector<std::string> insitu_command(const base::Environment& values, const fs::path& run) {
  const std::string kind = value_of(values, "insitu", "");
  if (kind.empty()) return {};
  std::vector<std::string> words = {own_executable().string(), kind == "geometry" ? "mesh" : kind,
                                    run.string(), "-o", (run / kInsituFolder).string()};
  const std::string regions = value_of(values, "insitu_regions", "");
  for (size_t begin = 0, end = 0; begin < regions.size(); begin = end + 1) {
    end = std::min(regions.find(',', begin), regions.size());
    if (end > begin) words.insert(words.end(), {"--region", regions.substr(begin, end - begin)});
  }
  if (const std::string to = value_of(values, "insitu_to", ""); !to.empty()) {
    words.insert(words.end(), {"--to", to});
  }
  return words;
}

/// All steps of the run, among them those that were not written while it went on.
/// words   of insitu_command()
/// silent  why not has been said
base::Status write_insitu(const fs::path& run, std::vector<std::string> words, bool quiet,
                          bool silent) {
  const std::string command = words[1];
  if (quiet) words.emplace_back("--quiet");
  const auto ending = base::run_beside(words, silent);
  if (!ending) return ending.error();
  if (ending.value().exit_status() == 0) return {};
  return base::Error{base::ErrorCode::kIo,
                     fmt::format("{} is not complete", (run / kInsituFolder).string()),
                     fmt::format("'pathline {} {} -o DIR' tries again.", command, run.string())};
}

}  // namespace

bool is_rank(const std::vector<std::string>& words) {
  const base::Environment environment = base::own_environment();
  const auto given = [&](const char* name) { return environment.count(name) != 0; };
  bool in_job = false;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK",
                           "PALS_RANKID", "ALPS_APP_PE", "JSM_NAMESPACE_RANK", "FLUX_TASK_RANK"}) {
    in_job = in_job || given(name);
  }
  if (!in_job && given("SLURM_PROCID")) {
    // A batch script has a SLURM_PROCID as well. Its step has no number, or one of the highest.
    constexpr uint64_t kFirstSpecialStep = 0xfffffff0;
    const std::string step = value_of(environment, "SLURM_STEP_ID", "");
    in_job = !step.empty() && base::number_in<uint64_t>(step).value_or(0) < kFirstSpecialStep;
  }
  return in_job && base::find_launcher(words, looks_like_launcher) == words.size();
}

base::Result<RecordOutcome> record(const RecordRequest& request, const Note& note) {
  const base::Environment environment = base::own_environment();
  const auto settings = effective_settings(request.options, environment);
  if (!settings) return settings.error();
  note_warnings(settings.value(), note);
  const SettingTexts& values = settings.value().values;
  const auto library = find_library(environment);
  if (!library) return library.error();
  base::Environment variables = rank_variables(values);
  if (auto status = add_catalyst(values, library.value(), variables); !status) {
    return status.error();
  }

  const FoundLauncher launcher = launcher_of(request.words);
  const auto places = base::find_programs(launcher.kind, request.words, launcher.word, is_program);
  std::vector<std::string> programs;
  for (const size_t place : places) programs.push_back(request.words[place]);
  const std::string name = places.empty() ? fs::path(request.words[0]).filename().string()
                                          : short_name(request.words, places[0]);

  const auto made = make_directory(values, name);
  if (!made) return made.error();
  const fs::path& run = made.value();
  std::error_code failure;
  base::RankEnvironment ranks{.library = preloaded(library.value(), values),
                              .variables = std::move(variables),
                              .preload = value_of(environment, "LD_PRELOAD", ""),
                              .exported = value_of(environment, "SLURM_EXPORT_ENV", "ALL")};
  ranks.variables["PATHLINE_RUN_DIRECTORY"] = fs::canonical(run, failure).string();
  ranks.variables["PATHLINE_PROGRAM"] = name;
  offer_to_kokkos(library.value(), environment, ranks.variables);
  base::CommandLine line =
      base::with_rank_environment(launcher.kind, request.words, launcher.word, ranks, is_program);
  const auto hindered =
      part_without_recorder(parts_of(launcher.kind, request.words, launcher.word));
  if (hindered) line = {request.words, {}};  // The others would wait for it in MPI_Init.
  base::Environment own = without_settings(environment);
  for (const auto& [variable, value] : line.environment) own[variable] = value;

  if (auto status = write_run_json(
          run, description(request.words, launcher, programs, values, library.value()));
      !status) {
    return status.error();
  }
  const std::vector<std::string> insitu = insitu_command(values, run);
  base::Companion follower;
  if (!insitu.empty()) {
    std::vector<std::string> words = insitu;
    words.insert(words.end(), {"--follow", "--quiet", "--threads", "1"});
    follower = base::Companion(words);
  }
  const auto ending = base::run_attended(line.words, own);
  if (!ending) {
    remove_run_json(run);
    fs::remove(run, failure);
    return ending.error();
  }
  // Before the archive is made: what was open when a rank died lasts until then.
  nlohmann::ordered_json end = {{"end_time", utc_time()},
                                {"exit_status", ending.value().exit_status()}};
  if (ending.value().signal != 0) end["signal"] = ending.value().signal;
  if (auto status = write_run_json(run, end); !status) note(status.error());
  const bool recorded = has_recording(run);
  const bool followed = follower.end(std::chrono::seconds(5));
  RecordOutcome outcome{.run = run, .exit_status = ending.value().exit_status()};
  if (recorded && value_of(values, "format", "otf2") == "otf2") {
    const auto finished = finish(run, request.quiet);
    outcome.has_archive = finished.ok();
    if (!finished) note(finished.error());
    if (!insitu.empty()) {
      if (auto status = write_insitu(run, insitu, request.quiet, !followed); !status) {
        note(status.error());
      }
    }
  } else if (hindered) {
    note({base::ErrorCode::kUnsupported,
          fmt::format("nothing was recorded: of the programs that are started as one job {}, so "
                      "that no library can be loaded into it, and the others would have waited for "
                      "it",
                      *hindered),
          "Copy it (cp drops such rights), or link it dynamically."});
  } else if (!recorded && value_of(values, "enable", "1") == "1") {
    note(why_nothing_was_recorded(launcher.kind, programs, ending.value()));
  }
  if (!recorded && outcome.exit_status != 0) {
    // Nothing but the description of a run that was none. A folder with more in it stays.
    const auto files = std::distance(fs::directory_iterator(run, failure), {});
    if (files <= 1) {
      remove_run_json(run);
      if (fs::remove(run, failure)) outcome.run.clear();
    }
  }
  return outcome;
}

base::Error record_rank(const RecordRequest& request, const Note& note) {
  const base::Environment environment = base::own_environment();
  bool says_so = false;
  if (const auto reason = why_not_alone(environment, says_so)) {
    if (says_so) {
      note(
          {base::ErrorCode::kUnsupported,
           fmt::format(
               "nothing is recorded: the launcher starts several programs as one job, and {}",
               *reason),
           "Put the recorder in front of the launcher (pathline record -- mpirun ... : ...), or in "
           "front of each of the programs."});
    }
    return base::become(request.words, without_settings(environment));
  }
  const auto settings = effective_settings(request.options, environment);
  if (!settings) return settings.error();
  const SettingTexts& values = settings.value().values;
  const auto library = find_library(environment);
  if (!library) return library.error();

  base::Environment variables = rank_variables(values);
  if (auto status = add_catalyst(values, library.value(), variables); !status) {
    return status.error();
  }
  base::Environment own = without_settings(environment);
  for (const auto& [variable, value] : variables) own[variable] = value;
  if (const auto output = values.find("output"); output != values.end()) {
    if (const auto name = expand_run_name(output->second, "0"); !name) return name.error();
    // Absolute, as the program may go to another folder before MPI_Init. A % there is one.
    std::error_code failure;
    std::string here = fs::current_path(failure).string();
    for (size_t at = 0; (at = here.find('%', at)) != std::string::npos; at += 2) {
      here.insert(at, 1, '%');
    }
    own["PATHLINE_OUTPUT"] = (fs::path(here) / output->second).string();
    own.erase("PATHLINE_RUN_DIRECTORY");
  }
  own["PATHLINE_PROGRAM"] = short_name(request.words, 0);
  offer_to_kokkos(library.value(), environment, own);
  own["LD_PRELOAD"] = base::preload_with(preloaded(library.value(), values),
                                         value_of(environment, "LD_PRELOAD", ""));
  return base::become(request.words, own);
}

}  // namespace pathline::app

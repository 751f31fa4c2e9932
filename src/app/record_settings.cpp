// SPDX-License-Identifier: BSD-3-Clause
#include "app/record_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "comm/step_marker.hpp"

namespace pathline::app {
namespace {

using Path = std::filesystem::path;
using Checked = base::Result<std::string>;

base::Error wrong(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

template <const auto& words>
Checked one_of(const std::string& text, const Path&) {
  if (std::find(words.begin(), words.end(), text) != words.end()) return text;
  return wrong(base::not_one_of("it", text, std::vector<std::string>(words.begin(), words.end())));
}

constexpr std::array<std::string_view, 3> kModes = {"trace", "profile", "both"};
constexpr std::array<std::string_view, 3> kCallSites = {"auto", "all", "off"};
constexpr std::array<std::string_view, 3> kBuffers = {"file", "ram", "ring"};
constexpr std::array<std::string_view, 2> kInsitu = {"topology", "geometry"};
constexpr std::array<std::string_view, 3> kClocks = {"auto", "tsc", "monotonic"};
constexpr std::array<std::string_view, 2> kFormats = {"otf2", "native"};
constexpr std::array<std::string_view, 6> kMpiGroups = {"p2p", "coll", "rma",
                                                        "io",  "topo", "probes"};

Checked any_text(const std::string& text, const Path&) { return text; }

Checked yes_or_no(const std::string& text, const Path&) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return std::string("1");
  }
  for (const std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return std::string("0");
  }
  return wrong(fmt::format("it is to be 0 or 1, not '{}'", text));
}

Checked level(const std::string& text, const Path& folder) {
  const auto number = base::number_in<uint32_t>(text);
  return number && *number <= 9 ? Checked(text) : yes_or_no(text, folder);
}

Checked count(const std::string& text, const Path&) {
  const auto number = base::number_in<uint32_t>(text);
  if (!number || *number == 0) {
    return wrong(fmt::format("it is to be a count from 1 on, not '{}'", text));
  }
  return text;
}

Checked seconds(const std::string& text, const Path&) {
  const auto number = base::number_in<double>(text);
  if (!number || *number < 0) {
    return wrong(fmt::format("it is to be seconds, 0 or more, not '{}'", text));
  }
  return text;
}

Checked size(const std::string& text, const Path&) {
  std::string_view digits = text;
  uint64_t unit = 1;
  if (!digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0) {
    switch (std::tolower(static_cast<unsigned char>(digits.back()))) {
      case 'k': unit = uint64_t{1} << 10; break;
      case 'm': unit = uint64_t{1} << 20; break;
      case 'g': unit = uint64_t{1} << 30; break;
      default: unit = 0;
    }
    digits.remove_suffix(1);
  }
  const auto number = base::number_in<uint64_t>(digits);
  if (!number || *number == 0 || unit == 0 || *number > (uint64_t{1} << 62) / unit) {
    return wrong(fmt::format(
        "it is to be a number of bytes, or of units of 1024 (k), 1024^2 (M) or 1024^3 (G) bytes as "
        "in 64M, not '{}'",
        text));
  }
  return text;
}

/// "100:200" and "100:200:10" to the second form.
Checked steps(const std::string& text, const Path&) {
  auto numbers = base::numbers_in<uint64_t>(text, ':').value_or(std::vector<uint64_t>());
  if (numbers.size() == 2) numbers.push_back(1);
  if (numbers.size() != 3 || numbers[2] == 0) {
    return wrong(fmt::format(
        "it is to be A:B or A:B:N, every N-th time step from A to B, as in 100:200:10, not '{}'",
        text));
  }
  if (numbers[0] > numbers[1]) {
    return wrong(fmt::format("no time step is at least {} and at most {}", numbers[0], numbers[1]));
  }
  return fmt::format("{}", fmt::join(numbers, ":"));
}

Checked step_marker(const std::string& text, const Path&) {
  if (auto marker = comm::parse_step_marker(text); !marker) return marker.error();
  return text;
}

Checked mpi_groups(const std::string& text, const Path&) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view group = std::string_view(text).substr(begin, end - begin);
    if (std::find(kMpiGroups.begin(), kMpiGroups.end(), group) == kMpiGroups.end() &&
        text != "all" && text != "none") {
      return wrong(fmt::format("'{}' is no group of MPI calls; there are {}, and all or none",
                               group, fmt::join(kMpiGroups, ", ")));
    }
    begin = end + 1;
  }
  return text;
}

Checked existing_file(const std::string& text, const Path& folder) {
  std::error_code failure;
  const Path path = folder / text;
  if (!std::filesystem::exists(path, failure)) {
    return wrong(fmt::format("there is no file {}", path.string()));
  }
  if (!std::filesystem::is_regular_file(path, failure)) {
    return wrong(fmt::format("{} is not a file", path.string()));
  }
  return path.lexically_normal().string();
}

constexpr size_t kMostInsitu = 24;  ///< Of what is named; the recorder has a fixed table.

Checked names(const std::string& text, const Path&) {
  const auto count = static_cast<size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  if (count <= kMostInsitu) return text;
  return wrong(fmt::format("{} names, expected {} at most", count, kMostInsitu));
}

/// "0,3,8-11" as "0,3,8,9,10,11".
Checked ranks(const std::string& text, const Path&) {
  std::string_view bad;
  const auto ranges = base::ranges_in(text, &bad);
  if (!ranges) {
    return wrong(fmt::format("'{}' is no rank, expected a list as in 0,3,8-15", bad));
  }
  std::vector<uint64_t> all;
  for (const auto [first, last] : *ranges) {
    for (uint64_t rank = first; rank <= last; ++rank) {
      if (all.size() == kMostInsitu) {
        return wrong(fmt::format("more than {} ranks", kMostInsitu));
      }
      all.push_back(rank);
    }
  }
  return fmt::format("{}", fmt::join(all, ","));
}

/// Scripts for ParaView with colons between them, as absolute paths but for our own.
Checked scripts(const std::string& text, const Path& folder) {
  std::string all;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    const std::string script = text.substr(begin, end - begin);
    begin = end + 1;
    if (script.empty()) {
      return wrong(fmt::format("it is to be SCRIPT or SCRIPT:SCRIPT, not '{}'", text));
    }
    if (!all.empty()) all += ':';
    if (script == "default" || script == "default-legacy") {
      all += script;
      continue;
    }
    const auto file = existing_file(script, folder);
    if (!file) return wrong(file.error().message + "; 'default' is a script of ours");
    all += file.value();
  }
  constexpr size_t kMost = 2000;  // The recorder has room for that.
  if (all.size() > kMost) return wrong("the paths of the scripts are too long");
  return all;
}

constexpr std::array kSettings = std::to_array<RecordSetting>({
    {"output", "DIR",
     "Name of the run directory; %h is the host, %p the process, %j the job, %r the rank (the last "
     "one only behind a launcher). If there is such a directory, -2, -3 ... is added",
     any_text},
    {"config", "FILE",
     "Settings as a TOML file: the names of these options with _ for -, as in max_size = \"2G\"",
     existing_file},
    {"mode", "MODE", "trace, profile (sums only, written to profile.csv) or both", one_of<kModes>,
     kModes},
    {"io", "0|1", "Record the program's calls of open, read, write ... too", yes_or_no},
    {"openmp", "0|1", "Record parallel regions of OpenMP; so it is unless --no-openmp", yes_or_no},
    {"mpi_groups", "LIST", "Kinds of MPI calls to record: p2p, coll, rma, io, topo, probes; or all",
     mpi_groups},
    {"call_sites", "WHICH",
     "Keep calls of MPI apart by the place in the program that made them: auto (those outside of "
     "all "
     "its regions), all or off",
     one_of<kCallSites>, kCallSites},
    {"filter", "FILE", "Which regions to record, as 'pathline score --filter-out' writes it",
     existing_file},
    {"counters", "LIST", "Counters of the processor or the system to read along", any_text},
    {"steps", "A:B:N", "Record only every N-th time step from A to B; counts go on in the others",
     steps},
    {"every", "N",
     "Record only every N-th time step, the first one always; counts go on in the others", count},
    {"step_marker", "CALL:BYTES/N",
     "For programs that mark no time steps: every N-th such call starts one, as in allreduce:16/4",
     step_marker},
    {"insitu", "KIND",
     "Write VTK files while the program runs, into insitu/ of the run directory: topology, what "
     "'pathline topology' writes; or geometry, what 'pathline mesh' writes of a mesh that the "
     "program "
     "hands over",
     one_of<kInsitu>, kInsitu},
    {"insitu_regions", "LIST",
     "Regions of these names become arrays in these files; if none is named, those that take most "
     "time",
     names},
    {"insitu_to", "LIST",
     "With --insitu geometry: what is sent to these ranks becomes arrays, as in 0,3,8-15", ranks},
    {"catalyst", "SCRIPT",
     "With --insitu geometry: run scripts of ParaView Catalyst in the program, into catalyst/ of "
     "the "
     "run directory; several with colons between them, 'default' writes VTK files and pictures",
     scripts},
    {"buffer", "KIND",
     "file (nothing is lost when the program dies), ram (written at its end) or ring (only the "
     "last events)",
     one_of<kBuffers>, kBuffers},
    {"buffer_size", "SIZE", "What a ring keeps of one thread, 4M if not said otherwise", size},
    {"max_size", "SIZE", "The most that one rank may write: 1G", size},
    {"format", "FORMAT", "otf2, or native: leave the recorder's raw files to 'pathline finish'",
     one_of<kFormats>, kFormats},
    {"clock", "CLOCK", "auto, tsc or monotonic", one_of<kClocks>, kClocks},
    {"sync_interval", "SECONDS", "How often to compare the clocks of the nodes; 0 is never",
     seconds},
    {"enable", "0|1", "0: start without recording, until the program switches it on", yes_or_no},
    {"verbose", "0|1", "The recorder says what it does on standard error", level},
});

/// Variables that begin with PATHLINE_ and are no settings.
constexpr std::array<std::string_view, 6> kOtherVariables = {
    "PATHLINE_LIBRARY",  "PATHLINE_RUN_DIRECTORY", "PATHLINE_PROGRAM",
    "PATHLINE_OWN_DATA", "PATHLINE_TEST_DATA",     "PATHLINE_SETUP"};

constexpr std::string_view kPrefix = "PATHLINE_";

std::vector<std::string> unknown_variables(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> known;
  for (const RecordSetting& setting : kSettings) known.push_back(variable_name(setting.name));
  known.insert(known.end(), kOtherVariables.begin(), kOtherVariables.end());
  std::vector<std::string> endings;
  for (const std::string& name : known) endings.push_back(name.substr(kPrefix.size()));
  std::vector<std::string> warnings;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix) || std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    // Without what all of them have in common, which would make any two look alike.
    const std::string_view meant = base::nearest(name.substr(kPrefix.size()), endings);
    warnings.push_back(
        fmt::format("nothing reads the environment variable {}{}", name,
                    meant.empty() ? "" : fmt::format("; did you mean {}{}?", kPrefix, meant)));
  }
  return warnings;
}

/// One place that settings come from.
struct Source {
  SettingTexts texts;
  Path folder;  ///< What relative paths count from.
  enum class Kind { kFile, kEnvironment, kCommandLine } kind;
};

std::string named_by(const Source& source, const std::string& setting, const Path& file) {
  switch (source.kind) {
    case Source::Kind::kFile: return fmt::format("{}: {}", file.string(), setting);
    case Source::Kind::kEnvironment: return variable_name(setting);
    case Source::Kind::kCommandLine: break;
  }
  std::string option = "--" + setting;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

/// Checks the settings of `source` and puts them over what `settings` holds.
base::Status take(const Source& source, const Path& file, SettingTexts& settings) {
  for (const auto& [name, text] : source.texts) {
    const auto setting =
        std::find_if(kSettings.begin(), kSettings.end(),
                     [&, &wanted = name](const RecordSetting& s) { return s.name == wanted; });
    if (setting == kSettings.end()) continue;
    const auto value = setting->check(text, source.folder);
    if (!value) {
      return base::Error{value.error().code,
                         fmt::format("{}: {}", named_by(source, name, file), value.error().message),
                         value.error().advice};
    }
    settings[name] = value.value();
  }
  return {};
}

}  // namespace

std::span<const RecordSetting> record_settings() { return kSettings; }

std::string variable_name(std::string_view setting) {
  std::string name(kPrefix);
  for (const char c : setting) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

base::Result<EffectiveSettings> effective_settings(
    const SettingTexts& command_line, const std::map<std::string, std::string>& environment) {
  std::error_code failure;
  const Path here = std::filesystem::current_path(failure);
  Source variables{.folder = here, .kind = Source::Kind::kEnvironment};
  for (const RecordSetting& setting : kSettings) {
    const auto found = environment.find(variable_name(setting.name));
    // An empty variable is how shells unset one for a single command.
    if (found != environment.end() && !found->second.empty()) {
      variables.texts[std::string(setting.name)] = found->second;
    }
  }
  const Source options{.texts = command_line, .folder = here, .kind = Source::Kind::kCommandLine};

  EffectiveSettings effective{.warnings = unknown_variables(environment)};
  SettingTexts upper;
  if (auto status = take(variables, {}, upper); !status) return status.error();
  if (auto status = take(options, {}, upper); !status) return status.error();
  if (const auto config = upper.find("config"); config != upper.end()) {
    const Path file = config->second;
    auto texts = read_settings_file(file);
    if (!texts) return texts.error();
    const Source lower{.texts = std::move(texts).value(),
                       .folder = file.parent_path(),
                       .kind = Source::Kind::kFile};
    if (auto status = take(lower, file, effective.values); !status) return status.error();
  }
  for (auto& [name, value] : upper) effective.values[name] = std::move(value);
  if (effective.values.count("steps") != 0 && effective.values.count("every") != 0) {
    return wrong(
        "--every: which time steps are recorded, --steps says already, as in --steps 0:999999:20");
  }
  const auto value = [&](const char* name) {
    const auto found = effective.values.find(name);
    return found == effective.values.end() ? std::string() : found->second;
  };
  if (value("insitu").empty() && !value("insitu_regions").empty()) {
    return wrong("--insitu-regions has no effect without --insitu");
  }
  if (value("insitu") != "geometry" && !value("insitu_to").empty()) {
    return wrong("--insitu-to has no effect without --insitu geometry");
  }
  if (!value("insitu").empty() && value("mode") == "profile") {
    return wrong(fmt::format("--insitu: {} shows messages, which --mode profile does not record",
                             value("insitu")));
  }
  if (!value("catalyst").empty() && value("insitu") != "geometry") {
    return wrong(
        "--catalyst: it shows the mesh that the program hands over for --insitu geometry, "
        "which is to be said as well");
  }
  return effective;
}

}  // namespace pathline::app

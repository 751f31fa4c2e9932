// SPDX-License-Identifier: BSD-3-Clause
#include "app/parts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <fmt/format.h>

#include "app/program_file.hpp"
#include "base/parse.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& word) { return !find_executable(word).empty(); }

/// What is known to be started without the recorder: no script, which may do anything.
bool is_elf(const std::vector<std::string>& program) {
  const auto file = look_at_program(find_executable(program[0]));
  return file && file.value().kind == ProgramFile::Kind::kElf;
}

bool is_recorder(const std::vector<std::string>& program) {
  return program.size() > 1 && fs::path(program[0]).filename() == "pathline" &&
         program[1] == "record";
}

/// Of a file of the kernel, which has no size; "" for none.
std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Words of a process's command line; empty for none.
std::vector<std::string> command_of(pid_t process) {
  std::vector<std::string> words;
  std::string text = text_of(fmt::format("/proc/{}/cmdline", process));
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

pid_t parent_of(pid_t process) {
  // "PID (NAME) STATE PPID ...", and NAME may hold anything.
  const std::string text = text_of(fmt::format("/proc/{}/stat", process));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return 0;
  const size_t begin = name_end + 4;
  const size_t end = std::min(text.find(' ', begin), text.size());
  return base::number_in<pid_t>(std::string_view(text).substr(begin, end - begin)).value_or(0);
}

}  // namespace

std::optional<std::string> part_without_recorder(const std::vector<JobPart>& parts) {
  if (parts.size() < 2) return std::nullopt;
  for (const JobPart& part : parts) {
    const auto file = look_at_program(find_executable(part.program[0]));
    if (!file) continue;
    if (file.value().other_rights) {
      return fmt::format("{} runs with rights of its own (setuid, setgid or capabilities)",
                         part.program[0]);
    }
    if (file.value().kind == ProgramFile::Kind::kElf && !file.value().dynamic) {
      return fmt::format("{} is statically linked", part.program[0]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> part_without_command(const std::vector<JobPart>& parts,
                                                unsigned& recorded_first) {
  std::optional<std::string> without;
  bool any = false;
  unsigned first = 0;
  for (const JobPart& part : parts) {
    if (is_recorder(part.program)) {
      if (!any) recorded_first = first;
      any = true;
    } else if (!without && is_elf(part.program)) {
      without = fmt::format("{} is started without it", part.program[0]);
    }
    first += part.ranks;
  }
  return any ? without : std::nullopt;
}

std::vector<JobPart> parts_of(base::Launcher launcher, const std::vector<std::string>& words,
                              size_t launcher_word) {
  std::vector<JobPart> parts;
  size_t before = launcher_word + 1;
  for (const size_t place : base::find_programs(launcher, words, launcher_word, is_program)) {
    JobPart& part = parts.emplace_back();
    for (size_t i = before; i + 1 < place; ++i) {
      const std::string& word = words[i];
      if (word != "-n" && word != "-np" && word != "--np" && word != "-c") continue;
      part.ranks = base::number_in<unsigned>(words[i + 1]).value_or(1);
    }
    const auto end = std::find(words.begin() + static_cast<ptrdiff_t>(place), words.end(), ":");
    part.program.assign(words.begin() + static_cast<ptrdiff_t>(place), end);
    before = static_cast<size_t>(end - words.begin());
  }
  return parts;
}

std::vector<JobPart> parts_of_own_job() {
  constexpr int kMostAncestors = 16;
  pid_t process = getppid();
  for (int i = 0; i < kMostAncestors && process > 1; ++i, process = parent_of(process)) {
    const auto words = command_of(process);
    if (std::find(words.begin(), words.end(), ":") == words.end()) continue;
    const auto is_launcher = [](const std::string& word) {
      return base::is_launcher_name(fs::path(word).filename().string());
    };
    const size_t launcher = base::find_launcher(words, is_launcher);
    if (launcher == words.size()) continue;
    base::Launcher kind = base::launcher_by_name(fs::path(words[launcher]).filename().string());
    // Both write -n N PROGRAM : -n M PROGRAM.
    if (kind == base::Launcher::kNone) kind = base::Launcher::kOpenMpi;
    return parts_of(kind, words, launcher);
  }
  return {};
}

std::optional<std::string> why_not_alone(const base::Environment& environment, bool& says_so) {
  const auto number = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : base::number_in<unsigned>(found->second);
  };
  unsigned first = 0;
  auto reason = part_without_command(parts_of_own_job(), first);
  // Ranks on other hosts than the launcher's see no command line, and all must decide the same.
  if (number("OMPI_NUM_APP_CTX").value_or(1) > 1 &&
      number("OMPI_COMM_WORLD_LOCAL_SIZE") != number("OMPI_COMM_WORLD_SIZE")) {
    first = 0;
    reason = "from other hosts the recorder cannot see whether each has it";
  }
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const auto rank = number(name)) {
      says_so = *rank == first;
      break;
    }
  }
  return reason;
}

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench_programs.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/program_file.hpp"
#include "base/child_process.hpp"
#include "base/launch_line.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

/// Name of the MPI's folder; "" when the launcher does not tell it.
std::string mpi_of(const std::vector<std::string>& words) {
  const auto is_program = [](const std::string& word) {
    return base::is_launcher_name(fs::path(word).filename().string()) &&
           !find_executable(word).empty();
  };
  for (const std::string& word : words) {
    if (fs::path(word).filename() == "smpirun") return "smpi";
  }
  const size_t place = base::find_launcher(words, is_program);
  if (place == words.size()) return "";
  base::Launcher launcher = base::launcher_by_name(fs::path(words[place]).filename().string());
  if (launcher == base::Launcher::kNone) {
    launcher = base::launcher_by_version(
        base::output_of({words[place], "--version"}, std::chrono::seconds(5)));
  }
  return launcher == base::Launcher::kOpenMpi ? "openmpi"
         : launcher == base::Launcher::kHydra ? "mpich"
                                              : "";
}

bool holds_programs(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "bench-compute", ignored) &&
         fs::is_regular_file(folder / "bench-halo", ignored);
}

}  // namespace

base::Result<fs::path> find_bench_programs(const std::vector<std::string>& launcher) {
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string mpi = mpi_of(launcher);
  std::vector<std::string> names = {mpi};
  if (mpi.empty()) names = {"openmpi", "mpich"};
  std::vector<fs::path> found;
  std::vector<std::string> tried;
  for (const std::string& name : names) {
    for (const fs::path& place :
         {own / ".." / "libexec" / "pathline" / name, own / ".." / "apps" / name}) {
      const fs::path folder = place.lexically_normal();
      tried.push_back(folder.string());
      if (!holds_programs(folder)) continue;
      found.push_back(folder);
      break;
    }
  }
  if (found.size() == 1) return found.front();
  const std::string advice = "--programs names their folder.";
  if (found.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("there are no bench-compute and bench-halo{} in {}",
                                   mpi.empty() ? "" : " for " + mpi, fmt::join(tried, " and ")),
                       advice};
  }
  return base::Error{
      base::ErrorCode::kNotFound,
      fmt::format("'{}' does not tell its MPI, and there are bench-compute and bench-halo of "
                  "several",
                  base::printable(fmt::format("{}", fmt::join(launcher, " ")))),
      advice};
}

std::vector<std::string> simgrid_launcher(const fs::path& platform) {
  return {"smpirun",
          "-platform",
          platform.string(),
          "-hostfile",
          "{hostfile}",
          "-np",
          "{n}",
          "--cfg=smpi/simulate-computation:no",
          "--cfg=smpi/host-speed:4Gf",
          "--cfg=smpi/wtime:0",
          "--cfg=smpi/bw-factor:0:1",
          "--cfg=smpi/lat-factor:0:1",
          "--log=root.thres:error"};
}

std::string telling_line(std::string_view said, std::string_view program) {
  const auto has_letter = [](std::string_view line) {
    return std::any_of(line.begin(), line.end(),
                       [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  };
  const std::string own = fmt::format("{}: ", program);
  std::string_view boxed;
  std::string_view last;
  bool is_in_box = false;
  for (size_t begin = 0; begin < said.size();) {
    const size_t end = std::min(said.find('\n', begin), said.size());
    const std::string_view line = said.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with(own)) return base::printable(line);
    is_in_box = is_in_box || line.starts_with("--------");
    if (!has_letter(line)) continue;
    if (is_in_box && boxed.empty()) boxed = line;
    last = line;
  }
  if (!boxed.empty()) return base::printable(boxed);
  return last.empty() ? "it said nothing" : base::printable(last);
}

std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  bool is_open = false;  // A word has begun.
  char quote = 0;
  for (const char c : command) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n') {
      is_open = false;
      continue;
    }
    if (!is_open) words.emplace_back();
    is_open = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace pathline::app

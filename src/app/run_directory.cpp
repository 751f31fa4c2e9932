// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_directory.hpp"

#include <cerrno>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/run_name.hpp"

namespace pathline::app {

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof(name) - 1) != 0) return "unknown";
  return name;
}

std::string default_run_name(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("pathline-{}-{:%Y%m%d-%H%M%S}", program, local);
}

base::Result<std::string> expand_run_name(const std::string& wanted, const char* rank) {
  std::string name;
  const std::string_view unknown =
      base::fill_in_run_name(wanted, rank, [&](std::string_view piece) { name += piece; });
  if (unknown.empty()) return name;
  if (unknown == "%r") {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{}: %r is the rank, but one run directory is for all ranks", wanted)};
  }
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("{}: there is %h for the host, %p for the process, %j for the job and %% for "
                  "a %, but no {}",
                  wanted, unknown)};
}

base::Result<std::filesystem::path> make_run_directory(const std::filesystem::path& wanted) {
  constexpr int kMostRuns = 100000;
  std::filesystem::path base_name = wanted.lexically_normal();
  if (!base_name.has_filename()) base_name = base_name.parent_path();  // "run/"
  std::error_code failure;
  if (base_name.has_parent_path()) {
    std::filesystem::create_directories(base_name.parent_path(), failure);
  }
  for (int number = 1; !failure && number < kMostRuns; ++number) {
    std::filesystem::path path = base_name;
    if (number > 1) path += fmt::format("-{}", number);
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) failure.assign(errno, std::generic_category());
  }
  return base::Error{base::ErrorCode::kIo,
                     fmt::format("cannot make the run directory {}: {}", base_name.string(),
                                 failure ? failure.message() : "too many of that name"),
                     "Choose another place with -o DIR."};
}

std::filesystem::path run_folder(const std::filesystem::path& input) {
  std::error_code failure;
  return std::filesystem::is_directory(input, failure) ? input : input.parent_path();
}

bool has_recording(const std::filesystem::path& run) {
  std::error_code failure;
  for (const char* name : {"traces.otf2", "profile.csv"}) {
    if (std::filesystem::exists(run / name, failure)) return true;
  }
  const std::filesystem::recursive_directory_iterator end;
  std::filesystem::recursive_directory_iterator entry(run / "raw", failure);
  for (; !failure && entry != end; entry.increment(failure)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable) && entry->file_size(unreadable) > 0) return true;
  }
  return false;
}

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_directory.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace pathline::app {

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof(name) - 1) != 0) return "unknown";
  return name;
}

std::string utc_time() {
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", utc, ms % 1000);
}

std::string default_run_name(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("pathline-{}-{:%Y%m%d-%H%M%S}", program, local);
}

base::Result<std::string> expand_run_name(const std::string& wanted) {
  std::string name;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != '%') {
      name += wanted[i];
      continue;
    }
    const char letter = ++i < wanted.size() ? wanted[i] : '\0';
    if (letter == 'h') {
      name += host_name();
    } else if (letter == 'p') {
      name += std::to_string(::getpid());
    } else if (letter == 'j') {
      const char* job = nullptr;
      for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
        if (job == nullptr) job = std::getenv(variable);
      }
      name += job != nullptr ? job : std::to_string(::getpid());
    } else if (letter == '%') {
      name += '%';
    } else if (letter == 'r') {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("{}: %r is the rank, but one run directory is for all ranks", wanted)};
    } else {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("{}: there is %h for the host, %p for the process, %j for the job and %% for "
                      "a %, but no %{}",
                      wanted, letter == '\0' ? "" : std::string(1, letter))};
    }
  }
  return name;
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

base::Status write_run_json(const std::filesystem::path& run,
                            const nlohmann::ordered_json& entries) {
  using Json = nlohmann::ordered_json;
  const std::filesystem::path path = run / "run.json";
  Json json;
  if (const auto file = base::MappedFile::open(path)) {
    json = Json::parse(file.value().text(), nullptr, false);
  }
  if (!json.is_object()) json = Json::object();
  for (const auto& [key, value] : entries.items()) json[key] = value;
  // Arguments need not be UTF-8.
  return base::write_file(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
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

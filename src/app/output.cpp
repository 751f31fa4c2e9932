// SPDX-License-Identifier: BSD-3-Clause
#include "app/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

using base::Error;
using base::ErrorCode;

/// Files that recorders write, and no command by the name that a user gives.
bool is_recorded(const fs::path& file) {
  constexpr std::array<std::string_view, 5> kSuffixes = {".otf2", ".def", ".evt", ".cubex", ".raw"};
  const std::string suffix = file.extension().string();
  return std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end();
}

/// Whether a folder is that of the input, or the one beside its anchor file that has its events.
bool holds_input(const fs::path& input, const fs::path& folder) {
  std::error_code failed;
  if (input.empty()) return false;
  fs::path home = fs::is_directory(input, failed) ? input : input.parent_path();
  if (home.empty()) home = ".";
  const fs::path above = fs::canonical(folder, failed).parent_path();
  if (!fs::equivalent(home, folder, failed) && !fs::equivalent(home, above, failed)) return false;
  const auto files = fs::directory_iterator(folder, failed);
  return std::any_of(begin(files), end(files),
                     [](const fs::directory_entry& file) { return is_recorded(file.path()); });
}

}  // namespace

base::Status check_not_read(const fs::path& input, const fs::path& output) {
  std::error_code failed;
  if (output == "-") return {};
  if (fs::is_directory(output, failed) && holds_input(input, output)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot write into {}: files of the run that is read are there",
                             output.string()),
                 "Give another folder by -o."};
  }
  if (!fs::is_regular_file(output, failed)) return {};
  const bool is_input = !input.empty() && fs::equivalent(input, output, failed);
  if (!is_input && !is_recorded(output)) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("cannot write {}: {}", output.string(),
                           is_input ? "it is what is read" : "it is a file of a recorded run"),
               "Give another name; a file that is not wanted has to be removed first."};
}

base::Status check_output(const fs::path& input, const fs::path& output) {
  if (auto status = check_not_read(input, output); !status) return status;
  std::error_code failed;
  if (output == "-") return {};
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  // A device is written as it is, whatever may be in its folder.
  const bool is_device = fs::exists(output, failed) && !fs::is_regular_file(output, failed) &&
                         !fs::is_directory(output, failed);
  if (::access(is_device ? output.c_str() : folder.c_str(), is_device ? W_OK : W_OK | X_OK) == 0) {
    return {};
  }
  return Error{ErrorCode::kIo,
               fmt::format("cannot write {}: {}", output.string(), base::system_reason(errno))};
}

}  // namespace pathline::app

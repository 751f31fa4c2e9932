// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace pathline::app {

/// run.json, in which `pathline record` and `pathline finish` describe a run. Nobody else writes
/// the file; its keys are in doc/recording.md.

/// All of it; empty if there is no such file, or none that can be understood.
nlohmann::ordered_json run_json(const std::filesystem::path& run);

/// What is to be known of it before the run is read.
struct RunState {
  bool described = false;  ///< There is such a file.
  bool finished = false;   ///< The archive counts, raw files that are still there do not.
  /// When the launcher saw COMMAND end, ns since 1970; 0 if it has not, 1 if nobody can say when.
  uint64_t command_end_ns = 0;
};

/// A file that cannot be understood says nothing.
RunState read_run_json(const std::filesystem::path& run);

/// Puts the keys of `entries` into run.json of the folder and keeps those that others wrote there.
/// errors  kIo.
base::Status write_run_json(const std::filesystem::path& run,
                            const nlohmann::ordered_json& entries);

void remove_run_json(const std::filesystem::path& run);

/// "2026-11-21T09:30:05.123Z", as times are in run.json. nullopt before 1970.
std::optional<std::string> utc_time(int64_t since_1970_ns);

/// The time now, as run.json writes it: "2026-11-22T13:34:02.123Z".
std::string utc_time();

}  // namespace pathline::app

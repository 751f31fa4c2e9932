// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace pathline::app {

/// "pathline-heat3d-20261121-093005" for now, in local time.
std::string default_run_name(const std::string& program);

/// Replaces %h (host), %p (process), %j (job of the batch system, or the process) and %%.
/// errors  kInvalidArgument: other letters, and %r, as a run directory is of all ranks.
base::Result<std::string> expand_run_name(const std::string& wanted);

/// Makes the folder `wanted`, or `wanted`-2, -3 ... if there is something of that name already, and
/// the folders above it.
/// returns  its path: relative if `wanted` is.
/// errors   kIo.
base::Result<std::filesystem::path> make_run_directory(const std::filesystem::path& wanted);

/// Puts the keys of `entries` into run.json of the folder and keeps those that others wrote there.
/// errors  kIo.
base::Status write_run_json(const std::filesystem::path& run,
                            const nlohmann::ordered_json& entries);

/// Whether a recorder has left something in the folder.
bool has_recording(const std::filesystem::path& run);

/// "2026-11-21T09:30:05.123Z" for now.
std::string utc_time();

std::string host_name();

}  // namespace pathline::app

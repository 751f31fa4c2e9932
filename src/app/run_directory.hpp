// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// "pathline-heat3d-20261121-093005" for now, in local time.
std::string default_run_name(const std::string& program);

/// The name with what base::fill_in_run_name fills in.
/// errors  kInvalidArgument: other letters, and %r without a `rank`, as a run directory is of all.
base::Result<std::string> expand_run_name(const std::string& wanted, const char* rank = nullptr);

/// Makes the folder `wanted`, or `wanted`-2, -3 ... if there is something of that name already, and
/// the folders above it.
/// returns  its path: relative if `wanted` is.
/// errors   kIo.
base::Result<std::filesystem::path> make_run_directory(const std::filesystem::path& wanted);

/// The folder of a run that `input` is or lies in.
std::filesystem::path run_folder(const std::filesystem::path& input);

/// Whether a recorder has left something in the folder.
bool has_recording(const std::filesystem::path& run);

std::string host_name();

}  // namespace pathline::app

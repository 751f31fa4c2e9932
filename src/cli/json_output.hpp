// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/command.hpp"

namespace pathline::cli {

/// --format of a command whose answer is one JSON object.
void add_json_format(Command& command, CommonOptions& options);

/// Writes `json` to the command's output: as lines "key  value" on a terminal or when a table is
/// asked for, names of nested objects joined by blanks and what is absent left out.
base::Status print_json(const CommonOptions& options, const nlohmann::ordered_json& json);

}  // namespace pathline::cli

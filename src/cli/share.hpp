// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "cli/description.hpp"

namespace pathline::cli {

/// Writes what is installed in share/ and says the same as the help: man/man1/pathline*.1 and the
/// completions, each where its shell looks for it.
base::Status write_share(const std::filesystem::path& folder, const CommandDescription& program,
                         const std::string& version);

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// What shells complete: commands, options and the words that options take; files everywhere else,
// but for numbers nothing.
#pragma once

#include <string>

#include "cli/description.hpp"

namespace pathline::cli {

std::string bash_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);
std::string fish_completion(const CommandDescription& program);

}  // namespace pathline::cli

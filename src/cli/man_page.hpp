// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/description.hpp"

namespace pathline::cli {

struct ManPage {
  std::string name;  ///< "pathline-campaign-run"; its section is 1.
  std::string text;  ///< roff with the macros of man(7).
};

/// The page of a program, and one of each command and of their commands.
std::vector<ManPage> man_pages(const CommandDescription& program, const std::string& version);

}  // namespace pathline::cli

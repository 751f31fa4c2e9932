// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pathline::cli {

/// A table whose first line is bold and whose cells that end with a star are yellow, where standard
/// output is a terminal that has colours and $NO_COLOR is not set; else the same.
std::string in_colour(std::string_view table);

/// Writes to standard output; through $PAGER, if there is one, when that is a terminal with fewer
/// lines.
/// errors  those of writing. A reader that has seen enough is none.
base::Status page(const std::string& text);

}  // namespace pathline::cli

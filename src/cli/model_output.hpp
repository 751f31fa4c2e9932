// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/model_report.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// A table for people, or CSV, as `options` say.
base::Status print_rows(const CommonOptions& options, const app::ModelReport& report);

/// What print_rows() does for people.
base::Status print_table(const CommonOptions& options, const app::ModelReport& report);

/// A tabular environment that needs no package.
std::string to_latex(const app::ModelReport& report);

/// A module with a function per kernel and a dictionary of them.
std::string to_python(const app::ModelReport& report);

}  // namespace pathline::cli

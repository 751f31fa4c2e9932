// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/findings.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// Options of commands that judge a part of a run.
struct FocusOptions : CommonOptions {
  std::string focus = "steps";
};

void add_focus(Command& command, FocusOptions& options);

/// errors  kInvalidArgument for a focus that is none.
base::Result<app::FindingsRequest> focus_of(const FocusOptions& options);

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "comm/step_table.hpp"

namespace pathline::figure {

/// The time steps of a run, or what its calls repeat.
struct StepMarks {
  comm::StepWindows windows;  ///< Per rank; empty for a run without.
  std::string word = "step";  ///< "period" for a guess.

  [[nodiscard]] bool any() const {
    return std::any_of(windows.begin(), windows.end(), [](const auto& of) { return !of.empty(); });
  }
};

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "raw/losses.hpp"
#include "raw/names.hpp"
#include "raw/process.hpp"
#include "raw/run.hpp"

namespace pathline::raw {

/// Gives each process its clock and its offsets to the time of the whole run, so that the times of
/// all can be compared, and notes where they cannot. doc/raw-format.md says how.
///
/// processes  by world and rank, at least one.
Clocks join_clocks(std::vector<Process>& processes, const std::vector<World>& worlds,
                   Findings& findings);

}  // namespace pathline::raw

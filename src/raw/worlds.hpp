// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "raw/losses.hpp"
#include "raw/names.hpp"
#include "raw/process.hpp"

namespace pathline::raw {

/// The ranks of a run.
struct Ranks {
  std::vector<World> worlds;  ///< In the order in which they began.
  uint32_t rank_count = 0;    ///< Of all worlds.
  std::string refused;        ///< Why the last file that is not of any rank is none; "" if all are.
};

/// Sorts the processes by world and rank, numbers them through, and drops those that state a rank
/// that cannot be, or that another file has.
Ranks number_ranks(std::vector<Process>& processes, Findings& findings);

}  // namespace pathline::raw

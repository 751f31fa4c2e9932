// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/definitions.hpp"

namespace pathline::figure {

/// What makes others wait in a run, to be marked in a timeline.
struct Cause {
  std::string name;                 ///< "1 slow_rank"
  std::string remark;               ///< "20.9 %, rank 5"
  std::vector<uint32_t> ranks;      ///< Ascending; empty: whoever is on the critical path.
  std::vector<trace::Region> path;  ///< Call path, the outermost first; empty: outside of all.
  uint64_t begin_ticks;             ///< Where to look.
  uint64_t end_ticks;
};

/// The first counts most.
using Causes = std::vector<Cause>;

}  // namespace pathline::figure

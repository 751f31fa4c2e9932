// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace pathline::figure {

/// A stretch of the critical path of a run, on one location.
struct CriticalStretch {
  uint32_t location;
  uint64_t begin_ticks;
  uint64_t end_ticks;
};

/// In the order of time, without holes.
using CriticalPath = std::vector<CriticalStretch>;

}  // namespace pathline::figure

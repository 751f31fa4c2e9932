// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::trace {

// Metrics of the thread that called MPI_Init, which our recorder reads now and then: sums since the
// thread began, the first in nanoseconds. Also sched_yield() makes involuntary switches.
inline constexpr const char* kCpuTime = "CPU time";
inline constexpr const char* kInvoluntarySwitches = "involuntary context switches";
inline constexpr const char* kVoluntarySwitches = "voluntary context switches";

}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "record/process.hpp"

// CPU time and context switches of the thread that called MPI_Init, which tell work from waiting
// for a core. Read at the end of MPI_Init and the begin of MPI_Finalize, and between them where a
// time step or a call of MPI begins and the last reading is some time ago: two system calls, about
// a microsecond. Where it is not, that is a comparison. At the begin, as what a call waits for
// would otherwise mix with the work before it.

namespace pathline::record {

// How long ago at least.
constexpr uint64_t kStepsBetweenReadingsNs = 1'000'000;
constexpr uint64_t kCallsBetweenReadingsNs = 5'000'000;

/// The first reading; without it there are no others. The thread's stream must be ready.
PATHLINE_EXPORT void start_cpu_time();
/// Nothing on other threads, and while events are not recorded.
PATHLINE_EXPORT void write_cpu_time(uint64_t ticks);

/// When a time step begins.
void read_cpu_time_at_step(uint64_t ticks);
/// When a call of MPI begins.
inline void read_cpu_time_at_call(uint64_t ticks) {
  if (ticks >= thread.next_cpu_reading) [[unlikely]]
    write_cpu_time(ticks);
}

}  // namespace pathline::record

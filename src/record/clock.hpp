// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>

#include "chunk/format.hpp"

namespace pathline::record {

inline uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

/// The processor's counter. No fence: an error of some ten nanoseconds is less than any message
/// takes, and a fence costs as much as reading it.
inline uint64_t counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return clock_ns(CLOCK_MONOTONIC_RAW);
#endif
}

/// The counter and CLOCK_MONOTONIC at one moment: the narrowest of some tries, since the process
/// may be interrupted anywhere. returns  how wrong it can be, in ns.
uint64_t read_pair(bool use_counter, uint64_t& ticks, uint64_t& ns);

/// What now() reads, settled once before the first event.
struct Clock {
  bool use_counter;
  chunk::ClockSource source;
  uint64_t ticks_per_second;  ///< Roughly; ClockPair records tell exactly. 0: not yet known.
  uint64_t first_ticks;       ///< When it was chosen, for the pace.
  uint64_t first_ns;
};

/// The counter where the processor promises that it never stops or changes its pace and the kernel
/// believes that, CLOCK_MONOTONIC_RAW otherwise or with `wanted` = "monotonic". Reads files of
/// /proc and /sys.
Clock choose_clock(const char* wanted);

/// Works out ticks_per_second from the time that went by since choose_clock().
void settle_pace(Clock& clock);

}  // namespace pathline::record

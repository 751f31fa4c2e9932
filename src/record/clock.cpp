// SPDX-License-Identifier: BSD-3-Clause
#include "record/clock.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pathline::record {
namespace {

bool file_holds(const char* path, const char* word) {
  const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  if (fd < 0) return false;
  char text[4096];
  const auto size = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (size <= 0) return false;
  text[size] = '\0';
  return std::strstr(text, word) != nullptr;
}

bool counter_is_trusted() {
#if defined(__x86_64__)
  return file_holds("/proc/cpuinfo", " constant_tsc") &&
         file_holds("/proc/cpuinfo", "nonstop_tsc") &&
         file_holds("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

uint64_t read_pair(bool use_counter, uint64_t& ticks, uint64_t& ns) {
  uint64_t narrowest = UINT64_MAX;
  for (int tries = 0; tries < 8; ++tries) {
    // The counter in the middle: what the other clock costs falls on both sides of it.
    const uint64_t before = clock_ns(CLOCK_MONOTONIC);
    const uint64_t middle = use_counter ? counter() : clock_ns(CLOCK_MONOTONIC_RAW);
    const uint64_t after = clock_ns(CLOCK_MONOTONIC);
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    ticks = middle;
    ns = before + narrowest / 2;
  }
  return narrowest / 2 + 1;
}

Clock choose_clock(const char* wanted) {
  const bool asked = std::strcmp(wanted, "tsc") == 0;
  if (asked || (std::strcmp(wanted, "monotonic") != 0 && counter_is_trusted())) {
    Clock clock{true, chunk::ClockSource::kTsc, 0, 0, 0};
    read_pair(true, clock.first_ticks, clock.first_ns);
    return clock;
  }
  return {false, chunk::ClockSource::kMonotonicRaw, 1'000'000'000, 0, 0};
}

void settle_pace(Clock& clock) {
  if (!clock.use_counter) return;
#if defined(__aarch64__)
  asm("mrs %0, cntfrq_el0" : "=r"(clock.ticks_per_second));
#else
  uint64_t ticks = 0;
  uint64_t ns = 0;
  read_pair(true, ticks, ns);
  if (ns > clock.first_ns) {
    clock.ticks_per_second = static_cast<uint64_t>(static_cast<double>(ticks - clock.first_ticks) *
                                                   1e9 / static_cast<double>(ns - clock.first_ns));
  }
  if (clock.ticks_per_second == 0) clock.ticks_per_second = 1'000'000'000;
#endif
}

}  // namespace pathline::record

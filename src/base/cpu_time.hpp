// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <utility>

namespace pathline::base {

/// CPU time of all threads of the process so far.
inline double cpu_time_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// CPU time from one lap to the next.
class CpuStopwatch {
 public:
  double lap_ms() {
    const double now = cpu_time_ms();
    return now - std::exchange(since_ms_, now);
  }

 private:
  double since_ms_ = cpu_time_ms();
};

}  // namespace pathline::base

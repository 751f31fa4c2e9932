// SPDX-License-Identifier: BSD-3-Clause
#include "record/cpu_time.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pathline::record {
namespace {

constexpr uint64_t kSet = 1;  // Hardware counters are 0.
constexpr unsigned kCount = 3;
constexpr const char* kNames = "CPU time,involuntary context switches,voluntary context switches";

// Of one thread, as steps are.
uint64_t last_reading = 0;
uint64_t step_pause = 0;
uint64_t call_pause = 0;

uint64_t ticks_of(uint64_t ns) { return process.clock.ticks_per_second / 1'000'000 * ns / 1'000; }

}  // namespace

void start_cpu_time() {
  if (!process.settings.trace) return;
  define_text(RecordKind::kMetricSet, &kSet, 1, kNames);
  step_pause = ticks_of(kStepsBetweenReadingsNs);
  call_pause = ticks_of(kCallsBetweenReadingsNs);
  thread.reads_cpu_time = true;
  write_cpu_time(now());
}

void write_cpu_time(uint64_t ticks) {
  if (!thread.reads_cpu_time) {
    thread.next_cpu_reading = UINT64_MAX;
    return;
  }
  last_reading = ticks;
  thread.next_cpu_reading = ticks + call_pause;
  if ((wants() & kEvents) == 0) return;
  // The kernel brings the clock up to now, what getrusage() says is as old as its last tick.
  const uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  rusage used{};
  if (syscall(SYS_getrusage, RUSAGE_THREAD, &used) != 0) return;
  if (thread.polls.count != 0) write_polls();
  uint8_t* at = thread.stream.begin(RecordKind::kMetric, ticks);
  if (at == nullptr) return;
  at = base::put_varint(at, kSet);
  at = base::put_varint(at, kCount);
  at = base::put_varint(at, cpu_ns);
  at = base::put_varint(at, static_cast<uint64_t>(used.ru_nivcsw));
  at = base::put_varint(at, static_cast<uint64_t>(used.ru_nvcsw));
  thread.stream.commit(at);
}

void read_cpu_time_at_step(uint64_t ticks) {
  if (thread.reads_cpu_time && ticks - last_reading >= step_pause) write_cpu_time(ticks);
}

}  // namespace pathline::record

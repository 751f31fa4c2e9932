// SPDX-License-Identifier: BSD-3-Clause
//
// Hardware counters through perf_event: read at every enter and leave, one system call each.
#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

struct Counter {
  const char* name;
  uint32_t type;
  uint64_t config;
};
constexpr Counter kCounters[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}};

const Counter* wanted[kMaxCounters];

int open_counter(const Counter& counter, int group) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = counter.type;
  attributes.config = counter.config;
  attributes.exclude_kernel = counter.type == PERF_TYPE_HARDWARE ? 1 : 0;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
}

void close_group(uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) syscall(SYS_close, thread.other_counters[i - 1]);
  if (count > 0) syscall(SYS_close, thread.counters);
  thread.counters = -1;
}

/// All counters of this thread as one group. returns  false with errno, `failed` being the one that
/// is missing.
bool open_group(uint32_t count, const Counter*& failed) {
  for (uint32_t i = 0; i < count; ++i) {
    const int fd = open_counter(*wanted[i], i == 0 ? -1 : thread.counters);
    if (fd < 0) {
      const int error = errno;
      failed = wanted[i];
      close_group(i);
      errno = error;
      return false;
    }
    // The others stay open with the group: closing their descriptors would end them.
    (i == 0 ? thread.counters : thread.other_counters[i - 1]) = fd;
  }
  return true;
}

const char* reason_of(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this machine (often: a virtual one) does not have it";
    case EACCES:
    case EPERM: return "the kernel does not allow it (/proc/sys/kernel/perf_event_paranoid)";
    case ENOSYS: return "the kernel has no perf_event";
    case EMFILE:
    case ENFILE: return "too many files are open";
    default: return std::strerror(error);
  }
}

}  // namespace

void start_counters() {
  const char* text = process.settings.counters;
  if (text[0] == '\0') return;
  uint32_t count = 0;
  while (*text != '\0') {
    const size_t length = std::strcspn(text, ",");
    const Counter* found = nullptr;
    for (const Counter& counter : kCounters) {
      if (std::strlen(counter.name) == length && std::strncmp(counter.name, text, length) == 0) {
        found = &counter;
      }
    }
    if (found == nullptr || count == kMaxCounters) {
      if (process.rank == 0) {
        say(found == nullptr ? "there is no counter '%.*s'; no counters are recorded"
                             : "'%.*s' is one counter too many; no counters are recorded",
            static_cast<int>(length), text);
      }
      return;
    }
    wanted[count++] = found;
    text += length + (text[length] == ',' ? 1 : 0);
  }
  const Counter* failed = nullptr;
  if (!open_group(count, failed)) {
    if (process.rank == 0) {
      say("no counters are recorded: '%s' is not there: %s", failed->name, reason_of(errno));
    }
    define_setting("counters_refused", failed->name);
    return;
  }
  process.counter_count = count;
  constexpr uint64_t kSet = 0;
  define_text(RecordKind::kMetricSet, &kSet, 1, process.settings.counters);
}

void start_thread_counters() {
  const Counter* failed = nullptr;
  std::memcpy(thread.counted.before, thread.counted.last, sizeof thread.counted.before);
  open_group(process.counter_count, failed);
}

void end_thread_counters() {
  if (thread.counters >= 0) close_group(process.counter_count);
}

void write_counters(uint64_t ticks) {
  if (thread.counters < 0) return;
  struct {
    uint64_t count;
    uint64_t values[kMaxCounters];
  } group{};
  if (syscall(SYS_read, thread.counters, &group, sizeof group) <= 0) return;
  uint8_t* at = thread.stream.begin(RecordKind::kMetric, ticks);
  if (at == nullptr) return;
  at = base::put_varint(at, 0);  // The set.
  at = base::put_varint(at, group.count);
  for (uint64_t i = 0; i < group.count; ++i) {
    thread.counted.last[i] = thread.counted.before[i] + group.values[i];
    at = base::put_varint(at, thread.counted.last[i]);
  }
  thread.stream.commit(at);
}

}  // namespace pathline::record

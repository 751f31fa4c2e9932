// SPDX-License-Identifier: BSD-3-Clause
#include "record/process.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/region_filter.hpp"
#include "base/run_name.hpp"
#include "record/node.hpp"
#include "record/step_sums.hpp"
#include "record/trampolines.hpp"

namespace pathline::record {

constinit PATHLINE_OF_THREAD Thread thread{};
constinit Process process{};

namespace {

Mutex definitions_lock;
chunk::Stream definitions;
uint32_t next_region = 1;
uint32_t next_thread = 0;

// Streams whose threads ended, for the next ones.
Mutex threads_lock;
struct IdleStream {
  IdleStream* next;
  chunk::Stream stream;
  uint32_t number;
  ThreadProfile* profile;
  CounterValues counted;
};
IdleStream* idle_streams = nullptr;
pthread_key_t thread_end_key;
bool has_thread_end_key = false;

void end_thread(void* unused) {
  (void)unused;
  if (!thread.started || thread.failed || !process.started.load(std::memory_order_relaxed)) return;
  if (thread.polls.count != 0) write_polls();
  for (; thread.user_depth > 0; --thread.user_depth) {
    if (thread.user_depth > kMaxUserDepth) continue;
    const uint32_t open = thread.open[thread.user_depth - 1];
    if ((open & kRecorded) != 0) thread.stream.add(RecordKind::kLeave, now(), open & kRegionMask);
    if ((open & kProfiled) != 0) profile_leave(now());
  }
  // The calling context of a thread's end allows malloc: it is the C library that runs us.
  auto* idle = static_cast<IdleStream*>(std::malloc(sizeof(IdleStream)));
  end_thread_counters();
  thread.started = false;
  thread.failed = false;
  if (idle == nullptr) return;
  const Lock guard(threads_lock);
  *idle = {idle_streams, thread.stream, thread.number, thread.profile, thread.counted};
  idle_streams = idle;
  thread.profile = nullptr;
  thread.counted = {};
}

void forget_in_child() {
  process.following.store(false, std::memory_order_relaxed);
  process.wants.store(0, std::memory_order_relaxed);
  process.started.store(false, std::memory_order_relaxed);
  process.writer.abandon();
  thread.started = true;
  thread.failed = true;
}

/// Chunks small enough for a small limit: definitions and each thread take whole ones.
void fit_chunks(chunk::WriterOptions& options) {
  constexpr uint32_t kLeastChunk = 16U << 10U;
  const bool in_ring = options.buffering == chunk::Buffering::kRing;
  const uint64_t ring_bytes = process.settings.ring_bytes;
  while (options.chunk_bytes > kLeastChunk &&
         (8 * uint64_t{options.chunk_bytes} > options.max_bytes ||
          (in_ring && 4 * uint64_t{options.chunk_bytes} > ring_bytes))) {
    options.chunk_bytes /= 2;
  }
  if (!in_ring) return;
  // One thread's ring fits in any case.
  const uint64_t most = options.max_bytes / options.chunk_bytes;
  const uint64_t wanted = ring_bytes / options.chunk_bytes;
  const uint64_t fitting = most > 4 ? most - 2 : 2;
  options.ring_chunks = static_cast<uint32_t>(wanted < fitting ? wanted : fitting);
}

void name_of_program(char (&name)[256]) {
  if (process.settings.program[0] != '\0') {
    std::memcpy(name, process.settings.program, sizeof name);
    return;
  }
  program_name(name, sizeof name);
}

/// mkdir with all folders above. false with errno.
bool make_folders(const char* path) {
  char part[1024];
  const size_t length = std::strlen(path);
  if (length >= sizeof part) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t i = 1; i <= length; ++i) {
    if (path[i] != '/' && path[i] != '\0') continue;
    std::memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0755) != 0 && errno != EEXIST) return false;
  }
  return true;
}

/// The wish for a name, filled in. Rank 0 makes the one run directory, so that %r is 0.
void fill_in(const char* pattern, char* out, size_t size) {
  size_t used = 0;
  base::fill_in_run_name(pattern, "0", [&](std::string_view piece) {
    for (const char letter : piece) {
      if (used + 1 < size) out[used++] = letter;
    }
  });
  out[used] = '\0';
}

/// What is wanted from now on: outside the recorded steps calls are counted, so that totals stay
/// right.
void want(bool paused) {
  const Settings& s = process.settings;
  uint32_t wanted = 0;
  if (s.trace && !paused) wanted |= kEvents;
  if (s.profile || (s.has_steps && paused)) wanted |= kProfile;
  process.wants.store(wanted, std::memory_order_release);
}

// The filter, read once by start().
base::RegionFilter* filter = nullptr;

void read_filter() {
  const char* path = process.settings.filter;
  if (path[0] == '\0') return;
  const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  const auto size = fd < 0 ? -1 : syscall(SYS_lseek, fd, 0, SEEK_END);
  void* text = size <= 0 ? MAP_FAILED
                         : mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0) syscall(SYS_close, fd);
  if (text == MAP_FAILED) {
    if (process.rank == 0)
      say("the filter %s cannot be read (%s); everything is recorded", path, std::strerror(errno));
    return;
  }
  static base::RegionFilter rules;
  base::FilterError error;
  if (rules.parse({static_cast<const char*>(text), static_cast<size_t>(size)}, error)) {
    filter = &rules;
  } else if (process.rank == 0) {
    say("the filter %s is not used: line %u: %s", path, error.line, error.text);
  }
  munmap(text, static_cast<size_t>(size));
}

}  // namespace

void say(const char* format, ...) {
  char text[1200] = "pathline: ";
  constexpr size_t kPrefix = 10;
  va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(text + kPrefix, sizeof text - kPrefix - 1, format, arguments);
  va_end(arguments);
  if (size < 0) return;
  size_t length = kPrefix + static_cast<size_t>(size);
  if (length > sizeof text - 2) length = sizeof text - 2;
  text[length++] = '\n';
  (void)syscall(SYS_write, STDERR_FILENO, text, length);
}

bool start_thread(uint64_t ticks) {
  const OwnEnvironment environment;
  thread.started = true;
  thread.failed = true;
  if (!process.started.load(std::memory_order_acquire)) {
    thread.started = false;  // There may be a file later.
    return false;
  }
  {
    const Lock guard(threads_lock);
    if (IdleStream* idle = idle_streams; idle != nullptr) {
      idle_streams = idle->next;
      thread.stream = idle->stream;
      thread.number = idle->number;
      thread.profile = idle->profile;
      if (thread.profile != nullptr) thread.profile->depth = 0;
      thread.counted = idle->counted;
      std::free(idle);
    } else {
      thread.number = next_thread++;
      thread.stream.start(&process.writer, thread.number);
      sum_stream(thread.stream);
      char name[32] = "Master thread";
      if (thread.number > 0) std::snprintf(name, sizeof name, "Thread %u", thread.number);
      const uint64_t numbers[] = {thread.number};
      define_text(RecordKind::kStream, numbers, 1, name);
    }
  }
  (void)ticks;
  if (has_thread_end_key) pthread_setspecific(thread_end_key, &thread);
  if (process.counter_count != 0) start_thread_counters();
  thread.failed = false;
  return true;
}

void write_polls() {
  const Polls polls = thread.polls;
  thread.polls.count = 0;
  if (polls.quick && polls.count == 1) {
    thread.stream.add(RecordKind::kEnter, polls.first_ticks, polls.region);
    thread.stream.add(RecordKind::kLeave, polls.last_ticks, polls.region);
    return;
  }
  thread.stream.add(RecordKind::kPollsWithWork, polls.last_ticks, polls.region, polls.count,
                    polls.last_ticks - polls.first_ticks, polls.work_ticks);
}

uint32_t define_region(const char* name, uint32_t role_paradigm, const char* file, uint32_t line) {
  const Lock guard(definitions_lock);
  uint64_t file_id = 0;
  if (file != nullptr && *file != '\0') {
    file_id = next_region++;
    definitions.define_text(RecordKind::kFile, &file_id, 1, file, std::strlen(file));
  }
  const uint64_t numbers[] = {next_region, role_paradigm, line, file_id};
  if (!definitions.define_text(RecordKind::kRegion, numbers, 4, name, std::strlen(name))) return 0;
  sum_region(next_region, name, role_paradigm);
  return next_region++;
}

bool filtered(const char* name, const char* mangled, const char* file) {
  return filter != nullptr && filter->excludes(name, mangled, file);
}

// Without a file nothing has a name: `definitions` has no writer then.
bool define(RecordKind kind, const uint64_t* numbers, unsigned count) {
  const Lock guard(definitions_lock);
  return definitions.define(kind, numbers, count);
}
bool define_text(RecordKind kind, const uint64_t* numbers, unsigned count, const char* text) {
  const Lock guard(definitions_lock);
  return definitions.define_text(kind, numbers, count, text, std::strlen(text));
}
bool define_list(RecordKind kind, const uint64_t* numbers, unsigned count, const uint64_t* list,
                 size_t items) {
  const Lock guard(definitions_lock);
  return definitions.define_list(kind, numbers, count, list, items);
}
void define_setting(const char* key, const char* value) {
  if (value == nullptr) return;
  char text[1600];
  std::snprintf(text, sizeof text, "%s=%s", key, value);
  define_text(RecordKind::kSetting, nullptr, 0, text);
}
void define_clock_pair() {
  uint64_t numbers[3] = {};
  const uint64_t error = read_pair(process.clock.use_counter, numbers[0], numbers[1]);
  // A simulated clock may stand still between two of them, which then are one.
  static uint64_t last_ticks = UINT64_MAX;
  if (kIsSimulated && numbers[0] == last_ticks) return;
  last_ticks = numbers[0];
  numbers[2] = clock_ns(CLOCK_REALTIME);
  define(RecordKind::kClockPair, numbers, 3);
  if (error > process.clock_error_ns) process.clock_error_ns = error;
}

void prepare() {
  static bool prepared = false;
  if (prepared) return;
  prepared = true;
  const OwnEnvironment environment;
  process.settings = read_settings();
  process.clock = choose_clock(process.settings.clock);
}

void make_run_directory(char (&path)[1024]) {
  prepare();
  if (process.settings.run_directory[0] != '\0') {
    std::memcpy(path, process.settings.run_directory, sizeof path);
    return;
  }
  char wish[800];
  if (process.settings.output[0] != '\0') {
    fill_in(process.settings.output, wish, sizeof wish);
  } else {
    char program[256];
    name_of_program(program);
    const time_t seconds = time(nullptr);
    tm local{};
    localtime_r(&seconds, &local);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    std::snprintf(wish, sizeof wish, "pathline-%s-%s", program, stamp);
  }
  char absolute[1000];
  if (wish[0] == '/') {
    std::snprintf(absolute, sizeof absolute, "%s", wish);
  } else {
    char here[700] = "";
    if (getcwd(here, sizeof here) == nullptr) here[0] = '\0';
    std::snprintf(absolute, sizeof absolute, "%s/%.290s", here, wish);
  }
  // The folders above, then the last one, which nobody may have made before.
  if (char* slash = std::strrchr(absolute, '/'); slash != nullptr && slash != absolute) {
    *slash = '\0';
    make_folders(absolute);
    *slash = '/';
  }
  std::snprintf(path, sizeof path, "%s", absolute);
  for (int copy = 2; mkdir(path, 0755) != 0; ++copy) {
    if (errno != EEXIST || copy > 9999) {
      path[0] = '\0';
      return;
    }
    std::snprintf(path, sizeof path, "%s-%d", absolute, copy);
  }
}

bool start(const char* directory, uint32_t rank, uint32_t rank_count, uint32_t world,
           uint32_t thread_level, uint64_t began_ticks) {
  settle_pace(process.clock);
  process.rank = rank;
  process.rank_count = rank_count;
  std::strncpy(process.run_directory, directory, sizeof process.run_directory - 1);
  char path[1100];
  std::snprintf(path, sizeof path, "%s/raw", directory);
  if (!make_folders(path)) return false;

  chunk::Identity who{};
  who.rank = rank;
  who.rank_count = rank_count;
  who.world = world;
  who.process_id = static_cast<uint32_t>(getpid());
  who.clock = process.clock.source;
  who.thread_level = thread_level;
  who.ticks_per_second = process.clock.ticks_per_second;
  node_name(rank, who.host, sizeof who.host);
  program_file(who.program, sizeof who.program);

  chunk::WriterOptions options;
  options.path = path;
  options.buffering = process.settings.buffering;
  options.max_bytes = process.settings.max_bytes;
  options.now = now;
  // A thousand simulated ranks share the memory of one machine.
  if (kIsSimulated) options.chunk_bytes = 64U << 10U;
  fit_chunks(options);
  // A second world in the same directory (spawned programs) brings ranks that are there already.
  std::snprintf(path, sizeof path, "%s/raw/%u.raw", directory, rank);
  bool open = process.writer.open(options, who);
  if (!open && errno == EEXIST) {
    process.shares_number = true;
    std::snprintf(path, sizeof path, "%s/raw/%u-%u.raw", directory, rank, world);
    open = process.writer.open(options, who);
  }
  if (!open) return false;

  start_sums();
  definitions.start(&process.writer, chunk::kDefinitionStream);
  define_clock_pair();
  define_settings();
  read_filter();
  if (!kIsSimulated) {
    has_thread_end_key = pthread_key_create(&thread_end_key, end_thread) == 0;
    pthread_atfork(nullptr, nullptr, forget_in_child);
  }
  process.started.store(true, std::memory_order_release);
  start_thread(began_ticks);
  start_counters();
  want(false);
  return true;
}

void complete() {
  if (!process.started.load(std::memory_order_acquire)) return;
  const OwnEnvironment environment;
  if (thread.started && !thread.failed && thread.polls.count != 0) write_polls();
  write_profiles();
  define_clock_pair();
  process.writer.complete();
}

void pause(bool off, Pause who) {
  if (!process.started.load(std::memory_order_acquire)) return;
  const uint32_t before = off ? process.paused.fetch_or(who) : process.paused.fetch_and(~who);
  const uint32_t others = before & ~who;
  if (others != 0 || (before == who) == off) return;
  const uint64_t ticks = now();
  if (process.settings.trace && ready(ticks)) emit(RecordKind::kRecording, ticks, off ? 0 : 1);
  want(off);
}

namespace {

/// The clock is chosen when the library is loaded, so that its pace is known when MPI starts.
__attribute__((constructor)) void load() {
  const OwnEnvironment environment;
  prepare();
  look_at_start();
}

__attribute__((destructor)) void unload() {
  const OwnEnvironment environment;
  say_why_nothing();
  if (!process.started.load(std::memory_order_acquire)) return;
  complete();
}

}  // namespace
}  // namespace pathline::record

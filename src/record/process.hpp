// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "chunk/writer.hpp"
#include "record/clock.hpp"
#include "record/polls.hpp"
#include "record/settings.hpp"

// The recorder is a guest in a foreign program. libpathline.so holds what stands here and knows
// nothing of MPI; libpathline-<MPI>.so holds the wrappers and uses it. Nothing in either throws,
// aborts, handles signals, or prints more than a line at the start and one at the end.

// In a program for SimGrid's SMPI all of it is one object file, without exports; each rank has a
// copy of the program with all its variables, and one thread.
#ifdef PATHLINE_SMPI
#define PATHLINE_EXPORT
#define PATHLINE_OF_THREAD
#else
#define PATHLINE_EXPORT __attribute__((visibility("default")))
#define PATHLINE_OF_THREAD thread_local __attribute__((tls_model("initial-exec")))
#endif

namespace pathline::record {

using chunk::RecordKind;

#ifdef PATHLINE_SMPI
inline constexpr bool kIsSimulated = true;
#else
inline constexpr bool kIsSimulated = false;
#endif

/// A lock for the rare paths, without the C++ runtime.
class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};
class [[nodiscard]] Lock {
 public:
  explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

/// What is wanted of the calls now, bits.
enum Wants : uint32_t { kEvents = 1, kProfile = 2 };

/// Who has switched the recording off, bits.
enum Pause : uint32_t { kByProgram = 1, kBySteps = 2 };

/// Calls and exclusive time of a region on a thread, where calls are counted instead of recorded.
struct ProfileRow {
  uint64_t calls;
  uint64_t ticks;
};
constexpr uint32_t kMaxProfileRows = 1U << 16U;
constexpr unsigned kMaxProfileDepth = 256;
/// Of a thread; lives until the process ends.
struct ThreadProfile {
  ThreadProfile* next;
  uint32_t thread;
  unsigned depth;
  struct Open {
    uint32_t region;
    uint64_t begin_ticks;
    uint64_t inner_ticks;
  } open[kMaxProfileDepth];
  ProfileRow rows[kMaxProfileRows];  // Pages that nobody touches take no memory.
};

constexpr unsigned kMaxUserDepth = 1024;
constexpr uint32_t kRegionMask = (1U << 24U) - 1;
// In Thread::open, beside the region: its enter is written, or counted.
constexpr uint32_t kProfiled = 1U << 30U;
constexpr uint32_t kRecorded = 1U << 27U;
constexpr unsigned kMaxCounters = 6;
constexpr unsigned kNameCacheSize = 64;

/// Counters begin with their thread, values of a stream go on from one thread to the next.
struct CounterValues {
  uint64_t last[kMaxCounters];
  uint64_t before[kMaxCounters];
};

/// The outermost call that a thread is in, of MPI or of the recorder.
struct OpenCall {
  const void* frame = nullptr;               ///< Where its caller's stack ends.
  const volatile uint64_t* alive = nullptr;  ///< On the stack: holds kAlive until it is over.
  uint32_t region = 0;                       ///< That was entered, 0 if none was.
  bool profiled = false;                     ///< It was counted, too.
  uint32_t inner_calls = 0;                  ///< Calls inside of calls so far, of this thread.

  void begin(const void* callers_end, const volatile uint64_t* lives) {
    frame = callers_end;
    alive = lives;
    region = 0;
    profiled = false;
  }
};
constexpr uint64_t kAlive = 0x706c2d616c697665;

/// What belongs to a thread. Thread exit hands its stream, and so its location, to the next thread
/// that begins: programs that start threads all the time get as many locations as run at once.
struct Thread {
  chunk::Stream stream;
  /// > 0: inside MPI, or inside the recorder. What is called then is not the program's.
  uint32_t inside = 0;
  uint32_t number = 0;
  OpenCall call;
  const void* caller = nullptr;  ///< Of the routine of Fortran that calls our wrapper for C.
  Polls polls;
  bool started = false;
  bool failed = false;  ///< No stream could be had.
  uint32_t user_depth = 0;
  ThreadProfile* profile = nullptr;
  int counters = -1;  ///< Descriptor of the first hardware counter, through which all are read.
  int other_counters[kMaxCounters - 1];
  uint64_t next_cpu_reading = 0;  ///< Time of the next one; see cpu_time.hpp.
  bool reads_cpu_time = false;    ///< This is the thread that does.
  CounterValues counted;          ///< What this stream has counted, and had before this thread.
  char wanted[64];                ///< Name given to pathline_region_next, "" for none.
  uint32_t open[kMaxUserDepth];
  struct CachedName {
    const char* name;
    uint32_t region;
    char text[36];
  } names[kNameCacheSize];
};
extern PATHLINE_EXPORT constinit PATHLINE_OF_THREAD Thread thread;

/// What belongs to the process; zero until MPI has started.
struct Process {
  std::atomic<uint32_t> wants{0};    ///< See Wants.
  std::atomic<bool> started{false};  ///< There is a raw file; stays true until the process ends.
  /// Communicators and requests are followed, as other ranks count on this one: also without a
  /// file.
  std::atomic<bool> following{false};
  std::atomic<uint32_t> paused{0};  ///< See Pause.
  Clock clock{};
  Settings settings{};
  chunk::Writer writer{};
  char run_directory[1024]{};
  uint32_t rank = UINT32_MAX;
  uint32_t rank_count = 0;
  uint64_t clock_error_ns = 0;  ///< Of the worst ClockPair so far.
  uint32_t counter_count = 0;   ///< Of hardware counters that each thread reads.
  bool shares_number = false;   ///< With a rank of another MPI_COMM_WORLD that was first.
  uint64_t step_count = 0;      ///< Time steps so far, recorded or not.
  int64_t open_step = 0;        ///< Number of the last one.
};
extern PATHLINE_EXPORT Process process;

#ifdef PATHLINE_SMPI
uint64_t now();
#else
[[gnu::noinline, gnu::cold]] inline uint64_t now_without_counter() {
  return clock_ns(CLOCK_MONOTONIC_RAW);
}
inline uint64_t now() { return process.clock.use_counter ? counter() : now_without_counter(); }
#endif

/// An error handler may leave MPI by longjmp() or an exception, and us with it. Is that what
/// happened to the call that this thread seems to be in? Then it ends now, and the thread is
/// outside again.
///
/// frame    of the function that asks
/// certain  look at the stack in any case, instead of now and then
/// cost     a comparison as a rule; at times a walk up the stack, some microseconds
PATHLINE_EXPORT bool was_left(const void* frame, bool certain = false);

/// Whether what is called now is the program's: it is not inside MPI or the recorder.
inline bool is_outside() { return thread.inside == 0 || was_left(__builtin_dwarf_cfa()); }

/// Calls that MPI or the recorder make while one of these lives are nobody's.
class Inside {
 public:
  [[gnu::always_inline]] Inside() : before_(thread.inside) {
    ++thread.inside;
    if (before_ != 0) return;
    thread.call.begin(__builtin_dwarf_cfa(), &alive_);
  }
  ~Inside() {
    thread.inside = before_;
    alive_ = 0;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  volatile uint64_t alive_ = kAlive;
  const uint32_t before_;
};

/// FNV-1a of a text, or of what was hashed before and this behind it.
inline uint64_t hash_of(const char* text, uint64_t hash = 1469598103934665603ULL) {
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<uint8_t>(*text)) * 1099511628211ULL;
  return hash;
}

/// errno stays what it was.
class KeepErrno {
 public:
  KeepErrno() : errno_(errno) {}
  ~KeepErrno() { errno = errno_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int errno_;
};

/// What the program has set for its own thread is not ours to use, nor to change: errno, the
/// floating-point environment (traps, rounding, flags), the locale. Lives around whatever is more
/// than storing a record: hwloc and libxml2 compute, the C library prints.
class PATHLINE_EXPORT OwnEnvironment {
 public:
  OwnEnvironment();
  ~OwnEnvironment();
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;

 private:
  KeepErrno keep_errno_;
  fenv_t floating_;
  locale_t locale_;
};

/// Gives this thread a stream, whose first record may be as early as `ticks`.
PATHLINE_EXPORT bool start_thread(uint64_t ticks);

/// Makes this thread's stream ready; false if nothing of it can be recorded.
inline bool ready(uint64_t ticks) { return thread.started ? !thread.failed : start_thread(ticks); }

PATHLINE_EXPORT void write_polls();

/// Values of the hardware counters; a system call.
PATHLINE_EXPORT void write_counters(uint64_t ticks);
/// Reads PATHLINE_COUNTERS; says so if the machine has not what it asks for.
void start_counters();
void start_thread_counters();
void end_thread_counters();

PATHLINE_EXPORT void profile_enter(uint32_t region, uint64_t ticks);
PATHLINE_EXPORT void profile_leave(uint64_t ticks);
/// Writes what was counted so far, and counts from 0 again.
void write_profiles();

inline uint32_t wants() { return process.wants.load(std::memory_order_relaxed); }

// Events of this thread, which must be ready().
template <class... Numbers>
void emit(RecordKind kind, uint64_t ticks, Numbers... numbers) {
  if (thread.polls.count != 0) [[unlikely]]
    write_polls();
  thread.stream.add(kind, ticks, numbers...);
}
inline void emit_enter(uint64_t ticks, uint32_t region) {
  if (process.counter_count != 0) [[unlikely]]
    write_counters(ticks);
  emit(RecordKind::kEnter, ticks, region);
}
inline void emit_leave(uint64_t ticks, uint32_t region) {
  if (process.counter_count != 0) [[unlikely]]
    write_counters(ticks);
  thread.stream.add(RecordKind::kLeave, ticks, region);
}

// Definitions; may be called by any thread, take a lock and write a record. Ids count from 1; 0
// says that it could not be defined, or that the filter excludes it.
constexpr uint32_t role_and_paradigm(uint32_t role, uint32_t paradigm) {
  return role | paradigm << 8U;
}
PATHLINE_EXPORT uint32_t define_region(const char* name, uint32_t role_paradigm, const char* file,
                                       uint32_t line);
/// Does the filter file leave this region out?
bool filtered(const char* name, const char* mangled, const char* file);
PATHLINE_EXPORT bool define(RecordKind kind, const uint64_t* numbers, unsigned count);
PATHLINE_EXPORT bool define_text(RecordKind kind, const uint64_t* numbers, unsigned count,
                                 const char* text);
PATHLINE_EXPORT bool define_list(RecordKind kind, const uint64_t* numbers, unsigned count,
                                 const uint64_t* list, size_t items);
PATHLINE_EXPORT void define_setting(const char* key, const char* value);
/// All settings that hold for this process, and where it may run.
void define_settings();
/// A pair of times that joins the clock of the events to the system's clocks.
PATHLINE_EXPORT void define_clock_pair();

/// Reads the environment and the clock, once; nothing is written yet.
PATHLINE_EXPORT void prepare();

/// Rank 0 picks and makes the run directory: `path` receives it, "" with errno if that failed.
PATHLINE_EXPORT void make_run_directory(char (&path)[1024]);

/// Begins to record. `directory` has been made by rank 0 and may be invisible here (no shared file
/// system): it is made then. began_ticks  of the first event.
/// returns  whether the process is recorded.
PATHLINE_EXPORT bool start(const char* directory, uint32_t rank, uint32_t rank_count,
                           uint32_t world, uint32_t thread_level, uint64_t began_ticks);

/// The program has called MPI_Finalize: everything is complete, though more may follow.
PATHLINE_EXPORT void complete();

/// Recording on or off for the whole process; on when nobody wants it off.
PATHLINE_EXPORT void pause(bool off, Pause who);
PATHLINE_EXPORT void step(int64_t number, double time_s);

/// The function of that name that the program would call without the recorder, if it is another
/// tool's: one that was preloaded or linked behind us. Else `own`, the MPI library's.
PATHLINE_EXPORT void* behind_us(const char* name, void* own);

/// One line on standard error, "pathline: ...", by a raw system call.
PATHLINE_EXPORT __attribute__((format(printf, 1, 2))) void say(const char* format, ...);

}  // namespace pathline::record

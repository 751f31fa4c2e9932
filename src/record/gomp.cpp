// SPDX-License-Identifier: BSD-3-Clause
//
// OpenMP of programs compiled by GCC. Its runtime, libgomp, has no interface for tools, so the
// functions that the compiler makes a program call stand here in front of it. Each calls the one
// behind it with the same arguments, whether something is recorded or not. Fast path: a look into
// the table of places, and records. GOMP_parallel_reductions is left alone: it looks into the data
// of the outlined function.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "record/openmp.hpp"

namespace pathline::record {
namespace {

/// The path of a library of OpenMP that is loaded.
struct LoadedRuntime {
  char path[1024];
};
bool is_gomp(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return std::strncmp(slash == nullptr ? path : slash + 1, "libgomp", 7) == 0;
}
int find_runtime(dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  if (!is_gomp(info->dlpi_name)) return 0;
  std::strncpy(static_cast<LoadedRuntime*>(found)->path, info->dlpi_name, 1023);
  return 1;
}

void* symbol_in(const char* path, const char* name) {
  // Stays open: its functions are in our table.
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

/// What a call of `name` from `caller` would reach without us. A library that the program has
/// opened brings its own runtime, and there may be several of them.
void* function_behind(const char* name, const void* caller) {
  const OwnEnvironment environment;
  const Inside inside;
  if (void* next = dlsym(RTLD_NEXT, name); next != nullptr) return next;
  Dl_info module{};
  if (dladdr(caller, &module) != 0) {
    Dl_info there{};
    Dl_info here{};
    void* found = symbol_in(module.dli_fname, name);
    const bool is_ours = found != nullptr && dladdr(found, &there) != 0 &&
                         dladdr(reinterpret_cast<const void*>(&symbol_in), &here) != 0 &&
                         there.dli_fbase == here.dli_fbase;
    if (found != nullptr && !is_ours) return found;
  }
  LoadedRuntime runtime{};
  dl_iterate_phdr(find_runtime, &runtime);
  if (runtime.path[0] != '\0') {
    if (void* found = symbol_in(runtime.path, name); found != nullptr) return found;
  }
  say("the program calls %s, which no library of OpenMP here has", name);
  _Exit(127);  // Without us the loader would have ended it.
}

[[gnu::noinline, gnu::cold]] void* resolve(OmpSite* site, const char* name, const void* caller) {
  void* target = function_behind(name, caller);
  if (site == nullptr) return target;
  Dl_info there{};
  site->is_gomp.store(dladdr(target, &there) != 0 && is_gomp(there.dli_fname),
                      std::memory_order_relaxed);
  site->target.store(target, std::memory_order_release);
  return target;
}

// From the linker: where in_team() begins and ends.
extern "C" const char __start_pathline_in_team[] __attribute__((visibility("hidden")));
extern "C" const char __stop_pathline_in_team[] __attribute__((visibility("hidden")));

/// A call at the end of an outlined function is a jump, which returns to in_team(): it counts as
/// one from the beginning of that function.
inline const void* caller_in_program(const void* caller) {
  const auto* at = static_cast<const char*>(caller);
  const bool is_ours = at >= __start_pathline_in_team && at < __stop_pathline_in_team;
  const auto* code = static_cast<const char*>(omp_thread.code);
  return is_ours && code != nullptr ? code + 1 : caller;
}

/// One call of the program.
struct GompCall {
  [[gnu::always_inline]] GompCall(Construct construct, const char* name, const void* from)
      : caller(caller_in_program(from)), site(omp_site(construct, caller)) {
    target = site == nullptr ? nullptr : site->target.load(std::memory_order_acquire);
    if (target == nullptr) [[unlikely]]
      target = resolve(site, name, caller);
  }
  /// Is it recorded? code  that names the place
  [[nodiscard]] bool wanted(Construct construct, const void* code) const {
    return site != nullptr && site->is_gomp.load(std::memory_order_relaxed) && wants_openmp() &&
           is_wanted(*site, construct, code);
  }
  const void* caller;
  OmpSite* site;
  void* target;
};

using Outlined = void (*)(void*);

/// On the stack of the thread that makes the team, which leaves when all others are done with it.
struct Team {
  Outlined function;
  void* data;
  OmpSite* site;
  uint64_t number;
  uint32_t region;
  const OmpThread* maker;
};

/// What each thread of a team does instead of the outlined function.
__attribute__((noinline, section("pathline_in_team"))) void in_team(void* data) {
  const Team team = *static_cast<const Team*>(data);
  const OmpThread before = omp_thread;
  const uint64_t ticks = now();
  const bool recorded = process.started.load(std::memory_order_relaxed) && ready(ticks);
  if (recorded) emit_team(RecordKind::kOmpBegin, ticks, team.number, team.region);
  omp_thread = {recorded ? team.site : nullptr, reinterpret_cast<const void*>(team.function),
                __builtin_frame_address(0), team.maker == &omp_thread};
  team.function(team.data);
  omp_thread = before;
  if (recorded) emit_end(RecordKind::kOmpEnd, team.site->inner_region);
}

/// The thread seems to be in a team whose part of the stack is gone: longjmp() has left it.
void end_left_team(const void* frame) {
  if (omp_thread.team == nullptr || omp_thread.frame > frame) return;
  if (omp_thread.is_first) emit_end(RecordKind::kOmpJoin);
  omp_thread = {};
}

/// call  of the function behind, with what the team is to do
template <class Behind>
[[gnu::always_inline]] inline void run_parallel(const GompCall& call, Outlined function, void* data,
                                                unsigned threads, Behind behind) {
  // The outlined function begins with the line of the construct, the call has any.
  if (!call.wanted(Construct::kParallel, reinterpret_cast<const void*>(function))) {
    behind(function, data);
    return;
  }
  end_left_team(__builtin_frame_address(0));
  const uint64_t ticks = now();
  if (!ready(ticks)) {
    behind(function, data);
    return;
  }
  Team team{function, data, call.site, next_team(), call.site->region.load(), &omp_thread};
  emit(RecordKind::kOmpFork, ticks, team.number, threads);
  behind(&in_team, &team);
  emit_end(RecordKind::kOmpJoin);
}

/// A barrier, explicit or at the end of a loop.
template <class Behind>
[[gnu::always_inline]] inline auto run_barrier(const GompCall& call, Construct construct,
                                               Behind behind) {
  const bool recorded = omp_thread.team != nullptr &&
                        call.wanted(construct, call_before(call.caller)) && thread.started &&
                        !thread.failed;
  const uint32_t region = recorded ? call.site->region.load(std::memory_order_relaxed) : 0;
  if (recorded) emit_enter(now(), region);
  struct Leave {
    uint32_t region;
    ~Leave() {
      if (region == 0 || !process.started.load(std::memory_order_relaxed)) return;
      emit_leave(now(), region);
    }
  } const leave{region};
  return behind();
}

// Critical regions that this thread is in; a region of one name may hold another of another.
constexpr unsigned kMaxCritical = 8;
struct OpenCritical {
  unsigned depth;
  OmpSite* sites[kMaxCritical];
};
constinit PATHLINE_OF_THREAD OpenCritical critical{};

template <class Behind>
[[gnu::always_inline]] inline void enter_critical(const GompCall& call, Behind behind) {
  const bool recorded = omp_thread.team != nullptr &&
                        call.wanted(Construct::kCritical, call_before(call.caller)) &&
                        thread.started && !thread.failed && critical.depth < kMaxCritical;
  if (recorded) emit_enter(now(), call.site->region.load(std::memory_order_relaxed));
  behind();
  if (critical.depth < kMaxCritical)
    critical.sites[critical.depth] = recorded ? call.site : nullptr;
  ++critical.depth;
  if (recorded && call.site->inner_region != 0) emit_enter(now(), call.site->inner_region);
}
void leave_critical() {
  if (critical.depth == 0 || --critical.depth >= kMaxCritical) return;
  const OmpSite* site = critical.sites[critical.depth];
  if (site == nullptr || !process.started.load(std::memory_order_relaxed)) return;
  const uint64_t ticks = now();
  if (site->inner_region != 0) emit_leave(ticks, site->inner_region);
  emit_leave(ticks, site->region.load(std::memory_order_relaxed));
}

}  // namespace
}  // namespace pathline::record

// Tasks are not recorded, but known of: see RecordKind::kOmpTasks. Later versions of GCC give these
// functions more arguments, so what lies in registers and on the stack is handed on as it is.
#define PATHLINE_TASK_FUNCTION(name)                                                           \
  extern "C" __attribute__((visibility("hidden"))) void* pathline_##name(const void* caller) { \
    using namespace pathline::record;                                                          \
    const GompCall call(Construct::kTask, #name, caller);                                      \
    if (omp_thread.team != nullptr && wants_openmp()) note_tasks();                            \
    return call.target;                                                                        \
  }                                                                                            \
  asm(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name                \
      ":\n.cfi_startproc\nendbr64\n"                                                           \
      "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n"             \
      "push %rdx\n.cfi_adjust_cfa_offset 8\npush %rcx\n.cfi_adjust_cfa_offset 8\n"             \
      "push %r8\n.cfi_adjust_cfa_offset 8\npush %r9\n.cfi_adjust_cfa_offset 8\n"               \
      "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                               \
      "mov 56(%rsp), %rdi\ncall pathline_" #name                                               \
      "\nmov %rax, %r11\n"                                                                     \
      "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                              \
      "pop %r9\n.cfi_adjust_cfa_offset -8\npop %r8\n.cfi_adjust_cfa_offset -8\n"               \
      "pop %rcx\n.cfi_adjust_cfa_offset -8\npop %rdx\n.cfi_adjust_cfa_offset -8\n"             \
      "pop %rsi\n.cfi_adjust_cfa_offset -8\npop %rdi\n.cfi_adjust_cfa_offset -8\n"             \
      "jmp *%r11\n.cfi_endproc\n.size " #name ", . - " #name "\n");
PATHLINE_TASK_FUNCTION(GOMP_task)
PATHLINE_TASK_FUNCTION(GOMP_taskloop)
PATHLINE_TASK_FUNCTION(GOMP_taskloop_ull)

using namespace pathline::record;

extern "C" {

#define PATHLINE_GOMP(construct) \
  const GompCall call(Construct::construct, __func__, __builtin_return_address(0))
#define PATHLINE_BEHIND reinterpret_cast<Function*>(call.target)

PATHLINE_EXPORT void GOMP_parallel(Outlined function, void* data, unsigned threads,
                                   unsigned flags) {
  PATHLINE_GOMP(kParallel);
  using Function = void(Outlined, void*, unsigned, unsigned);
  run_parallel(call, function, data, threads,
               [&](Outlined f, void* d) { PATHLINE_BEHIND(f, d, threads, flags); });
}

PATHLINE_EXPORT void GOMP_parallel_sections(Outlined function, void* data, unsigned threads,
                                            unsigned count, unsigned flags) {
  PATHLINE_GOMP(kParallel);
  using Function = void(Outlined, void*, unsigned, unsigned, unsigned);
  run_parallel(call, function, data, threads,
               [&](Outlined f, void* d) { PATHLINE_BEHIND(f, d, threads, count, flags); });
}

#define PATHLINE_PARALLEL_LOOP(name)                                                               \
  PATHLINE_EXPORT void name(Outlined function, void* data, unsigned threads, long begin, long end, \
                            long step, long chunk, unsigned flags) {                               \
    PATHLINE_GOMP(kParallel);                                                                      \
    using Function = void(Outlined, void*, unsigned, long, long, long, long, unsigned);            \
    run_parallel(call, function, data, threads, [&](Outlined f, void* d) {                         \
      PATHLINE_BEHIND(f, d, threads, begin, end, step, chunk, flags);                              \
    });                                                                                            \
  }
PATHLINE_PARALLEL_LOOP(GOMP_parallel_loop_static)
PATHLINE_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PATHLINE_PARALLEL_LOOP(GOMP_parallel_loop_guided)
PATHLINE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PATHLINE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

// The schedule comes from the environment: without the size of a chunk.
#define PATHLINE_PARALLEL_RUNTIME_LOOP(name)                                                       \
  PATHLINE_EXPORT void name(Outlined function, void* data, unsigned threads, long begin, long end, \
                            long step, unsigned flags) {                                           \
    PATHLINE_GOMP(kParallel);                                                                      \
    using Function = void(Outlined, void*, unsigned, long, long, long, unsigned);                  \
    run_parallel(call, function, data, threads, [&](Outlined f, void* d) {                         \
      PATHLINE_BEHIND(f, d, threads, begin, end, step, flags);                                     \
    });                                                                                            \
  }
PATHLINE_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
PATHLINE_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PATHLINE_PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define PATHLINE_BARRIER(type, name, construct)                                        \
  PATHLINE_EXPORT type name() {                                                        \
    PATHLINE_GOMP(construct);                                                          \
    using Function = type();                                                           \
    return run_barrier(call, Construct::construct, [&] { return PATHLINE_BEHIND(); }); \
  }
// GCC calls it at the end of loops and single constructs, too.
PATHLINE_BARRIER(void, GOMP_barrier, kBarrier)
PATHLINE_BARRIER(bool, GOMP_barrier_cancel, kBarrier)
PATHLINE_BARRIER(void, GOMP_loop_end, kImplicitBarrier)
PATHLINE_BARRIER(bool, GOMP_loop_end_cancel, kImplicitBarrier)
PATHLINE_BARRIER(void, GOMP_sections_end, kImplicitBarrier)
PATHLINE_BARRIER(bool, GOMP_sections_end_cancel, kImplicitBarrier)

PATHLINE_EXPORT void GOMP_critical_start() {
  PATHLINE_GOMP(kCritical);
  using Function = void();
  enter_critical(call, [&] { PATHLINE_BEHIND(); });
}
PATHLINE_EXPORT void GOMP_critical_end() {
  PATHLINE_GOMP(kCritical);
  using Function = void();
  PATHLINE_BEHIND();
  leave_critical();
}
PATHLINE_EXPORT void GOMP_critical_name_start(void** lock) {
  PATHLINE_GOMP(kCritical);
  using Function = void(void**);
  enter_critical(call, [&] { PATHLINE_BEHIND(lock); });
}
PATHLINE_EXPORT void GOMP_critical_name_end(void** lock) {
  PATHLINE_GOMP(kCritical);
  using Function = void(void**);
  PATHLINE_BEHIND(lock);
  leave_critical();
}

}  // extern "C"

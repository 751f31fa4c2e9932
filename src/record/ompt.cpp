// SPDX-License-Identifier: BSD-3-Clause
//
// OpenMP of programs whose runtime is LLVM's or Intel's (clang, icx, AOCC). It asks for a tool by
// ompt_start_tool() and then calls back: OpenMP 5.0, chapter 4 ("OMPT"). Its types stand here as
// far as they are used, as compilers bring the header and not the C library.
//
// Threads but the first of a team learn of its end when the next team begins. So their part ends
// when they reach the barrier at the end of the region, as under libgomp.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "record/openmp.hpp"

namespace pathline::record {
namespace {

union Data {
  uint64_t value;
  void* pointer;
};
enum Endpoint : int { kBegin = 1, kEnd = 2 };
enum CallbackId : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kImplicitTask = 7,
  kMutexReleased = 17,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27
};
// Kinds of sync regions. Up to LLVM 14 all implicit barriers are of one kind.
enum SyncKind : int { kImplicit = 2, kExplicit = 3, kWorkshareEnd = 8, kParallelEndBarrier = 9 };
constexpr int kMutexCritical = 5;
constexpr int kInitialTask = 1;
constexpr int kExplicitTask = 4;
constexpr unsigned kTeamOfThreads = 0x80000000;

using Callback = void (*)();
using SetCallback = int (*)(int, Callback);
using Lookup = Callback (*)(const char*);
struct StartToolResult {
  int (*initialize)(Lookup, int, Data*);
  void (*finalize)(Data*);
  Data tool_data;
};

/// A team that this thread is in.
struct OpenTeam {
  OmpSite* site;  ///< nullptr: it is not recorded.
  uint64_t number;
  bool has_ended;  ///< kOmpEnd is written.
  OmpThread before;
};
constexpr unsigned kMaxTeams = 8;
constexpr unsigned kMaxBarriers = 8;
struct OmptThread {
  unsigned depth;  ///< Of teams, also of those that do not fit.
  OpenTeam teams[kMaxTeams];
  unsigned barrier_depth;
  uint32_t barriers[kMaxBarriers];
  unsigned critical_depth;
  OmpSite* criticals[kMaxBarriers];
};
constinit PATHLINE_OF_THREAD OmptThread ompt{};

// What a team hands to its threads: place and number in one word.
constexpr unsigned kSiteBits = 16;
static_assert(kOmpSlots < size_t{1} << kSiteBits);
uint64_t pack(const OmpSite* site, uint64_t number) {
  return number << kSiteBits | static_cast<uint64_t>(site - omp_sites + 1);
}
OmpSite* unpack(uint64_t value) {
  const uint64_t index = value & ((uint64_t{1} << kSiteBits) - 1);
  return index == 0 || index > kOmpSlots ? nullptr : omp_sites + index - 1;
}

OpenTeam* innermost() {
  return ompt.depth == 0 || ompt.depth > kMaxTeams ? nullptr : &ompt.teams[ompt.depth - 1];
}

/// The place of a construct that is recorded, nullptr for one that is not.
OmpSite* wanted_site(Construct construct, const void* caller) {
  if (!wants_openmp()) return nullptr;
  OmpSite* site = omp_site(construct, caller);
  return site != nullptr && is_wanted(*site, construct, call_before(caller)) ? site : nullptr;
}

void on_parallel_begin(Data* /*task*/, const void* /*frame*/, Data* parallel, unsigned threads,
                       int flags, const void* caller) {
  parallel->value = 0;
  if ((static_cast<unsigned>(flags) & kTeamOfThreads) == 0) return;
  OmpSite* site = wanted_site(Construct::kParallel, caller);
  const uint64_t ticks = now();
  if (site == nullptr || !ready(ticks)) return;
  const uint64_t number = next_team();
  parallel->value = pack(site, number);
  emit(RecordKind::kOmpFork, ticks, number, threads);
}

void on_parallel_end(Data* parallel, Data* /*task*/, int /*flags*/, const void* /*caller*/) {
  if (unpack(parallel->value) == nullptr) return;
  emit_end(RecordKind::kOmpJoin);
  parallel->value = 0;
}

/// What this thread does in its team is over, but for waiting.
void end_part(OpenTeam& team) {
  if (team.site == nullptr || team.has_ended) return;
  team.has_ended = true;
  omp_thread = team.before;
  emit_end(RecordKind::kOmpEnd, team.site->inner_region);
}

void on_implicit_task(int endpoint, Data* parallel, Data* /*task*/, unsigned /*threads*/,
                      unsigned /*index*/, int flags) {
  if ((flags & kInitialTask) != 0) return;
  if (endpoint != kBegin) {
    if (ompt.depth == 0) return;
    if (OpenTeam* team = innermost(); team != nullptr) end_part(*team);
    --ompt.depth;
    return;
  }
  ++ompt.depth;
  OpenTeam* team = innermost();
  if (team == nullptr) return;
  *team = {unpack(parallel == nullptr ? 0 : parallel->value), 0, false, omp_thread};
  omp_thread = {};
  if (team->site == nullptr) return;
  team->number = parallel->value >> kSiteBits;
  const uint64_t ticks = now();
  if (!process.started.load(std::memory_order_relaxed) || !ready(ticks)) {
    team->site = nullptr;
    return;
  }
  emit_team(RecordKind::kOmpBegin, ticks, team->number,
            team->site->region.load(std::memory_order_relaxed));
  omp_thread.team = team->site;
}

void on_sync_region(int kind, int endpoint, Data* /*parallel*/, Data* /*task*/,
                    const void* caller) {
  if (kind != kImplicit && kind != kExplicit && kind != kWorkshareEnd &&
      kind != kParallelEndBarrier) {
    return;
  }
  OpenTeam* team = innermost();
  if (endpoint == kBegin) {
    if (team == nullptr || team->site == nullptr || team->has_ended) return;
    // The barrier at the end is nobody's call, or that of the parallel region.
    const bool is_last = kind == kParallelEndBarrier ||
                         (kind == kImplicit &&
                          (caller == nullptr || team->site->key.load(std::memory_order_relaxed) ==
                                                    omp_key(Construct::kParallel, caller)));
    if (is_last) {
      end_part(*team);
      return;
    }
    const Construct construct =
        kind == kExplicit ? Construct::kBarrier : Construct::kImplicitBarrier;
    OmpSite* site = wanted_site(construct, caller);
    const uint32_t region = site == nullptr ? 0 : site->region.load(std::memory_order_relaxed);
    if (ompt.barrier_depth < kMaxBarriers) ompt.barriers[ompt.barrier_depth] = region;
    ++ompt.barrier_depth;
    if (region != 0 && ompt.barrier_depth <= kMaxBarriers) emit_enter(now(), region);
    return;
  }
  if (team == nullptr || team->site == nullptr || team->has_ended || ompt.barrier_depth == 0)
    return;
  if (--ompt.barrier_depth >= kMaxBarriers) return;
  const uint32_t region = ompt.barriers[ompt.barrier_depth];
  if (region == 0 || !process.started.load(std::memory_order_relaxed) || thread.failed) return;
  emit_leave(now(), region);
}

void on_task_create(Data* /*task*/, const void* /*frame*/, Data* /*made*/, int flags,
                    int /*dependences*/, const void* /*caller*/) {
  if ((flags & kExplicitTask) != 0 && omp_thread.team != nullptr && wants_openmp()) note_tasks();
}

void on_mutex_acquire(int kind, unsigned /*hint*/, unsigned /*implementation*/, uint64_t /*wait*/,
                      const void* caller) {
  if (kind != kMutexCritical) return;
  const bool fits = ompt.critical_depth < kMaxBarriers;
  OmpSite* site =
      fits && omp_thread.team != nullptr ? wanted_site(Construct::kCritical, caller) : nullptr;
  if (fits) ompt.criticals[ompt.critical_depth] = site;
  ++ompt.critical_depth;
  if (site != nullptr) emit_enter(now(), site->region.load(std::memory_order_relaxed));
}
/// Of the innermost critical region of this thread, nullptr if that is not recorded.
OmpSite* open_critical() {
  if (ompt.critical_depth == 0 || ompt.critical_depth > kMaxBarriers) return nullptr;
  if (!process.started.load(std::memory_order_relaxed) || thread.failed) return nullptr;
  return ompt.criticals[ompt.critical_depth - 1];
}
void on_mutex_acquired(int kind, uint64_t /*wait*/, const void* /*caller*/) {
  if (kind != kMutexCritical) return;
  const OmpSite* site = open_critical();
  if (site != nullptr && site->inner_region != 0) emit_enter(now(), site->inner_region);
}
void on_mutex_released(int kind, uint64_t /*wait*/, const void* /*caller*/) {
  if (kind != kMutexCritical || ompt.critical_depth == 0) return;
  if (const OmpSite* site = open_critical(); site != nullptr) {
    const uint64_t ticks = now();
    if (site->inner_region != 0) emit_leave(ticks, site->inner_region);
    emit_leave(ticks, site->region.load(std::memory_order_relaxed));
  }
  --ompt.critical_depth;
}

int initialize(Lookup lookup, int /*device*/, Data* /*data*/) {
  const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto want = [&](int id, auto* function) { set(id, reinterpret_cast<Callback>(function)); };
  want(kParallelBegin, &on_parallel_begin);
  want(kParallelEnd, &on_parallel_end);
  want(kImplicitTask, &on_implicit_task);
  want(kSyncRegion, &on_sync_region);
  want(kTaskCreate, &on_task_create);
  want(kMutexAcquire, &on_mutex_acquire);
  want(kMutexAcquired, &on_mutex_acquired);
  want(kMutexReleased, &on_mutex_released);
  return 1;
}
void finalize(Data* /*data*/) {}

StartToolResult result = {initialize, finalize, {0}};

/// Is this a runtime's own function, which stands for there being no tool?
bool is_runtimes(void* function) {
  Dl_info there{};
  if (dladdr(function, &there) == 0) return true;
  const char* slash = std::strrchr(there.dli_fname, '/');
  const char* name = slash == nullptr ? there.dli_fname : slash + 1;
  return std::strncmp(name, "libomp", 6) == 0 || std::strncmp(name, "libiomp", 7) == 0;
}

}  // namespace
}  // namespace pathline::record

using namespace pathline::record;

extern "C" {

/// A tool of the program's own comes first: one runtime has one.
PATHLINE_EXPORT StartToolResult* ompt_start_tool(unsigned version, const char* runtime) {
  const OwnEnvironment environment;
  const Inside inside;
  using StartTool = StartToolResult*(unsigned, const char*);
  void* next = dlsym(RTLD_NEXT, "ompt_start_tool");
  if (next != nullptr && !is_runtimes(next)) {
    StartToolResult* other = reinterpret_cast<StartTool*>(next)(version, runtime);
    if (other != nullptr) return other;
  }
  const char* libraries = std::getenv("OMP_TOOL_LIBRARIES");
  if (libraries != nullptr && *libraries != '\0') return nullptr;
  prepare();
  return process.settings.openmp && process.settings.trace ? &result : nullptr;
}

}  // extern "C"

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/process.hpp"

namespace pathline::record {

/// What of OpenMP is recorded. Each place in the program that uses one has regions of its own.
/// kTask is a place only.
enum class Construct : uint8_t { kParallel, kBarrier, kImplicitBarrier, kCritical, kTask };

/// A place in the program, by return address; lives until the process ends. The table of them only
/// grows, and is read without a lock.
struct OmpSite {
  std::atomic<uint64_t> key;  ///< Address and construct; 0 while it is free.
  /// What the program would call here without the recorder, nullptr if nobody asked.
  std::atomic<void*> target;
  /// That is a runtime which has no OMPT: what it does is recorded here.
  std::atomic<bool> is_gomp;
  /// 0 while not defined, kNoRegion if that failed.
  std::atomic<uint32_t> region;
  uint32_t inner_region;  ///< The implicit barrier of a parallel region, what a critical one holds.
  std::atomic<bool> has_tasks;
};
constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr size_t kOmpSlots = 4096;
constexpr size_t kMostOmpSites = kOmpSlots / 2;
extern OmpSite omp_sites[kOmpSlots];

inline uint64_t omp_key(Construct construct, const void* caller) {
  return reinterpret_cast<uint64_t>(caller) ^ (uint64_t{1} + static_cast<uint8_t>(construct))
                                                  << 48U;
}
inline size_t omp_slot(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> (64U - 12U); }
static_assert(kOmpSlots == size_t{1} << 12U);

/// A place that was not seen before, or whose slot another one has. nullptr where there are too
/// many.
OmpSite* find_omp_site(Construct construct, const void* caller);

inline OmpSite* omp_site(Construct construct, const void* caller) {
  const uint64_t key = omp_key(construct, caller);
  OmpSite& site = omp_sites[omp_slot(key)];
  if (site.key.load(std::memory_order_acquire) == key) [[likely]]
    return &site;
  return find_omp_site(construct, caller);
}

/// Defines the regions of a place; returns `region`.
uint32_t define_omp_site(OmpSite& site, Construct construct, const void* code);

/// Whether regions of this place can be recorded now. code  that names it, nullptr if none does
inline bool is_wanted(OmpSite& site, Construct construct, const void* code) {
  uint32_t region = site.region.load(std::memory_order_acquire);
  if (region == 0) [[unlikely]]
    region = define_omp_site(site, construct, code);
  return region != kNoRegion;
}
/// The call, not what follows it.
inline const void* call_before(const void* caller) {
  return caller == nullptr ? nullptr : static_cast<const char*>(caller) - 1;
}

/// The innermost recorded team that a thread is in.
struct OmpThread {
  OmpSite* team = nullptr;      ///< Of its parallel region; nullptr outside of recorded teams.
  const void* code = nullptr;   ///< The function that the compiler has made of the region (GCC).
  const void* frame = nullptr;  ///< On the stack, below what the thread does in the team.
  bool is_first = false;        ///< The thread has made the team.
};
extern constinit PATHLINE_OF_THREAD OmpThread omp_thread;

inline bool wants_openmp() {
  return (wants() & kEvents) != 0 && process.settings.openmp && is_outside();
}

/// A number for a team of this process.
uint64_t next_team();

/// Tasks are made in the team of this thread.
void note_tasks();

/// An event of this thread that enters or leaves calls.
template <class... Numbers>
void emit_team(RecordKind kind, uint64_t ticks, Numbers... numbers) {
  if (process.counter_count != 0) [[unlikely]]
    write_counters(ticks);
  emit(kind, ticks, numbers...);
}
/// The same, now, for what began to be recorded; nothing in a child of fork().
template <class... Numbers>
void emit_end(RecordKind kind, Numbers... numbers) {
  if (!process.started.load(std::memory_order_relaxed) || thread.failed) return;
  emit_team(kind, now(), numbers...);
}

}  // namespace pathline::record

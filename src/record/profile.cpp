// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that are counted instead of recorded: --mode profile, and what lies outside of --steps.
#include <cstddef>
#include <sys/mman.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

std::atomic<ThreadProfile*> profiles{nullptr};

ThreadProfile* own_profile() {
  if (thread.profile != nullptr) return thread.profile;
  void* memory = mmap(nullptr, sizeof(ThreadProfile), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* profile = static_cast<ThreadProfile*>(memory);
  profile->thread = thread.number;
  profile->next = profiles.load();
  while (!profiles.compare_exchange_weak(profile->next, profile)) {
  }
  thread.profile = profile;
  return profile;
}

}  // namespace

void profile_enter(uint32_t region, uint64_t ticks) {
  ThreadProfile* profile = own_profile();
  if (profile == nullptr) return;
  if (profile->depth < kMaxProfileDepth) profile->open[profile->depth] = {region, ticks, 0};
  ++profile->depth;
}

void profile_leave(uint64_t ticks) {
  ThreadProfile* profile = thread.profile;
  if (profile == nullptr || profile->depth == 0) return;
  if (--profile->depth >= kMaxProfileDepth) return;
  const ThreadProfile::Open& open = profile->open[profile->depth];
  const uint64_t inclusive = ticks > open.begin_ticks ? ticks - open.begin_ticks : 0;
  ProfileRow& row = profile->rows[open.region % kMaxProfileRows];
  ++row.calls;
  row.ticks += inclusive > open.inner_ticks ? inclusive - open.inner_ticks : 0;
  if (profile->depth > 0) profile->open[profile->depth - 1].inner_ticks += inclusive;
}

void write_profiles() {
  for (ThreadProfile* profile = profiles.load(); profile != nullptr; profile = profile->next) {
    for (uint32_t region = 1; region < kMaxProfileRows; ++region) {
      ProfileRow& row = profile->rows[region];
      if (row.calls == 0) continue;
      const uint64_t numbers[] = {profile->thread, region, row.calls, row.ticks};
      if (define(RecordKind::kProfile, numbers, 4)) row = {};
    }
  }
}

}  // namespace pathline::record

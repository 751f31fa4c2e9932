// SPDX-License-Identifier: BSD-3-Clause
//
// The hooks of <pathline/pathline.h>: regions and time steps of the program.
#include "record/regions.hpp"

#include <cstdlib>
#include <cstring>

#include "record/cpu_time.hpp"
#include "record/process.hpp"
#include "record/step_sums.hpp"

namespace pathline::record {
namespace {

constexpr uint32_t kRoleCode = 4;      // OTF2_REGION_ROLE_CODE
constexpr uint32_t kParadigmUser = 1;  // OTF2_PARADIGM_USER

/// All names so far; a name never leaves.
struct Name {
  Name* next;
  uint32_t region;
  const char* text;  // Behind this.
};
constexpr size_t kBuckets = 1024;
Mutex names_lock;
Name* buckets[kBuckets];

uint32_t intern_region(const char* name, uint32_t role_paradigm) {
  const Lock guard(names_lock);
  Name*& bucket = buckets[hash_of(name) % kBuckets];
  for (const Name* known = bucket; known != nullptr; known = known->next) {
    if (std::strcmp(known->text, name) == 0) return known->region;
  }
  const size_t length = std::strlen(name);
  auto* added = static_cast<Name*>(std::malloc(sizeof(Name) + length + 1));
  if (added == nullptr) return 0;
  added->next = bucket;
  auto* text = reinterpret_cast<char*>(added + 1);
  std::memcpy(text, name, length + 1);
  added->text = text;
  added->region = filtered(name, "", "") ? 0 : define_region(name, role_paradigm, nullptr, 0);
  bucket = added;
  return added->region;
}

/// 0 if it is filtered or cannot be defined.
uint32_t region_named(const char* name, uint32_t role_paradigm) {
  // From this thread's own table if the same text came from the same place.
  const auto place = reinterpret_cast<uintptr_t>(name);
  Thread::CachedName& cached = thread.names[(place ^ place >> 6U) % kNameCacheSize];
  if (cached.name == name && std::strcmp(cached.text, name) == 0) [[likely]]
    return cached.region;
  const uint32_t region = intern_region(name, role_paradigm);
  // Names that do not fit are looked up each time.
  if (std::strlen(name) < sizeof cached.text) {
    cached.name = name;
    cached.region = region;
    std::strcpy(cached.text, name);
  }
  return region;
}

}  // namespace

namespace {

/// Writes the leave of the innermost region.
void close_innermost() {
  const uint32_t open = thread.open[--thread.user_depth];
  if (!process.started.load(std::memory_order_relaxed)) return;
  if ((open & (kRecorded | kProfiled)) == 0) return;
  const uint64_t ticks = now();
  if ((open & kRecorded) != 0) {
    if (thread.polls.count != 0) [[unlikely]]
      write_polls();
    emit_leave(ticks, open & kRegionMask);
  }
  if ((open & kProfiled) != 0) [[unlikely]]
    profile_leave(ticks);
}

/// The region at `index` is over. What was entered last is left first: with others open inside, it
/// waits for them.
void end_at(uint32_t index) {
  thread.open[index] |= kOver;
  while (thread.user_depth > 0 && (thread.open[thread.user_depth - 1] & kOver) != 0) {
    close_innermost();
  }
}

/// false if nothing can be left; beyond kMaxUserDepth nothing is known of what is.
bool may_leave() {
  if (thread.user_depth == 0 || !is_outside()) return false;
  if (thread.user_depth <= kMaxUserDepth) return true;
  --thread.user_depth;
  return false;
}

}  // namespace

void enter_region(uint32_t region, uint32_t origin) {
  if (!is_outside()) return;
  const uint32_t known = region & kRegionMask;
  uint32_t open = known | origin;
  const uint32_t wanted = known == 0 || (region & kHidden) != 0 ? 0 : wants();
  if (thread.user_depth >= kMaxUserDepth) {
    ++thread.user_depth;
    if (wanted != 0) process.writer.lose(now(), 2, chunk::Loss::kDepth);
    return;
  }
  if (wanted != 0) {
    const uint64_t ticks = now();
    if (ready(ticks)) {
      if ((wanted & kEvents) != 0) {
        emit_enter(ticks, known);
        open |= kRecorded;
      }
      if ((wanted & kProfile) != 0) [[unlikely]] {
        profile_enter(known, ticks);
        open |= kProfiled;
      }
    }
  }
  // Also what is not recorded, to know what is to be left when recording changes in between.
  thread.open[thread.user_depth++] = open;
}

void enter_named_region(const char* name, uint32_t role_paradigm) {
  if (!process.started.load(std::memory_order_relaxed) || !is_outside()) return;
  uint32_t region = 0;
  if (wants() != 0) {
    const Inside inside;
    region = region_named(name, role_paradigm);
  }
  enter_region(region, 0);
}

void leave_region() {
  if (!may_leave()) return;
  // The innermost one that the program marks: it may be left in a function that was called since.
  uint32_t count = thread.user_depth;
  while (count > 0 && (thread.open[count - 1] & (kFunction | kOver)) != 0) --count;
  if (count > 0) end_at(count - 1);
}

void leave_function(uint32_t region) {
  if (!may_leave()) return;
  const auto is_it = [&](uint32_t open) {
    return (open & (kFunction | kOver)) == kFunction &&
           ((open & kRegionMask) == region || (open & kRegionMask) == 0);
  };
  uint32_t count = thread.user_depth;
  while (count > 0 && !is_it(thread.open[count - 1])) --count;
  if (count == 0) return;  // It began before the recording.
  // Functions called by it are over without having said so (longjmp); regions may go on.
  for (uint32_t i = count; i < thread.user_depth; ++i) {
    if ((thread.open[i] & kFunction) != 0) thread.open[i] |= kOver;
  }
  end_at(count - 1);
}

namespace {

uint64_t steps_so_far = 0;  // One thread leads the program through its steps.

bool is_wanted(int64_t step) {
  const Settings& s = process.settings;
  if (s.every != 0) return steps_so_far++ % s.every == 0;
  return step >= s.first_step && step <= s.last_step && (step - s.first_step) % s.every_step == 0;
}

}  // namespace

void step(int64_t number, double time_s) {
  if (!process.started.load(std::memory_order_acquire)) return;
  const Settings& s = process.settings;
  sum_step();
  ++process.step_count;
  process.open_step = number;
  if (s.has_steps) pause(!is_wanted(number), kBySteps);
  const uint64_t ticks = now();
  if (!s.trace || !ready(ticks)) return;
  if (!kIsSimulated) read_cpu_time_at_step(ticks);
  uint64_t time_bits = 0;
  std::memcpy(&time_bits, &time_s, sizeof time_bits);
  emit(RecordKind::kStep, ticks, base::zigzag(number), time_bits);
}

}  // namespace pathline::record

using namespace pathline::record;

extern "C" {

PATHLINE_EXPORT void pathline_record_region_begin(const char* name) {
  enter_named_region(name, role_and_paradigm(kRoleCode, kParadigmUser));
}

PATHLINE_EXPORT void pathline_record_region_end(const char* name) {
  (void)name;  // The one that was entered last: regions nest.
  leave_region();
}

PATHLINE_EXPORT void pathline_record_region_next(const char* name) {
  // Matters to functions that the filter leaves out; what it lets through is recorded anyway.
  std::strncpy(thread.wanted, name, sizeof thread.wanted - 1);
}

PATHLINE_EXPORT void pathline_record_step(int64_t number, double time_s) {
  if (!is_outside()) return;
  const Inside inside;
  step(number, time_s);
}

}  // extern "C"

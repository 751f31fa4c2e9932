// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/process.hpp"

namespace pathline::record {

/// Where the program calls MPI: a function from one place has a region of its own, of the same
/// name, and a record that says where. So an event is as long as without, and what a call costs
/// more is one look into this table, which only grows and is read without a lock.
struct SiteSlot {
  std::atomic<uint64_t> key;  ///< Address and function; 0 while it is free.
  std::atomic<uint32_t> region;
};
constexpr size_t kSiteSlots = 8192;
constexpr size_t kMostSites = kSiteSlots / 2;  ///< A program that makes its code has any number.
extern SiteSlot site_slots[kSiteSlots];

inline uint64_t site_key(uint16_t function, const void* caller) {
  return reinterpret_cast<uint64_t>(caller) ^ uint64_t { function } << 48U;
}
inline size_t site_slot(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> (64U - 13U); }
static_assert(kSiteSlots == size_t{1} << 13U);

/// A place that was not seen before, or whose slot another one has. returns  as region_at_site().
uint32_t find_site(uint16_t function, uint32_t region, const void* caller);

/// The region of a function where it is called from `caller`, a return address; that of the
/// function for places inside of an MPI library and where there are too many.
inline uint32_t region_at_site(uint16_t function, uint32_t region, const void* caller) {
  const uint64_t key = site_key(function, caller);
  const SiteSlot& slot = site_slots[site_slot(key)];
  if (slot.key.load(std::memory_order_acquire) == key) [[likely]]
    return slot.region.load(std::memory_order_relaxed);
  return find_site(function, region, caller);
}

/// Defines a region of the function's name; 0 if that fails.
uint32_t define_at_site(uint16_t function);

/// Lives in a routine of Fortran that calls our wrapper of the function for C, of which the program
/// knows nothing.
class CalledFrom {
 public:
  [[gnu::always_inline]] CalledFrom() { thread.caller = __builtin_return_address(0); }
  ~CalledFrom() { thread.caller = nullptr; }
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;
};

}  // namespace pathline::record

// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/call_sites.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace pathline::record {

SiteSlot site_slots[kSiteSlots];

namespace {

Mutex sites_lock;
size_t site_count = 0;

/// A library between the program and MPI: of MPI itself, or of the recorder.
bool is_between(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return std::strncmp(name, "libmpi", 6) == 0 || std::strncmp(name, "libpathline", 11) == 0;
}

/// The region of a place that is new.
uint32_t define_site(uint16_t function, uint32_t region, const void* caller) {
  const OwnEnvironment environment;
  // The call, not what follows it: behind the last call of a function stands another function.
  const auto* call = static_cast<const char*>(caller) - 1;
  Dl_info module{};
  link_map* map = nullptr;
  void* found = nullptr;
  if (dladdr1(call, &module, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return region;
  map = static_cast<link_map*>(found);
  char program[PATH_MAX];
  const char* path = map->l_name;
  if (path == nullptr || *path == '\0') {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return region;
    program[length] = '\0';
    path = program;
  }
  if (is_between(path)) return region;
  const uint32_t at_site = define_at_site(function);
  if (at_site == 0) return region;
  const uint64_t numbers[] = {at_site, reinterpret_cast<uint64_t>(call) - map->l_addr};
  define_text(RecordKind::kCallSite, numbers, 2, path);
  return at_site;
}

}  // namespace

uint32_t find_site(uint16_t function, uint32_t region, const void* caller) {
  const uint64_t key = site_key(function, caller);
  constexpr size_t kMostProbes = 64;
  const auto known = [&]() -> uint32_t {
    for (size_t i = site_slot(key), probe = 0; probe < kMostProbes;
         i = (i + 1) % kSiteSlots, ++probe) {
      const uint64_t there = site_slots[i].key.load(std::memory_order_acquire);
      if (there == key) return site_slots[i].region.load(std::memory_order_relaxed);
      if (there == 0) break;
    }
    return 0;
  };
  if (const uint32_t at_site = known(); at_site != 0) return at_site;
  const Lock guard(sites_lock);
  if (const uint32_t at_site = known(); at_site != 0) return at_site;
  if (site_count == kMostSites) return region;
  for (size_t i = site_slot(key), probe = 0; probe < kMostProbes;
       i = (i + 1) % kSiteSlots, ++probe) {
    SiteSlot& slot = site_slots[i];
    if (slot.key.load(std::memory_order_relaxed) != 0) continue;
    const uint32_t at_site = define_site(function, region, caller);
    slot.region.store(at_site, std::memory_order_relaxed);
    slot.key.store(key, std::memory_order_release);
    ++site_count;
    return at_site;
  }
  return region;
}

}  // namespace pathline::record

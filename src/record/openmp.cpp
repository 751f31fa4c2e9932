// SPDX-License-Identifier: BSD-3-Clause
//
// What is common to recording libgomp and runtimes with OMPT: places in the program and their
// regions.
#include "record/openmp.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace pathline::record {

OmpSite omp_sites[kOmpSlots];
constinit PATHLINE_OF_THREAD OmpThread omp_thread{};

namespace {

constexpr uint32_t kParadigmOpenMp = 3;

// Roles of OTF2, names as Score-P's.
struct ConstructName {
  const char* name;
  uint32_t role;
};
constexpr ConstructName kNames[] = {{"!$omp parallel", 5},
                                    {"!$omp barrier", 15},
                                    {"!$omp implicit barrier", 16},
                                    {"!$omp critical", 12}};
constexpr ConstructName kSblock = {"!$omp critical sblock", 13};

Mutex sites_lock;
size_t site_count = 0;
std::atomic<uint64_t> teams{0};

OmpSite* known_site(uint64_t key, bool may_take) {
  constexpr size_t kMostProbes = 64;
  for (size_t i = omp_slot(key), probe = 0; probe < kMostProbes; i = (i + 1) % kOmpSlots, ++probe) {
    const uint64_t there = omp_sites[i].key.load(std::memory_order_acquire);
    if (there == key) return &omp_sites[i];
    if (there != 0) continue;
    if (!may_take) return nullptr;
    omp_sites[i].key.store(key, std::memory_order_release);
    ++site_count;
    return &omp_sites[i];
  }
  return nullptr;
}

/// Where an address of the program lies, as the symbol table of its file counts.
struct ModulePlace {
  char path[PATH_MAX] = "";
  uint64_t address = 0;
};
bool find_module(const void* address, ModulePlace& place) {
  Dl_info module{};
  void* found = nullptr;
  if (dladdr1(address, &module, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return false;
  const auto* map = static_cast<const link_map*>(found);
  place.address = reinterpret_cast<uint64_t>(address) - map->l_addr;
  if (map->l_name != nullptr && *map->l_name != '\0') {
    std::strncpy(place.path, map->l_name, sizeof place.path - 1);
    return true;
  }
  return readlink("/proc/self/exe", place.path, sizeof place.path - 1) > 0;
}

uint32_t define_at(const ConstructName& construct, const ModulePlace& place) {
  const uint32_t region =
      define_region(construct.name, role_and_paradigm(construct.role, kParadigmOpenMp), nullptr, 0);
  if (region == 0 || place.path[0] == '\0') return region;
  const uint64_t numbers[] = {region, place.address};
  define_text(RecordKind::kCallSite, numbers, 2, place.path);
  return region;
}

}  // namespace

OmpSite* find_omp_site(Construct construct, const void* caller) {
  const uint64_t key = omp_key(construct, caller);
  if (OmpSite* site = known_site(key, false); site != nullptr) return site;
  const Lock guard(sites_lock);
  return known_site(key, site_count < kMostOmpSites);
}

uint32_t define_omp_site(OmpSite& site, Construct construct, const void* code) {
  const OwnEnvironment environment;
  const Inside inside;
  // Before the lock: finding the module takes that of the loader. Without one the region has no
  // place.
  ModulePlace place;
  if (code != nullptr && !find_module(code, place)) place.path[0] = '\0';
  const Lock guard(sites_lock);
  uint32_t region = site.region.load(std::memory_order_relaxed);
  if (region != 0) return region;
  region = define_at(kNames[static_cast<size_t>(construct)], place);
  if (region != 0 && construct == Construct::kParallel) {
    site.inner_region = define_at(kNames[static_cast<size_t>(Construct::kImplicitBarrier)], place);
  }
  if (region != 0 && construct == Construct::kCritical) {
    site.inner_region = define_at(kSblock, place);
  }
  if (region == 0) region = kNoRegion;
  site.region.store(region, std::memory_order_release);
  return region;
}

uint64_t next_team() { return teams.fetch_add(1, std::memory_order_relaxed); }

void note_tasks() {
  OmpSite* team = omp_thread.team;
  if (team == nullptr || team->has_tasks.exchange(true, std::memory_order_relaxed)) return;
  const OwnEnvironment environment;
  const uint64_t number = team->region.load(std::memory_order_relaxed);
  define(RecordKind::kOmpTasks, &number, 1);
}

}  // namespace pathline::record

// SPDX-License-Identifier: BSD-3-Clause
//
// The hooks that a Kokkos program calls when KOKKOS_TOOLS_LIBS names this library: its kernels and
// regions, without a change to it.
#include <cstdint>

#include "record/process.hpp"
#include "record/regions.hpp"

using namespace pathline::record;

namespace {

constexpr uint32_t kRoleCode = 4;
constexpr uint32_t kRoleLoop = 3;
constexpr uint32_t kRoleTransfer = 30;
constexpr uint32_t kParadigmKokkos = 24;

void begin(const char* name, uint32_t role) {
  enter_named_region(name, role_and_paradigm(role, kParadigmKokkos));
}

struct SpaceHandle {
  char name[64];
};

}  // namespace

extern "C" {

PATHLINE_EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices,
                                          void* info) {
  (void)sequence, (void)version, (void)devices, (void)info;
}
PATHLINE_EXPORT void kokkosp_finalize_library() {}

PATHLINE_EXPORT void kokkosp_begin_parallel_for(const char* name, uint32_t device, uint64_t* id) {
  (void)device;
  *id = 0;
  begin(name, kRoleLoop);
}
PATHLINE_EXPORT void kokkosp_end_parallel_for(uint64_t id) {
  (void)id;
  leave_region();
}
PATHLINE_EXPORT void kokkosp_begin_parallel_reduce(const char* name, uint32_t device,
                                                   uint64_t* id) {
  (void)device;
  *id = 0;
  begin(name, kRoleLoop);
}
PATHLINE_EXPORT void kokkosp_end_parallel_reduce(uint64_t id) {
  (void)id;
  leave_region();
}
PATHLINE_EXPORT void kokkosp_begin_parallel_scan(const char* name, uint32_t device, uint64_t* id) {
  (void)device;
  *id = 0;
  begin(name, kRoleLoop);
}
PATHLINE_EXPORT void kokkosp_end_parallel_scan(uint64_t id) {
  (void)id;
  leave_region();
}
PATHLINE_EXPORT void kokkosp_push_profile_region(const char* name) { begin(name, kRoleCode); }
PATHLINE_EXPORT void kokkosp_pop_profile_region() { leave_region(); }
PATHLINE_EXPORT void kokkosp_begin_deep_copy(SpaceHandle to, const char* to_name, const void* to_at,
                                             SpaceHandle from, const char* from_name,
                                             const void* from_at, uint64_t bytes) {
  (void)to, (void)to_name, (void)to_at, (void)from, (void)from_name, (void)from_at, (void)bytes;
  begin("Kokkos::deep_copy", kRoleTransfer);
}
PATHLINE_EXPORT void kokkosp_end_deep_copy() { leave_region(); }
PATHLINE_EXPORT void kokkosp_begin_fence(const char* name, uint32_t device, uint64_t* id) {
  (void)device;
  *id = 0;
  begin(name, kRoleCode);
}
PATHLINE_EXPORT void kokkosp_end_fence(uint64_t id) {
  (void)id;
  leave_region();
}

}  // extern "C"

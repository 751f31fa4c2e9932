// SPDX-License-Identifier: BSD-3-Clause
//
// The regions of the functions of MPI.
#include <cstdlib>
#include <cstring>
#include <strings.h>

#include "record/mpi/call.hpp"

namespace pathline::record {

#include "record/mpi/functions.inc"

namespace {

constexpr size_t kFunctionCount = sizeof kFunctionNames / sizeof *kFunctionNames;
Mutex functions_lock;

struct Kind {
  const char* begin;  // Of the name behind "MPI_"; the first that fits counts.
  uint32_t group;
  uint32_t role;
};
constexpr uint32_t kFunction = 1, kBarrier = 15, kOneToAll = 23, kAllToOne = 24, kAllToAll = 25,
                   kOtherCollective = 26, kFileIo = 27, kPointToPoint = 28, kRma = 29,
                   kFileMetadata = 38;
constexpr Kind kKinds[] = {{"Iprobe", kGroupProbes, kPointToPoint},
                           {"Probe", kGroupProbes, kPointToPoint},
                           {"Improbe", kGroupProbes, kPointToPoint},
                           {"Mprobe", kGroupProbes, kPointToPoint},
                           {"Send", kGroupP2p, kPointToPoint},
                           {"Bsend", kGroupP2p, kPointToPoint},
                           {"Ssend", kGroupP2p, kPointToPoint},
                           {"Rsend", kGroupP2p, kPointToPoint},
                           {"Isend", kGroupP2p, kPointToPoint},
                           {"Ibsend", kGroupP2p, kPointToPoint},
                           {"Issend", kGroupP2p, kPointToPoint},
                           {"Irsend", kGroupP2p, kPointToPoint},
                           {"Recv", kGroupP2p, kPointToPoint},
                           {"Irecv", kGroupP2p, kPointToPoint},
                           {"Mrecv", kGroupP2p, kPointToPoint},
                           {"Imrecv", kGroupP2p, kPointToPoint},
                           {"Psend", kGroupP2p, kPointToPoint},
                           {"Precv", kGroupP2p, kPointToPoint},
                           {"Pready", kGroupP2p, kPointToPoint},
                           {"Parrived", kGroupP2p, kPointToPoint},
                           {"Start", kGroupP2p, kPointToPoint},
                           {"Wait", kGroupP2p, kPointToPoint},
                           {"Test_cancelled", kGroupOther, kFunction},
                           {"Test", kGroupP2p, kPointToPoint},
                           {"Cancel", kGroupP2p, kPointToPoint},
                           {"Request", kGroupP2p, kPointToPoint},
                           {"Buffer", kGroupP2p, kPointToPoint},
                           {"Barrier", kGroupColl, kBarrier},
                           {"Ibarrier", kGroupColl, kBarrier},
                           {"Bcast", kGroupColl, kOneToAll},
                           {"Ibcast", kGroupColl, kOneToAll},
                           {"Scatter", kGroupColl, kOneToAll},
                           {"Iscatter", kGroupColl, kOneToAll},
                           {"Gather", kGroupColl, kAllToOne},
                           {"Igather", kGroupColl, kAllToOne},
                           {"Reduce_scatter", kGroupColl, kAllToAll},
                           {"Ireduce_scatter", kGroupColl, kAllToAll},
                           {"Reduce_local", kGroupOther, kFunction},
                           {"Reduce", kGroupColl, kAllToOne},
                           {"Ireduce", kGroupColl, kAllToOne},
                           {"All", kGroupColl, kAllToAll},
                           {"Iall", kGroupColl, kAllToAll},
                           {"Neighbor", kGroupColl, kOtherCollective},
                           {"Ineighbor", kGroupColl, kOtherCollective},
                           {"Scan", kGroupColl, kOtherCollective},
                           {"Iscan", kGroupColl, kOtherCollective},
                           {"Exscan", kGroupColl, kOtherCollective},
                           {"Iexscan", kGroupColl, kOtherCollective},
                           {"File_open", kGroupIo, kFileMetadata},
                           {"File_close", kGroupIo, kFileMetadata},
                           {"File_", kGroupIo, kFileIo},
                           {"Win_", kGroupRma, kRma},
                           {"Put", kGroupRma, kRma},
                           {"Get_acc", kGroupRma, kRma},
                           {"Rput", kGroupRma, kRma},
                           {"Rget", kGroupRma, kRma},
                           {"Acc", kGroupRma, kRma},
                           {"Racc", kGroupRma, kRma},
                           {"Fetch_and", kGroupRma, kRma},
                           {"Compare_and", kGroupRma, kRma},
                           {"Cart", kGroupTopo, kFunction},
                           {"Graph", kGroupTopo, kFunction},
                           {"Dist_graph", kGroupTopo, kFunction},
                           {"Topo", kGroupTopo, kFunction},
                           {"Dims", kGroupTopo, kFunction}};

Kind kind_of(const char* function) {
  if (std::strcmp(function, "MPI_Get") == 0) return {"", kGroupRma, kRma};
  if (std::strcmp(function, "MPI_Alloc_mem") == 0) return {"", kGroupOther, kFunction};
  const char* name = std::strchr(function, '_') + 1;
  for (const Kind& kind : kKinds) {
    if (std::strncmp(name, kind.begin, std::strlen(kind.begin)) == 0) return kind;
  }
  return {"", kGroupOther, kFunction};
}

}  // namespace

std::atomic<uint32_t> function_regions[kFunctionCount];
std::atomic<uint32_t> marker_region{0};

namespace {

struct Marker {
  char function[64] = "";  // "MPI_Allreduce", in any case.
  bool has_bytes = false;
  uint64_t bytes = 0;
  uint64_t every = 1;
  uint64_t calls = 0;
  int64_t step = 0;
} marker;

/// "allreduce:16/4", "allreduce/4", "MPI_Barrier".
void read_marker() {
  const char* text = process.settings.step_marker;
  const size_t length = std::strcspn(text, ":/");
  if (length == 0 || length + 5 > sizeof marker.function) return;
  const bool has_prefix = strncasecmp(text, "MPI_", 4) == 0;
  std::strcpy(marker.function, has_prefix ? "" : "MPI_");
  std::strncat(marker.function, text, length);
  text += length;
  char* end = nullptr;
  if (*text == ':') {
    marker.bytes = std::strtoull(text + 1, &end, 10);
    marker.has_bytes = true;
    text = end;
  }
  if (*text == '/') marker.every = std::strtoull(text + 1, &end, 10);
  if (marker.every == 0) marker.every = 1;
}

}  // namespace

void mark_step(uint64_t bytes) {
  // One thread leads the program through its steps.
  if (thread.number != 0 || (marker.has_bytes && bytes != marker.bytes)) return;
  if (marker.calls++ % marker.every == 0) step(marker.step++, 0.0);
}

bool Call::prepare(uint16_t function, uint32_t wanted) {
  region_ = 0;
  if (!ready(begin_)) return false;
  uint32_t region = function_regions[function].load(std::memory_order_relaxed);
  if (region == 0) region = define_function(function);
  if (region == 0 || region == kNotWanted) return false;
  region_ = region;
  function_region_ = region;
  if ((wanted & kProfile) != 0) {
    profile_enter(region_, begin_);
    profiled_ = true;
    thread.call.profiled = true;
  }
  return (wanted & kEvents) != 0;
}

uint32_t define_function(uint16_t function) {
  const Lock guard(functions_lock);
  std::atomic<uint32_t>& region = function_regions[function];
  if (const uint32_t known = region.load(); known != 0) return known;
  const char* name = kFunctionNames[function];
  const Kind kind = kind_of(name);
  constexpr uint32_t kParadigmMpi = 4;
  region = (kind.group & process.settings.groups) == 0
               ? kNotWanted
               : define_region(name, role_and_paradigm(kind.role, kParadigmMpi), nullptr, 0);
  if (process.settings.step_marker[0] != '\0') {
    if (marker.function[0] == '\0') read_marker();
    if (strcasecmp(marker.function, name) == 0 && region != kNotWanted)
      marker_region = region.load();
  }
  return region;
}

uint32_t define_at_site(uint16_t function) {
  constexpr uint32_t kParadigmMpi = 4;
  const char* name = kFunctionNames[function];
  return define_region(name, role_and_paradigm(kind_of(name).role, kParadigmMpi), nullptr, 0);
}

void record_past_call(uint16_t function, uint64_t began_ticks) {
  if (!ready(began_ticks)) return;
  const uint32_t region = define_function(function);
  if (region == 0 || region == kNotWanted) return;
  const uint64_t end = now();
  if ((wants() & kEvents) != 0) {
    emit(RecordKind::kEnter, began_ticks, region);
    emit(RecordKind::kLeave, end, region);
  }
  if ((wants() & kProfile) != 0) {
    profile_enter(region, began_ticks);
    profile_leave(end);
  }
}

}  // namespace pathline::record

// SPDX-License-Identifier: BSD-3-Clause
#include "record/catalyst.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

#include "catalyst/catalyst.h"
#include "record/step_sums.hpp"

namespace pathline::record {
namespace {

constexpr int32_t kMaxArrays = 4096;  // No ParaView could show more.

enum class State { kOff, kAllowed, kRunning };
State state = State::kOff;
CatalystRanks ranks;
int (*start_library)(const PathlineCatalystStart*) = nullptr;
int (*execute_library)(const PathlineCatalystGrid*, const PathlineCatalystArray*, int32_t, int64_t,
                       double) = nullptr;
void (*end_library)() = nullptr;

/// It stands beside this library.
bool load_library() {
  Dl_info self{};
  char path[1200];
  if (dladdr(reinterpret_cast<void*>(&load_library), &self) == 0) return false;
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
  std::snprintf(path, sizeof path, "%.*slibpathline-catalyst.so", folder, self.dli_fname);
  // Out of the program's sight: it may have another VTK.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say("--catalyst has no effect on rank %u: %s", process.rank, dlerror());
    return false;
  }
  start_library =
      reinterpret_cast<decltype(start_library)>(dlsym(library, "pathline_catalyst_start"));
  execute_library =
      reinterpret_cast<decltype(execute_library)>(dlsym(library, "pathline_catalyst_execute"));
  end_library = reinterpret_cast<decltype(end_library)>(dlsym(library, "pathline_catalyst_end"));
  return start_library != nullptr && execute_library != nullptr && end_library != nullptr;
}

bool start_catalyst() {
  // Of another version of Pathline, or one that is missing on a node: no rank may wait for it.
  if (!ranks.all(load_library())) return false;
  char folder[1100];
  std::snprintf(folder, sizeof folder, "%s/catalyst", process.run_directory);
  const PathlineCatalystStart start = {.version = PATHLINE_CATALYST_VERSION,
                                       .world = ranks.world,
                                       .scripts = process.settings.catalyst,
                                       .folder = folder,
                                       .say = [](const char* what) { say("%s", what); }};
  return start_library(&start) == 0;
}

bool ends_with(const char* text, const char* end) {
  const size_t length = std::strlen(text);
  const size_t wanted = std::strlen(end);
  return length >= wanted && std::strcmp(text + length - wanted, end) == 0;
}

/// As `pathline topology` and `pathline mesh` write them.
int32_t type_of(const char* name) {
  if (ends_with(name, ": time")) return PATHLINE_FLOAT64;
  if (ends_with(name, ": bytes")) return PATHLINE_UINT64;
  return PATHLINE_UINT32;
}

}  // namespace

void allow_catalyst(const CatalystRanks& given) {
  ranks = given;
  state = State::kAllowed;
}

bool shows_catalyst() { return state != State::kOff; }

void catalyst_execute(const Grid& grid, int64_t step, double time_s) {
  if (state == State::kOff) return;
  const OwnEnvironment environment;
  if (state == State::kAllowed) state = start_catalyst() ? State::kRunning : State::kOff;
  if (state == State::kOff) return;
  const uint32_t count = insitu_count();
  static PathlineCatalystArray arrays[kMaxArrays];
  int32_t used = 0;
  arrays[used++] = {"rank", PATHLINE_INT32, static_cast<double>(process.rank)};
  for (uint32_t i = 0; i < count && used < kMaxArrays; ++i) {
    const char* name = insitu_name(i);
    if (name == nullptr || std::strcmp(name, "rank") == 0) continue;
    arrays[used++] = {name, type_of(name), insitu_value(i)};
  }
  const PathlineCatalystGrid part = {grid.points,  grid.n_points, grid.connectivity,
                                     grid.offsets, grid.types,    grid.n_cells};
  if (execute_library(&part, arrays, used, step, time_s) != 0) state = State::kOff;
}

void end_catalyst() {
  if (state == State::kAllowed) {
    state = State::kOff;
    if (process.rank == 0) {
      say("--catalyst has shown nothing: the program has not called pathline_insitu_execute in a "
          "time step that is recorded");
    }
  }
  if (end_library != nullptr) end_library();
  state = State::kOff;
}

}  // namespace pathline::record

// SPDX-License-Identifier: BSD-3-Clause
//
// One library for every MPI. Here stand the names of all functions that any MPI-specific part
// wraps; each jumps through a table, whose entries are filled in when the part that fits the
// process has been found. Until then they point to a routine that looks for it: MPI may be loaded
// late (Python), or never.
#include "record/trampolines.hpp"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

/// What a process has loaded tells which part to load.
struct Part {
  const char* mpi;  // Begins the file name of the MPI library.
  const char* file;
};
constexpr Part kParts[] = {{"libmpi.so.40", "libpathline-openmpi.so"},
                           {"libmpich.so.12", "libpathline-mpich.so"},
                           {"libmpi.so.12", "libpathline-mpich.so"}};

bool mpi_at_start = false;
Mutex part_lock;
void* part = nullptr;
bool looked = false;

/// nullptr if a file of this name is no library of MPI.
const Part* part_for(const char* path) {
  const char* name = std::strrchr(path, '/');
  name = name == nullptr ? path : name + 1;
  for (const Part& known : kParts) {
    const size_t length = std::strlen(known.mpi);
    if (std::strncmp(name, known.mpi, length) == 0 &&
        (name[length] == '\0' || name[length] == '.')) {
      return &known;
    }
  }
  return nullptr;
}

struct LoadedMpi {
  const Part* part = nullptr;
  const char* path = nullptr;
};
int find_mpi(dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const Part* known = part_for(info->dlpi_name);
  if (known == nullptr) return 0;
  *static_cast<LoadedMpi*>(found) = {known, info->dlpi_name};
  return 1;
}
LoadedMpi loaded_mpi() {
  LoadedMpi found;
  dl_iterate_phdr(find_mpi, &found);
  return found;
}

/// The part for the MPI that is loaded, nullptr if there is no MPI (yet) or no part for it.
void* find_part() {
  const Lock guard(part_lock);
  if (looked) return part;
  const Part* wanted = loaded_mpi().part;
  if (wanted == nullptr) return nullptr;
  looked = true;
  // It stands beside this library.
  Dl_info self{};
  char path[1200];
  if (dladdr(reinterpret_cast<void*>(&find_part), &self) == 0) return nullptr;
  const char* slash = std::strrchr(self.dli_fname, '/');
  const size_t folder = slash == nullptr ? 0 : static_cast<size_t>(slash - self.dli_fname) + 1;
  if (folder + std::strlen(wanted->file) >= sizeof path) return nullptr;
  std::memcpy(path, self.dli_fname, folder);
  std::strcpy(path + folder, wanted->file);
  part = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (part == nullptr) {
    say("this program's MPI (%s...) is not recorded: %s", wanted->mpi, dlerror());
  }
  return part;
}

/// dlsym() also looks into what a library depends on, which here includes the trampolines.
void* own_symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  Dl_info here{};
  Dl_info trampolines{};
  if (found == nullptr || dladdr(found, &here) == 0 ||
      dladdr(reinterpret_cast<void*>(&own_symbol), &trampolines) == 0 ||
      here.dli_fbase == trampolines.dli_fbase) {
    return nullptr;
  }
  return found;
}

}  // namespace

extern "C" {

// From the generated assembly: where the trampolines lie, their names, and where each jumps to.
extern const char pathline_trampolines_begin[] __attribute__((visibility("hidden")));
extern const char pathline_trampolines_end[] __attribute__((visibility("hidden")));
extern const char* const pathline_trampoline_names[];
extern void* pathline_trampoline_targets[];
extern const size_t pathline_trampoline_count;

/// Called by a trampoline that has no target yet. returns  where to jump.
__attribute__((visibility("hidden"))) void* pathline_trampoline_resolve(size_t index) {
  const OwnEnvironment environment;
  const Inside inside;
  const char* name = pathline_trampoline_names[index];
  void* target = nullptr;
  if (void* loaded = find_part()) target = own_symbol(loaded, name);
  // Nothing to record here: the library's own function, as if we were not there.
  if (target == nullptr) target = dlsym(RTLD_NEXT, name);
  if (target == nullptr && part != nullptr) {
    // The library was loaded out of sight of RTLD_NEXT (Python's): PMPI is the same function.
    char profiled[256] = "P";
    std::strncat(profiled, name, sizeof profiled - 2);
    if (std::strncmp(name, "MPI", 3) == 0) target = dlsym(part, profiled);
  }
  if (target != nullptr)
    __atomic_store_n(&pathline_trampoline_targets[index], target, __ATOMIC_RELEASE);
  if (target == nullptr) {
    say("the program calls %s, which its MPI library does not have", name);
    // There is no way to go on: without us the program would not even have started.
    _Exit(127);
  }
  return target;
}
}

bool is_trampoline(const void* address) {
  const auto* at = static_cast<const char*>(address);
  return at >= pathline_trampolines_begin && at < pathline_trampolines_end;
}

void look_at_start() {
  mpi_at_start = loaded_mpi().part != nullptr;
  answer_feature_tests(mpi_at_start);
}

void* behind_us(const char* name, void* own) {
  Dl_info there{};
  Dl_info mine{};
  void* next = dlsym(RTLD_NEXT, name);
  if (next == nullptr || next == own || dladdr(next, &there) == 0) return own;
  if (own != nullptr && dladdr(own, &mine) != 0 && mine.dli_fbase == there.dli_fbase) return own;
  // A second MPI in the process is no tool.
  return part_for(there.dli_fname) == nullptr ? next : own;
}

void say_why_nothing() {
  if (process.following.load() || process.settings.run_directory[0] == '\0') return;
  const LoadedMpi mpi = loaded_mpi();
  if (mpi.part == nullptr) return;
  // One of many ranks is enough.
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* rank = std::getenv(variable);
    if (rank == nullptr) continue;
    if (std::strcmp(rank, "0") != 0) return;
    break;
  }
  Dl_info first{};
  void* init = dlsym(RTLD_DEFAULT, "MPI_Init");
  const bool ours = init == nullptr || is_trampoline(init);
  if (!ours && dladdr(init, &first) != 0) {
    say("nothing of this process is recorded: MPI_Init is that of %s, in front of the recorder",
        first.dli_fname);
  } else if (part == nullptr && !mpi_at_start) {
    say("nothing of this process is recorded: it has loaded %s by dlopen() and called it past the "
        "recorder",
        mpi.path);
  }
}

}  // namespace pathline::record

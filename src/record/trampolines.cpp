// SPDX-License-Identifier: BSD-3-Clause
//
// One library for every MPI. Here stand the names of all functions that any MPI-specific part
// wraps; each jumps through a table, whose entries are filled in when the part that fits the
// process has been found. Until then they point to a routine that looks for it: MPI may be loaded
// late (Python), or never.
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

Mutex part_lock;
void* part = nullptr;
bool looked = false;

int find_mpi(dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const char* name = std::strrchr(info->dlpi_name, '/');
  name = name == nullptr ? info->dlpi_name : name + 1;
  for (const Part& known : kParts) {
    const size_t length = std::strlen(known.mpi);
    if (std::strncmp(name, known.mpi, length) == 0 &&
        (name[length] == '\0' || name[length] == '.')) {
      *static_cast<const Part**>(found) = &known;
      return 1;
    }
  }
  return 0;
}

/// The part for the MPI that is loaded, nullptr if there is no MPI (yet) or no part for it.
void* find_part() {
  const Lock guard(part_lock);
  if (looked) return part;
  const Part* wanted = nullptr;
  dl_iterate_phdr(find_mpi, static_cast<void*>(&wanted));
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

// From the generated assembly: names, and where each jumps to.
extern const char* const pathline_trampoline_names[];
extern void* pathline_trampoline_targets[];
extern const size_t pathline_trampoline_count;

/// Called by a trampoline that has no target yet. returns  where to jump.
__attribute__((visibility("hidden"))) void* pathline_trampoline_resolve(size_t index) {
  ++thread.inside;
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
  --thread.inside;
  if (target == nullptr) {
    say("the program calls %s, which its MPI library does not have", name);
    // There is no way to go on: without us the program would not even have started.
    _Exit(127);
  }
  return target;
}
}

}  // namespace pathline::record

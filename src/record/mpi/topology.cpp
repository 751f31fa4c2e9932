// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/topology.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/process.hpp"

namespace pathline::record {

void export_topology() {
  if (!process.started.load()) return;
  const OwnEnvironment environment;
  void* library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    define_setting("topology", "libhwloc.so.15 is not installed");
    return;
  }
  // The five functions of hwloc 2 that this takes; a topology is an opaque pointer.
  const auto init = reinterpret_cast<int (*)(void**)>(dlsym(library, "hwloc_topology_init"));
  const auto load = reinterpret_cast<int (*)(void*)>(dlsym(library, "hwloc_topology_load"));
  const auto destroy = reinterpret_cast<void (*)(void*)>(dlsym(library, "hwloc_topology_destroy"));
  const auto write = reinterpret_cast<int (*)(void*, const char*, unsigned long)>(
      dlsym(library, "hwloc_topology_export_xml"));
  void* topology = nullptr;
  if (init != nullptr && load != nullptr && destroy != nullptr && write != nullptr &&
      init(&topology) == 0) {
    char path[1400];
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    std::snprintf(path, sizeof path, "%s/topology", process.run_directory);
    mkdir(path, 0755);
    std::snprintf(path, sizeof path, "%s/topology/%s.xml", process.run_directory, host);
    if (load(topology) != 0 || write(topology, path, 0) != 0) {
      define_setting("topology", "hwloc could not write it");
    }
    destroy(topology);
  }
  dlclose(library);
}

}  // namespace pathline::record

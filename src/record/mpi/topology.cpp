// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/topology.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/node.hpp"
#include "record/process.hpp"

namespace pathline::record {

void export_topology(bool first_of_host) {
  if (!process.started.load()) return;
  const OwnEnvironment environment;
  // Where one host plays several nodes, each of these is exported by whoever comes first.
  char node[256];
  char host[256] = "";
  node_name(process.rank, node, sizeof node);
  gethostname(host, sizeof host - 1);
  if (!first_of_host && std::strcmp(node, host) == 0) return;
  char path[1400];
  std::snprintf(path, sizeof path, "%s/topology", process.run_directory);
  mkdir(path, 0755);
  std::snprintf(path, sizeof path, "%s/topology/%s.xml", process.run_directory, node);
  if (access(path, F_OK) == 0) return;
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
    char part[1450];
    std::snprintf(part, sizeof part, "%s.%u", path, process.rank);
    if (load(topology) != 0 || write(topology, part, 0) != 0 || std::rename(part, path) != 0) {
      define_setting("topology", "hwloc could not write it");
    }
    destroy(topology);
  }
  dlclose(library);
}

}  // namespace pathline::record

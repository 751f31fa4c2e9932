// SPDX-License-Identifier: BSD-3-Clause
#include "record/node.hpp"

#include <cerrno>  // program_invocation_name
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace pathline::record {
namespace {

/// The node by Slurm; nullptr where its variables may be those of another task: launchers hand
/// theirs on to all ranks.
const char* slurm_node(uint32_t rank, const char* host) {
  const char* node = std::getenv("SLURMD_NODENAME");
  if (node == nullptr || *node == '\0' || *node == '.' || std::strchr(node, '/') != nullptr) {
    return nullptr;
  }
  const size_t length = std::strlen(node);
  const bool is_host =
      std::strncmp(host, node, length) == 0 && (host[length] == '\0' || host[length] == '.');
  const char* task = std::getenv("SLURM_PROCID");
  char* end = nullptr;
  const bool is_task =
      task != nullptr && std::strtoul(task, &end, 10) == rank && end != task && *end == '\0';
  return is_host || is_task ? node : nullptr;
}

void own_name(char* name, size_t size) {
  if (gethostname(name, size - 1) != 0) std::snprintf(name, size, "unknown");
  name[size - 1] = '\0';
}

}  // namespace

void node_name(uint32_t rank, char* name, size_t size) {
  own_name(name, size);
  const char* node = slurm_node(rank, name);
  // Of two names of one host the host's own counts, which other tools use as well.
  if (node != nullptr && std::strncmp(name, node, std::strlen(node)) != 0) {
    std::snprintf(name, size, "%s", node);
  }
}

void program_file(char* path, size_t size) {
  const auto length = readlink("/proc/self/exe", path, size - 1);
  if (length < 0) {
    std::snprintf(path, size, "%s", program_invocation_name);
  } else {
    path[length] = '\0';
  }
}

void program_name(char* name, size_t size) {
  std::snprintf(name, size, "%s", program_invocation_short_name);
}

const char* switches_above(uint32_t rank) {
  char host[256];
  own_name(host, sizeof host);
  const char* node = slurm_node(rank, host);
  const char* address = std::getenv("SLURM_TOPOLOGY_ADDR");
  if (node == nullptr || address == nullptr) return "";
  const char* last = std::strrchr(address, '.');
  return std::strcmp(last == nullptr ? address : last + 1, node) == 0 ? address : "";
}

}  // namespace pathline::record

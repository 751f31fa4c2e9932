// SPDX-License-Identifier: BSD-3-Clause
//
// simgrid_routes PLATFORM: what SimGrid makes of a platform. The first line holds its version
// (major and minor) and the number of hosts, the next lines one host each, "NAME CORES". Then
// follows a line for each pair of different hosts, "FROM TO LINK...": hosts by their line, links by
// a number of this program.
#include <cstdio>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

namespace s4u = simgrid::s4u;

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  if (argc != 2) return 2;
  engine.load_platform(argv[1]);
  const std::vector<s4u::Host*> hosts = engine.get_all_hosts();
  std::printf("%d %d %zu\n", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR, hosts.size());
  for (const s4u::Host* host : hosts) {
    std::printf("%s %d\n", host->get_cname(), host->get_core_count());
  }
  std::unordered_map<const s4u::Link*, size_t> numbers;
  std::vector<s4u::Link*> links;
  for (size_t from = 0; from < hosts.size(); ++from) {
    for (size_t to = 0; to < hosts.size(); ++to) {
      if (from == to) continue;
      links.clear();
      double latency_s = 0;
      hosts[from]->route_to(hosts[to], links, &latency_s);
      std::printf("%zu %zu", from, to);
      for (const s4u::Link* link : links) {
        std::printf(" %zu", numbers.emplace(link, numbers.size()).first->second);
      }
      std::printf("\n");
    }
  }
  return 0;
}

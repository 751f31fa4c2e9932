// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid as the oracle of what app::read_platform() says of a platform: the hosts, their cores,
// and the network. Routes are the same if one link of ours always stands where one link of SimGrid
// stands, and the other way round, for all pairs of hosts.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/platform.hpp"
#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "network/spec.hpp"

namespace pathline {
namespace {

using network::Link;
using network::Vertex;

struct Oracle {
  int major = 0;
  int minor = 0;
  std::vector<std::string> hosts;
  std::vector<uint32_t> cores;
  struct Route {
    uint32_t from = 0;
    uint32_t to = 0;
    std::vector<uint32_t> links;
  };
  std::vector<Route> routes;
};

/// What simgrid_routes prints for a platform; nothing if it fails. Not called without SimGrid.
[[maybe_unused]] std::optional<Oracle> ask(const std::string& program,
                                           const std::filesystem::path& platform) {
  std::FILE* pipe = popen(fmt::format("'{}' '{}'", program, platform.string()).c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  for (size_t size = 0; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, size);
  }
  if (pclose(pipe) != 0) return std::nullopt;
  Oracle oracle;
  std::istringstream lines(text);
  size_t host_count = 0;
  lines >> oracle.major >> oracle.minor >> host_count;
  oracle.hosts.resize(host_count);
  oracle.cores.resize(host_count);
  for (size_t host = 0; host < host_count; ++host)
    lines >> oracle.hosts[host] >> oracle.cores[host];
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    Oracle::Route& route = oracle.routes.emplace_back();
    std::istringstream words(line);
    words >> route.from >> route.to;
    for (uint32_t link = 0; words >> link;) route.links.push_back(link);
  }
  return oracle;
}

/// The platform as SimGrid has it; skips the test where it cannot say.
void compare(const std::filesystem::path& file, bool only_of_3_32 = false) {
#ifndef PATHLINE_SIMGRID_ROUTES
  (void)file, (void)only_of_3_32;
  GTEST_SKIP() << "needs SimGrid (libsimgrid-dev)";
#else
  const auto read = app::read_platform(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const app::Platform& platform = read.value();
  const auto oracle = ask(PATHLINE_SIMGRID_ROUTES, file);
  ASSERT_TRUE(oracle.has_value());
  if (only_of_3_32 && (oracle->major != 3 || oracle->minor != 32)) {
    GTEST_SKIP() << "SimGrid " << oracle->major << "." << oracle->minor
                 << " has another rule than 3.32 for cables side by side";
  }
  const size_t count = platform.hosts.size();
  ASSERT_EQ(oracle->hosts.size(), count);
  ASSERT_EQ(oracle->routes.size(), count * (count - 1));
  std::vector<Vertex> node_of;
  for (size_t host = 0; host < count; ++host) {
    const auto found = std::find(platform.hosts.begin(), platform.hosts.end(), oracle->hosts[host]);
    ASSERT_NE(found, platform.hosts.end()) << oracle->hosts[host];
    node_of.emplace_back(found - platform.hosts.begin());
    EXPECT_EQ(platform.cores, oracle->cores[host]);
  }
  if (platform.network.empty()) return;

  const auto machine = network::parse_network(platform.network);
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  const network::Network& ours = *machine.value().network;
  ASSERT_EQ(ours.node_count(), count);
  std::map<uint32_t, Link> our_link;
  std::vector<uint32_t> their_link(ours.link_limit(), UINT32_MAX);
  std::vector<Link> links;
  size_t wrong = 0;
  for (const Oracle::Route& theirs : oracle->routes) {
    links.clear();
    ours.route(node_of[theirs.from], node_of[theirs.to], links);
    bool same = links.size() == theirs.links.size();
    for (size_t i = 0; same && i < links.size(); ++i) {
      uint32_t& their = their_link[links[i]];
      if (their == UINT32_MAX) their = theirs.links[i];
      same = their == theirs.links[i] &&
             our_link.emplace(theirs.links[i], links[i]).first->second == links[i];
    }
    if (!same && ++wrong <= 3) {
      ADD_FAILURE() << platform.network << ": from " << oracle->hosts[theirs.from] << " to "
                    << oracle->hosts[theirs.to] << ": " << links.size() << " links, SimGrid has "
                    << theirs.links.size() << ", or the same number of others";
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << oracle->routes.size() << " routes";
#endif
}

struct Cluster {
  const char* topology;
  const char* parameters;
  const char* radical;
  /// Cables side by side below the top, where versions of SimGrid differ.
  bool only_of_3_32 = false;
};

class SimGrid : public testing::TestWithParam<Cluster> {};

TEST_P(SimGrid, HasTheRoutesThatWeHave) {
  const Cluster& cluster = GetParam();
  const base::ScratchFolder folder;
  compare(folder.write(
              "platform.xml",
              fmt::format("<?xml version='1.0'?>\n"
                          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                          "<platform version=\"4.1\"><zone id=\"world\" routing=\"Full\">\n"
                          "<cluster id=\"c\" prefix=\"n-\" suffix=\".x\" speed=\"1Gf\" core=\"3\" "
                          "bw=\"1GBps\" lat=\"1us\" loopback_bw=\"1GBps\" loopback_lat=\"1us\" "
                          "topology=\"{}\" topo_parameters=\"{}\" radical=\"{}\"/>\n"
                          "</zone></platform>\n",
                          cluster.topology, cluster.parameters, cluster.radical)),
          cluster.only_of_3_32);
}

INSTANTIATE_TEST_SUITE_P(
    Clusters, SimGrid,
    testing::Values(
        // Rings of odd and even size, of two and of one, alone and together.
        Cluster{"TORUS", "5", "0-4"}, Cluster{"TORUS", "6", "0-5"}, Cluster{"TORUS", "2", "0-1"},
        Cluster{"TORUS", "4,3,2", "0-23"}, Cluster{"TORUS", "3,4,2", "0-23"},
        Cluster{"TORUS", "2,2,2", "0-7"}, Cluster{"TORUS", "3,1,2", "0-5"},
        Cluster{"TORUS", "7,8", "0-55"}, Cluster{"TORUS", "2,4,3,4,2", "0-191"},
        // Names that leave numbers out, and do not ascend.
        Cluster{"TORUS", "4,3", "7-10,0-3,20-23"},
        // k-ary trees, tapered ones, several parents of a node, cables at the top.
        Cluster{"FAT_TREE", "1;5;1;1", "0-4"}, Cluster{"FAT_TREE", "2;4,4;1,4;1,1", "0-15"},
        Cluster{"FAT_TREE", "3;3,3,3;1,3,3;1,1,1", "0-26"},
        Cluster{"FAT_TREE", "2;4,3;1,5;1,1", "0-11"},
        Cluster{"FAT_TREE", "3;4,4,4;1,3,2;1,1,1", "0-63"},
        Cluster{"FAT_TREE", "3;4,3,5;2,3,2;1,1,1", "0-59"},
        Cluster{"FAT_TREE", "2;4,4;1,2;1,2", "20-31,0-3"},
        Cluster{"FAT_TREE", "3;4,2,4;1,2,2;1,1,3", "0-31"},
        // Cables below it.
        Cluster{"FAT_TREE", "1;5;2;2", "0-4", true},
        Cluster{"FAT_TREE", "3;2,2,2;1,2,2;1,2,2", "0-7", true},
        Cluster{"FAT_TREE", "3;4,4,4;1,3,2;1,2,3", "0-63", true},
        Cluster{"FAT_TREE", "3;3,2,2;2,2,3;2,3,1", "0-11", true},
        Cluster{"FAT_TREE", "4;2,3,2,2;1,2,1,3;3,2,3,2", "0-23", true},
        Cluster{"FLAT", "", "0-3,8"}),
    [](const testing::TestParamInfo<Cluster>& made) {
      std::string name = fmt::format("{}_{}", made.param.topology, made.param.parameters);
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == ',' || c == ';'; }, '_');
      return name;
    });

TEST(SimGridData, HasTheRoutesThatWeHave) {
  for (const char* name : {"torus_4x4x4_c16.xml", "torus_8x8x8_c8.xml", "fattree_256_c16.xml"}) {
    compare(base::own_data(std::string("platforms/") + name));
  }
}

}  // namespace
}  // namespace pathline

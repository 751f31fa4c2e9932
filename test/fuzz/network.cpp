// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/network.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/platform.hpp"
#include "network/edge_graph.hpp"
#include "network/hop_bytes.hpp"
#include "network/host_list.hpp"
#include "network/infer.hpp"
#include "network/route_file.hpp"
#include "network/spec.hpp"
#include "network/tree.hpp"

namespace pathline::fuzz {
namespace {

using network::Link;
using network::Machine;
using network::Network;
using network::Vertex;

constexpr const char* kFile = "map.txt";
/// What is made of more ranks takes long, and tells nothing more.
constexpr uint32_t kManyRanks = 10'000;
/// All shapes of so many nodes are tried when a network is inferred.
constexpr uint32_t kManyShapes = 512;

const Machine& torus() {
  static const Machine instance = network::parse_network("torus:3x4mx2,ranks-per-node=2").value();
  return instance;
}

const Machine& xc40() {
  static const Machine instance = network::parse_network("xc40:2").value();
  return instance;
}

std::string broken_by_error(const base::Error& error, bool of_line = true) {
  const std::string& message = error.message;
  if (message.empty()) return "an error without a message";
  if (!of_line) return "";
  if (message.find(kFile) == std::string::npos) return "this error names no file: " + message;
  const bool of_all = message.find("no other line is") != std::string::npos ||
                      message.find("names no ") != std::string::npos;
  if (!of_all && message.find("line ") == std::string::npos) {
    return "this error names no line: " + message;
  }
  return "";
}

/// Whether links lead from a vertex to another, each beginning where the one before ends.
bool leads(const Network& network, std::span<const Link> links, Vertex from, Vertex to) {
  Vertex at = from;
  for (const Link link : links) {
    if (network.source(link) != at) return false;
    at = network.target(link);
  }
  return at == to;
}

/// A few pairs of nodes.
std::string broken_by(const Network& network) {
  const uint32_t nodes = network.node_count();
  if (nodes == 0) return "a network without nodes";
  const size_t dimensions = network.dimensions().size();
  std::vector<uint32_t> address(dimensions);
  std::vector<Link> links;
  for (uint32_t i = 0; i < 16; ++i) {
    const Vertex from((i * 7919ULL) % nodes);
    const Vertex to((i * 104729ULL + nodes / 2) % nodes);
    links.clear();
    network.route(from, to, links);
    if (!leads(network, links, from, to)) return "a route does not lead to its end";
    if (links.size() != network.distance(from, to)) return "a route is not as long as its distance";
    if (links.size() > network.diameter()) return "a route is longer than the diameter";
    if (network.fewest_hops(from, to) > links.size()) return "a route is shorter than possible";
    if (network.name(from).empty()) return "a node without a name";
    if (dimensions == 0) continue;
    network.coordinates(from, address);
    if (network.node(address) != from) return "an address is that of another node";
  }
  return "";
}

template <class Made>
std::string broken_by_made(const base::Result<std::unique_ptr<Made>>& made) {
  if (!made) return broken_by_error(made.error());
  const Network& network = *made.value();
  for (uint32_t node = 0; node < std::min(network.node_count(), 64U); ++node) {
    const Vertex found = network.find(network.name(Vertex(node)));
    if (found != Vertex(node)) return "the name of a node finds another one";
  }
  return broken_by(network);
}

std::string broken_by(const std::vector<network::InferredNetwork>& answers) {
  for (const auto& answer : answers) {
    if (!network::parse_network(answer.spec)) return "no network is " + answer.spec;
  }
  return "";
}

std::string probe_hop_bytes(std::string_view text) {
  for (const bool partial : {false, true}) {
    const auto parsed = network::parse_hop_bytes(text, kFile, partial);
    if (!parsed) {
      const std::string broken = broken_by_error(parsed.error());
      if (!broken.empty()) return broken;
      continue;
    }
    const network::HopBytes& lines = parsed.value();
    if (!partial && lines.malformed_lines > 0) return "malformed lines are left out";
    if (lines.rank_count > kManyRanks) continue;
    const auto traffic = network::traffic_of(lines);
    if (std::accumulate(traffic.bytes.begin(), traffic.bytes.end(), uint64_t{0}) !=
        std::accumulate(lines.bytes.begin(), lines.bytes.end(), uint64_t{0})) {
      return "bytes get lost";
    }
    if (const auto nodes = network::block_placement(torus(), lines.rank_count)) {
      const auto status = network::check_hops(lines, *torus().network, nodes.value(), kFile);
      if (!status) {
        const std::string broken = broken_by_error(status.error());
        if (!broken.empty()) return broken;
      }
    }
    if (lines.rank_count > kManyShapes) continue;
    const auto answers = network::infer(&lines, nullptr);
    if (!answers) return broken_by_error(answers.error(), false);
    const std::string broken = broken_by(answers.value());
    if (!broken.empty()) return broken;
  }
  return "";
}

/// Routes on one machine.
std::string broken_by(const network::RouteFile& file, const Machine& machine) {
  const Network& network = *machine.network;
  const auto nodes = network::block_placement(machine, file.rank_count);
  if (!nodes) return "";
  for (const bool complete : {false, true}) {
    for (const bool partial : {false, true}) {
      const network::RouteBinding binding{
          .ranks_per_node = machine.ranks_per_node, .complete = complete, .partial = partial};
      network::RouteNotes notes;
      const auto bound = network::bind_routes(file, network, nodes.value(), binding, kFile, notes);
      if (!bound) {
        if (partial) return "partial routes are refused: " + bound.error().message;
        const std::string broken = broken_by_error(bound.error());
        if (!broken.empty()) return broken;
        continue;
      }
      const network::Routes& routes = bound.value();
      for (size_t r = 0; r < routes.size(); ++r) {
        if (routes.incomplete[r] != 0) continue;
        if (!leads(network, routes.links_of(r), routes.from[r], routes.to[r])) {
          return "a route does not lead to its end";
        }
      }
      const bool cut = std::any_of(routes.incomplete.begin(), routes.incomplete.end(),
                                   [](uint8_t incomplete) { return incomplete != 0; });
      if (cut) continue;
      const auto text = network::format_route_file(network, routes, {}, nodes.value());
      if (!text || text.value().empty()) continue;
      const auto again = network::parse_route_file(text.value(), kFile);
      if (!again) continue;  // Routes without hops have no lines.
      const auto rebound =
          network::bind_routes(again.value(), network, nodes.value(), binding, kFile, notes);
      if (!rebound) return "what was written does not fit: " + rebound.error().message;
      if (rebound.value().links != routes.links) return "what was written has other links";
    }
  }
  return "";
}

std::string probe_routes(std::string_view text) {
  const auto parsed = network::parse_route_file(text, kFile);
  if (!parsed) return broken_by_error(parsed.error());
  const network::RouteFile& file = parsed.value();
  if (file.rank_count > kManyRanks) return "";
  for (const Machine* machine : {&torus(), &xc40()}) {
    const std::string broken = broken_by(file, *machine);
    if (!broken.empty()) return broken;
  }
  const bool is_large = std::any_of(file.addresses.begin(), file.addresses.end(),
                                    [](uint32_t coordinate) { return coordinate > 16; });
  if (is_large || file.rank_count > kManyShapes) return "";
  const auto answers = network::infer(nullptr, &file);
  if (!answers) return broken_by_error(answers.error(), false);
  return broken_by(answers.value());
}

std::string probe_hosts(std::string_view text) {
  const auto names = network::expand_host_list(text);
  if (!names) return broken_by_error(names.error(), false);
  if (names.value().empty() || names.value().size() > network::kMaxHostNames) {
    return "no names, or too many";
  }
  for (const std::string& name : names.value()) {
    if (name.empty() || name.size() > network::kMaxHostNameLength)
      return "this is no name: " + name;
  }
  return "";
}

/// Large machines are legal, and take long to build; files are others' fuzzers.
bool is_worth_it(std::string_view spec) {
  for (const char* kind : {"tree:", "slurm:", "edges:"}) {
    if (spec.starts_with(kind)) return false;
  }
  constexpr double kManyNodes = 1000;
  double product = 1;
  for (size_t i = 0; i < spec.size(); ++i) {
    double number = 0;
    for (; i < spec.size() && spec[i] >= '0' && spec[i] <= '9'; ++i) {
      number = 10 * number + (spec[i] - '0');
    }
    product *= std::max(number, 1.0);
  }
  // Too many nodes to be built at all, or so few that it is quick.
  return product < kManyNodes || product > 1e12;
}

std::string probe_spec(std::string_view text) {
  if (!is_worth_it(text)) return "";
  const auto machine = network::parse_network(text);
  if (!machine) return broken_by_error(machine.error(), false);
  const std::string spec = machine.value().network->spec();
  const auto again = network::parse_network(spec);
  if (!again) return fmt::format("a network calls itself '{}': {}", spec, again.error().message);
  if (again.value().network->spec() != spec) return "a network's name is that of another one";
  return broken_by(*machine.value().network);
}

std::string probe_platform(std::string_view text) {
  const auto parsed = app::parse_platform(text, kFile);
  if (!parsed) return broken_by_error(parsed.error());
  const app::Platform& platform = parsed.value();
  if (platform.hosts.empty() || platform.cores == 0) return "a platform without hosts or cores";
  if (platform.network.empty() || platform.hosts.size() > kManyRanks) return "";
  const auto machine = network::parse_network(platform.network);
  if (!machine) return "no network is " + platform.network;
  if (machine.value().network->node_count() != platform.hosts.size()) {
    return platform.network + " has other nodes than the platform";
  }
  return broken_by(*machine.value().network);
}

}  // namespace

std::string network_example(std::string_view kind) {
  if (kind == "hopbytes") {
    return "0 1 1024 0\n0 2 4096 1\n2 9 3.5e6 3\n9 2 17 3\n12 46 100\n4 47 8 4\n";
  }
  if (kind == "tree") {
    return "# a root, switches and nodes\nroot: s[1-2] s3\ns1 n[01-04]\ns2: n05 n06\ns3 s4 n07\n"
           "s4 n[08-09,12]\n";
  }
  if (kind == "slurm") {
    return "# topology/tree\nSwitchName=s0 Nodes=dev[0-5] LinkSpeed=100\n"
           "SwitchName=s1 Nodes=dev-[6-7],login1\nSwitchName=top \\\n  Switches=s[0-1]\n";
  }
  if (kind == "edges") {
    return "switch s1 s2\n1 s1\n2 s1 2.5\n3 s2\n4 s2 1e3\ns1 s2 4\n1 -> 3 0.5\n4 -> 2\n";
  }
  if (kind == "hosts") return "n[001-003,7],login1,rack[0-1]node[8-11],gpu";
  if (kind == "spec") return "torus:3x4mx2x2,order=DABC,ranks-per-node=2";
  if (kind == "xgft_spec") return "xgft:4,3,2;2,1,3;1,2,1,ranks-per-node=3";
  if (kind == "platform") {
    return "<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
           "<cluster id=\"c\" topology=\"FAT_TREE\" topo_parameters=\"2;4,3;1,2;1,2\" "
           "prefix=\"n\"\n"
           " radical=\"0-8,12,14-15\" suffix=\"\" core=\"16\" sharing_policy=\"SPLITDUPLEX\"/>\n"
           "</zone></platform>\n";
  }
  if (kind == "xc40_routes") {
    // As Theta records them, and as our own writer does.
    const Network& network = *xc40().network;
    network::Routes routes;
    std::vector<Link> links;
    for (const auto& [from, to] : {std::pair{0U, 5U}, {1U, 70U}, {3U, 500U}, {600U, 2U}}) {
      links.clear();
      network.route(Vertex(from), Vertex(to), links);
      routes.add(Vertex(from), Vertex(to), 1, 1, links);
      routes.sender.push_back(from);
      routes.receiver.push_back(to);
    }
    const auto nodes = network::block_placement(xc40(), network.node_count());
    if (const auto text = network::format_route_file(network, routes, {}, nodes.value())) {
      return text.value();
    }
    return "Hop 1: [0-5] 0 (0 0 0 0 0) -> 5 (0 0 1 1 0)\n";
  }
  // One of each length from node 0, some of their lines interleaved, and lines that do not fit.
  const Network& network = *torus().network;
  network::Routes routes;
  std::vector<Link> links;
  for (const auto& [from, to] : {std::pair{0U, 1U}, {0U, 7U}, {5U, 23U}, {20U, 3U}}) {
    links.clear();
    network.route(Vertex(from), Vertex(to), links);
    routes.add(Vertex(from), Vertex(to), 1, 1, links);
    routes.sender.push_back(2 * from);
    routes.receiver.push_back(2 * to);
  }
  const auto nodes = network::block_placement(torus(), 2 * network.node_count());
  return network::format_route_file(network, routes, {}, nodes.value()).value() +
         "Hop 3dest -1 2506\n";
}

std::string probe_network(std::string_view kind, std::string_view text) {
  if (kind == "hopbytes") return probe_hop_bytes(text);
  if (kind == "tree") return broken_by_made(network::read_tree(text, kFile));
  if (kind == "slurm") return broken_by_made(network::read_slurm_topology(text, kFile));
  if (kind == "edges") return broken_by_made(network::read_edges(text, kFile));
  if (kind == "hosts") return probe_hosts(text);
  if (kind == "spec" || kind == "xgft_spec") return probe_spec(text);
  if (kind == "platform") return probe_platform(text);
  return probe_routes(text);
}

}  // namespace pathline::fuzz

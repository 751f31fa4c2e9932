// SPDX-License-Identifier: BSD-3-Clause
#include "app/network_input.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_input.hpp"
#include "comm/process_order.hpp"
#include "mapping/files/placement_file.hpp"
#include "network/hop_bytes.hpp"
#include "network/host_list.hpp"
#include "network/lines.hpp"

namespace pathline::app {
namespace {

using network::Vertex;

/// The files of a request.
struct Files {
  std::optional<network::HopBytes> hop_bytes;
  std::optional<network::RouteFile> routes;
};

base::Result<Files> read_files(const NetworkRequest& request) {
  Files files;
  if (!request.hop_bytes.empty()) {
    auto input = base::TextInput::open(request.hop_bytes);
    if (!input) return input.error();
    auto parsed =
        network::parse_hop_bytes(input.value().text(), request.hop_bytes, request.partial);
    if (!parsed) return parsed.error();
    files.hop_bytes = std::move(parsed).value();
  }
  if (!request.routes.empty()) {
    auto input = base::TextInput::open(request.routes);
    if (!input) return input.error();
    auto parsed = network::parse_route_file(input.value().text(), request.routes);
    if (!parsed) return parsed.error();
    files.routes = std::move(parsed).value();
  }
  return files;
}

/// One message of one byte for each route between two ranks.
graph::Traffic traffic_of_routes(const network::RouteFile& file) {
  std::vector<graph::Pair> pairs;
  for (const auto& route : file.routes) pairs.push_back({route.sender, route.receiver, 1, 1});
  return graph::traffic_of(file.rank_count, std::move(pairs));
}

/// The nodes that the hosts of a trace are; none if the network knows none of them.
/// errors  kNotFound when it knows some, but not all.
base::Result<std::vector<Vertex>> nodes_by_host(const mapping::NodeNames& names,
                                                const std::vector<std::string>& hosts) {
  std::vector<Vertex> nodes;
  const std::string* unknown = nullptr;
  for (const std::string& host : hosts) {
    const Vertex node = names.find(host);
    if (node.valid()) {
      nodes.push_back(node);
    } else if (unknown == nullptr) {
      unknown = &host;
    }
  }
  if (unknown != nullptr && !nodes.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("the run used host {}, which is no node of {}",
                                   base::printable(*unknown), names.network().spec()),
                       "--hosts FILE names the nodes; --placement FILE says where the ranks ran."};
  }
  return nodes;
}

/// The first line of a file that names a rank for which there is no place; "" if there is none.
std::string line_without_place(const NetworkRequest& request, const Files& files,
                               uint64_t place_count) {
  const auto text = [](const std::string& file, size_t line, uint32_t rank) {
    return fmt::format("{}: line {}: rank {}: ", file, line, rank);
  };
  if (files.hop_bytes) {
    const network::HopBytes& lines = *files.hop_bytes;
    for (size_t i = 0; i < lines.size(); ++i) {
      const uint32_t rank = std::max(lines.sender[i], lines.receiver[i]);
      if (rank >= place_count) return text(request.hop_bytes, lines.line[i], rank);
    }
  }
  if (files.routes) {
    for (const auto& route : files.routes->routes) {
      const uint32_t rank = std::max(route.sender, route.receiver);
      if (rank >= place_count) return text(request.routes, route.line, rank);
    }
  }
  return "";
}

/// The names of nodes, one each line.
base::Result<std::vector<std::string>> read_hosts(const std::string& file) {
  auto input = base::TextInput::open(file);
  if (!input) return input.error();
  std::vector<std::string> hosts;
  for (network::Lines lines(input.value().text(), '#'); lines.next();) {
    for (const std::string_view word : lines.words()) {
      auto names = network::expand_host_list(word);
      if (!names) {
        return base::Error{names.error().code, fmt::format("{}: line {}: {}", file, lines.number(),
                                                           names.error().message)};
      }
      std::move(names.value().begin(), names.value().end(), std::back_inserter(hosts));
    }
  }
  return hosts;
}

base::Result<mapping::Placement> place_ranks(const NetworkRequest& request, const Files& files,
                                             const RankTraffic* trace, uint32_t rank_count,
                                             NetworkInput& out) {
  const network::Network& network = *out.machine.network;
  auto names = mapping::NodeNames::make(network, out.host_of_node);
  if (!names) return names.error();
  if (!request.placement.empty()) {
    // bgq:FILE says the format, FILE alone lets the content tell.
    const size_t colon = request.placement.find(':');
    const auto format = colon == std::string::npos
                            ? std::nullopt
                            : mapping::find_placement_format(request.placement.substr(0, colon));
    const std::string file = format ? request.placement.substr(colon + 1) : request.placement;
    auto input = base::TextInput::open(file);
    if (!input) return input.error();
    // A file of traffic does not name ranks that are silent.
    auto placed = mapping::read_placement(
        input.value().text(), file, names.value(),
        {.format = format, .rank_count = trace != nullptr ? rank_count : 0});
    if (placed && placed.value().rank_count() < rank_count) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("{}: there are {} ranks, but only {} are placed", file,
                                     rank_count, placed.value().rank_count())};
    }
    out.placed_by = "file";
    return placed;
  }
  out.placed_by = "block";
  if (trace != nullptr) {
    auto nodes = nodes_by_host(names.value(), trace->host_of_rank);
    if (!nodes) return nodes.error();
    if (!nodes.value().empty()) {
      out.placed_by = "hosts";
      return mapping::placement_on(std::move(nodes).value());
    }
    out.remarks.push_back(fmt::format(
        "nothing says which nodes the hosts of the run are, so rank r is taken to be on "
        "node r{}",
        out.machine.ranks_per_node == 1 ? "" : fmt::format(" / {}", out.machine.ranks_per_node)));
  }
  auto nodes = network::block_placement(out.machine, rank_count);
  if (!nodes) {
    base::Error error = nodes.error();
    error.message =
        line_without_place(request, files,
                           uint64_t{network.node_count()} * out.machine.ranks_per_node) +
        error.message;
    return error;
  }
  return mapping::placement_on(std::move(nodes).value());
}

/// The hosts of a run under one switch, with room for as many ranks as ran on the fullest.
base::Result<NetworkRequest> hosts_under_a_switch(NetworkRequest request,
                                                  const RankTraffic* trace) {
  if (trace == nullptr || trace->host_of_rank.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--network is missing, and nothing says which hosts the ranks ran on"};
  }
  std::map<std::string_view, uint32_t> ranks;
  for (const std::string& host : trace->host_of_rank) {
    if (ranks[host]++ == 0) request.host_names.push_back(host);
  }
  if (ranks.size() == 1) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("all {} ran on one host ({}): there is nothing to place",
                                   base::counted(trace->host_of_rank.size(), "rank", "ranks"),
                                   base::printable(trace->host_of_rank.front())),
                       "--network says on what else they could run."};
  }
  uint32_t most = 0;
  for (const auto& [host, count] : ranks) most = std::max(most, count);
  request.network = fmt::format("fattree:{},1,ranks-per-node={}", ranks.size(), most);
  return request;
}

void add_remarks(const NetworkRequest& request, const Files& files, NetworkInput& out) {
  const network::RouteNotes& notes = out.notes;
  const auto remark = [&](uint64_t count, std::string text) {
    if (count > 0) out.remarks.push_back(std::move(text));
  };
  if (files.hop_bytes) {
    remark(files.hop_bytes->malformed_lines,
           fmt::format("{}: {} malformed and left out, the first in {}", request.hop_bytes,
                       base::counted(files.hop_bytes->malformed_lines, "line is", "lines are"),
                       files.hop_bytes->first_malformed));
  }
  if (!files.routes) return;
  remark(files.routes->malformed_lines,
         fmt::format("{}: {} malformed and left out, the first is {}", request.routes,
                     base::counted(files.routes->malformed_lines, "line is", "lines are"),
                     files.routes->first_malformed));
  remark(notes.incomplete,
         fmt::format("{}: {} cut or without some hop{}", request.routes,
                     base::counted(notes.incomplete, "route is", "routes are"),
                     request.complete ? ", and completed by the network's rule"
                                      : "; --complete takes the network's rule for them"));
  remark(notes.left_out, fmt::format("{}: {} not fit the network and {} left out", request.routes,
                                     base::counted(notes.left_out, "route does", "routes do"),
                                     notes.left_out == 1 ? "is" : "are"));
  remark(notes.stale_numbers,
         fmt::format("{}: {} printed with the number of another node; the coordinates count",
                     request.routes,
                     base::counted(notes.stale_numbers, "waypoint is", "waypoints are")));
  remark(notes.without_traffic,
         fmt::format("{}: {} between ranks that exchange no bytes", request.routes,
                     base::counted(notes.without_traffic, "route is", "routes are")));
  remark(notes.pairs_without_route,
         fmt::format("{}: no route for {} of ranks that exchange bytes; their traffic does not "
                     "count",
                     request.routes, base::counted(notes.pairs_without_route, "pair", "pairs")));
}

}  // namespace

RankTraffic rank_traffic(const trace::Trace& trace, const comm::Matrix& matrix) {
  RankTraffic out{matrix.traffic, {}, false};
  for (uint32_t rank = 0; rank < matrix.traffic.rank_count(); ++rank) {
    out.host_of_rank.emplace_back(comm::host_of(trace, rank));
  }
  const auto known = [](const std::string& host) { return !host.empty(); };
  if (std::none_of(out.host_of_rank.begin(), out.host_of_rank.end(), known)) {
    out.host_of_rank.clear();
  }
  return out;
}

base::Result<NetworkInput> open_network(const NetworkRequest& given, const RankTraffic* trace,
                                        base::ThreadPool& pool) {
  NetworkRequest request = given;
  if (trace != nullptr && !request.hop_bytes.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "both INPUT and --hopbytes say what is sent; give one of them"};
  }
  if (trace == nullptr && request.hop_bytes.empty() && request.routes.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "nothing says what is sent",
                       "Give a run as INPUT, --hopbytes FILE or --routes FILE."};
  }
  if (request.network.empty()) {
    auto completed = hosts_under_a_switch(std::move(request), trace);
    if (!completed) return completed.error();
    request = std::move(completed).value();
  }
  auto machine = network::parse_network(request.network);
  if (!machine) return machine.error();
  auto files = read_files(request);
  if (!files) return files.error();

  NetworkInput out;
  out.machine = std::move(machine).value();
  const network::Network& network = *out.machine.network;
  const Files& file = files.value();
  if (trace != nullptr) {
    out.traffic = trace->traffic;
    out.of_summary = trace->of_summary;
  } else if (file.hop_bytes) {
    out.traffic = network::traffic_of(*file.hop_bytes);
  } else {
    out.traffic = traffic_of_routes(*file.routes);
    out.counts_routes = true;
  }
  const uint32_t rank_count =
      std::max(out.traffic.rank_count(), file.routes ? file.routes->rank_count : 0U);
  if (!request.hosts.empty()) {
    auto hosts = read_hosts(request.hosts);
    if (!hosts) return hosts.error();
    out.host_of_node = std::move(hosts).value();
  } else {
    out.host_of_node = request.host_names;
  }
  auto placement = place_ranks(request, file, trace, rank_count, out);
  if (!placement) return placement.error();
  out.placement = std::move(placement).value();
  const std::vector<Vertex>& node_of_rank = out.placement.node_of_rank;
  out.slots_per_node = out.machine.ranks_per_node;
  for (const uint32_t slot : out.placement.slot_of_rank) {
    out.slots_per_node = std::max(out.slots_per_node, slot + 1);
  }
  // Hops were measured with the ranks in blocks; another placement is a question of what would be.
  if (file.hop_bytes && !request.ignore_hops && request.placement.empty()) {
    if (auto status =
            network::check_hops(*file.hop_bytes, network, node_of_rank, request.hop_bytes);
        !status) {
      return status.error();
    }
  }
  double total = 0;
  for (const uint64_t bytes : out.traffic.bytes) {
    out.bytes += bytes;
    total += static_cast<double>(bytes);
  }
  constexpr double kMaxTotalBytes = 1e18;  // Sums over links and nodes must fit into 64 bits.
  if (total > kMaxTotalBytes) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{:.3g} bytes are too many to add up", total)};
  }
  const std::vector<uint32_t> group(node_of_rank.begin(),
                                    node_of_rank.begin() + out.traffic.rank_count());
  out.node_traffic = graph::merged(out.traffic, group, network.node_count());
  if (file.routes) {
    auto routes = network::bind_routes(
        *file.routes, network, node_of_rank,
        {.traffic = out.counts_routes ? nullptr : &out.traffic,
         // Numbers are those of ranks placed in blocks.
         .ranks_per_node = request.placement.empty() && !trace ? out.machine.ranks_per_node : 0,
         .complete = request.complete,
         .partial = request.partial},
        request.routes, out.notes);
    if (!routes) return routes.error();
    out.routes = std::move(routes).value();
    out.malformed_lines += file.routes->malformed_lines;
  } else {
    out.routes = network::route_traffic(network, out.node_traffic, pool);
  }
  if (file.hop_bytes) out.malformed_lines += file.hop_bytes->malformed_lines;
  add_remarks(request, file, out);
  return out;
}

}  // namespace pathline::app

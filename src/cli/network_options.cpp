// SPDX-License-Identifier: BSD-3-Clause
#include "cli/network_options.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_input.hpp"
#include "comm/matrix.hpp"

namespace pathline::cli {
namespace {

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace

void add_network_options(CLI::App& command, NetworkOptions& options, bool required,
                         const std::string& group) {
  app::NetworkRequest& request = options.request;
  const std::vector<CLI::Option*> added = {
      command
          .add_option("--network", request.network,
                      "torus:4x4x4x8mx2 (m: no wrap), mesh:8x8, dragonfly:A,P,H, xc40:G, "
                      "fattree:K,N, tree:FILE, slurm:FILE (topology.conf) or edges:FILE; then "
                      ",order=DACBE and ,ranks-per-node=2 where needed")
          ->required(required),
      command.add_option("--hopbytes", request.hop_bytes,
                         "Traffic: lines SRC DST BYTES [HOPS], instead of INPUT; may be gzipped"),
      command.add_option("--routes", request.routes,
                         "Recorded routes: lines Hop K: [SRC-DST] N (c1 .. ck) -> N (c1 .. ck); "
                         "without it the network's rule gives them"),
      command.add_option("--placement", request.placement,
                         "Where the ranks run: FILE, or its format and name if the content cannot "
                         "tell: bgq:FILE, plain:, slurm:, rankfile:, placement.csv:"),
      command.add_option("--hosts", request.hosts,
                         "Names of the network's nodes, one each line, in the order of the nodes"),
      command.add_flag("--complete", request.complete,
                       "Take the network's rule for recorded routes that were cut"),
      command.add_flag("--ignore-hops", request.ignore_hops,
                       "Use the traffic although its HOPS are not those of the network")};
  if (group.empty()) return;
  for (CLI::Option* option : added) option->group(group);
}

void add_network_input(CLI::App& command, NetworkOptions& options) {
  add_input(command, options, false);
  add_network_options(command, options, true);
}

base::Result<app::NetworkInput> open_network(const NetworkOptions& options,
                                             base::ThreadPool& pool) {
  app::NetworkRequest request = options.request;
  request.partial = options.partial;
  std::optional<app::RankTraffic> trace;
  if (options.input.empty() && (options.from_s || options.until_s || !options.ranks.empty())) {
    return invalid("--from, --until and --ranks choose messages of a run, but there is no INPUT");
  }
  if (!options.input.empty()) {
    auto opened = open(options);
    if (!opened) return opened.error();
    const comm::Matrix matrix =
        comm::matrix(opened.value()->trace, opened.value()->selection, {}, opened.value()->pool);
    trace = app::rank_traffic(opened.value()->trace, matrix);
  }
  auto input = app::open_network(request, trace ? &*trace : nullptr, pool);
  if (input && !options.quiet) {
    for (const std::string& remark : input.value().remarks) {
      fmt::print(stderr, "pathline: {}\n", base::printable(remark));
    }
  }
  return input;
}

base::Result<double> parse_percent(const std::string& text, const std::string& option) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  double percent = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (code != std::errc() || end != number.data() + number.size() || !(percent > 0) ||
      percent > 100) {
    return invalid(
        fmt::format("{} is '{}', expected a percentage above 0 and up to 100, such as "
                    "5%",
                    option, text));
  }
  return percent / 100;
}

base::Result<std::vector<size_t>> parse_dimensions(const std::string& text,
                                                   const network::Network& network) {
  std::vector<std::string> names;
  for (const network::Dimension& dimension : network.dimensions()) names.push_back(dimension.name);
  std::set<size_t> found;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return invalid(names.empty()
                         ? fmt::format("the nodes of {} have no coordinates", network.spec())
                         : fmt::format("{} has no coordinate '{}'; it has {}", network.spec(), name,
                                       fmt::join(names, ", ")));
    }
    found.insert(static_cast<size_t>(at - names.begin()));
    begin = end + 1;
  }
  return std::vector<size_t>(found.begin(), found.end());
}

base::Result<std::vector<uint32_t>> routes_of_pairs(const std::string& file,
                                                    const app::NetworkInput& input) {
  auto pairs = network::read_pairs(file, input.placement.rank_count());
  if (!pairs) return pairs.error();
  std::set<std::pair<uint32_t, uint32_t>> wanted;
  for (const auto& [sender, receiver] : pairs.value()) {
    wanted.emplace(input.placement.node_of_rank[sender], input.placement.node_of_rank[receiver]);
  }
  std::vector<uint32_t> routes;
  for (uint32_t r = 0; r < input.routes.size(); ++r) {
    if (wanted.contains({input.routes.from[r], input.routes.to[r]})) routes.push_back(r);
  }
  if (routes.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{}: there is no route between the nodes of any of the {}", file,
                                   base::counted(pairs.value().size(), "pair", "pairs"))};
  }
  return routes;
}

base::Result<std::vector<uint32_t>> select_routes(const std::string& select,
                                                  const app::NetworkInput& input) {
  const size_t colon = select.find(':');
  const std::string kind = select.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : select.substr(colon + 1);
  if (kind == "pairs" && !value.empty()) return routes_of_pairs(value, input);
  if (kind != "top-links" || value.empty()) {
    return invalid(fmt::format("--select is '{}', expected top-links:5% or pairs:FILE", select));
  }
  auto share = parse_percent(value, "--select top-links");
  if (!share) return share.error();
  const auto loads = network::link_loads(*input.machine.network, input.routes);
  return network::routes_over(input.routes, network::top_links(loads, share.value()),
                              input.machine.network->link_limit());
}

nlohmann::ordered_json totals_json(const app::NetworkInput& input,
                                   const network::RouteTotals& totals) {
  nlohmann::ordered_json json;
  json["network"] = input.machine.network->spec();
  json["nodes"] = input.machine.network->node_count();
  json["links"] = input.machine.network->link_count();
  json["pairs"] = totals.pair_count;
  json["routes"] = totals.route_count;
  // Without traffic every route counts 1: the loads are numbers of routes.
  json["placement"] = input.placed_by;
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["bytes"] = input.bytes;
  json["off_node_bytes"] = totals.bytes;
  json["hop_bytes"] = totals.hop_bytes;
  json["average_hops"] = totals.average_hops();
  json["max_hops"] = totals.max_hops;
  json["total_route_length"] = totals.total_route_length;
  json["links_used"] = totals.links_used;
  json["max_link_load_bytes"] = totals.max_link_load_bytes;
  json["mean_link_load_bytes"] = totals.mean_link_load_bytes;
  json["max_link_load_routes"] = totals.max_link_routes;
  json["incomplete_routes"] = input.notes.incomplete;
  json["malformed_lines"] = input.malformed_lines;
  return json;
}

}  // namespace pathline::cli

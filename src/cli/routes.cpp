// SPDX-License-Identifier: BSD-3-Clause
#include "network/routes.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct RoutesOptions : NetworkOptions {
  std::string top_links;
  std::string list;
  std::string merge;
};

/// What the lists are made of.
struct Lists {
  const app::NetworkInput& input;
  network::LinkLoads loads;
  std::vector<network::Link> links;  ///< In use, or the most loaded; falling loads.
  std::vector<uint32_t> routes;      ///< Over them.
};

base::Status list_links(const RoutesOptions& options, const Lists& lists) {
  const network::Network& network = *lists.input.machine.network;
  Table table(
      options,
      {{"link"}, {"from"}, {"to"}, {"from_name", true}, {"to_name", true}, {"bytes"}, {"routes"}});
  for (const network::Link link : lists.links) {
    table.row({fmt::format("{}", uint32_t{link}), fmt::format("{}", uint32_t{network.source(link)}),
               fmt::format("{}", uint32_t{network.target(link)}),
               network.name(network.source(link)), network.name(network.target(link)),
               fmt::format("{}", lists.loads.bytes[link]),
               fmt::format("{}", lists.loads.routes[link])});
  }
  return table.finish();
}

base::Status list_routes(const RoutesOptions& options, const Lists& lists) {
  const network::Network& network = *lists.input.machine.network;
  const network::Routes& routes = lists.input.routes;
  Table table(options, {{"from"},
                        {"to"},
                        {"from_name", true},
                        {"to_name", true},
                        {"bytes"},
                        {"messages"},
                        {"hops"},
                        {"hop_bytes"},
                        {"max_link_load_bytes"},
                        {"incomplete"}});
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const uint32_t r : lists.routes) {
    order.emplace_back(network::max_load(routes.links_of(r), lists.loads.bytes), r);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [load, r] : order) {
    table.row({fmt::format("{}", uint32_t{routes.from[r]}),
               fmt::format("{}", uint32_t{routes.to[r]}), network.name(routes.from[r]),
               network.name(routes.to[r]), fmt::format("{}", routes.bytes[r]),
               fmt::format("{}", routes.messages[r]), fmt::format("{}", routes.length(r)),
               fmt::format("{}", static_cast<double>(routes.bytes[r]) * routes.length(r)),
               fmt::format("{}", load), fmt::format("{}", routes.incomplete[r])});
  }
  return table.finish();
}

base::Status list_nodes(const RoutesOptions& options, const Lists& lists,
                        const network::Aggregation& groups) {
  const std::vector<network::NodeFigures> figures =
      network::group_figures(groups, lists.input.node_traffic);
  Table table(options, {{"node"},
                        {"name", true},
                        {"nodes"},
                        {"out_pairs"},
                        {"in_pairs"},
                        {"out_bytes"},
                        {"in_bytes"},
                        {"inner_bytes"}});
  for (uint32_t group = 0; group < groups.group_count; ++group) {
    const network::NodeFigures& f = figures[group];
    table.row({fmt::format("{}", group), groups.names[group], fmt::format("{}", f.node_count),
               fmt::format("{}", f.out_pairs), fmt::format("{}", f.in_pairs),
               fmt::format("{}", f.out_bytes), fmt::format("{}", f.in_bytes),
               fmt::format("{}", f.inner_bytes)});
  }
  return table.finish();
}

base::Result<int> run_routes(const RoutesOptions& options) {
  if (!options.merge.empty() && options.list != "nodes") {
    return base::Error{base::ErrorCode::kInvalidArgument, "--merge belongs to --list nodes"};
  }
  if (!options.top_links.empty() && options.list == "nodes") {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--top-links chooses links and routes, not nodes"};
  }
  if (options.format == "csv" && options.list.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "--format csv belongs to --list"};
  }
  base::ThreadPool pool(options.threads);
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  const network::Network& network = *input.machine.network;

  Lists lists{input, network::link_loads(network, input.routes), {}, {}};
  double share = 1;
  if (!options.top_links.empty()) {
    auto parsed = parse_percent(options.top_links, "--top-links");
    if (!parsed) return parsed.error();
    share = parsed.value();
  }
  lists.links = network::top_links(lists.loads, share);
  if (options.top_links.empty()) {
    lists.routes.resize(input.routes.size());
    std::iota(lists.routes.begin(), lists.routes.end(), 0U);
  } else {
    lists.routes = network::routes_over(input.routes, lists.links, network.link_limit());
  }
  network::Aggregation groups = network::each_node(network);
  if (!options.merge.empty()) {
    auto dimensions = parse_dimensions(options.merge, network);
    if (!dimensions) return dimensions.error();
    groups = network::aggregate(network, dimensions.value());
  }

  base::Status status;
  if (options.list == "links") {
    status = list_links(options, lists);
  } else if (options.list == "routes") {
    status = list_routes(options, lists);
  } else if (options.list == "nodes") {
    status = list_nodes(options, lists, groups);
  } else {
    auto json = totals_json(input, network::totals(input.routes, lists.loads));
    if (!options.top_links.empty()) {
      json["top_links"] = lists.links.size();
      json["top_links_least_load_bytes"] =
          lists.links.empty() ? 0 : lists.loads.bytes[lists.links.back()];
      json["top_links_routes"] = lists.routes.size();
    }
    status = print_json(options, json);
  }
  if (!status) return status.error();
  return kDone;
}

}  // namespace

void add_routes_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<RoutesOptions>();
  CLI::App* command = app.add_subcommand("routes", "What crosses the links of a network");
  add_network_input(*command, *options);
  add_output(*command, *options);
  add_selection(*command, *options);
  command
      ->add_option("--format", options->format,
                   "Default: table on a terminal; elsewhere json, and csv for lists")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command->add_option("--top-links", options->top_links,
                      "Only the most loaded links in use, 5%, and the routes over them");
  command->add_option("--list", options->list, "List them instead of the totals")
      ->check(CLI::IsMember({"links", "routes", "nodes"}));
  command->add_option("--merge", options->merge,
                      "List nodes merged to groups that share these coordinates: A,D");
  command->footer(
      "Without traffic (--routes alone) every route counts 1, and loads are numbers of routes: "
      "load_unit says so.\nExamples:\n"
      "  pathline routes --network torus:4x4x4x16x2,ranks-per-node=2 --hopbytes traffic.txt\n"
      "  pathline routes run --network slurm:topology.conf --list links --top-links 5%");
  command->callback([options, &action] { action = [options] { return run_routes(*options); }; });
}

}  // namespace pathline::cli

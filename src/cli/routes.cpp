// SPDX-License-Identifier: BSD-3-Clause
#include "app/routes.hpp"

#include <nlohmann/json.hpp>

#include "app/route_choice.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct RoutesOptions : NetworkOptions {
  std::string top_links;
  std::string list;
  std::string merge;
  app::RouteFilter filter;
};

base::Status list_links(const RoutesOptions& options, const app::NetworkInput& input,
                        const app::RoutesReport& report) {
  const network::Network& network = *input.machine.network;
  Table table(options, {{"link"},
                        {"from"},
                        {"to"},
                        {"from_name", true},
                        {"to_name", true},
                        {.name = "bytes", .unit = Unit::kBytes},
                        {"routes"}});
  for (const network::Link link : report.links) {
    table.row({fmt::format("{}", uint32_t{link}), fmt::format("{}", uint32_t{network.source(link)}),
               fmt::format("{}", uint32_t{network.target(link)}),
               network.name(network.source(link)), network.name(network.target(link)),
               fmt::format("{}", report.loads.bytes[link]),
               fmt::format("{}", report.loads.routes[link])});
  }
  if (input.of_summary) table.add_summary_to_json();
  return table.finish();
}

base::Status list_routes(const RoutesOptions& options, const app::NetworkInput& input,
                         const app::RoutesReport& report) {
  const network::Network& network = *input.machine.network;
  const network::Routes& routes = input.routes;
  Table table(options, {{"from"},
                        {"to"},
                        {"from_name", true},
                        {"to_name", true},
                        {.name = "bytes", .unit = Unit::kBytes},
                        {.name = "messages", .unit = Unit::kCount},
                        {"hops"},
                        {.name = "hop_bytes", .unit = Unit::kBytes},
                        {.name = "max_link_load_bytes", .unit = Unit::kBytes},
                        {"incomplete"}});
  for (const auto& [r, load] : app::by_load(routes, report.routes, report.loads)) {
    table.row({fmt::format("{}", uint32_t{routes.from[r]}),
               fmt::format("{}", uint32_t{routes.to[r]}), network.name(routes.from[r]),
               network.name(routes.to[r]), fmt::format("{}", routes.bytes[r]),
               fmt::format("{}", routes.messages[r]), fmt::format("{}", routes.length(r)),
               fmt::format("{}", static_cast<double>(routes.bytes[r]) * routes.length(r)),
               fmt::format("{}", load), fmt::format("{}", routes.incomplete[r])});
  }
  if (input.of_summary) table.add_summary_to_json();
  return table.finish();
}

base::Status list_nodes(const RoutesOptions& options, const app::NetworkInput& input,
                        const app::NodeReport& nodes) {
  Table table(options, {{"node"},
                        {"name", true},
                        {"nodes"},
                        {"out_pairs"},
                        {"in_pairs"},
                        {.name = "out_bytes", .unit = Unit::kBytes},
                        {.name = "in_bytes", .unit = Unit::kBytes},
                        {.name = "inner_bytes", .unit = Unit::kBytes}});
  for (uint32_t group = 0; group < nodes.groups.group_count; ++group) {
    const network::NodeFigures& f = nodes.figures[group];
    table.row({fmt::format("{}", group), nodes.groups.names[group], fmt::format("{}", f.node_count),
               fmt::format("{}", f.out_pairs), fmt::format("{}", f.in_pairs),
               fmt::format("{}", f.out_bytes), fmt::format("{}", f.in_bytes),
               fmt::format("{}", f.inner_bytes)});
  }
  if (input.of_summary) table.add_summary_to_json();
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
  if (options.filter.any() && options.list == "nodes") {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--top-routes, --through and --nodes choose routes, not nodes"};
  }
  if (options.format == "csv" && options.list.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "--format csv belongs to --list"};
  }
  base::ThreadPool pool(options.threads);
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  std::optional<double> top_share;
  if (!options.top_links.empty()) {
    auto share = app::parse_percent(options.top_links, "--top-links");
    if (!share) return share.error();
    top_share = share.value();
  }
  std::vector<size_t> merge;
  if (!options.merge.empty()) {
    auto dimensions = app::parse_dimensions(options.merge, *input.machine.network);
    if (!dimensions) return dimensions.error();
    merge = std::move(dimensions).value();
  }
  base::Status status;
  if (options.list == "nodes") {
    status = list_nodes(options, input, app::node_report(input, merge));
  } else {
    app::RoutesReport report = app::routes_report(input, top_share);
    if (options.filter.any()) {
      auto chosen = app::filter_routes(options.filter, input, std::move(report.routes));
      if (!chosen) return chosen.error();
      app::choose(report, input, std::move(chosen).value());
    }
    status = options.list == "links"    ? list_links(options, input, report)
             : options.list == "routes" ? list_routes(options, input, report)
                                        : print_json(options, app::to_json(input, report));
  }
  if (!status) return status.error();
  return kDone;
}

}  // namespace

void add_routes_command(Command& program, Action& action) {
  auto options = std::make_shared<RoutesOptions>();
  Command command = program.command("routes", "What crosses the links of a network");
  add_network_input(command, *options);
  add_output(command, *options);
  add_selection(command, *options);
  command
      .option("--format", options->format,
              "Default: table on a terminal; elsewhere json, and csv for lists")
      .one_of({"table", "csv", "json"});
  command.option("--top-links", options->top_links,
                 "Only the most loaded links in use, 5%, and the routes over them");
  add_route_filter(command, options->filter);
  command.option("--list", options->list, "List them instead of the totals")
      .one_of({"links", "routes", "nodes"});
  command.option("--merge", options->merge,
                 "List nodes merged to groups that share these coordinates: A,D");
  command.footer(
      "Without traffic (--routes alone) every route counts 1, and loads are numbers of routes: "
      "load_unit says so.\nExamples:\n"
      "  pathline routes --network torus:4x4x4x16x2,ranks-per-node=2 --hopbytes traffic.txt\n"
      "  pathline routes run --network slurm:topology.conf --list links --top-links 5%\n"
      "  pathline routes run --network torus:4x4x4 --nodes A=0 --crossing --top-routes 10%");
  command.on_chosen([options, &action] { action = [options] { return run_routes(*options); }; });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "app/reroute.hpp"

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "cli/table.hpp"
#include "network/route_file.hpp"

namespace pathline::cli {
namespace {

struct RerouteCommand : NetworkOptions {
  app::RerouteRequest reroute;
  std::string criterion = "load";
  bool require = false;
  bool list = false;
  std::string loads_file;
  std::string routes_file;
};

base::Status list_routes(const RerouteCommand& options, const app::NetworkInput& input,
                         const app::RerouteReport& report) {
  const network::Network& network = *input.machine.network;
  const network::Routes& routes = report.found.routes;
  Table table(options, {{"from"},
                        {"to"},
                        {"from_name", true},
                        {"to_name", true},
                        {.name = "bytes", .unit = Unit::kBytes},
                        {"hops_before"},
                        {"hops_after"},
                        {.name = "max_link_load_before_bytes", .unit = Unit::kBytes},
                        {.name = "max_link_load_after_bytes", .unit = Unit::kBytes},
                        {"moved"},
                        {"way", true}});
  for (const app::ReroutedRoute& row : app::rerouted_routes(input, report)) {
    const network::Vertex from = routes.from[row.route];
    const network::Vertex to = routes.to[row.route];
    table.row({fmt::format("{}", uint32_t{from}), fmt::format("{}", uint32_t{to}),
               network.name(from), network.name(to), fmt::format("{}", routes.bytes[row.route]),
               fmt::format("{}", row.hops_before), fmt::format("{}", row.hops_after),
               fmt::format("{}", row.max_link_load_before_bytes),
               fmt::format("{}", row.max_link_load_after_bytes), row.moved ? "1" : "0", row.way});
  }
  return table.finish();
}

/// What was asked for beside the answer.
base::Status write_files(const RerouteCommand& options, const app::NetworkInput& input,
                         const app::RerouteReport& report) {
  const network::Network& network = *input.machine.network;
  if (!options.loads_file.empty()) {
    auto status = base::write_file(options.loads_file, app::link_loads_csv(network, report));
    if (!status) return status;
  }
  if (options.routes_file.empty()) return {};
  auto text = network::format_route_file(network, report.found.routes, input.traffic,
                                         input.placement.node_of_rank);
  if (!text) return text.error();
  return base::write_file(options.routes_file, text.value());
}

base::Result<int> run_reroute(const RerouteCommand& options) {
  if (options.format == "csv" && !options.list) {
    return base::Error{base::ErrorCode::kInvalidArgument, "--format csv belongs to --list"};
  }
  for (const std::string& file : {options.loads_file, options.routes_file}) {
    if (auto status = check_written(options, file); !status) return status.error();
  }
  base::ThreadPool pool(options.threads);
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  app::RerouteRequest request = options.reroute;
  if (options.criterion == "length") request.how.criterion = network::Criterion::kLength;
  base::Progress progress;
  progress.stage = "searching better ways";
  base::Result<app::RerouteReport> result = app::RerouteReport{};
  with_progress(progress, options.quiet, [&] { result = app::reroute(input, request, pool); });
  if (!result) return result.error();
  const app::RerouteReport& report = result.value();

  if (auto status = write_files(options, input, report); !status) return status.error();
  const auto status = options.list ? list_routes(options, input, report)
                                   : print_json(options, app::to_json(input, request, report));
  if (!status) return status.error();
  return options.require && report.gain.improved == 0 ? kAnswerIsNo : kDone;
}

}  // namespace

void add_reroute_command(Command& program, Action& action) {
  auto options = std::make_shared<RerouteCommand>();
  Command command =
      program.command("reroute", "Better ways for the routes over the most loaded links");
  add_network_input(command, *options);
  add_output(command, *options);
  add_selection(command, *options);
  command
      .option("--format", options->format,
              "Default: table on a terminal; elsewhere json, and csv with --list")
      .one_of({"table", "csv", "json"});
  command
      .option("--select", options->reroute.select,
              "Which routes: top-links:5%, those over the most loaded links, pairs:FILE with lines "
              "SRC DST of ranks, or list:FILE, as 'pathline routes --list' wrote it")
      .show_default();
  add_route_filter(command, options->reroute.filter);
  command
      .option("--criterion", options->criterion,
              "load: a lower maximum load on the links of the route; length: fewer links, "
              "none loaded more than the most loaded one of the old route")
      .one_of({"load", "length"})
      .show_default();
  command
      .option("--delta", options->reroute.how.delta, "Links that a route may be longer than it was")
      .show_default();
  command
      .option("--passes", options->reroute.how.passes,
              "Times to look at each route; it ends when none improves any more")
      .range(1U, 1'000'000U)
      .show_default();
  command.flag("--global", options->reroute.how.global,
               "Let all routes move, to lower the maximum link load of the network");
  command.flag("--require", options->require, "Exit with 1 if nothing better is found");
  command.flag("--list", options->list, "List the selected routes with their new ways");
  command.option("--write-loads", options->loads_file,
                 "Also write the load of each link before and after as CSV");
  command.option("--write-routes", options->routes_file,
                 "Also write all routes, new and kept, as a route file that --routes reads");
  command.footer(
      "Routes are moved one after the other, those with the most loaded links first, until none "
      "improves; reductions compare each selected route before and after all have moved. "
      "bound_bytes "
      "is a load that no choice of routes under the same limits can go below.\nExamples:\n"
      "  pathline reroute --network torus:4x4x4x16x2 --hopbytes traffic.txt --delta 2\n"
      "  pathline reroute --network torus:4x4x4x16x2 --hopbytes traffic.txt --routes routes.txt "
      "--global --list");
  command.on_chosen([options, &action] { action = [options] { return run_reroute(*options); }; });
}

}  // namespace pathline::cli

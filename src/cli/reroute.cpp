// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "cli/table.hpp"
#include "network/reroute_many.hpp"
#include "network/route_file.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RerouteCommand : NetworkOptions {
  std::string select = "top-links:5%";
  std::string criterion = "load";
  network::RerouteOptions how;
  bool require = false;
  bool list = false;
  std::string loads_file;
  std::string routes_file;
};

/// What the routes gained, over those that did.
struct Gain {
  uint64_t improved = 0;
  double mean_pct = 0;
  double max_pct = 0;
  double saved_bytes = 0;  ///< Of the maximum load; for kLength bytes times links.
};

Gain gain_of(const network::Rerouting& result, network::Criterion criterion) {
  Gain gain;
  for (size_t i = 0; i < result.selected.size(); ++i) {
    const uint64_t before = result.value_before[i];
    const uint64_t after = result.value_after[i];
    if (after >= before) continue;
    ++gain.improved;
    const double saved = static_cast<double>(before - after);
    const double percent = 100 * saved / static_cast<double>(before);
    gain.mean_pct += percent;
    gain.max_pct = std::max(gain.max_pct, percent);
    gain.saved_bytes += criterion == network::Criterion::kLoad
                            ? saved
                            : saved * static_cast<double>(result.routes.bytes[result.selected[i]]);
  }
  if (gain.improved > 0) gain.mean_pct /= static_cast<double>(gain.improved);
  return gain;
}

Json to_json(const RerouteCommand& options, const app::NetworkInput& input,
             const network::Rerouting& result) {
  const Gain gain = gain_of(result, options.how.criterion);
  const auto before = network::totals(input.routes, result.before);
  const auto after = network::totals(result.routes, result.after);
  Json json;
  json["network"] = input.machine.network->spec();
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["criterion"] = options.criterion;
  json["delta"] = options.how.delta;
  json["global"] = options.how.global;
  json["routes"] = input.routes.size();
  json["selected"] = result.selected.size();
  json["improved"] = gain.improved;
  json["mean_reduction_pct"] = gain.mean_pct;
  json["max_reduction_pct"] = gain.max_pct;
  json["saved_bytes"] = gain.saved_bytes;
  json["moved"] = result.moved;
  json["worsened"] = result.worsened;
  json["max_link_load_before_bytes"] = before.max_link_load_bytes;
  json["max_link_load_after_bytes"] = after.max_link_load_bytes;
  json["bound_bytes"] = result.bound_bytes;
  json["gap_pct"] = after.max_link_load_bytes == 0
                        ? Json()
                        : Json(100 - 100 * static_cast<double>(result.bound_bytes) /
                                         static_cast<double>(after.max_link_load_bytes));
  json["hop_bytes_before"] = before.hop_bytes;
  json["hop_bytes_after"] = after.hop_bytes;
  json["total_route_length_before"] = before.total_route_length;
  json["total_route_length_after"] = after.total_route_length;
  json["us_per_route"] =
      result.searches == 0
          ? Json()
          : Json(1e6 * result.search_seconds / static_cast<double>(result.searches));
  return json;
}

base::Status list_routes(const RerouteCommand& options, const app::NetworkInput& input,
                         const network::Rerouting& result) {
  const network::Network& network = *input.machine.network;
  Table table(options, {{"from"},
                        {"to"},
                        {"from_name", true},
                        {"to_name", true},
                        {"bytes"},
                        {"hops_before"},
                        {"hops_after"},
                        {"max_link_load_before_bytes"},
                        {"max_link_load_after_bytes"},
                        {"moved"},
                        {"way", true}});
  for (const uint32_t r : result.selected) {
    const auto old_links = input.routes.links_of(r);
    const auto new_links = result.routes.links_of(r);
    std::string way = network.name(result.routes.from[r]);
    for (const network::Link link : new_links) way += " > " + network.name(network.target(link));
    table.row({fmt::format("{}", uint32_t{result.routes.from[r]}),
               fmt::format("{}", uint32_t{result.routes.to[r]}),
               network.name(result.routes.from[r]), network.name(result.routes.to[r]),
               fmt::format("{}", result.routes.bytes[r]), fmt::format("{}", old_links.size()),
               fmt::format("{}", new_links.size()),
               fmt::format("{}", network::max_load(old_links, result.before.bytes)),
               fmt::format("{}", network::max_load(new_links, result.after.bytes)),
               std::ranges::equal(old_links, new_links) ? "0" : "1", way});
  }
  return table.finish();
}

/// CSV of every link in use before or after.
base::Status write_loads(const std::string& file, const network::Network& network,
                         const network::Rerouting& result) {
  std::string text = "link,from,to,bytes_before,bytes_after,routes_before,routes_after\n";
  for (uint32_t link = 0; link < network.link_limit(); ++link) {
    if (result.before.routes[link] + result.after.routes[link] == 0) continue;
    text += fmt::format(
        "{},{},{},{},{},{},{}\n", link, uint32_t{network.source(network::Link(link))},
        uint32_t{network.target(network::Link(link))}, result.before.bytes[link],
        result.after.bytes[link], result.before.routes[link], result.after.routes[link]);
  }
  return base::write_file(file, text);
}

base::Result<int> run_reroute(const RerouteCommand& options) {
  if (options.format == "csv" && !options.list) {
    return base::Error{base::ErrorCode::kInvalidArgument, "--format csv belongs to --list"};
  }
  base::ThreadPool pool(options.threads);
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  const network::Network& network = *input.machine.network;
  auto selected = select_routes(options.select, input);
  if (!selected) return selected.error();
  network::RerouteOptions how = options.how;
  how.criterion =
      options.criterion == "length" ? network::Criterion::kLength : network::Criterion::kLoad;
  if (how.global && how.criterion == network::Criterion::kLength) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--global lowers the maximum link load; it cannot go with --criterion "
                       "length"};
  }
  base::Progress progress;
  progress.stage = "searching better ways";
  network::Rerouting result;
  with_progress(progress, options.quiet, [&] {
    result = network::reroute(network, input.routes, std::move(selected).value(), how, pool);
  });
  RerouteCommand shown = options;
  shown.how = how;

  if (!options.loads_file.empty()) {
    if (auto status = write_loads(options.loads_file, network, result); !status) {
      return status.error();
    }
  }
  if (!options.routes_file.empty()) {
    auto text = network::format_route_file(network, result.routes, input.traffic,
                                           input.placement.node_of_rank);
    if (!text) return text.error();
    if (auto status = base::write_file(options.routes_file, text.value()); !status) {
      return status.error();
    }
  }
  const auto status = options.list ? list_routes(options, input, result)
                                   : print_json(options, to_json(shown, input, result));
  if (!status) return status.error();
  const bool better = gain_of(result, how.criterion).improved > 0;
  return options.require && !better ? kAnswerIsNo : kDone;
}

}  // namespace

void add_reroute_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<RerouteCommand>();
  CLI::App* command =
      app.add_subcommand("reroute", "Better ways for the routes over the most loaded links");
  add_network_input(*command, *options);
  add_output(*command, *options);
  add_selection(*command, *options);
  command
      ->add_option("--format", options->format,
                   "Default: table on a terminal; elsewhere json, and csv with --list")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command
      ->add_option("--select", options->select,
                   "Which routes: top-links:5%, those over the most loaded links, or pairs:FILE "
                   "with lines SRC DST of ranks")
      ->capture_default_str();
  command
      ->add_option("--criterion", options->criterion,
                   "load: a lower maximum load on the links of the route; length: fewer links, "
                   "none loaded more than the most loaded one of the old route")
      ->check(CLI::IsMember({"load", "length"}))
      ->capture_default_str();
  command->add_option("--delta", options->how.delta, "Links that a route may be longer than it was")
      ->capture_default_str();
  command
      ->add_option("--passes", options->how.passes,
                   "Times to look at each route; it ends when none improves any more")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command->add_flag("--global", options->how.global,
                    "Let all routes move, to lower the maximum link load of the network");
  command->add_flag("--require", options->require, "Exit with 1 if nothing better is found");
  command->add_flag("--list", options->list, "List the selected routes with their new ways");
  command->add_option("--write-loads", options->loads_file,
                      "Also write the load of each link before and after as CSV");
  command->add_option("--write-routes", options->routes_file,
                      "Also write all routes, new and kept, as a route file that --routes reads");
  command->footer(
      "Routes are moved one after the other, those with the most loaded links first, until none "
      "improves; reductions compare each selected route before and after all have moved. "
      "bound_bytes "
      "is a load that no choice of routes under the same limits can go below.\nExamples:\n"
      "  pathline reroute --network torus:4x4x4x16x2 --hopbytes traffic.txt --delta 2\n"
      "  pathline reroute --network torus:4x4x4x16x2 --hopbytes traffic.txt --routes routes.txt "
      "--global --list");
  command->callback([options, &action] { action = [options] { return run_reroute(*options); }; });
}

}  // namespace pathline::cli

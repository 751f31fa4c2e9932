// SPDX-License-Identifier: BSD-3-Clause
#include "cli/network_options.hpp"

#include <fmt/format.h>

#include "app/output.hpp"
#include "base/text.hpp"
#include "comm/matrix.hpp"

namespace pathline::cli {
namespace {

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace

void add_network_options(Command& command, NetworkOptions& options, bool required,
                         const std::string& group) {
  app::NetworkRequest& request = options.request;
  command
      .option(
          "--network", request.network,
          "torus:4x4x4x8mx2 (m: no wrap), mesh:8x8, dragonfly:A,P,H, xc40:G, "
          "fattree:K,N, \"xgft:M;W;P\", tree:FILE, slurm:FILE (topology.conf) or edges:FILE; then "
          ",order=DACBE, ,ties=simgrid and ,ranks-per-node=2 where needed")
      .required(required)
      .group(group);
  command
      .option("--hopbytes", request.hop_bytes,
              "Traffic: lines SRC DST BYTES [HOPS], instead of INPUT; may be gzipped")
      .group(group);
  command
      .option("--routes", request.routes,
              "Recorded routes: lines Hop K: [SRC-DST] N (c1 .. ck) -> N (c1 .. ck); "
              "without it the network's rule gives them")
      .group(group);
  command
      .option("--placement", request.placement,
              "Where the ranks run: FILE, or its format and name if the content cannot "
              "tell: bgq:FILE, plain:, slurm:, rankfile:, placement.csv:")
      .group(group);
  command
      .option("--hosts", request.hosts,
              "Names of the network's nodes, one each line, in the order of the nodes")
      .group(group);
  command
      .flag("--complete", request.complete,
            "Take the network's rule for recorded routes that were cut")
      .group(group);
  command
      .flag("--ignore-hops", request.ignore_hops,
            "Use the traffic although its HOPS are not those of the network")
      .group(group);
}

void add_network_input(Command& command, NetworkOptions& options, bool required) {
  add_input(command, options, false);
  add_network_options(command, options, required);
}

void add_route_filter(Command& command, app::RouteFilter& filter, const std::string& group) {
  command
      .option("--top-routes", filter.top_routes,
              "Only the routes with most hop-bytes, 10%, or with most of what --by says, of those "
              "that the other conditions leave")
      .group(group);
  command
      .option("--by", filter.by,
              "What --top-routes looks at: hop-bytes (unless you say so), bytes or length")
      .one_of({"hop-bytes", "bytes", "length"})
      .group(group);
  command
      .option("--through", filter.through,
              "Only routes over this node or switch, by name or number, or over a link FROM->TO")
      .value_name("NODE")
      .group(group);
  command
      .option("--nodes", filter.nodes,
              "Only routes that begin or end on nodes with these coordinates: A=0,C=3")
      .group(group);
  command.flag("--within", filter.within, "Of --nodes: both ends are there").group(group);
  command.flag("--crossing", filter.crossing, "Of --nodes: one end is there, the other elsewhere")
      .group(group);
}

base::Status check_written(const NetworkOptions& options, const std::string& file) {
  if (file.empty()) return {};
  const app::NetworkRequest& request = options.request;
  // As in "tree:FILE,order=..." and "slurm:FILE".
  const auto file_in = [](std::string_view text) {
    const size_t colon = text.find(':');
    if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
    return std::string(text.substr(0, text.find(',')));
  };
  for (const std::string& read :
       {options.input, request.hop_bytes, request.routes, request.placement,
        file_in(request.placement), request.hosts, file_in(request.network)}) {
    if (auto status = app::check_output(read, file); !status) return status;
  }
  return {};
}

base::Result<app::NetworkInput> open_network(const NetworkOptions& options,
                                             base::ThreadPool& pool) {
  if (auto status = check_written(options, options.output); !status) return status.error();
  app::NetworkRequest request = options.request;
  request.partial = options.partial;
  std::optional<app::RankTraffic> trace;
  if (options.input.empty() && (options.from_s || options.until_s || !options.ranks.empty())) {
    return invalid("--from, --until and --ranks choose messages of a run, but there is no INPUT");
  }
  if (!options.input.empty()) {
    auto opened = open(options, Takes::kSums, kOnlyPairs, app::PartNeeds::kMessages);
    if (!opened) return opened.error();
    trace = app::rank_traffic(opened.value()->trace, opened.value()->matrix());
    trace->of_summary = opened.value()->is_of_file();
  }
  auto input = app::open_network(request, trace ? &*trace : nullptr, pool);
  if (input && !options.quiet) {
    for (const std::string& remark : input.value().remarks) note(remark);
  }
  return input;
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "app/remap.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "mapping/placement_file.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, app::RemapMethod> kMethods = {
    {"multilevel", app::RemapMethod::kMultilevel},
    {"partition", app::RemapMethod::kPartition},
    {"anneal", app::RemapMethod::kAnneal},
    {"exact", app::RemapMethod::kExact},
    {"random", app::RemapMethod::kRandom}};

struct RemapCommand : NetworkOptions {
  app::RemapRequest remap;
  std::string method = "multilevel";
  std::string objective = "hop-bytes";
  std::string move;
  std::string placement_file;
  std::string placement_format = "plain";
  std::string onto = "used";
  std::optional<double> time_s;
  std::optional<int> effort;
  bool require = false;
};

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

base::Status parse_objective(const std::string& text, mapping::SearchOptions& search) {
  if (text == "hop-bytes") return {};
  if (text == "max-load") {
    search.objective = mapping::Objective::kMaxLinkLoad;
    return {};
  }
  constexpr std::string_view kWeighted = "weighted:";
  double weight = 0;
  const std::string_view number =
      text.starts_with(kWeighted) ? std::string_view(text).substr(kWeighted.size()) : "";
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), weight);
  if (number.empty() || code != std::errc() || end != number.data() + number.size() ||
      !(weight >= 0 && weight <= 1)) {
    return invalid(
        fmt::format("--objective is '{}', expected hop-bytes, max-load or weighted:A, A "
                    "from 0 (largest link load) to 1 (hop-bytes)",
                    text));
  }
  search.objective = mapping::Objective::kWeighted;
  search.hop_weight = weight;
  return {};
}

base::Status write_placement(const RemapCommand& options, const app::NetworkInput& input,
                             const app::Remapping& result) {
  auto names = mapping::NodeNames::make(*input.machine.network, input.host_of_node);
  if (!names) return names.error();
  const auto text = mapping::format_placement(
      result.placement, *mapping::find_placement_format(options.placement_format), names.value(),
      {.ranks_per_node = input.slots_per_node,
       .hop_bytes_before = result.hop_bytes_before,
       .hop_bytes_after = result.hop_bytes_after});
  if (!text) return text.error();
  return write_result(options.placement_file, text.value());
}

Json to_json(const RemapCommand& options, const app::NetworkInput& input,
             const app::Remapping& result, double seconds) {
  Json json;
  json["network"] = input.machine.network->spec();
  json["method"] = options.method;
  json["objective"] = options.objective;
  json["seed"] = options.remap.search.seed;
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["ranks"] = input.placement.rank_count();
  json["nodes"] = result.places;
  json["hop_bytes_before"] = result.hop_bytes_before;
  json["hop_bytes_after"] = result.hop_bytes_after;
  json["reduction_pct"] = result.hop_bytes_before > 0
                              ? Json(100 - 100 * result.hop_bytes_after / result.hop_bytes_before)
                              : Json();
  json["bound_hop_bytes"] = result.bound_hop_bytes;
  json["optimal"] = result.hop_bytes_after <= result.bound_hop_bytes;
  json["max_link_load_before_bytes"] = result.max_link_load_before_bytes;
  json["max_link_load_after_bytes"] = result.max_link_load_after_bytes;
  json["off_node_bytes_before"] = result.off_node_bytes_before;
  json["off_node_bytes_after"] = result.off_node_bytes_after;
  json["moved"] = result.moved;
  json["effort"] = options.remap.search.effort;
  json["seconds"] = seconds;
  json["timed_out"] = result.timed_out;
  return json;
}

base::Result<int> run_remap(RemapCommand options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  app::RemapRequest& remap = options.remap;
  remap.method = kMethods.at(options.method);
  if (auto status = parse_objective(options.objective, remap.search); !status) {
    return status.error();
  }
  const bool selects =
      remap.method == app::RemapMethod::kExact || remap.method == app::RemapMethod::kRandom;
  if (!options.move.empty() && !selects) {
    return invalid(
        fmt::format("--move goes with --method exact or random, not {}", options.method));
  }
  if (remap.search.objective != mapping::Objective::kHopBytes &&
      (selects || remap.method == app::RemapMethod::kPartition)) {
    return invalid(fmt::format("--method {} knows only the objective hop-bytes", options.method));
  }
  if (remap.part_count > 0 && remap.method != app::RemapMethod::kPartition) {
    return invalid("--parts belongs to --method partition");
  }
  if (options.effort && selects) {
    return invalid(fmt::format("--effort does not go with --method {}", options.method));
  }
  if (!options.request.routes.empty() &&
      !(options.input.empty() && options.request.hop_bytes.empty())) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--routes does not go with traffic: a new placement has new routes, which "
                       "the network's rule gives",
                       "--routes alone gives traffic of one byte for each route."};
  }
  remap.all_nodes = options.onto == "all";
  if (options.effort) remap.search.effort = *options.effort;

  base::ThreadPool pool(options.threads);
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  if (!options.move.empty()) {
    constexpr std::string_view kPairs = "pairs:";
    if (!options.move.starts_with(kPairs)) {
      return invalid(fmt::format("--move is '{}', expected pairs:FILE", options.move));
    }
    auto routes = routes_of_pairs(options.move.substr(kPairs.size()), input);
    if (!routes) return routes.error();
    for (const uint32_t r : routes.value()) {
      remap.movable.emplace_back(input.routes.from[r], input.routes.to[r]);
    }
  }
  if (options.time_s) {
    const double left_s =
        *options.time_s - std::chrono::duration<double>(Clock::now() - start).count();
    remap.search.time_limit_s = std::max(left_s, 0.0);
    if (!options.effort) {
      remap.search.effort = app::effort_within(
          *options.time_s,
          std::min(input.placement.rank_count(), input.machine.network->node_count()));
    }
  }
  base::Progress progress;
  progress.stage = "searching a placement";
  std::optional<base::Result<app::Remapping>> result;
  with_progress(progress, options.quiet, [&] { result = app::remap(input, remap, pool); });
  if (!*result) return result->error();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const app::Remapping& found = result->value();

  if (!options.placement_file.empty()) {
    if (auto status = write_placement(options, input, found); !status) return status.error();
  }
  if (options.placement_file != "-") {
    if (auto status = print_json(options, to_json(options, input, found, seconds)); !status) {
      return status.error();
    }
  }
  return options.require && found.moved == 0 ? kAnswerIsNo : kDone;
}

}  // namespace

void add_remap_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<RemapCommand>();
  CLI::App* command =
      app.add_subcommand("remap", "Which node each rank should run on, for fewer hop-bytes");
  add_network_input(*command, *options);
  add_json_format(*command, *options);
  add_selection(*command, *options);
  app::RemapRequest& remap = options->remap;
  command
      ->add_option("--objective", options->objective,
                   "hop-bytes, max-load (of a link) or weighted:A, A of hop-bytes and 1-A of "
                   "max-load")
      ->capture_default_str();
  command
      ->add_option("--method", options->method,
                   "multilevel; partition (Fujiwara et al. 2017, refined); anneal from the mapping "
                   "given; exact or random for the nodes of a few routes")
      ->check(CLI::IsMember(kMethods))
      ->capture_default_str();
  command->add_flag("--group", remap.group, "Also choose which ranks share a node");
  command->add_option("--onto", options->onto, "used: nodes that hold ranks now; all: any node")
      ->check(CLI::IsMember({"used", "all"}))
      ->capture_default_str();
  command->add_option(
      "--move", options->move,
      "pairs:FILE: only the nodes of these routes (SRC DST of ranks) may move, onto "
      "each other's places");
  command
      ->add_option(
          "--time", options->time_s,
          "Search about this many seconds, and stop then; if timed_out says so, the answer "
          "may differ the next time")
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--effort", options->effort,
          "How long to search, 0 to 6: each step takes about three times as long; default: "
          "1, or what fits into --time")
      ->check(CLI::Range(0, 6));
  command->add_option("--seed", remap.search.seed, "Same seed, same answer, for any --threads")
      ->capture_default_str();
  command->add_option("--parts", remap.part_count, "Parts of --method partition; 0: it chooses")
      ->capture_default_str();
  command->add_flag("--require", options->require, "Exit with 1 if nothing better is found");
  command->add_option("-o,--output", options->placement_file,
                      "File for the placement, '-' for standard output instead of the figures");
  command
      ->add_option("--as", options->placement_format,
                   "plain: lines RANK NODE; bgq: runjob --mapping; slurm: SLURM_HOSTFILE of srun "
                   "--distribution=arbitrary; rankfile: mpirun -rf of Open MPI")
      ->check(CLI::IsMember({"plain", "bgq", "slurm", "rankfile"}))
      ->capture_default_str()
      ->needs("--output");
  command->footer(
      "The placement is never worse than the one given. bound_hop_bytes is what no placement of "
      "the "
      "same groups of ranks can go below.\nExamples:\n"
      "  pathline remap --network torus:4x4x4x16x2,ranks-per-node=2 --hopbytes traffic.txt -o map "
      "--as bgq\n"
      "  pathline remap run --network slurm:topology.conf --group -o hosts --as slurm");
  command->callback([options, &action] { action = [options] { return run_remap(*options); }; });
}

}  // namespace pathline::cli

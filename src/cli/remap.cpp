// SPDX-License-Identifier: BSD-3-Clause
#include "app/remap.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/prediction.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/network_options.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [name, method] : app::kRemapMethods) names.emplace_back(name);
  return names;
}

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
  std::string predict;  ///< Database.
  std::string database_machine;
  bool objective_given = false;
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
  const auto weight = base::number_in<double>(
      text.starts_with(kWeighted) ? std::string_view(text).substr(kWeighted.size()) : "");
  if (!weight || !(*weight >= 0 && *weight <= 1)) {
    return invalid(
        fmt::format("--objective is '{}', expected hop-bytes, max-load or weighted:A, A "
                    "from 0 (largest link load) to 1 (hop-bytes)",
                    text));
  }
  search.objective = mapping::Objective::kWeighted;
  search.hop_weight = *weight;
  return {};
}

/// Mistakes that show before anything is read.
base::Status check(const RemapCommand& options) {
  const app::RemapRequest& remap = options.remap;
  const bool selects = app::moves_selected(remap.method);
  if (!options.move.empty() && !selects) {
    return invalid(
        fmt::format("--move goes with --method exact or random, not {}", options.method));
  }
  if (auto status = app::check_remap(remap); !status) return status;
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
  return {};
}

base::Status select_movable(RemapCommand& options, const app::NetworkInput& input) {
  if (options.move.empty()) return {};
  constexpr std::string_view kPairs = "pairs:";
  if (!options.move.starts_with(kPairs)) {
    return invalid(fmt::format("--move is '{}', expected pairs:FILE", options.move));
  }
  auto ends = app::ends_of_pairs(options.move.substr(kPairs.size()), input);
  if (!ends) return ends.error();
  options.remap.movable = std::move(ends).value();
  return {};
}

/// The answer where hosts are all alike: how much crosses them, how much would, and who is where
/// then.
std::string hosts_text(const RemapCommand& options, const app::NetworkInput& input,
                       const app::Remapping& found) {
  const auto size = [](uint64_t bytes) { return base::human_bytes(static_cast<double>(bytes)); };
  const auto before = static_cast<double>(found.off_node_bytes_before);
  std::string text = fmt::format(
      "{} of {} between ranks cross hosts ({:.1f} %)", size(found.off_node_bytes_before),
      size(input.bytes), 100 * before / std::max<double>(1, static_cast<double>(input.bytes)));
  if (found.moved == 0) return text + "; no better placement was found\n";
  text += fmt::format("; {} ({:.1f} % less) would with {} elsewhere:\n",
                      size(found.off_node_bytes_after),
                      100 - 100 * static_cast<double>(found.off_node_bytes_after) / before,
                      base::counted(found.moved, "rank", "ranks"));
  std::map<network::Vertex, std::vector<uint32_t>> ranks_of;
  for (uint32_t rank = 0; rank < found.placement.rank_count(); ++rank) {
    ranks_of[found.placement.node_of_rank[rank]].push_back(rank);
  }
  constexpr size_t kMost = 16;
  std::vector<std::vector<std::string>> rows = {{"host", "ranks"}};
  for (const auto& [node, ranks] : ranks_of) {
    if (rows.size() > kMost) break;
    rows.push_back({base::printable(input.host_of_node[node]), app::ranges_text(ranks)});
  }
  text += format_table({{"host", true}, {"ranks", true}}, rows, table_width());
  if (ranks_of.size() > kMost) {
    text += fmt::format("and {}\n", base::counted(ranks_of.size() - kMost, "host", "hosts"));
  }
  if (options.placement_file.empty()) {
    text += "--group -o FILE --as rankfile writes that for mpirun -rf, --as slurm for srun\n";
  }
  return text;
}

base::Status write_placement(const RemapCommand& options, const app::NetworkInput& input,
                             const app::Remapping& found) {
  const auto text =
      app::placement_text(input, found, *mapping::find_placement_format(options.placement_format));
  return text ? write_result(options.placement_file, text.value()) : base::Status(text.error());
}

base::Result<app::MeasuredMachine> open_measured(const RemapCommand& options) {
  if (options.objective_given) {
    return invalid("--objective has no effect with --predict: all are tried, and the time decides");
  }
  auto database = store::Database::open(options.predict, store::Database::Access::kRead);
  if (!database) return database.error();
  return app::open_machine(database.value(), options.predict, options.database_machine);
}

/// Under one switch all nodes are alike, so that nothing but other groups of ranks can help.
base::Result<app::Remapping> grouped(const RemapCommand& options, const app::NetworkInput& input,
                                     base::ThreadPool& pool) {
  app::RemapRequest request = options.remap;
  request.group = true;
  return app::remap(input, request, pool);
}

/// What the groups of ranks that share a node have to do with the answer.
base::Status note_groups(const RemapCommand& options, const app::NetworkInput& input, bool on_hosts,
                         base::ThreadPool& pool) {
  if (!on_hosts) {
    if (is_for_people(options) && input.slots_per_node > 1) {
      note("the bound holds while the ranks that share a node stay together; --group lets them go");
    }
    return {};
  }
  const auto found = grouped(options, input, pool);
  if (!found) return found.error();
  const app::Remapping& better = found.value();
  note(fmt::format(
      "the hosts of the run under one switch: only other ranks on a host can help. --group: {}",
      better.moved == 0
          ? "nothing better was found"
          : fmt::format("{:.1f} % fewer bytes between hosts, {} elsewhere",
                        100 * (1 - better.hop_bytes_after / std::max(better.hop_bytes_before, 1.0)),
                        base::counted(better.moved, "rank runs", "ranks run"))));
  return {};
}

/// The placement into its file, and the answer, unless the placement itself is what was asked for.
base::Status print_remapping(const RemapCommand& options, const app::NetworkInput& input,
                             const app::Remapping& found, bool on_hosts, double seconds,
                             base::ThreadPool& pool) {
  if (!options.placement_file.empty()) {
    if (auto status = write_placement(options, input, found); !status) return status;
  }
  if (options.placement_file == "-") return {};
  if (!on_hosts || !is_for_people(options)) {
    return print_json(options,
                      app::to_json(input, options.remap, options.objective, found, seconds));
  }
  if (options.remap.group) return write_result("-", hosts_text(options, input, found));
  const auto better = grouped(options, input, pool);
  if (!better) return better.error();
  return write_result("-", hosts_text(options, input, better.value()));
}

base::Result<int> run_remap(RemapCommand options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  app::RemapRequest& remap = options.remap;
  for (const auto& [name, method] : app::kRemapMethods) {
    if (options.method == name) remap.method = method;
  }
  if (auto status = parse_objective(options.objective, remap.search); !status) {
    return status.error();
  }
  if (auto status = check(options); !status) return status.error();
  if (auto status = check_written(options, options.placement_file); !status) return status.error();
  remap.all_nodes = options.onto == "all";
  if (options.effort) remap.search.effort = *options.effort;

  base::ThreadPool pool(options.threads);
  std::optional<app::MeasuredMachine> measured;
  if (!options.predict.empty()) {
    auto machine = open_measured(options);
    if (!machine) return machine.error();
    measured = std::move(machine).value();
    if (options.request.network.empty()) {
      options.request.network = fmt::format("{},ranks-per-node={}", measured->row.network,
                                            measured->tables.node.units.size());
      if (options.request.hosts.empty()) options.request.host_names = app::hosts_of(measured->row);
    }
  }
  const bool on_hosts = options.request.network.empty();
  auto opened = open_network(options, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  if (auto status = select_movable(options, input); !status) return status.error();
  if (options.time_s) {
    remap.search.time_limit_s = std::max(*options.time_s - seconds(), 0.0);
    if (!options.effort) {
      remap.search.effort = app::effort_within(
          *options.time_s,
          std::min(input.placement.rank_count(), input.machine.network->node_count()));
    }
  }
  base::Progress progress;
  progress.stage = "searching a placement";
  base::Result<app::Remapping> result = app::Remapping{};
  with_progress(progress, options.quiet, [&] {
    result = measured ? app::remap_by_time(input, remap, *measured, pool)
                      : app::remap(input, remap, pool);
  });
  if (!result) return result.error();
  const bool is_answered = on_hosts && is_for_people(options) && options.placement_file != "-";
  if (!options.quiet && !remap.group && !measured && !is_answered) {
    if (auto noted = note_groups(options, input, on_hosts, pool); !noted) return noted.error();
  }
  auto status = print_remapping(options, input, result.value(), on_hosts, seconds(), pool);
  if (!status) return status.error();
  return options.require && result.value().moved == 0 ? kAnswerIsNo : kDone;
}

}  // namespace

void add_remap_command(Command& program, Action& action) {
  auto options = std::make_shared<RemapCommand>();
  Command command =
      program.command("remap", "Which node each rank should run on, for fewer hop-bytes");
  add_network_input(command, *options, false);
  add_json_format(command, *options);
  add_selection(command, *options);
  app::RemapRequest& remap = options->remap;
  command
      .option("--objective", options->objective,
              "hop-bytes, max-load (of a link) or weighted:A, A of hop-bytes and 1-A of "
              "max-load")
      .show_default();
  const Option predict = command.option(
      "--predict", options->predict,
      "Database of 'pathline bench': the placement whose messages take least is the best, of the "
      "one given and those that searches with each objective find; --network is that of the "
      "database");
  command
      .option("--machine", options->database_machine,
              "Which machine of the database; not needed where there is one")
      .needs(predict);
  command
      .option("--method", options->method,
              "multilevel; partition (Fujiwara et al. 2017, refined); anneal from the mapping "
              "given; exact or random for the nodes of a few routes")
      .one_of(method_names())
      .show_default();
  command.flag("--group", remap.group, "Also choose which ranks share a node");
  command.option("--onto", options->onto, "used: nodes that hold ranks now; all: any node")
      .one_of({"used", "all"})
      .show_default();
  command.option("--move", options->move,
                 "pairs:FILE: only the nodes of these routes (SRC DST of ranks) may move, onto "
                 "each other's places");
  command
      .option("--time", options->time_s,
              "Search about this many seconds, and stop then; if timed_out says so, the answer "
              "may differ the next time")
      .above_zero();
  command
      .option("--effort", options->effort,
              "How long to search, 0 to 6: each step takes about three times as long; default: "
              "1, or what fits into --time")
      .range(0, 6);
  command.option("--seed", remap.search.seed, "Same seed, same answer, for any --threads")
      .show_default();
  command.option("--parts", remap.part_count, "Parts of --method partition; 0: it chooses")
      .show_default();
  command.flag("--require", options->require, "Exit with 1 if nothing better is found");
  const Option output =
      command.option("-o,--output", options->placement_file,
                     "File for the placement, '-' for standard output instead of the figures");
  command
      .option("--as", options->placement_format,
              "plain: lines RANK NODE; bgq: runjob --mapping; slurm: SLURM_HOSTFILE of srun "
              "--distribution=arbitrary; rankfile: mpirun -rf of Open MPI")
      .one_of({"plain", "bgq", "slurm", "rankfile"})
      .show_default()
      .needs(output);
  command.footer(
      "The placement is never worse than the one given. bound_hop_bytes is what no placement of "
      "the "
      "same groups of ranks can go below. Without --network it is the hosts of the run under one "
      "switch, "
      "and a note says what --group would save.\nExamples:\n"
      "  pathline remap run --group -o hosts --as slurm\n"
      "  pathline remap --network torus:4x4x4x16x2,ranks-per-node=2 --hopbytes traffic.txt -o map "
      "--as bgq\n"
      "  pathline remap run --network slurm:topology.conf --group -o hosts --as slurm");
  command.on_chosen([options, command, &action] {
    options->objective_given = command.was_given("--objective");
    action = [options] { return run_remap(*options); };
  });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench.hpp"

#include <chrono>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/bench_programs.hpp"
#include "app/platform.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "network/host_list.hpp"

namespace pathline::cli {
namespace {

struct BenchOptions : CommonOptions {
  app::BenchRequest request;
  std::string what;
  std::string database;
  std::string launcher = "mpirun -n {n}";
  std::string programs;
  std::string hosts;
  std::string platform;
  bool launcher_given = false;
  bool launches_given = false;
  unsigned launches = 5;
  double seconds = 0.1;
};

std::string own_host() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

/// A list as Slurm writes it, or a file with a name on each line.
base::Result<std::vector<std::string>> hosts_in(const std::string& text) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(text, ignored)) return network::expand_host_list(text);
  auto file = base::MappedFile::open(text);
  if (!file) return file.error();
  std::string list;
  for (const char c : file.value().text()) list += c == '\n' ? ',' : c;
  while (list.ends_with(',')) list.pop_back();
  return network::expand_host_list(list);
}

/// The machine that a platform of SimGrid describes, for all that was not said otherwise.
base::Status take_platform(BenchOptions& options) {
  auto read = app::read_platform(options.platform);
  if (!read) return read.error();
  app::Platform& platform = read.value();
  app::BenchRequest& request = options.request;
  request.simulated = true;
  if (!options.launcher_given) request.launcher = app::simgrid_launcher(options.platform);
  if (request.machine.empty()) {
    request.machine = std::filesystem::path(options.platform).stem().string();
  }
  if (request.node.empty()) request.node = platform.node;
  if (request.network.empty()) request.network = platform.network;
  if (options.hosts.empty()) request.hosts = std::move(platform.hosts);
  if (!options.launches_given) request.launches = 1;  // They repeat.
  return {};
}

base::Result<int> run_bench(BenchOptions options) {
  const auto began = std::chrono::steady_clock::now();
  app::BenchRequest& request = options.request;
  request.computes = options.what != "halo";
  request.halos = options.what != "compute";
  request.database = options.database;
  request.launcher = app::words_of(options.launcher);
  request.launches = options.launches;
  request.seconds = options.seconds;
  if (!options.platform.empty()) {
    if (auto status = take_platform(options); !status) return status.error();
  }
  if (request.launcher.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--launcher is empty, expected a command as in 'mpirun -n {n}'"};
  }
  if (!options.hosts.empty()) {
    auto hosts = hosts_in(options.hosts);
    if (!hosts) return hosts.error();
    request.hosts = std::move(hosts).value();
  }
  if (request.machine.empty()) {
    request.machine = request.simulated ? "simulated" : own_host();
  }
  request.programs = options.programs;
  if (options.programs.empty()) {
    auto programs = app::find_bench_programs(request.launcher);
    if (!programs) return programs.error();
    request.programs = std::move(programs).value();
  }
  base::Progress progress;
  base::Result<app::BenchReport> result = app::BenchReport{};
  with_progress(progress, options.quiet, [&] { result = app::run_benchmarks(request, progress); });
  if (!result) return result.error();
  const app::BenchReport& report = result.value();
  nlohmann::ordered_json json;
  json["database"] = base::printable(options.database);
  json["machine"] = base::printable(request.machine);
  json["kind"] = request.simulated ? "simulated" : "real";
  json["added"] = report.added;
  json["present"] = report.present;
  json["launches"] = report.started;
  json["noisy"] = report.noisy;
  json["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (auto status = print_json(options, json); !status) return status.error();
  if (options.quiet) return kDone;
  if (report.noisy > 0) {
    note(
        fmt::format("{} of {} were disturbed by other work on this machine: predictions from them "
                    "are less certain. Run it again on an idle one, with another --db.",
                    report.noisy, base::counted(report.started, "launch", "launches")));
  }
  note(
      fmt::format("next: pathline predict --db {} --app shallow --grid 2048x2048 --ranks N "
                  "--mapping smp,block",
                  base::printable(options.database)));
  return kDone;
}

}  // namespace

void add_bench_command(Command& program, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  Command command = program.command(
      "bench", "Measures what a machine can do, for predictions of how applications run on it");
  command.option("WHAT", options->what, "compute (loops on each core), halo (messages) or all")
      .one_of({"compute", "halo", "all"})
      .required();
  command.option("--db", options->database, "Database that gets every sample; made if not there")
      .required();
  command
      .option("--launcher", options->launcher,
              "Starts the programs; {n} is the number of ranks, {hostfile} a file with the host of "
              "each rank")
      .show_default();
  app::BenchRequest& request = options->request;
  command.option("--machine", request.machine,
                 "What the database calls the machine; default: the name of this host");
  command.option(
      "--hosts", options->hosts,
      "Names of the nodes, in the order of --network, or of all their cores: n[0-63] or a "
      "file; default: this host alone");
  command.option("--network", request.network, "How nodes are joined, as in 'pathline routes'");
  command.option(
      "--node", request.node,
      "Cores of a node: an XML file of hwloc, or its short form 'package:2 core:8 pu:1'; "
      "default: this machine");
  command.option("--platform", options->platform,
                 "Simulate the machine of this platform file of SimGrid: a <cluster>; says "
                 "--launcher, --hosts, --network, --node and --launches 1");
  command.flag("--simulated", request.simulated,
               "The launcher simulates the machine (SimGrid's smpirun)");
  command.option("--programs", options->programs,
                 "Folder of bench-compute and bench-halo; default: those for the launcher's MPI");
  command.option("--launches", options->launches, "Independent launches of each benchmark")
      .range(1U, 1000U)
      .show_default();
  command.option("--seconds", options->seconds, "For each size in each launch")
      .above_zero()
      .show_default();
  add_output(command, *options);
  add_json_format(command, *options);
  command.flag("--quiet", options->quiet, "No progress and no notes on standard error");
  command.footer(
      "What is in the database already is not measured again: an interrupted run goes on where it "
      "was.\nExamples:\n"
      "  pathline bench all --db machine.db\n"
      "  pathline bench all --db torus.db --platform torus_4x4x4_c16.xml\n"
      "  pathline bench all --db cluster.db --hosts n[0-3] --network slurm:topology.conf \\\n"
      "      --launcher 'mpirun --hostfile {hostfile} -n {n}'");
  command.on_chosen([options, command, &action] {
    options->launcher_given = command.was_given("--launcher");
    options->launches_given = command.was_given("--launches");
    action = [options] { return run_bench(*options); };
  });
}

}  // namespace pathline::cli

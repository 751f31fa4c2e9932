// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/bench_programs.hpp"
#include "app/cpu_use.hpp"
#include "app/measured_machine.hpp"
#include "app/run_json.hpp"
#include "base/child_process.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "host/topology.hpp"
#include "network/spec.hpp"
#include "predict/plan.hpp"
#include "store/database.hpp"

namespace pathline::app {
namespace {

using Json = nlohmann::json;
using store::Id;

constexpr uint64_t kMostStrided = 128U << 10U;  // Larger ones would take gigabytes of addresses.
constexpr uint32_t kSimulatedPerCore = 4;       // As many messages of a rank at once.
constexpr double kNoise = 0.05;                 // CPU time of others, over the time that passed.

base::Error invalid(std::string message, std::string advice = {}) {
  return {base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

base::Result<host::Topology> topology_of(const std::string& node) {
  if (node.empty()) return host::Topology::own();
  std::error_code ignored;
  if (std::filesystem::exists(node, ignored)) return host::Topology::read(node);
  return host::Topology::synthetic(node);
}

store::Machine machine_of(const BenchRequest& request, const host::Node& node) {
  store::Machine machine;
  machine.name = request.machine;
  machine.kind = request.simulated ? store::MachineKind::kSimulated : store::MachineKind::kReal;
  machine.tool_version = PATHLINE_VERSION;
  machine.config_json = Json{{"launcher", request.launcher}, {"hosts", request.hosts}}.dump();
  machine.created = utc_time();
  machine.network = request.network;
  for (const host::NodeLevel& level : node.levels) {
    machine.levels.push_back({level.type, level.bytes, level.core_count});
  }
  for (const auto& units : node.units) {
    machine.cores.push_back(fmt::format("{}", fmt::join(units, "/")));
  }
  return machine;
}

/// Runs what is missing.
class Benchmarks {
 public:
  Benchmarks(const BenchRequest& request, base::Progress& progress)
      : request_(request), progress_(progress) {}

  base::Result<BenchReport> run() {
    auto topology = topology_of(request_.node);
    if (!topology) return topology.error();
    node_ = topology.value().node();
    if (!request_.network.empty()) {
      auto parsed = network::parse_network(request_.network);
      if (!parsed) return parsed.error();
      network_ = std::move(parsed.value().network);
    }
    auto opened = store::Database::open(request_.database, store::Database::Access::kCreate);
    if (!opened) return opened.error();
    database_.emplace(std::move(opened).value());
    if (auto status = find_machine(); !status) return status.error();
    if (auto status = find_present(); !status) return status.error();
    const auto plan = predict::plan_benchmarks(
        node_, network_.get(),
        HostNames(request_.hosts, network_.get(), node_.units.size()).node_count(),
        request_.simulated ? kSimulatedPerCore : 1);
    progress_.begin("measuring", "points", points_of(plan));
    for (launch_.number = 0; launch_.number < request_.launches; ++launch_.number) {
      for (const predict::ComputeJob& job : plan.computes) {
        if (!request_.computes) break;
        if (auto status = run(job); !status) return status.error();
      }
      for (const predict::HaloJob& job : plan.halos) {
        if (!request_.halos) break;
        if (auto status = run(job); !status) return status.error();
      }
    }
    return report_;
  }

 private:
  using ComputeKey = std::tuple<uint32_t, Id, uint32_t, uint32_t>;  // Launch, scenario, m, n.
  using HaloKey = std::tuple<uint32_t, std::string, uint32_t, uint32_t, std::string, uint64_t>;
  using ProbeKey = std::tuple<std::string, uint32_t, uint64_t>;

  base::Status find_machine() {
    auto machines = database_->machines();
    if (!machines) return machines.error();
    const store::Machine wanted = machine_of(request_, node_);
    for (const store::Machine& found : machines.value()) {
      if (found.name != wanted.name) continue;
      machine_ = found.id;
      const char* other = found.kind != wanted.kind         ? "kind"
                          : found.cores != wanted.cores     ? "cores"
                          : found.network != wanted.network ? "network"
                                                            : nullptr;
      if (other == nullptr) return {};
      return invalid(fmt::format("{} has another machine '{}', not with the same {}",
                                 request_.database.string(), base::printable(found.name), other),
                     "Give this one another name (--machine), or another file.");
    }
    auto added = database_->add(wanted);
    if (!added) return added.error();
    machine_ = added.value();
    return {};
  }

  base::Status find_present() {
    auto launches = database_->launches(machine_);
    if (!launches) return launches.error();
    std::map<Id, uint32_t> numbers;
    for (const store::Launch& launch : launches.value()) numbers[launch.id] = launch.number;
    auto computes = database_->computes(machine_);
    if (!computes) return computes.error();
    // A size is there when all of its kernels are.
    std::map<ComputeKey, std::set<std::string>> kernels;
    for (const store::Compute& row : computes.value()) {
      kernels[{numbers[row.launch], row.scenario, row.m, row.n}].insert(row.kernel);
    }
    for (const auto& [key, names] : kernels) {
      if (names.size() >= kKernels) computes_.insert(key);
    }
    auto halos = database_->halos(machine_);
    if (!halos) return halos.error();
    for (const store::Halo& row : halos.value()) {
      halos_.emplace(numbers[row.launch], row.connection, row.hops, row.lanes, row.layout,
                     row.bytes);
    }
    auto probes = database_->probes(machine_);
    if (!probes) return probes.error();
    for (const store::Probe& row : probes.value()) {
      probes_.emplace(row.connection, row.hops, row.bytes);
    }
    report_.present = computes.value().size() + halos.value().size() + probes.value().size();
    return {};
  }

  /// An upper bound: sizes of probes are found on the way.
  [[nodiscard]] uint64_t points_of(const predict::Plan& plan) const {
    uint64_t points = 0;
    for (const predict::ComputeJob& job : plan.computes) {
      if (request_.computes) points += kKernels * job.sizes.size();
    }
    for (const predict::HaloJob& job : plan.halos) {
      if (request_.halos) points += 3 * job.bytes.size();
    }
    return points * request_.launches;
  }

  base::Status run(const predict::ComputeJob& job) {
    auto scenario = database_->scenario(machine_, job.scenario);
    if (!scenario) return scenario.error();
    std::vector<std::string> sizes;
    for (const auto& [m, n] : job.sizes) {
      if (computes_.contains({launch_.number, scenario.value(), m, n})) {
        progress_.total -= kKernels;
      } else {
        sizes.push_back(fmt::format("{}x{}", m, n));
      }
    }
    if (sizes.empty()) return {};
    std::vector<predict::Seat> seats;
    for (const uint32_t core : job.scenario.cores) seats.push_back({0, core});
    return launch("bench-compute", {"--sizes", fmt::format("{}", fmt::join(sizes, ","))}, seats,
                  [&](const Json& line) {
                    store::Compute row;
                    row.launch = launch_.id;
                    row.scenario = scenario.value();
                    line.at("kernel").get_to(row.kernel);
                    line.at("m").get_to(row.m);
                    line.at("n").get_to(row.n);
                    line.at("bytes").get_to(row.bytes);
                    line.at("ranks").get_to(row.ranks);
                    for (const Json& samples : line.at("samples")) {
                      const auto values = samples.get<std::vector<double>>();
                      row.samples.insert(row.samples.end(), values.begin(), values.end());
                    }
                    return database_->add(row);
                  });
  }

  base::Status run(const predict::HaloJob& job) {
    std::vector<uint64_t> sizes = job.bytes;
    if (job.places > 1 && job.lanes == 1) {
      auto edges = probe(job);
      if (!edges) return edges.error();
      edges_[job.way] = edges.value();
    }
    for (const uint64_t edge : edges_[job.way]) sizes.insert(sizes.end(), {edge - 8, edge});
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const std::vector<std::string>& layouts :
         {std::vector<std::string>{"contiguous"}, std::vector<std::string>{"strided", "packed"}}) {
      std::vector<uint64_t> missing;
      for (const uint64_t bytes : sizes) {
        if (layouts.size() > 1 && bytes > kMostStrided) continue;
        const bool is_there =
            std::all_of(layouts.begin(), layouts.end(), [&](const std::string& layout) {
              return halos_.contains(
                  {launch_.number, job.way.connection, job.way.hops, job.lanes, layout, bytes});
            });
        if (is_there) {
          progress_.total -= layouts.size();
        } else {
          missing.push_back(bytes);
        }
      }
      if (missing.empty()) continue;
      auto status = launch("bench-halo",
                           {"--lanes", std::to_string(job.lanes), "--bytes",
                            fmt::format("{}", fmt::join(missing, ",")), "--layouts",
                            fmt::format("{}", fmt::join(layouts, ","))},
                           job.seats, [&](const Json& line) {
                             store::Halo row;
                             row.launch = launch_.id;
                             row.connection = job.way.connection;
                             row.hops = job.way.hops;
                             line.at("layout").get_to(row.layout);
                             line.at("stride").get_to(row.stride);
                             line.at("bytes").get_to(row.bytes);
                             line.at("lanes").get_to(row.lanes);
                             line.at("samples").get_to(row.samples);
                             // Asked for together with a layout that was missing.
                             if (!halos_
                                      .emplace(launch_.number, row.connection, row.hops, row.lanes,
                                               row.layout, row.bytes)
                                      .second) {
                               return base::Status();
                             }
                             return database_->add(row);
                           });
      if (!status) return status;
    }
    return {};
  }

  /// Sizes from which on messages of a way are sent otherwise than smaller ones, found by halving:
  /// multiples of 8 bytes.
  base::Result<std::vector<uint64_t>> probe(const predict::HaloJob& job) {
    std::vector<uint64_t> wanted;
    for (uint64_t bytes = 8; bytes <= job.bytes.back(); bytes *= 2) wanted.push_back(bytes);
    for (;;) {
      std::erase_if(wanted, [&](uint64_t bytes) {
        return probes_.contains({job.way.connection, job.way.hops, bytes});
      });
      if (!wanted.empty()) {
        auto status = launch(
            "bench-halo",
            {"--probe", "--lanes", "1", "--bytes", fmt::format("{}", fmt::join(wanted, ","))},
            job.seats, [&](const Json& line) {
              store::Probe row;
              row.launch = launch_.id;
              row.connection = job.way.connection;
              row.hops = job.way.hops;
              line.at("bytes").get_to(row.bytes);
              line.at("late_s").get_to(row.late_s);
              line.at("send_s").get_to(row.send_s);
              line.at("receive_wait_s").get_to(row.receive_wait_s);
              line.at("receive_away_s").get_to(row.receive_away_s);
              line.at("overhead_s").get_to(row.overhead_s);
              line.at("oneway_s").get_to(row.oneway_s);
              probes_.emplace(row.connection, row.hops, row.bytes);
              return database_->add(row);
            });
        if (!status) return status.error();
      }
      auto rows = database_->probes(machine_);
      if (!rows) return rows.error();
      std::erase_if(rows.value(), [&](const store::Probe& row) {
        return row.connection != job.way.connection || row.hops != job.way.hops;
      });
      std::vector<uint64_t> edges;
      wanted.clear();
      for (const auto& [below, above] : predict::protocol_changes(rows.value())) {
        if (above - below <= 8) {
          edges.push_back(above);
        } else {
          wanted.push_back((below + above) / 16 * 8);
        }
      }
      if (wanted.empty()) return edges;
    }
  }

  base::Result<std::vector<std::string>> command(const char* program,
                                                 const std::vector<std::string>& arguments,
                                                 const std::vector<predict::Seat>& seats) {
    const std::filesystem::path host_file = request_.database.string() + ".hosts";
    bool says_where = false;
    std::vector<std::string> words = request_.launcher;
    for (std::string& word : words) {
      if (word == "{n}") word = std::to_string(seats.size());
      if (word == "{hostfile}") {
        says_where = true;
        word = host_file.string();
      }
    }
    const bool is_here = std::all_of(seats.begin(), seats.end(),
                                     [](const predict::Seat& seat) { return seat.node == 0; });
    if (!says_where && (!is_here || request_.simulated)) {
      return invalid("the launcher does not say where ranks are to be",
                     "Write {hostfile} where it takes a file with the host of each rank.");
    }
    if (says_where) {
      const HostNames hosts(request_.hosts, network_.get(), node_.units.size());
      std::string lines;
      for (const predict::Seat& seat : seats) {
        lines += hosts.of(seat.node, seat.core) + "\n";
      }
      if (auto status = base::write_file(host_file, lines); !status) return status.error();
    }
    const std::filesystem::path file = request_.programs / program;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      return base::Error{base::ErrorCode::kNotFound, fmt::format("there is no {}", file.string()),
                         "--programs names the folder of bench-compute and bench-halo."};
    }
    words.push_back(file.string());
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (request_.simulated) {
      words.insert(words.end(), {"--samples", "3:3"});
    } else {
      words.insert(words.end(), {"--seconds", fmt::format("{}", request_.seconds)});
      std::vector<uint32_t> pus;
      for (const predict::Seat& seat : seats) pus.push_back(node_.pu_of_core[seat.core]);
      words.insert(words.end(), {"--bind", fmt::format("{}", fmt::join(pus, ","))});
    }
    words.insert(words.end(), {"--seed", std::to_string(launch_.number + 1)});
    return words;
  }

  /// Starts a program, and hands each of its points to `store`.
  template <class Store>
  base::Status launch(const char* program, const std::vector<std::string>& arguments,
                      const std::vector<predict::Seat>& seats, Store store) {
    auto words = command(program, arguments, seats);
    if (!words) return words.error();
    const CpuUse before = cpu_use();
    const auto began = std::chrono::steady_clock::now();
    launch_.started = utc_time();
    launch_.commit = PATHLINE_VERSION;
    launch_.flags = fmt::format("{}", fmt::join(words.value(), " "));
    launch_.load_before = before.load;
    launch_.load_after = 0;
    launch_.steal_s = 0;
    launch_.noisy = false;
    launch_.mpi.clear();
    auto id = database_->add(machine_, launch_);
    if (!id) return id.error();
    launch_.id = id.value();
    ++report_.started;

    base::Status status;
    bool is_done = false;
    std::string said;
    auto ending = base::run_reading(
        words.value(),
        [&](std::string_view line) {
          // Launchers and libraries print, too.
          if (!line.starts_with('{')) return true;
          try {
            const Json json = Json::parse(line);
            if (json.contains("program")) launch_.mpi = json.value("mpi", "");
            is_done = is_done || json.value("done", false);
            if (!json.contains("point")) return true;
            status = store(json);
            ++report_.added;
            ++progress_.done;
          } catch (const Json::exception& error) {
            status = base::Error{base::ErrorCode::kCorrupt,
                                 fmt::format("{} printed a line that cannot be understood: {}",
                                             program, base::printable(error.what()))};
          }
          return status.ok();
        },
        said);
    if (!status) return status;
    if (!ending) return ending.error();
    if (ending.value().exit_status() != 0 || !is_done) {
      return base::Error{base::ErrorCode::kIo,
                         fmt::format("{} ended with status {}: {}", program,
                                     ending.value().exit_status(), telling_line(said, program)),
                         fmt::format("The command was: {}", launch_.flags)};
    }
    const CpuUse after = cpu_use();
    const double passed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    launch_.load_after = after.load;
    launch_.steal_s = after.stolen_s - before.stolen_s;
    const double others_s = after.busy_s - before.busy_s - (after.own_s - before.own_s);
    launch_.noisy = !request_.simulated &&
                    (others_s > kNoise * passed_s || launch_.steal_s > kNoise * passed_s);
    report_.noisy += launch_.noisy ? 1 : 0;
    return database_->end(launch_);
  }

  static constexpr size_t kKernels = 4;

  const BenchRequest& request_;
  base::Progress& progress_;
  host::Node node_;
  std::unique_ptr<network::Network> network_;
  std::optional<store::Database> database_;
  Id machine_ = 0;
  store::Launch launch_;
  std::set<ComputeKey> computes_;
  std::set<HaloKey> halos_;
  std::set<ProbeKey> probes_;
  std::map<predict::HaloTable::Way, std::vector<uint64_t>> edges_;
  BenchReport report_;
};

}  // namespace

base::Result<BenchReport> run_benchmarks(const BenchRequest& request, base::Progress& progress) {
  return Benchmarks(request, progress).run();
}

}  // namespace pathline::app

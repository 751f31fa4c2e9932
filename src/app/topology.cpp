// SPDX-License-Identifier: BSD-3-Clause
#include "app/topology.hpp"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/follow.hpp"
#include "app/run_directory.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "base/text_input.hpp"
#include "comm/process_order.hpp"
#include "insitu/write.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

/// No machine has more PUs, and no text may ask for more memory than they take.
constexpr uint64_t kMostPus = 1U << 20U;

std::vector<uint32_t> pus_in(const std::string& list) {
  std::vector<uint32_t> pus;
  const auto ranges = base::ranges_in(list);
  if (!ranges) return pus;
  for (const auto [first, last] : *ranges) {
    for (uint64_t pu = first; pu <= last && pu < kMostPus && pus.size() < kMostPus; ++pu) {
      pus.push_back(static_cast<uint32_t>(pu));
    }
  }
  return pus;
}

/// Where the ranks are, by the run's placement.csv or else by the trace.
std::vector<RankPlace> places_of(const fs::path& folder, const trace::Trace& trace,
                                 std::vector<std::string>& remarks) {
  std::vector<RankPlace> places;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    places.push_back({.rank = rank, .host = std::string(comm::host_of(trace, rank))});
  }
  std::error_code failure;
  if (!fs::exists(folder / "placement.csv", failure)) {
    remarks.emplace_back(
        "there is no placement.csv beside the run: hosts are drawn with nothing but their ranks");
    return places;
  }
  const auto table = read_placement_table(folder / "placement.csv");
  if (!table) {
    remarks.push_back(table.error().message);
    return places;
  }
  for (const RankPlace& place : table.value()) {
    if (place.rank < places.size()) places[place.rank] = place;
  }
  return places;
}

base::Result<insitu::SwitchTree> read_switches(const std::string& slurm) {
  auto text = base::TextInput::open(slurm);
  if (!text) return text.error();
  auto branches = network::parse_slurm_topology(text.value().text(), slurm);
  if (!branches) return branches.error();
  return insitu::switch_tree(branches.value(), slurm);
}

/// The steps of a run that goes on, on its machine.
class TopologyFollower : public StepWriter {
 public:
  TopologyFollower(const fs::path& run, const TopologyRequest& request, const fs::path& folder)
      : run_(run), request_(request), folder_(folder) {}

  /// All ranks are there once they have steps.
  base::Result<bool> prepare(const raw::Run& raw) override {
    if (machine_) return true;
    std::vector<RankPlace> places;
    for (const raw::RunProcess& process : raw.processes) {
      places.push_back({process.rank, process.host, process.cpus, process.switches});
    }
    auto machine = machine_at(places, run_ / "topology", request_.slurm);
    if (!machine) return machine.error();
    machine_.emplace(std::move(machine).value());
    scene_.emplace(*machine_, request_.scene);
    writer_.emplace(folder_, *scene_);
    return true;
  }

  base::Status add(const insitu::Figures& figures, const insitu::Step& step) override {
    if (!begun_) {
      if (auto status = writer_->begin(); !status) return status;
      begun_ = true;
    }
    return writer_->add(figures, step);
  }

 private:
  const fs::path run_;
  const TopologyRequest& request_;
  const fs::path folder_;
  std::optional<insitu::Machine> machine_;
  std::optional<insitu::Scene> scene_;
  std::optional<insitu::TopologyWriter> writer_;
  bool begun_ = false;
};

}  // namespace

base::Result<insitu::Machine> machine_of(const fs::path& input, const trace::Trace& trace,
                                         const std::string& slurm) {
  std::vector<std::string> remarks;
  const fs::path folder = run_folder(input);
  auto machine = machine_at(places_of(folder, trace, remarks), folder / "topology", slurm);
  if (!machine) return machine.error();
  std::vector<std::string>& all = machine.value().remarks;
  all.insert(all.begin(), remarks.begin(), remarks.end());
  return machine;
}

base::Result<insitu::Machine> machine_at(std::span<const RankPlace> ranks, const fs::path& hardware,
                                         const std::string& slurm) {
  std::vector<std::string> remarks;
  std::vector<insitu::RankPlace> places;
  std::map<std::string, std::string> address_of_host;
  for (const RankPlace& place : ranks) {
    places.push_back({place.host, pus_in(place.cpus)});
    if (!place.switches.empty()) address_of_host[place.host] = place.switches;
  }
  auto tree = slurm.empty() ? insitu::switch_tree(address_of_host) : read_switches(slurm);
  if (!tree && !slurm.empty()) return tree.error();
  if (!tree) remarks.push_back(tree.error().message);
  const insitu::SwitchTree switches = tree ? std::move(tree).value() : insitu::SwitchTree();
  std::map<std::string, std::optional<host::Topology>> read;
  std::map<std::string, const host::Topology*> topologies;
  std::error_code failure;
  for (const insitu::RankPlace& place : places) {
    if (place.pus.empty() || read.contains(place.host)) continue;
    auto& topology = read[place.host];
    const fs::path file = topology_file(hardware, place.host);
    if (file.empty() || !fs::exists(file, failure)) {
      remarks.push_back(fmt::format("the hardware of {} is not known: there is no file {}",
                                    base::printable(place.host), file.string()));
      continue;
    }
    auto found = host::Topology::read(file);
    if (!found) {
      remarks.push_back(fmt::format("the hardware of {} is not known: {}",
                                    base::printable(place.host), found.error().message));
      continue;
    }
    topology.emplace(std::move(found).value());
    topologies[place.host] = &*topology;
  }
  insitu::Machine machine = insitu::build_machine(places, topologies, switches);
  machine.remarks.insert(machine.remarks.begin(), remarks.begin(), remarks.end());
  return machine;
}

base::Result<TopologyReport> write_topology(const fs::path& input, const trace::Trace& trace,
                                            const TopologyRequest& request, const fs::path& folder,
                                            base::ThreadPool& pool, base::Progress& progress) {
  const auto machine = machine_of(input, trace, request.slurm);
  if (!machine) return machine.error();
  const auto steps = find_steps(trace, request.steps, pool);
  if (!steps) return steps.error();
  const auto figures = insitu::figures_of(trace, steps.value().windows, request.figures, pool);
  if (!figures) return figures.error();
  const insitu::Scene scene(machine.value(), request.scene);
  insitu::TopologyWriter writer(folder, scene);
  if (auto status = writer.begin(); !status) return status.error();
  progress.begin("writing", "time steps", figures.value().steps.size());
  for (const insitu::Step& step : figures.value().steps) {
    if (auto status = writer.add(figures.value(), step); !status) return status.error();
    ++progress.done;
  }
  return TopologyReport{.steps = figures.value().steps.size(),
                        .nodes = machine.value().nodes.size(),
                        .ranks = machine.value().rank_count(),
                        .switches = machine.value().switches.size(),
                        .has_steps = steps.value().any(),
                        .remarks = machine.value().remarks};
}

base::Status follow_topology(const fs::path& run, const TopologyRequest& request,
                             const fs::path& folder, base::ThreadPool& pool,
                             base::Progress& progress) {
  TopologyFollower writer(run, request, folder);
  return follow_run(run, {.figures = request.figures, .steps = request.steps}, writer, pool,
                    progress);
}

}  // namespace pathline::app

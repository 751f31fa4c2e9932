// SPDX-License-Identifier: BSD-3-Clause
#include "predict/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "predict/flows.hpp"
#include "predict/rank_grid.hpp"

namespace pathline::predict {
namespace {

using store::Id;

constexpr uint32_t kSteps = 6;

class Model {
 public:
  Model(const Application& application, const Deployment& deployment, const Machine& machine)
      : application_(application),
        deployment_(deployment),
        machine_(machine),
        grid_(deployment.grid, deployment.ranks, application.periodic) {}

  base::Result<Prediction> run() {
    if (auto status = place(); !status) return status.error();
    if (auto status = compute(); !status) return status.error();
    way_count_ = machine_.network == nullptr ? 0 : machine_.network->link_limit();
    for (size_t i = 0; i < application_.phases.size(); ++i) {
      add_work(i);
      if (auto status = exchange(application_.phases[i]); !status) return status.error();
    }
    auto steps = run_steps(grid_.count(), way_count_, stages_, shifts_, kinds_, kSteps);
    if (!steps) return steps.error();
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      Time all;
      for (const auto& phase : work_) {
        if (!phase.empty()) all += phase[rank];
      }
      if (all.value > result_.compute.value) result_.compute = all;
    }
    const double messages_s = std::max(0.0, steps.value().step_s - result_.compute.value);
    result_.communication = {messages_s, steps.value().low * messages_s,
                             steps.value().high * messages_s};
    result_.step = result_.compute;
    result_.step += result_.communication;
    result_.step.value = steps.value().step_s;
    return result_;
  }

 private:
  base::Status place() {
    const mapping::Placement& placement = deployment_.placement;
    const std::vector<uint32_t> order = core_order(machine_.node, deployment_.bind);
    core_.resize(grid_.count());
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      const uint32_t slot = placement.slot_of_rank[rank];
      if (slot >= order.size()) {
        return refusal(fmt::format("rank {} has slot {} of its node, which has {} cores", rank,
                                   slot, order.size()));
      }
      core_[rank] = order[slot];
    }
    return {};
  }

  [[nodiscard]] uint32_t node_of(uint32_t rank) const {
    return deployment_.placement.node_of_rank[rank];
  }

  base::Status compute() {
    // Ranks of one node, and of each its scenarios.
    std::map<uint32_t, std::vector<uint32_t>> active;
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      active[node_of(rank)].push_back(core_[rank]);
    }
    for (auto& [node, cores] : active) std::sort(cores.begin(), cores.end());
    // Most ranks are like others.
    std::map<std::pair<std::vector<uint32_t>, uint32_t>, std::pair<Id, Id>> scenarios;
    std::map<std::tuple<size_t, Id, Id, std::array<uint32_t, kMaxAxes>>, Time> times;
    work_.resize(application_.phases.size());
    for (size_t i = 0; i < application_.phases.size(); ++i) {
      const Phase& phase = application_.phases[i];
      if (phase.kernels.empty()) continue;
      work_[i].resize(grid_.count());
      for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
        std::pair<Id, Id> scenario;
        const bool is_measured =
            std::any_of(phase.kernels.begin(), phase.kernels.end(),
                        [](const Kernel& kernel) { return kernel.seconds_per_cell == 0; });
        if (is_measured) {
          const auto key = std::pair(active[node_of(rank)], core_[rank]);
          auto found = scenarios.find(key);
          if (found == scenarios.end()) {
            auto chosen =
                scenarios_between(machine_.node, machine_.scenarios, key.first, key.second);
            if (!chosen) return chosen.error();
            found = scenarios.emplace(key, chosen.value()).first;
          }
          scenario = found->second;
        }
        const auto local = grid_.local(rank);
        const auto [at, is_new] =
            times.try_emplace({i, scenario.first, scenario.second, local}, Time{});
        if (is_new) {
          auto time = phase_time(phase, scenario, local);
          if (!time) return time.error();
          at->second = time.value();
        }
        work_[i][rank] = at->second;
      }
    }
    return {};
  }

  base::Result<Time> phase_time(const Phase& phase, std::pair<Id, Id> scenario,
                                const std::array<uint32_t, kMaxAxes>& local) const {
    const std::span<const uint32_t> sizes(local.data(), application_.axes());
    double cells = 1;
    for (const uint32_t size : sizes) cells *= size;
    Time all;
    for (const Kernel& kernel : phase.kernels) {
      if (kernel.seconds_per_cell > 0) {
        all +=
            cells * Time{kernel.seconds_per_cell, kernel.seconds_per_cell, kernel.seconds_per_cell};
        continue;
      }
      const uint64_t bytes = application_.working_set(sizes);
      auto a = machine_.compute.per_cell(kernel.name, scenario.first, bytes);
      if (!a) return a.error();
      Time time = a.value();
      if (scenario.second != scenario.first) {
        auto b = machine_.compute.per_cell(kernel.name, scenario.second, bytes);
        if (!b) return b.error();
        time = {(time.value + b.value().value) / 2, std::min(time.low, b.value().low),
                std::max(time.high, b.value().high)};
      }
      all += cells * time;
    }
    return all;
  }

  /// Bytes on each link and below each shared level of a node while `shifts` are under way.
  struct Load {
    std::vector<uint64_t> links;
    std::map<uint32_t, uint64_t> leaving;  // By node, where the network is not known.
    std::map<std::tuple<uint32_t, size_t, uint32_t>, uint64_t> units;  // Node, level, unit.
  };

  template <class Take>
  void each_message(const Shift& shift, Take take) const {
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      const uint32_t source = grid_.neighbour(rank, shift.axis, !shift.upwards);
      if (source == kNobody) continue;
      const auto local = grid_.local(source);
      take(source, rank, application_.bytes(shift, std::span(local.data(), application_.axes())));
    }
  }

  Load load_of(std::span<const Shift> shifts) {
    Load load;
    if (machine_.network != nullptr) load.links.resize(machine_.network->link_limit());
    for (const Shift& shift : shifts) {
      each_message(shift, [&](uint32_t source, uint32_t rank, uint64_t bytes) {
        const uint32_t from = node_of(source);
        if (from == node_of(rank)) {
          const size_t level = shared_level(machine_.node, core_[source], core_[rank]);
          load.units[{from, level, machine_.node.units[core_[rank]][level]}] += bytes;
        } else if (machine_.network == nullptr) {
          load.leaving[from] += bytes;
        } else {
          route_.clear();
          machine_.network->route(network::Vertex(from), network::Vertex(node_of(rank)), route_);
          for (const network::Link link : route_) load.links[link] += bytes;
        }
      });
    }
    return load;
  }

  void add_work(size_t phase) {
    if (work_[phase].empty()) return;
    Stage stage;
    for (const Time& time : work_[phase]) stage.work_s.push_back(time.value);
    stages_.push_back(std::move(stage));
  }

  base::Status exchange(const Phase& phase) {
    std::optional<Load> together;
    if (phase.at_once) {
      together = load_of(phase.shifts);
      stages_.emplace_back();
    }
    for (const Shift& shift : phase.shifts) {
      // Many fields go the same way; at once, they are messages of their own all the same.
      const auto same = std::find(seen_.begin(), seen_.end(), shift);
      if (same != seen_.end() && !phase.at_once) {
        shifts_.push_back(shifts_[static_cast<size_t>(same - seen_.begin())]);
        longest_.push_back(longest_[static_cast<size_t>(same - seen_.begin())]);
      } else if (auto status = add(shift, together ? *together : load_of({&shift, 1})); !status) {
        return status;
      }
      seen_.push_back(shift);
      if (!phase.at_once) stages_.emplace_back();
      stages_.back().shifts.push_back(static_cast<uint32_t>(shifts_.size() - 1));
      count(shift);
    }
    return {};
  }

  /// What messages share inside a node, or where the network is not known, numbered behind links.
  uint32_t shared_part(uint32_t node, size_t level, uint32_t unit) {
    const auto [at, is_new] = parts_.try_emplace({node, level, unit}, way_count_);
    if (is_new) ++way_count_;
    return at->second;
  }

  uint32_t kind_of(const HaloTable::Way& way, const std::string& layout, uint64_t bytes) {
    const auto [at, is_new] =
        kind_numbers_.try_emplace({way, layout, bytes}, static_cast<uint32_t>(kinds_.size()));
    if (is_new) {
      kinds_.push_back({.protocol = machine_.halo.protocol(way.connection, bytes),
                        .both_directions = way.hops == 0,
                        .time = [this, way, layout, bytes](double lanes) {
                          return machine_.halo.time(way, layout, bytes, lanes);
                        }});
    }
    return at->second;
  }

  base::Status add(const Shift& shift, const Load& load) {
    ShiftMessages out;
    out.source.assign(grid_.count(), kNobody);
    out.target.assign(grid_.count(), kNobody);
    out.kind.assign(grid_.count(), 0);
    out.first_way.assign(grid_.count() + 1, 0);
    double longest = 0;
    base::Status status;
    each_message(shift, [&](uint32_t source, uint32_t rank, uint64_t bytes) {
      if (!status) return;
      out.source[rank] = source;
      out.target[source] = rank;
      HaloTable::Way way;
      uint64_t busiest = bytes;
      const uint32_t from = node_of(source);
      if (from == node_of(rank)) {
        const size_t level = shared_level(machine_.node, core_[source], core_[rank]);
        const uint32_t unit = machine_.node.units[core_[rank]][level];
        way.connection = machine_.node.levels[level].type;
        // The benchmark counts one of two that pass each other.
        busiest = load.units.at({from, level, unit}) / 2;
        out.ways.push_back(shared_part(from, level, unit));
      } else if (machine_.network == nullptr) {
        way = {.connection = "network", .hops = 1};
        busiest = load.leaving.at(from);
        out.ways.push_back(shared_part(from, machine_.node.levels.size(), 0));
      } else {
        route_.clear();
        machine_.network->route(network::Vertex(from), network::Vertex(node_of(rank)), route_);
        way = {.connection = "network", .hops = static_cast<uint32_t>(route_.size())};
        for (const network::Link link : route_) {
          busiest = std::max(busiest, load.links[link]);
          out.ways.push_back(link);
        }
      }
      out.kind[rank] = kind_of(way, shift.layout, bytes);
      out.first_way[rank + 1] = out.ways.size();
      const double lanes = std::max(1.0, static_cast<double>(busiest) / static_cast<double>(bytes));
      const auto [at, is_new] = static_times_.try_emplace({out.kind[rank], lanes});
      if (is_new) {
        auto time = machine_.halo.time(way, shift.layout, bytes, lanes);
        if (!time) {
          status = time.error();
          return;
        }
        at->second = time.value().value;
      }
      longest = std::max(longest, at->second);
    });
    for (size_t rank = 0; rank < grid_.count(); ++rank) {
      out.first_way[rank + 1] = std::max(out.first_way[rank + 1], out.first_way[rank]);
    }
    shifts_.push_back(std::move(out));
    longest_.push_back(longest);
    return status;
  }

  /// Adds up what the last shift moves.
  void count(const Shift& shift) {
    const ShiftMessages& messages = shifts_.back();
    if (machine_.network != nullptr) step_links_.resize(machine_.network->link_limit());
    each_message(shift, [&](uint32_t source, uint32_t rank, uint64_t bytes) {
      if (node_of(source) == node_of(rank)) return;
      const uint64_t first = messages.first_way[rank];
      const uint64_t last = messages.first_way[rank + 1];
      result_.off_node_bytes += bytes;
      result_.hop_bytes += bytes * (last - first);
      if (machine_.network == nullptr) return;
      for (uint64_t i = first; i < last; ++i) {
        uint64_t& load = step_links_[messages.ways[i]];
        load += bytes;
        result_.max_link_bytes = std::max(result_.max_link_bytes, load);
      }
    });
    result_.sum_of_longest_s += longest_.back();
  }

  const Application& application_;
  const Deployment& deployment_;
  const Machine& machine_;
  RankGrid grid_;
  std::vector<uint32_t> core_;           // By rank.
  std::vector<std::vector<Time>> work_;  // By phase and rank; empty without kernels.
  std::vector<Stage> stages_;
  std::vector<ShiftMessages> shifts_;
  std::vector<Shift> seen_;      // What each of them is of.
  std::vector<double> longest_;  // Message of each of them, if all were simultaneous.
  std::vector<MessageKind> kinds_;
  std::map<std::tuple<HaloTable::Way, std::string, uint64_t>, uint32_t> kind_numbers_;
  std::map<std::pair<uint32_t, double>, double> static_times_;  // By kind and lanes.
  std::map<std::tuple<uint32_t, size_t, uint32_t>, uint32_t> parts_;
  uint32_t way_count_ = 0;
  std::vector<network::Link> route_;
  std::vector<uint64_t> step_links_;
  Prediction result_;
};

}  // namespace

base::Result<Prediction> predict(const Application& application, const Deployment& deployment,
                                 const Machine& machine) {
  if (auto status = check(application); !status) return status.error();
  const auto invalid = [](std::string what) {
    return base::Error{base::ErrorCode::kInvalidArgument, std::move(what)};
  };
  const size_t axes = application.axes();
  if (deployment.grid.size() != axes || deployment.ranks.size() != axes) {
    return invalid(fmt::format("{} has {} axes, but the grid is {} and the ranks are {}",
                               application.name, axes, fmt::join(deployment.grid, "x"),
                               fmt::join(deployment.ranks, "x")));
  }
  uint64_t count = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    if (deployment.ranks[axis] == 0 || deployment.ranks[axis] > deployment.grid[axis]) {
      return invalid(fmt::format("{} cells along an axis cannot be divided among {} ranks",
                                 deployment.grid[axis], deployment.ranks[axis]));
    }
    count *= deployment.ranks[axis];
    if (count > mapping::kMaxRanks) return invalid("there are more ranks than any machine has");
  }
  if (deployment.placement.rank_count() != count) {
    return invalid(fmt::format("the placement has {} ranks, expected {}",
                               deployment.placement.rank_count(), count));
  }
  if (machine.network != nullptr) {
    if (auto status = mapping::check_placement(
            deployment.placement, *machine.network,
            static_cast<uint32_t>(std::max<size_t>(machine.node.units.size(), 1)));
        !status) {
      return status.error();
    }
  }
  return Model(application, deployment, machine).run();
}

}  // namespace pathline::predict

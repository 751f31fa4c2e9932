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
#include "predict/ways.hpp"

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
        grid_(deployment.grid, deployment.ranks, application.periodic),
        ways_(machine, deployment.placement) {}

  base::Result<Prediction> run() {
    if (auto status = ways_.seat(deployment_.bind); !status) return status.error();
    if (auto status = compute(); !status) return status.error();
    for (size_t i = 0; i < application_.phases.size(); ++i) {
      add_work(i);
      if (auto status = exchange(application_.phases[i]); !status) return status.error();
    }
    auto steps = run_steps(grid_.count(), ways_.count(), stages_, shifts_, ways_.kinds(), kSteps);
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
  base::Status compute() {
    // Ranks of one node, and of each its scenarios.
    std::map<uint32_t, std::vector<uint32_t>> active;
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      active[ways_.node_of(rank)].push_back(ways_.core_of(rank));
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
          const auto key = std::pair(active[ways_.node_of(rank)], ways_.core_of(rank));
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

  template <class Take>
  void each_message(const Shift& shift, Take take) const {
    for (uint32_t rank = 0; rank < grid_.count(); ++rank) {
      const uint32_t source = grid_.neighbour(rank, shift.axis, !shift.upwards);
      if (source == kNobody) continue;
      const auto local = grid_.local(source);
      take(source, rank, application_.bytes(shift, std::span(local.data(), application_.axes())));
    }
  }

  /// Bytes on each way while `shifts` are under way.
  std::vector<uint64_t> load_of(std::span<const Shift> shifts) {
    std::vector<uint64_t> load(ways_.count());
    std::vector<uint32_t> ways;
    for (const Shift& shift : shifts) {
      each_message(shift, [&](uint32_t source, uint32_t rank, uint64_t bytes) {
        ways.clear();
        ways_.add(source, rank, ways);
        load.resize(ways_.count());
        for (const uint32_t way : ways) load[way] += bytes;
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
    std::optional<std::vector<uint64_t>> together;
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

  base::Status add(const Shift& shift, const std::vector<uint64_t>& load) {
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
      const size_t first = out.ways.size();
      const HaloTable::Way way = ways_.add(source, rank, out.ways);
      uint64_t busiest = bytes;
      for (size_t i = first; i < out.ways.size(); ++i) {
        busiest = std::max(busiest, load[out.ways[i]]);
      }
      // Inside nodes the benchmark counts one of two that pass each other.
      if (way.hops == 0) busiest /= 2;
      out.kind[rank] = ways_.kind_of(way, shift.layout, bytes);
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
      if (ways_.is_inside(source, rank)) return;
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
  Ways ways_;
  std::vector<std::vector<Time>> work_;  // By phase and rank; empty without kernels.
  std::vector<Stage> stages_;
  std::vector<ShiftMessages> shifts_;
  std::vector<Shift> seen_;      // What each of them is of.
  std::vector<double> longest_;  // Message of each of them, if all were simultaneous.
  std::map<std::pair<uint32_t, double>, double> static_times_;  // By kind and lanes.
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

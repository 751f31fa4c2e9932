// SPDX-License-Identifier: BSD-3-Clause
//
// A run on the machine while it goes on.
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "app/run_json.hpp"
#include "app/topology.hpp"
#include "base/cpu_time.hpp"
#include "insitu/write.hpp"
#include "raw/run.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 30U;
constexpr double kShare = 0.1;  // Of a core.

/// Per rank the steps that are over, with the messages sent in them: all but its last two.
comm::StepWindows complete_steps(const comm::StepWindows& windows) {
  constexpr size_t kOpen = 2;
  size_t count = SIZE_MAX;
  for (const auto& of_rank : windows) count = std::min(count, of_rank.size());
  comm::StepWindows complete;
  if (count == SIZE_MAX || count <= kOpen) return complete;
  for (const auto& of_rank : windows) {
    complete.emplace_back(of_rank.begin(),
                          of_rank.begin() + static_cast<std::ptrdiff_t>(count - kOpen));
  }
  return complete;
}

class Follower {
 public:
  Follower(const fs::path& run, TopologyRequest request, const fs::path& folder)
      : run_(run), request_(std::move(request)), folder_(folder) {}

  /// Writes what has become complete.
  base::Status pass(base::ThreadPool& pool, base::Progress& progress) {
    const auto files = raw::find_files(run_ / "raw");
    uint64_t bytes = 0;
    std::error_code failure;
    for (const fs::path& file : files) {
      const auto size = fs::file_size(file, failure);
      bytes += failure ? 0 : size;
    }
    if (bytes > kMostBytes) {
      return base::Error{base::ErrorCode::kUnsupported,
                         "the run is too large to be shown while it goes on; the rest follows when "
                         "it has ended",
                         "'pathline record --every 20' records every 20th time step."};
    }
    const auto read = raw::read_run(files, pool, progress);
    if (!read) return {};  // Too early.
    const raw::Run& raw = read.value();
    const auto steps = find_steps(raw.trace, request_.steps, pool);
    if (!steps) return steps.error();
    const comm::StepWindows complete = complete_steps(steps.value().windows);
    if (complete.empty()) return {};
    if (auto status = begin(raw); !status) return status;
    auto figures = insitu::figures_of(raw.trace, complete, request_.figures, pool);
    if (!figures) return figures.error();
    if (!begun_) {
      request_.figures.regions = figures.value().regions;  // The same arrays in all steps.
      if (auto status = writer_->begin(); !status) return status;
      begun_ = true;
    }
    for (const insitu::Step& step : figures.value().steps) {
      if (!written_.insert(step.number).second) continue;
      if (auto status = writer_->add(figures.value(), step); !status) return status;
    }
    return {};
  }

 private:
  /// All ranks are there once they have steps.
  base::Status begin(const raw::Run& raw) {
    if (machine_) return {};
    std::vector<RankPlace> places;
    for (const raw::RunProcess& process : raw.processes) {
      places.push_back({process.rank, process.host, process.cpus, process.switches});
    }
    auto machine = machine_at(places, run_ / "topology", request_.slurm);
    if (!machine) return machine.error();
    machine_.emplace(std::move(machine).value());
    scene_.emplace(*machine_, request_.scene);
    writer_.emplace(folder_, *scene_);
    return {};
  }

  const fs::path run_;
  TopologyRequest request_;
  const fs::path folder_;
  std::optional<insitu::Machine> machine_;
  std::optional<insitu::Scene> scene_;
  std::optional<insitu::TopologyWriter> writer_;
  std::set<uint32_t> written_;
  bool begun_ = false;
};

}  // namespace

base::Status follow_topology(const fs::path& run, const TopologyRequest& request,
                             const fs::path& folder, base::ThreadPool& pool,
                             base::Progress& progress) {
  Follower follower(run, request, folder);
  const auto ended = [&] { return read_run_json(run).command_end_ns != 0; };
  while (!ended()) {
    const double begin_ms = base::cpu_time_ms();
    if (auto status = follower.pass(pool, progress); !status) return status;
    const double pause_ms = std::max(1000.0, (base::cpu_time_ms() - begin_ms) / kShare);
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::duration<double, std::milli>(pause_ms);
    while (Clock::now() < until && !ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return {};
}

}  // namespace pathline::app

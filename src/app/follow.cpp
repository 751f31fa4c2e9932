// SPDX-License-Identifier: BSD-3-Clause
//
// A run while it goes on.
#include "app/follow.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "app/run_json.hpp"
#include "base/cpu_time.hpp"

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
  Follower(const fs::path& run, FollowRequest request, StepWriter& writer)
      : run_(run), request_(std::move(request)), writer_(writer) {}

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
    const auto ready = writer_.prepare(raw);
    if (!ready) return ready.error();
    if (!ready.value()) return {};
    auto figures = insitu::figures_of(raw.trace, complete, request_.figures, pool);
    if (!figures) return figures.error();
    request_.figures.regions = figures.value().regions;  // The same arrays in all steps.
    for (const insitu::Step& step : figures.value().steps) {
      if (!written_.insert(step.number).second) continue;
      if (auto status = writer_.add(figures.value(), step); !status) return status;
    }
    return {};
  }

 private:
  const fs::path run_;
  FollowRequest request_;
  StepWriter& writer_;
  std::set<uint32_t> written_;
};

}  // namespace

base::Status follow_run(const fs::path& run, FollowRequest request, StepWriter& writer,
                        base::ThreadPool& pool, base::Progress& progress) {
  Follower follower(run, std::move(request), writer);
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

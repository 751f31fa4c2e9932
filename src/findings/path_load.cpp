// SPDX-License-Identifier: BSD-3-Clause
#include "findings/path_load.hpp"

#include <algorithm>
#include <numeric>

#include "profile/path_index.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::findings {
namespace {

constexpr size_t kFewSteps = 6;

double sum_of(const std::vector<uint64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), uint64_t{0}));
}

double mean_of(const std::vector<uint64_t>& values) {
  return values.empty() ? 0 : sum_of(values) / static_cast<double>(values.size());
}

double largest_of(const std::vector<uint64_t>& values) {
  return values.empty() ? 0 : static_cast<double>(*std::max_element(values.begin(), values.end()));
}

/// Of the latest of each step.
double excess_in(const std::vector<std::vector<uint64_t>>& steps) {
  double sum = 0;
  for (const auto& step : steps) sum += largest_of(step) - mean_of(step);
  return sum;
}

/// Of one rank, per step.
std::vector<double> excesses(const PathLoad& load, size_t rank) {
  std::vector<double> excess;
  for (const auto& step : load.steps) {
    excess.push_back(static_cast<double>(step[rank]) - mean_of(step));
  }
  return excess;
}

}  // namespace

double PathLoad::mean() const { return mean_of(by_rank); }

size_t PathLoad::top() const {
  return static_cast<size_t>(std::max_element(by_rank.begin(), by_rank.end()) - by_rank.begin());
}

size_t PathLoad::participants() const {
  constexpr uint64_t kPart = 20;
  const auto least = static_cast<uint64_t>(largest_of(by_rank)) / kPart;
  return static_cast<size_t>(std::count_if(
      by_rank.begin(), by_rank.end(), [&](uint64_t ticks) { return ticks > 0 && ticks >= least; }));
}

double PathLoad::same_rank() const {
  const double in_steps = excess_in(steps);
  return in_steps > 0 ? (largest_of(by_rank) - mean()) / in_steps : 1;
}

double PathLoad::unevenness() const { return mean() > 0 ? excess_in(steps) / mean() : 0; }

bool PathLoad::is_steady() const {
  std::vector<double> excess = excesses(*this, top());
  const auto count = static_cast<double>(excess.size());
  if (excess.size() < kFewSteps) return true;
  const auto above = static_cast<double>(
      std::count_if(excess.begin(), excess.end(), [](double value) { return value > 0; }));
  if (above < 0.8 * count) return false;
  const double sum = std::accumulate(excess.begin(), excess.end(), 0.0);
  const auto middle = excess.begin() + static_cast<ptrdiff_t>(excess.size() / 2);
  std::nth_element(excess.begin(), middle, excess.end());
  return count * *middle >= 0.5 * sum;
}

bool PathLoad::grows() const {
  const std::vector<double> excess = excesses(*this, top());
  if (excess.size() < kFewSteps) return false;
  const auto third = static_cast<ptrdiff_t>(excess.size() / 3);
  const double first = std::accumulate(excess.begin(), excess.begin() + third, 0.0);
  const double last = std::accumulate(excess.end() - third, excess.end(), 0.0);
  return last > 0 && last >= 2 * std::max(first, 0.0);
}

uint64_t io_bytes(const Model& model, const std::vector<uint32_t>& paths, uint32_t lane) {
  constexpr uint64_t kUnknownSize = UINT64_MAX;
  profile::Profile profile;
  profile.call_paths = model.call_paths;
  const profile::PathIndex index(profile);
  const uint32_t location = model.all->calls.lanes[lane].location;
  if (location >= model.trace->locations.size()) return 0;
  const trace::Events& events = model.trace->locations[location].events;
  uint64_t bytes = 0;
  index.walk(*model.trace, events, [&](size_t event, profile::CallPath path) {
    if (events.kind[event] != trace::EventKind::kIoOperationComplete || !path.valid()) return;
    const uint64_t ticks = events.ticks[event];
    if (ticks < model.window.begin_ticks || ticks > model.window.end_ticks) return;
    if (std::find(paths.begin(), paths.end(), uint32_t{path}) == paths.end()) return;
    const uint64_t moved = events.word64(event, 1);
    if (moved != kUnknownSize) bytes += moved;
  });
  return bytes;
}

std::vector<uint32_t> paths_without_io(const trace::Definitions& definitions,
                                       const std::vector<profile::CallPathNode>& call_paths) {
  const auto classes = trace::call_classes(definitions);
  std::vector<uint32_t> owner(call_paths.size());
  for (uint32_t path = 0; path < owner.size(); ++path) {
    const profile::CallPathNode& node = call_paths[path];
    const bool is_io = node.region.valid() && classes[node.region] == trace::CallClass::kFileIo;
    owner[path] = is_io && node.parent.valid() ? owner[node.parent] : path;
  }
  return owner;
}

std::vector<PathLoad> path_loads(const Model& model, const std::vector<uint32_t>& wanted,
                                 const base::Column<uint64_t>& ticks) {
  const std::vector<uint32_t> owner = paths_without_io(model);
  const auto classes = trace::call_classes(model.trace->definitions);
  std::vector<uint32_t> number(model.call_paths.size(), kNone);
  std::vector<PathLoad> loads(wanted.size());
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    number[wanted[i]] = i;
    loads[i].paths.push_back(wanted[i]);
  }
  for (uint32_t path = 0; path < owner.size(); ++path) {
    if (owner[path] != path && number[owner[path]] != kNone) {
      number[path] = number[owner[path]];
      loads[number[path]].paths.push_back(path);
    }
  }
  std::vector<uint32_t> lanes;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    if (model.lanes[lane].recorded && model.lanes[lane].first_of_rank) lanes.push_back(lane);
  }
  // Several steps share a bin where there are too many; what is outside of all has one of its own.
  const size_t step_count = model.steps.size();
  const size_t bins = std::min(step_count, kMostBins);
  const auto bin_of = [&](uint32_t step) {
    return step == kNone ? bins : step * bins / step_count;
  };
  for (PathLoad& load : loads) {
    load.lanes = lanes;
    load.by_rank.assign(lanes.size(), 0);
    load.steps.assign(bins + 1, std::vector<uint64_t>(lanes.size(), 0));
    load.step_numbers.assign(bins + 1, kNone);
    for (size_t step = step_count; step-- > 0;) {
      load.step_numbers[bin_of(static_cast<uint32_t>(step))] = model.steps[step];
    }
  }
  for (size_t rank = 0; rank < lanes.size(); ++rank) {
    const uint32_t lane = lanes[rank];
    const Model::Lane& of = model.lanes[lane];
    const size_t end = model.first_piece[Model::gap(of.end_call, lane) + 1];
    for (size_t i = model.first_piece[Model::gap(of.first_call, lane)]; i < end; ++i) {
      const uint32_t path = model.piece_path[i];
      if (path == kNone || number[path] == kNone) continue;
      PathLoad& load = loads[number[path]];
      load.by_rank[rank] += ticks[i];
      load.steps[bin_of(model.piece_step[i])][rank] += ticks[i];
      const trace::Region region = model.call_paths[path].region;
      if (region.valid() && classes[region] == trace::CallClass::kFileIo) {
        load.io_ticks += ticks[i];
      }
    }
  }
  for (PathLoad& load : loads) {
    size_t kept = 0;
    for (size_t step = 0; step < load.steps.size(); ++step) {
      if (sum_of(load.steps[step]) == 0) continue;
      if (kept != step) std::swap(load.steps[kept], load.steps[step]);
      load.step_numbers[kept++] = load.step_numbers[step];
    }
    load.steps.resize(kept);
    load.step_numbers.resize(kept);
  }
  return loads;
}

}  // namespace pathline::findings

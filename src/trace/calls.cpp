// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <algorithm>

namespace pathline::trace {
namespace {

std::vector<StepWindow> steps_of(const Trace& trace, const Events& events, Region marker) {
  std::vector<StepWindow> steps;
  std::vector<bool> is_step;
  walk_calls(
      trace.definitions, events,
      [&](Region region, uint64_t ticks) {
        is_step.push_back(region == marker);
        if (region == marker) {
          steps.push_back({static_cast<uint32_t>(steps.size()), ticks, ticks});
        }
      },
      [&](uint64_t ticks) {
        if (is_step.back()) steps.back().end_ticks = ticks;
        is_step.pop_back();
      });

  size_t next = 0;
  for (size_t i = 0; i < events.size() && next < steps.size(); ++i) {
    const EventKind kind = events.kind[i];
    if (kind != EventKind::kParameterInt && kind != EventKind::kParameterUnsignedInt) continue;
    if (trace.definitions.parameter_name(events.fields(i)[0]) != "step") continue;
    while (next < steps.size() && steps[next].end_ticks < events.ticks[i]) ++next;
    if (next == steps.size() || events.ticks[i] < steps[next].begin_ticks) continue;
    steps[next++].step = static_cast<uint32_t>(events.word64(i, 1));
  }
  return steps;
}

}  // namespace

std::vector<std::vector<StepWindow>> marked_steps(const Trace& trace) {
  std::vector<std::vector<StepWindow>> steps(trace.rank_count);
  const auto& regions = trace.definitions.regions;
  const auto marker = std::find_if(regions.begin(), regions.end(),
                                   [](const auto& region) { return region.name == "time step"; });
  if (marker == regions.end()) return steps;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    const uint32_t location = trace.rank_location[rank];
    if (location == base::IdMap::kNone) continue;
    steps[rank] = steps_of(trace, trace.locations[location].events,
                           Region(static_cast<size_t>(marker - regions.begin())));
  }
  return steps;
}

}  // namespace pathline::trace

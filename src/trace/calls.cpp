// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <algorithm>

namespace pathline::trace {
namespace {

std::vector<StepWindow> steps_of(const Trace& trace, const Events& events, Region marker) {
  constexpr uint32_t kNoStep = UINT32_MAX;
  std::vector<StepWindow> steps;
  std::vector<uint32_t> open;       // Per open call: the step it is or lies in.
  std::vector<bool> has_parameter;  // Per step.
  walk_calls(
      trace.definitions, events,
      [&](Region region, uint64_t ticks) {
        if (region == marker) {
          open.push_back(static_cast<uint32_t>(steps.size()));
          steps.push_back({static_cast<uint32_t>(steps.size()), ticks, ticks});
          has_parameter.push_back(false);
        } else {
          open.push_back(open.empty() ? kNoStep : open.back());
        }
      },
      [&](uint64_t ticks) {
        // A call in a step ends no later than the step, which so has the last word.
        if (open.back() != kNoStep) steps[open.back()].end_ticks = ticks;
        open.pop_back();
      },
      [&](size_t i) {
        const EventKind kind = events.kind[i];
        if (kind != EventKind::kParameterInt && kind != EventKind::kParameterUnsignedInt) return;
        if (open.empty() || open.back() == kNoStep || has_parameter[open.back()]) return;
        if (trace.definitions.parameter_name(events.fields(i)[0]) != "step") return;
        steps[open.back()].step = static_cast<uint32_t>(events.word64(i, 1));
        has_parameter[open.back()] = true;
      });
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

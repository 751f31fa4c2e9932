// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <algorithm>

namespace pathline::trace {
namespace {

/// One pass without walk_calls: of all calls only those of the marker matter.
std::vector<StepWindow> steps_of(const Definitions& definitions, const Events& events,
                                 Region marker) {
  struct Open {
    int64_t enter;  // Its event; -1 for a step that had begun before the first event.
    size_t step;
    bool numbered;
  };
  std::vector<StepWindow> steps;
  std::vector<Open> open;
  bool recording = true;
  const auto begin = [&](int64_t enter, uint64_t ticks) {
    open.push_back({enter, steps.size(), false});
    steps.push_back({static_cast<uint32_t>(steps.size()), ticks, ticks, recording});
  };
  const auto end = [&](uint64_t ticks) {
    steps[open.back().step].end_ticks = ticks;
    open.pop_back();
  };
  const auto& earlier = events.leaves_of_earlier_calls;
  for (size_t i = earlier.size(); i-- > 0;) {
    if (events.ref[earlier[i]] == marker) begin(-1, events.ticks[0]);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    switch (events.kind[i]) {
      case EventKind::kEnter:
        if (events.ref[i] == marker) begin(static_cast<int64_t>(i), events.ticks[i]);
        break;
      case EventKind::kLeave:
        // A call that ends takes the calls inside with it whose Leave got lost.
        while (!open.empty() && open.back().enter >= int64_t{events.ref[i]}) end(events.ticks[i]);
        break;
      case EventKind::kMeasurementOnOff: {
        constexpr uint32_t kOn = 1;
        recording = events.ref[i] == kOn;
        break;
      }
      case EventKind::kUnmatchedLeave:
        if (!open.empty() && open.back().enter < 0 && events.ref[i] == marker) end(events.ticks[i]);
        break;
      case EventKind::kParameterInt:
      case EventKind::kParameterUnsignedInt:
        if (open.empty() || open.back().numbered) break;
        if (definitions.parameter_name(events.fields(i)[0]) != "step") break;
        steps[open.back().step].step = static_cast<uint32_t>(events.word64(i, 1));
        open.back().numbered = true;
        break;
      default: break;
    }
  }
  while (!open.empty()) end(events.ticks[events.size() - 1]);
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
    steps[rank] = steps_of(trace.definitions, trace.locations[location].events,
                           Region(static_cast<size_t>(marker - regions.begin())));
  }
  return steps;
}

}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#include "trace/calls.hpp"

#include <algorithm>

#include "trace/find_kinds.hpp"

namespace pathline::trace {
namespace {

/// Regions that mark steps, and the range that these numbers are in.
struct Markers {
  std::vector<bool> is;  // Per region.
  uint32_t first = 0;
  uint32_t last = 0;
};

/// Puts times in place of the events that have them: far from each other, but asked for early.
void read_times(const Events& events, std::vector<StepWindow>& steps) {
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i + 2 * kAhead < steps.size()) {
      events.ticks.prefetch_block(steps[i + 2 * kAhead].begin_ticks);
      events.ticks.prefetch_block(steps[i + 2 * kAhead].end_ticks);
      events.ticks.prefetch(steps[i + kAhead].begin_ticks);
      events.ticks.prefetch(steps[i + kAhead].end_ticks);
    }
    steps[i].begin_ticks = events.ticks[steps[i].begin_ticks];
    steps[i].end_ticks = events.ticks[steps[i].end_ticks];
  }
}

/// One pass without walk_calls: of all calls only those of the markers matter.
std::vector<StepWindow> steps_of(const Definitions& definitions, const Events& events,
                                 const Markers& markers) {
  struct Open {
    int64_t enter;  // Its event; -1 for a step that had begun before the first event.
    size_t step;
    bool numbered;
    size_t depth;  // Calls that are open with it; 0 for one that had begun before.
  };
  std::vector<StepWindow> steps;
  std::vector<bool> unnumbered;  // Per step.
  std::vector<Open> open;
  int64_t last_open = -1;  // Enter of the last one.
  // Where calls nest, most leaves are told from those of a step without a look at what they end.
  const bool nests = events.misplaced_leaves == 0;
  size_t depth = 0;
  size_t last_depth = 0;  // Of the last one.
  bool recording = true;
  const auto is_marker = [&](uint32_t region) {
    return region - markers.first <= markers.last - markers.first && markers.is[region];
  };
  // Times are noted as the events that have them.
  const auto begin = [&](int64_t enter, size_t event) {
    last_depth = enter < 0 ? 0 : depth;
    open.push_back({enter, steps.size(), false, last_depth});
    last_open = enter;
    unnumbered.push_back(enter >= 0);
    steps.push_back({static_cast<uint32_t>(steps.size()), event, event, recording});
  };
  const auto end = [&](size_t event) {
    steps[open.back().step].end_ticks = event;
    open.pop_back();
    last_open = open.empty() ? -1 : open.back().enter;
    last_depth = open.empty() ? 0 : open.back().depth;
  };
  const auto& earlier = events.leaves_of_earlier_calls;
  for (size_t i = earlier.size(); i-- > 0;) {
    if (is_marker(events.ref[earlier[i]])) begin(-1, 0);
  }
  constexpr KindRange kCalls{EventKind::kEnter, EventKind::kLeave};
  for_each_of<kCalls, kOnly<EventKind::kMeasurementOnOff>, kOnly<EventKind::kUnmatchedLeave>,
              kOnly<EventKind::kParameterInt>, kOnly<EventKind::kParameterUnsignedInt>>(
      events.kind.span(), 0, [&](size_t i) {
        switch (events.kind[i]) {
          case EventKind::kEnter:
            ++depth;
            if (is_marker(events.ref[i])) begin(static_cast<int64_t>(i), i);
            break;
          case EventKind::kLeave:
            if (nests && depth-- != last_depth) break;
            // A call that ends takes the calls inside with it whose Leave got lost.
            while (int64_t{events.ref[i]} <= last_open) end(i);
            break;
          case EventKind::kMeasurementOnOff: {
            constexpr uint32_t kOn = 1;
            recording = events.ref[i] == kOn;
            break;
          }
          case EventKind::kUnmatchedLeave:
            if (!open.empty() && open.back().enter < 0 && is_marker(events.ref[i])) end(i);
            break;
          case EventKind::kParameterInt:
          case EventKind::kParameterUnsignedInt:
            if (open.empty() || open.back().numbered) break;
            if (definitions.parameter_name(events.fields(i)[0]) != "step") break;
            steps[open.back().step].step = static_cast<uint32_t>(events.word64(i, 1));
            open.back().numbered = true;
            unnumbered[open.back().step] = false;
            break;
          default: break;
        }
      });
  while (!open.empty()) end(events.size() - 1);
  read_times(events, steps);
  // A region of the program's own may have that name: it has no numbers, and lies around or inside
  // the steps that have.
  size_t kept = 0;
  uint64_t numbered_end = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool inside = steps[i].begin_ticks < numbered_end;
    const bool around =
        i + 1 < steps.size() && !unnumbered[i + 1] && steps[i + 1].begin_ticks < steps[i].end_ticks;
    if (unnumbered[i] && (inside || around)) continue;
    if (!unnumbered[i]) numbered_end = std::max(numbered_end, steps[i].end_ticks);
    unnumbered[kept] = unnumbered[i];
    steps[kept++] = steps[i];
  }
  steps.resize(kept);
  return steps;
}

}  // namespace

std::vector<bool> step_markers(const Definitions& definitions) {
  std::vector<bool> markers;
  markers.reserve(definitions.regions.size());
  for (const RegionDefinition& region : definitions.regions) {
    markers.push_back(region.name == "time step");
  }
  return markers;
}

std::vector<std::vector<StepWindow>> marked_steps(const Trace& trace, base::ThreadPool* pool) {
  if (trace.whole) return trace.whole->steps;
  std::vector<std::vector<StepWindow>> steps(trace.rank_count);
  Markers markers;
  markers.is = step_markers(trace.definitions);
  const auto first = std::find(markers.is.begin(), markers.is.end(), true);
  if (first == markers.is.end()) return steps;
  markers.first = static_cast<uint32_t>(first - markers.is.begin());
  markers.last = static_cast<uint32_t>(markers.is.size() - 1);
  while (!markers.is[markers.last]) --markers.last;
  const auto find = [&](size_t rank) {
    const uint32_t location = trace.rank_location[rank];
    if (location == base::IdMap::kNone) return;
    steps[rank] = steps_of(trace.definitions, trace.locations[location].events, markers);
  };
  if (pool != nullptr) {
    pool->for_each(trace.rank_count, find);
  } else {
    for (uint32_t rank = 0; rank < trace.rank_count; ++rank) find(rank);
  }
  return steps;
}

}  // namespace pathline::trace

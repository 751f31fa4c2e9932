// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// The last event inside the call that `enter` began; `enter` itself if there are events inside
/// that may end calls around it, or if it has no end.
inline size_t last_inside(const Events& events, size_t enter) {
  for (size_t i = enter + 1; i < events.size(); ++i) {
    switch (events.kind[i]) {
      case EventKind::kLeave:
        if (events.ref[i] <= enter) return i - 1;
        break;
      case EventKind::kUnmatchedLeave:
      case EventKind::kCallingContextEnter:
      case EventKind::kCallingContextLeave: return enter;
      default: break;
    }
  }
  return enter;
}

/// Follows the calls of one location: `enter(region, ticks)` and `leave(ticks)` are called in the
/// order of time and always nest, whatever the events do. Calls that had begun before the first
/// event are entered at its time, calls without a Leave are left at the time of the last event, and
/// calls whose Leave got lost are left with the call around them. In sampling traces a call is the
/// region of a calling context. `other(event)` gets the events in between that are no calls. An
/// `enter` that returns true does not want to hear of what is inside the call, neither calls nor
/// other events; where their order is unusual it does all the same.
///
/// cost  O(events), no allocation beside a stack.
template <class Enter, class Leave, class Other>
void walk_calls(const Definitions& definitions, const Events& events, Enter enter, Leave leave,
                Other other) {
  if (events.size() == 0) return;
  constexpr uint32_t kEarlier = UINT32_MAX;
  // Of events that are not packed: in local variables, as what is called may change all others.
  const uint64_t* const plain_ticks = events.ticks.plain().data();
  const uint32_t* const plain_refs = events.ref.plain().data();
  const auto ticks_of = [&events, plain_ticks](size_t i) {
    return plain_ticks != nullptr ? plain_ticks[i] : events.ticks[i];
  };
  const auto ref_of = [&events, plain_refs](size_t i) {
    return plain_refs != nullptr ? plain_refs[i] : events.ref[i];
  };
  const EventKind* const kinds = events.kind.data();
  const size_t count = events.size();
  std::vector<uint32_t> open;  // Enter events of the calls now open.
  const auto& earlier = events.leaves_of_earlier_calls;
  for (size_t i = earlier.size(); i-- > 0;) {
    enter(Region(events.ref[earlier[i]]), events.ticks[0]);
    open.push_back(kEarlier);
  }
  size_t next_earlier = 0;
  for (size_t i = 0; i < count; ++i) {
    switch (kinds[i]) {
      case EventKind::kEnter:
        open.push_back(static_cast<uint32_t>(i));
        if constexpr (std::is_same_v<std::invoke_result_t<Enter, Region, uint64_t>, bool>) {
          if (enter(Region(ref_of(i)), ticks_of(i))) i = last_inside(events, i);
        } else {
          enter(Region(ref_of(i)), ticks_of(i));
        }
        break;
      case EventKind::kLeave:
        while (open.back() != ref_of(i)) {
          leave(ticks_of(i));
          open.pop_back();
        }
        leave(ticks_of(i));
        open.pop_back();
        break;
      case EventKind::kUnmatchedLeave:
        if (next_earlier < earlier.size() && earlier[next_earlier] == i) {
          ++next_earlier;
          // The EventsBuilder knows no calling contexts: some may be open inside.
          while (open.back() != kEarlier) {
            leave(ticks_of(i));
            open.pop_back();
          }
          leave(ticks_of(i));
          open.pop_back();
        }
        break;
      case EventKind::kCallingContextEnter: {
        enter(definitions.calling_context_region(events.fields(i)[0]), ticks_of(i));
        open.push_back(static_cast<uint32_t>(i));
        break;
      }
      case EventKind::kCallingContextLeave:
        // A call that was entered by an Enter waits for its Leave.
        if (!open.empty() && open.back() != kEarlier &&
            events.kind[open.back()] == EventKind::kCallingContextEnter) {
          leave(ticks_of(i));
          open.pop_back();
        }
        break;
      default: other(i); break;
    }
  }
  for (; !open.empty(); open.pop_back()) leave(ticks_of(count - 1));
}

template <class Enter, class Leave>
void walk_calls(const Definitions& definitions, const Events& events, Enter enter, Leave leave) {
  walk_calls(definitions, events, enter, leave, [](size_t) {});
}

/// Whether a region marks time steps, by region.
std::vector<bool> step_markers(const Definitions& definitions);
/// Time steps that the program marked: the calls of a region named "time step" on each rank's first
/// thread, numbered by the parameter `step` recorded inside, or 0, 1, 2 ... without one. A
/// call without a number around or inside one that has it is a region of the program's own that is
/// called so, too. Of a part of a run those of the whole that
/// overlap it.
///
/// pool     for large traces: each rank is a piece of work.
/// returns  per rank, in the order of time; empty lists when the program marked none.
std::vector<std::vector<StepWindow>> marked_steps(const Trace& trace,
                                                  base::ThreadPool* pool = nullptr);

}  // namespace pathline::trace

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/definitions.hpp"
#include "trace/events.hpp"
#include "trace/plain_events.hpp"

namespace pathline::trace {

/// What a program does in a call, as far as the time of a rank is divided by it.
enum class CallClass : uint8_t { kOther, kMpi, kFileIo };

/// Per region. Calls of MPI that read or write files are file I/O. A region is of MPI when the
/// measurement says so, or by its name: not every recorder states the paradigm.
std::vector<CallClass> call_classes(const Definitions& definitions);

/// One call: its Enter, and the Leave that ended it. A call without an end has the last event.
struct CallEvents {
  uint32_t enter;
  uint32_t leave;
};

/// Calls `visit(CallEvents)` for the calls that `wanted(region)` asks for and that lie in no other
/// such call, in the order of time. Calls that had begun before the first event and those of
/// sampling traces are not visited.
///
/// cost  O(events), no allocation.
template <class Wanted, class Visit>
void for_each_outer_call(const Events& events, Wanted wanted, Visit visit) {
  constexpr uint32_t kNone = UINT32_MAX;
  with_columns(events, [&](const auto& columns) {
    uint32_t open = kNone;
    const auto count = static_cast<uint32_t>(columns.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (columns.kind[i] == EventKind::kEnter) {
        if (open == kNone && wanted(Region(columns.ref[i]))) open = i;
      } else if (columns.kind[i] == EventKind::kLeave && open != kNone && columns.ref[i] <= open) {
        // A Leave of an earlier Enter takes the calls inside with it whose Leave got lost.
        visit(CallEvents{open, i});
        open = kNone;
      }
    }
    if (open != kNone) visit(CallEvents{open, count - 1});
  });
}

}  // namespace pathline::trace

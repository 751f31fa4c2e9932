// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/events.hpp"

namespace pathline::trace {

/// The columns of events that are not packed, by the names that they have in Events. Of those each
/// access has to find out whether they are, as for all the compiler knows the last call changed it.
struct PlainEvents {
  const uint64_t* ticks;
  const EventKind* kind;
  const uint32_t* ref;
  const uint32_t* words;  ///< Null where no event has any.
  size_t count;

  [[nodiscard]] size_t size() const { return count; }
  /// As Events::word64().
  [[nodiscard]] uint64_t word64(size_t i, size_t offset = 0) const {
    const uint32_t* const at = words + ref[i] + offset;
    return at[0] | uint64_t{at[1]} << 32U;
  }
  /// As Events::point_to_point().
  [[nodiscard]] PointToPoint point_to_point(size_t i) const {
    const bool has_request = kind[i] == EventKind::kMpiIsend || kind[i] == EventKind::kMpiIrecv;
    const uint32_t* const at = words + ref[i];
    return {.peer = at[0],
            .comm = at[1],
            .tag = at[2],
            .bytes = word64(i, 3),
            .request = has_request ? word64(i, 5) : 0};
  }
};

/// Of events that are not packed.
inline PlainEvents plain(const Events& events) {
  return {events.ticks.plain().data(), events.kind.data(), events.ref.plain().data(),
          events.words.plain().data(), events.size()};
}

/// returns  what visit(PlainEvents) does, or for packed events visit(events): a loop over all of
///          them, which is compiled for both.
template <class Visit>
decltype(auto) with_columns(const Events& events, Visit visit) {
  if (events.ticks.plain().empty()) return visit(events);
  return visit(plain(events));
}

}  // namespace pathline::trace

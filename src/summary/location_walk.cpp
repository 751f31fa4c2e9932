// SPDX-License-Identifier: BSD-3-Clause
#include "summary/location_walk.hpp"

#include "trace/calls.hpp"
#include "trace/find_kinds.hpp"
#include "trace/plain_events.hpp"
#include "trace/record_bytes.hpp"

namespace pathline::summary {
namespace {

using trace::EventKind;

/// Whether each Leave ends the call that was entered last, as in almost all runs, and events tell
/// no more than their fields do: not packed, without attributes, and no samples of calls.
bool is_plain(const trace::Events& events) {
  constexpr trace::KindRange kSamples{EventKind::kCallingContextEnter,
                                      EventKind::kCallingContextLeave};
  return events.misplaced_leaves == 0 && events.leaves_of_earlier_calls.empty() &&
         events.attributes.event.empty() && !events.ticks.plain().empty() &&
         trace::count_of<kSamples>(events.kind.span(), 0) == 0;
}

/// The profile and the states, which take the same of calls.
struct Calls {
  profile::GrowingProfile::Follower profile;
  GrowingStates::Follower states;

  void enter(trace::Region region, uint64_t ticks) {
    states.pass(profile.region(), ticks);
    profile.enter(region, ticks);
  }
  /// returns  the region of the call that ends.
  trace::Region leave(uint64_t ticks) {
    const trace::Region region = profile.region();
    states.pass(region, ticks);
    profile.leave(ticks);
    return region;
  }
};

}  // namespace

void LocationWalk::take(const trace::Trace& part, size_t location, size_t earlier,
                        uint64_t from_ticks) {
  const trace::Location& of = part.locations[location];
  if (of.events.size() == earlier) return;
  if (of.rank.valid() && is_plain(of.events)) {
    return take_plain(part, location, earlier, from_ticks);
  }
  follow_calls(part, location, earlier, from_ticks);
  bytes_.add(part, location, earlier);
  waits_.add(part, location, earlier);  // Its steps are for GrowingStepTable::add().
}

void LocationWalk::take_plain(const trace::Trace& part, size_t location, size_t earlier,
                              uint64_t from_ticks) {
  const trace::Events& all = part.locations[location].events;
  const trace::PlainEvents events = trace::plain(all);
  Calls calls{profile_.follow(location, from_ticks), states_.follow(part, location, earlier)};
  auto bytes = bytes_.follow(location);
  auto mpi_calls = waits_.follow(part, location, earlier);
  auto steps = steps_.follow(part, location, earlier);
  for (size_t i = 0; i < earlier; ++i) {
    if (events.kind[i] == EventKind::kEnter) {
      calls.enter(trace::Region(events.ref[i]), events.ticks[i]);
    } else {
      calls.profile.see(events, i);
    }
  }
  const auto count = static_cast<uint32_t>(events.size());
  for (auto i = static_cast<uint32_t>(earlier); i < count; ++i) {
    const uint64_t ticks = events.ticks[i];
    const EventKind kind = events.kind[i];
    switch (kind) {
      case EventKind::kEnter: {
        const trace::Region region(events.ref[i]);
        calls.enter(region, ticks);
        bytes.call(region, ticks);
        mpi_calls.enter(i, ticks, region);
        steps.enter(i, ticks, region);
        break;
      }
      case EventKind::kLeave:
        bytes.call(calls.leave(ticks), ticks);
        mpi_calls.leave(events.ref[i], ticks);
        steps.leave(events.ref[i], ticks);
        break;
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend:
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiIrecvRequest:
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv:
        calls.profile.see(events, i);
        bytes.other(calls.profile.region(),
                    trace::message_bytes(kind, events.words + events.ref[i]), ticks);
        mpi_calls.message(kind);
        break;
      default:
        calls.profile.see(events, i);
        bytes.other(calls.profile.region(), trace::otf2_bytes(part.definitions, all, i), ticks);
        mpi_calls.other(i, kind, ticks);
        steps.other(i, kind);
        break;
    }
  }
  const uint64_t last_ticks = events.ticks[count - 1];
  while (calls.profile.is_in_call()) calls.leave(last_ticks);
  calls.states.pass(trace::Region::none(), last_ticks);
  calls.states.end(part, location, earlier);
  bytes.end();
  mpi_calls.end();
  steps.end();
}

void LocationWalk::follow_calls(const trace::Trace& part, size_t location, size_t earlier,
                                uint64_t from_ticks) {
  const trace::Events& events = part.locations[location].events;
  Calls calls{profile_.follow(location, from_ticks), states_.follow(part, location, earlier)};
  trace::walk_calls(
      part.definitions, events,
      [&](trace::Region region, uint64_t ticks) { calls.enter(region, ticks); },
      [&](uint64_t ticks) { calls.leave(ticks); },
      [&](size_t event) { calls.profile.see(events, event); });
  calls.states.pass(trace::Region::none(), events.ticks.back());
  calls.states.end(part, location, earlier);
}

}  // namespace pathline::summary

// SPDX-License-Identifier: BSD-3-Clause
#include "trace/finish.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "trace/backwards.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {
namespace {

/// first  where the run starts if that is known, else UINT64_MAX.
void find_time_range(Trace& trace, uint64_t first) {
  uint64_t last = 0;
  for (const Location& location : trace.locations) {
    if (location.events.size() == 0) continue;
    first = std::min(first, location.events.ticks[0]);
    last = std::max(last, location.events.ticks[location.events.size() - 1]);
  }
  const Messages& messages = trace.messages;
  for (size_t i = 0; i < messages.size(); ++i) {
    first = std::min({first, messages.send_ticks[i], messages.recv_ticks[i]});
    last = std::max({last, messages.send_ticks[i], messages.recv_ticks[i]});
  }
  const bool has_events = first != UINT64_MAX;
  trace.start_ticks = has_events ? first : trace.definitions.clock.global_offset;
  trace.end_ticks = has_events ? last : trace.start_ticks;
}

void warn_about_unpaired(const Unpaired& ends, const char* one, const char* many,
                         const char* partner, Trace& trace) {
  if (ends.count == 0) return;
  const std::string peer = ends.peer.valid()
                               ? fmt::format("rank {}", uint32_t{ends.peer})
                               : fmt::format("rank {} of communicator {}, which is not known",
                                             ends.point.peer, ends.point.comm);
  trace.warnings.push_back(fmt::format(
      "{} without a {}; the first: location {}, {} at {:.9f} s, {}, tag {}, {} bytes",
      base::counted(ends.count, one, many), partner, trace.locations[ends.location].id,
      event_name(ends.kind), trace.seconds(ends.ticks), peer, ends.point.tag, ends.point.bytes));
}

void warn_about_backwards(const Backwards& backwards, Trace& trace) {
  if (backwards.of_threads > 0) {
    trace.warnings.push_back(
        base::counted(backwards.of_threads, "message seems", "messages seem") +
        " to be received before being sent: several threads share a communicator and a tag there, "
        "and which message is which is not recorded");
  }
  if (backwards.of_worlds > 0) {
    trace.warnings.push_back(
        base::counted(backwards.of_worlds, "message seems", "messages seem") +
        " to be received before being sent: programs that were spawned at the same time are told "
        "apart by that time only, and some may stand for others");
  }
  if (backwards.of_clocks > 0) {
    trace.warnings.push_back(
        base::counted(backwards.of_clocks, "message was", "messages were") +
        " received before being sent: the clocks were not synchronised well enough");
  }
}

Oddities oddities_of(const Trace& trace, base::ThreadPool& pool) {
  Oddities odd;
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    const Location& location = trace.locations[i];
    odd.misplaced_leaves += location.events.misplaced_leaves;
    odd.open_calls += location.events.open_calls;
    odd.earlier_calls += location.events.leaves_of_earlier_calls.size();
    if (i < trace.definitions.locations.size() && location.complete && trace.unknown_events == 0 &&
        trace.definitions.locations[i].event_count != location.events.size()) {
      ++odd.miscounted_locations;
    }
  }
  odd.sends.add(trace, trace.unmatched_sends);
  odd.receives.add(trace, trace.unmatched_receives);
  odd.backwards = find_backwards(trace.messages, trace.definitions, pool);
  return odd;
}

}  // namespace

void finish(Trace& trace, base::ThreadPool& pool, base::Progress& progress, WantedMessages wanted) {
  progress.begin("matching messages", "", 0);
  // A source of messages alone has numbered its ranks itself and has nothing to match.
  const bool messages_given = trace.messages.size() > 0;
  if (!messages_given) assign_ranks(trace);
  find_time_range(trace, messages_given ? trace.start_ticks : UINT64_MAX);
  if (!messages_given) match_messages(trace, pool, wanted);
  match_collectives(trace, pool);
  for (const Location& location : trace.locations) {
    trace.complete = trace.complete && location.complete;
  }
  add_warnings(oddities_of(trace, pool), trace);
}

void Unpaired::add(const Trace& trace, const std::vector<Unmatched>& list) {
  for (const Unmatched& one : list) {
    const Events& events = trace.locations[one.location].events;
    add({1, one.location, events.ticks[one.event], events.kind[one.event],
         events.point_to_point(one.event), one.peer});
  }
}

void Unpaired::add(const Unpaired& others) {
  const auto place = [](const Unpaired& one) {
    return std::tuple(one.location, one.ticks, one.point.peer, one.point.comm, one.point.tag,
                      one.point.bytes, one.kind);
  };
  if (others.count == 0) return;
  const uint64_t before = count;
  if (before == 0 || place(others) < place(*this)) *this = others;
  count = before + others.count;
}

void Oddities::add(const Oddities& others) {
  misplaced_leaves += others.misplaced_leaves;
  earlier_calls += others.earlier_calls;
  open_calls += others.open_calls;
  miscounted_locations += others.miscounted_locations;
  sends.add(others.sends);
  receives.add(others.receives);
  backwards.add(others.backwards);
}

void add_warnings(const Oddities& odd, Trace& trace) {
  for (const std::string& warning : trace.definitions.warnings()) trace.warnings.push_back(warning);
  if (trace.unknown_events > 0) {
    trace.warnings.push_back(base::counted(trace.unknown_events, "event is", "events are") +
                             " of a kind that the OTF2 library does not know");
  }
  if (trace.unknown_definitions > 0) {
    trace.warnings.push_back(
        base::counted(trace.unknown_definitions, "definition is", "definitions are") +
        " of a kind that the OTF2 library does not know");
  }
  if (odd.misplaced_leaves > 0) {
    trace.warnings.push_back(base::counted(odd.misplaced_leaves, "leave does", "leaves do") +
                             " not fit the call that is open: enter and leave events got lost");
  }
  if (odd.earlier_calls > 0) {
    trace.warnings.push_back(base::counted(odd.earlier_calls, "call", "calls") +
                             " had begun before the recording; counted from its first event");
  }
  if (odd.open_calls > 0) {
    trace.warnings.push_back(base::counted(odd.open_calls, "call has", "calls have") +
                             " no end in the recording; counted up to its last event");
  }
  if (odd.miscounted_locations > 0) {
    trace.warnings.push_back(
        base::counted(odd.miscounted_locations, "location holds", "locations hold") +
        " another number of events than its definition says; what is there was read");
  }
  warn_about_unpaired(odd.sends, "send", "sends", "receive", trace);
  warn_about_unpaired(odd.receives, "receive", "receives", "send", trace);
  warn_about_backwards(odd.backwards, trace);
}

}  // namespace pathline::trace

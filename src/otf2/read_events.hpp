// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

struct DeleteEventCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const {
    OTF2_EvtReaderCallbacks_Delete(callbacks);
  }
};
using EventCallbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteEventCallbacks>;

/// The callbacks that put every event kind into an EventsBuilder. Shared by all threads.
EventCallbacks make_event_callbacks();

struct LocationEvents {
  trace::Events events;
  uint64_t unknown = 0;
  /// Why reading ended early; `events` holds what stood before.
  std::optional<std::string> fault;
  uint64_t fault_event = 0;  ///< Index of the event at which it did.
};

/// Reads all events of one location.
///
/// expected_events  a hint for the memory to reserve.
/// builder          an empty one; one for many locations spares memory.
LocationEvents read_location_events(OTF2_Reader* reader, uint64_t location,
                                    const OTF2_EvtReaderCallbacks* callbacks,
                                    const trace::Definitions& definitions, size_t expected_events,
                                    trace::EventsBuilder& builder);

}  // namespace pathline::otf2

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/events.hpp"

namespace pathline::trace {

/// A time in which one call was the innermost one.
struct CallStretch {
  Region region;  ///< none(): no call.
  uint64_t from;
  uint64_t until;
};

/// How the events of a location begin and end.
struct LocationEnds {
  struct Call {
    uint64_t enter;
    uint64_t leave;
  };
  uint64_t events = 0;
  uint64_t first_ticks = 0;
  uint64_t last_ticks = 0;
  bool has_calls = false;
  std::optional<Call> init;      ///< Of MPI, if it is near the first event.
  std::optional<Call> finalize;  ///< If it is near the last one.
};

/// The calls of a run for who draws them, where the events of its Trace are not all there are.
///
/// threads  any number may ask.
class CallSource {
 public:
  CallSource() = default;
  CallSource(const CallSource&) = delete;
  CallSource& operator=(const CallSource&) = delete;
  virtual ~CallSource() = default;

  [[nodiscard]] virtual LocationEnds ends(uint32_t location) const = 0;
  /// Per region the exclusive time in the whole run, over all locations.
  [[nodiscard]] virtual std::vector<uint64_t> run_ticks() const = 0;
  /// Whether stretches() speaks; else the events of the trace do.
  [[nodiscard]] virtual bool has_stretches() const = 0;
  /// Replaces `stretches` by those of `location` that touch the time, clipped to it, in order.
  virtual void stretches(uint32_t location, uint64_t from, uint64_t until,
                         std::vector<CallStretch>& stretches) const = 0;
  /// Of the messages, where those of the trace are not all there are; else "".
  [[nodiscard]] virtual std::string messages_text() const = 0;
  /// What a reader of the picture has to know of where it comes from, one line each.
  [[nodiscard]] virtual std::vector<std::string> remarks() const = 0;
};

}  // namespace pathline::trace

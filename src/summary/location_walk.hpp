// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/step_table.hpp"
#include "comm/wait_stream.hpp"
#include "profile/growing_profile.hpp"
#include "summary/growing_states.hpp"
#include "trace/archive_bytes.hpp"

namespace pathline::summary {

/// Walks once over the new events of a location for all that need no other location: to find the
/// kind of an event costs more than what is then done.
class LocationWalk {
 public:
  /// All must outlive this.
  LocationWalk(profile::GrowingProfile& profile, GrowingStates& states,
               trace::GrowingArchiveBytes& bytes, comm::WaitStream& waits,
               comm::GrowingStepTable& steps)
      : profile_(profile), states_(states), bytes_(bytes), waits_(waits), steps_(steps) {}

  /// Several locations may be taken at once.
  ///
  /// part        the location begins with `earlier` events of before, the Enters of open calls
  ///             among them.
  /// from_ticks  when its new events begin.
  void take(const trace::Trace& part, size_t location, size_t earlier, uint64_t from_ticks);

 private:
  void take_plain(const trace::Trace& part, size_t location, size_t earlier, uint64_t from_ticks);
  void follow_calls(const trace::Trace& part, size_t location, size_t earlier, uint64_t from_ticks);

  profile::GrowingProfile& profile_;
  GrowingStates& states_;
  trace::GrowingArchiveBytes& bytes_;
  comm::WaitStream& waits_;
  comm::GrowingStepTable& steps_;
};

}  // namespace pathline::summary

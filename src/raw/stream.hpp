// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chunk/reader.hpp"
#include "raw/names.hpp"
#include "raw/process.hpp"

namespace pathline::raw {

/// The first thread of a team of OpenMP has left its parallel region.
struct TeamJoin {
  uint64_t team;
  uint64_t time_ns;
};
/// Another thread of a team has nothing left to do: `count` events from `event` on are the end of
/// its region, whose time only the first thread knows.
struct TeamEnd {
  uint64_t team;
  size_t event;
  size_t count;
};

/// What the events of one stream became.
struct Stream {
  trace::Events events;
  std::vector<TeamJoin> joins;
  std::vector<TeamEnd> team_ends;
  std::vector<uint64_t> undefined[kEntityCount];  ///< Numbers of the file, see kPlaceholder.
  std::vector<std::string> problems;              ///< With file and offset.

  uint64_t open_calls = 0;        ///< Closed at the end.
  uint32_t died_in = UINT32_MAX;  ///< Region of the innermost of them.
  int64_t open_requests = 0;      ///< Begun, less those that ended here.
  uint64_t stray_leaves = 0;      ///< Leaves that fit no open call.
  uint64_t missing_chunks = 0;    ///< Between others.
  bool begins_late = false;       ///< Its first chunks are gone: a ring's.
  uint64_t dropped_records = 0;   ///< That contradict their definition.
  uint64_t skipped_steps = 0;     ///< Too many open calls to cut for.
  uint64_t pauses = 0;            ///< Recording was off in between.
};

/// Makes the events of a trace of the records of one stream. Time steps become calls of
/// `names.step_region` that nest with the others; calls that are open at the end are closed there.
///
/// errors  none: what cannot be used is counted.
/// cost    O(records), memory at most some 40 bytes a byte of the file.
Stream read_stream(const Process& process, const chunk::StreamChunks& stream,
                   const ProcessNames& of_process, const RunNames& names);

/// Lets the regions of all threads of a team last until its first thread has left, as the others
/// wait for that. streams  of one process
void end_teams(const std::vector<Stream*>& streams);

}  // namespace pathline::raw

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "otf2/reader.hpp"
#include "summary/archive_index.hpp"
#include "summary/marks.hpp"
#include "trace/trace.hpp"

// Events of a part of a run from its archive, which a summary knows the way into.
namespace pathline::summary {

/// The events of a part, as a trace of the run: each chosen location begins with the Enters of the
/// calls that are open, and ends with Leaves for those still open at the end of the part. Other
/// locations have no events; there are no messages.
///
/// archive  of otf2::open_archive(), whose events are to be those of the summary.
/// run      of the summary.
/// errors   kInvalidArgument for another archive, kCorrupt for damage.
/// cost     O(events_to_read()), parallel over locations.
base::Result<trace::Trace> read_back(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     base::ThreadPool& pool);

/// The same as it was recorded: calls still open at the end get no Leaves. The Enters of those open
/// at its beginning stand at that time.
base::Result<trace::Trace> read_back_recorded(otf2::Archive archive, const ArchiveIndex& index,
                                              const trace::Trace& run, const PartOfRun& part,
                                              base::ThreadPool& pool);

/// read_back() with the messages between the ranks of the chosen locations that have an event in
/// the part, and maybe some before and behind it. All locations of a rank have to be chosen. Events
/// of messages that are under way at the ends of the part are left out of the locations.
///
/// marks  of the run.
/// part   of between_marks().
base::Result<trace::Trace> read_back_messages(otf2::Archive archive, const ArchiveIndex& index,
                                              const Marks& marks, const trace::Trace& run,
                                              const PartOfRun& part, base::ThreadPool& pool);

/// What one has to know of a part to tell who waited for whom in it.
struct JudgedPart {
  trace::Trace trace;
  /// Calls that began in the asked-for time and go on behind what was read, or wait for what is
  /// there: to know them more has to be read.
  uint64_t cut_calls = 0;
};

/// Calls that begin in a time, and maybe those that began before it and go on there.
struct AskedCalls {
  uint64_t from_ticks;
  uint64_t until_ticks;  ///< The last one.
  bool with_open = false;
  /// What was sent before the part, in a call that goes on there, stays in that call and may wait
  /// for its receiver. Not for who puts parts together forwards and knows of such calls by himself.
  bool sends_stay_in_calls = true;
};

/// The same with all locations of the run, and with its collective operations. What was under way
/// where the part begins is told apart by a mark: other sends from before stand in calls of their
/// own, which last no time.
///
/// marks     of the run.
/// part      of between_operations(), of all locations; its end any mark behind that.
/// asked     whose waits have to be known. From 0 on for all that are open at its end.
/// whole     for trace::Trace::whole.
base::Result<JudgedPart> read_back_waits(otf2::Archive archive, const ArchiveIndex& index,
                                         const Marks& marks, const trace::Trace& run,
                                         const PartOfRun& part, const AskedCalls& asked,
                                         std::shared_ptr<const trace::WholeRun> whole,
                                         base::ThreadPool& pool);

}  // namespace pathline::summary

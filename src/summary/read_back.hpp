// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/packing.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/reader.hpp"
#include "summary/column_file.hpp"
#include "summary/marks.hpp"
#include "trace/trace.hpp"

// Events of a part of a run from its archive, which a summary knows the way into.
namespace pathline::summary {

/// Where events stand, and what tells that the archive is still the same.
struct ArchiveIndex {
  std::vector<uint64_t> file_bytes;      ///< Per location, of its events.
  std::vector<uint64_t> events;          ///< Per location, how many they are.
  std::vector<otf2::SeekPoints> places;  ///< Per location.
  [[nodiscard]] bool empty() const { return places.empty(); }
};

/// The places of some locations for another process of the job, which takes them over.
void pack(const ArchiveIndex& index, const std::function<bool(size_t)>& is_mine, base::Packer& out);
void take(base::Unpacker& in, ArchiveIndex& index);

void write_archive_index(const ArchiveIndex& index, ColumnWriter& out);
/// returns  an empty one of a run that was not read in windows of time.
/// errors   kCorrupt for damage and for rows that do not fit the run.
base::Result<ArchiveIndex> read_archive_index(const ColumnReader& file, const trace::Trace& run);

struct PartOfRun {
  uint64_t from_ticks;
  uint64_t until_ticks;
  std::vector<uint32_t> locations;
};

/// How many events have to be decoded for a part, up to SeekPoints::kEvery for each location more.
uint64_t events_to_read(const ArchiveIndex& index, const PartOfRun& part);

/// How many of them are in the part and will be in memory: an estimate between the places.
uint64_t events_to_keep(const ArchiveIndex& index, const trace::Trace& run, const PartOfRun& part);

/// From the last mark before a part to the first one behind it.
PartOfRun between_marks(const Marks& marks, const PartOfRun& part);

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

/// The same with the messages between the ranks of the chosen locations that have an event in the
/// part, and maybe some before and behind it. All locations of a rank have to be chosen. Events of
/// messages that are under way at the ends of the part are left out of the locations.
///
/// marks  of the run.
/// part   of between_marks().
base::Result<trace::Trace> read_back_messages(otf2::Archive archive, const ArchiveIndex& index,
                                              const Marks& marks, const trace::Trace& run,
                                              const PartOfRun& part, base::ThreadPool& pool);

}  // namespace pathline::summary

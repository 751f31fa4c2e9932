// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/packing.hpp"
#include "base/result.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/reader.hpp"
#include "summary/column_file.hpp"
#include "summary/marks.hpp"
#include "trace/trace.hpp"

// Where the events of a run stand in its archive, and what a part of its time takes.
namespace pathline::summary {

/// Where events stand, and what tells that the archive is still the same.
struct ArchiveIndex {
  std::vector<uint64_t> file_bytes;      ///< Per location, of its events.
  std::vector<uint64_t> events;          ///< Per location, how many they are.
  std::vector<otf2::SeekPoints> places;  ///< Per location.
  /// Used in place of those of the archive; whether these have changed is not asked. Empty of a
  /// file that has no room for them, and in files of before they were kept.
  otf2::LocalFiles local_files;
  [[nodiscard]] bool empty() const { return places.empty(); }
};

/// The places of some locations for another process of the job, which takes them over.
void pack(const ArchiveIndex& index, const std::function<bool(size_t)>& is_mine, base::Packer& out);
void take(base::Unpacker& in, ArchiveIndex& index);

void write_archive_index(const ArchiveIndex& index, ColumnWriter& out);
/// returns  an empty one of a run that was not read in windows of time.
/// errors   kCorrupt for damage and for rows that do not fit the run.
base::Result<ArchiveIndex> read_archive_index(const ColumnReader& file, const trace::Trace& run);

/// Of two files that say the same of where events stand it is the same. Little is read for it.
uint32_t checksum_of_index(const ColumnReader& file);

struct PartOfRun {
  uint64_t from_ticks;
  uint64_t until_ticks;
  std::vector<uint32_t> locations;
};

/// The last place of a location before `from`, or the first.
size_t place_before(const otf2::SeekPoints& places, uint64_t from);
/// How many events stand before the first place from `ticks` on, or all of the location, which has
/// places.
uint64_t event_of_next_place(const ArchiveIndex& index, uint32_t location, uint64_t ticks);

/// Where in the file of a location, which has places, that place is, or where the file ends.
uint64_t offset_of_next_place(const ArchiveIndex& index, uint32_t location, uint64_t ticks);

/// Cuts the locations of a part into pieces of work that use the same memory, one location after
/// the other: up to 16 that have little to read. returns  indices into part.locations where a piece
/// begins, and their number.
std::vector<size_t> pieces_of(const ArchiveIndex& index, const PartOfRun& part);

/// How many events have to be decoded for a part, up to SeekPoints::kEvery for each location more.
uint64_t events_to_read(const ArchiveIndex& index, const PartOfRun& part);

/// How many of them are in the part and will be in memory: an estimate between the places.
uint64_t events_to_keep(const ArchiveIndex& index, const trace::Trace& run, const PartOfRun& part);

/// From the last mark before a part to the first one behind it.
PartOfRun between_marks(const Marks& marks, const PartOfRun& part);
/// The same from the last mark but one that knows the operations, so that little of what was under
/// way there concerns the part.
PartOfRun between_operations(const Marks& marks, const PartOfRun& part);
/// The first mark behind; UINT64_MAX if there is none.
uint64_t next_mark(const Marks& marks, uint64_t ticks);

}  // namespace pathline::summary

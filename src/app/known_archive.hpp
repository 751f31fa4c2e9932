// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "otf2/reader.hpp"
#include "summary/archive_index.hpp"
#include "summary/column_file.hpp"
#include "summary/marks.hpp"
#include "summary/read_back.hpp"
#include "summary/run_summary.hpp"
#include "summary/steps_file.hpp"
#include "trace/trace.hpp"

// The archive of a summary, which tells where in it what stands.
namespace pathline::app {

/// What is asked of the events of a part.
enum class PartNeeds : uint8_t {
  kCalls,     ///< Visits and times of the calls of chosen ranks, and their bytes.
  kMessages,  ///< Messages that were sent there, with a chosen rank.
  kWaits,     ///< Who waited there for whom.
  kFindings,  ///< The same for calls that began there.
};

/// Where the events of a summary stand, for who asks about several parts of its time. Threads may
/// share it.
///
/// cost  some 50 bytes and 0.1 us, once, for each 2,048 events of the run; and its files of local
///       definitions.
class KeptIndex {
 public:
  /// That of the file, read if it is not what was asked for last.
  /// errors  those of summary::read_archive_index()
  base::Result<std::shared_ptr<const summary::ArchiveIndex>> of(const summary::ColumnReader& file,
                                                                const trace::Trace& run);

 private:
  std::mutex reading_;
  uint32_t checksum_ = 0;
  std::shared_ptr<const summary::ArchiveIndex> index_;
};

struct KnownArchive {
  std::filesystem::path source;
  std::optional<summary::ColumnReader> file;  ///< The summary.
  std::shared_ptr<const summary::ArchiveIndex> index;
  summary::Marks marks;                       ///< Not for PartNeeds::kCalls.
  std::optional<summary::StepsOfTime> steps;  ///< Those of the whole run, if they are there.
};

/// path     of the summary.
/// kept     what was read of it before; null: it is read.
/// returns  nullopt where parts of the run cannot be read alone: what is asked may follow from
///          others, the summary does not know the places of its events, the archive is not there.
/// errors   those of reading the summary.
base::Result<std::optional<KnownArchive>> known_archive(const std::filesystem::path& path,
                                                        const summary::RunSummary& summary,
                                                        PartNeeds needs, KeptIndex* kept = nullptr);

/// The archive that a summary was made of, for summary::read_back() of some locations.
///
/// index   what the summary knows of it.
/// errors  kNotFound for what is no OTF2 archive, those of reading its definitions.
base::Result<otf2::Archive> open_archive_of(const std::filesystem::path& source,
                                            const summary::ArchiveIndex& index,
                                            const std::vector<uint32_t>& locations,
                                            base::ThreadPool& pool);

inline constexpr uint64_t kBytesOfPartAnEvent =
    48;  ///< Some are read that are not kept, and fields of messages.

/// Events of which it is known who waited for whom.
struct WaitsOfPart {
  trace::Trace trace;
  summary::PartOfRun read;  ///< What that was read of.
  uint64_t cut_calls = 0;   ///< Of what was asked for: they wait for what comes far behind it.
};

/// How far behind a part may be read.
struct ReadOn {
  int doublings = 3;                              ///< Of one, two, four ... marks.
  uint64_t bytes_an_event = kBytesOfPartAnEvent;  ///< No more than memory holds of these.
};

/// What is known of the calls that are asked for.
///
/// part     what is read first, with all locations: between two marks, around their time.
/// read_on  it is read until it is known what they wait for, but no further than this.
/// errors   those of open_archive_of() and summary::read_back_waits().
/// cost     O(events) of `part` and of what is read behind it.
base::Result<WaitsOfPart> waits_of_part(const KnownArchive& archive,
                                        const summary::RunSummary& summary,
                                        const summary::AskedCalls& asked, summary::PartOfRun part,
                                        const ReadOn& read_on, base::ThreadPool& pool);

}  // namespace pathline::app

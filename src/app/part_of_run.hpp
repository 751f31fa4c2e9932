// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/known_archive.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "otf2/reader.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

// A part of the time of a run that may be too large for memory, from the archive of its summary.
namespace pathline::app {

/// What findings of the whole run take, about, as far as its number of events tells.
uint64_t memory_for_all(const summary::RunSummary& summary);
/// Whether there is so much.
bool fits_into_memory(const summary::RunSummary& summary);

/// The locations of chosen ranks; without a choice all, of no rank ones, too.
std::vector<uint32_t> chosen_locations(const trace::Trace& run, const trace::Selection& selection);

/// What has to be read of a run for what is asked of a time of it.
summary::PartOfRun part_for(const KnownArchive& archive, const trace::Trace& run,
                            const trace::Selection& selection, PartNeeds needs);

/// About, for each event of a part, with the messages and whatever else is found in it.
uint64_t bytes_an_event(PartNeeds needs);

/// Reads that part.
///
/// part     of part_for()
/// read_on  for waits, as for waits_of_part()
/// errors  of open_archive_of() and summary::read_back().
base::Result<WaitsOfPart> read_known_part(const KnownArchive& archive,
                                          const summary::RunSummary& summary,
                                          const trace::Selection& selection, PartNeeds needs,
                                          summary::PartOfRun part, base::ThreadPool& pool,
                                          const ReadOn& read_on = {});

/// The events of the time of `selection` and some around, as a trace of the run. Asked with
/// `selection` for what it `needs`, it says the same as the whole.
///
/// path       of the summary.
/// selection  with a time.
/// notes      get a line where a call waits for what is too far behind the part to be read.
/// kept       of this summary; null: where events stand is read for this part alone.
/// returns    nullopt where the whole has to be read: the summary does not know the places of its
///            events or what was under way, the part is half of the run or more, or the archive is
///            not there.
/// errors     of open_archive_of() and summary::read_back(); kIo where not even the part fits into
///            memory.
/// cost       O(events) of the part; for messages those from mark to mark (summary/marks.hpp).
base::Result<std::optional<trace::Trace>> read_part(const std::filesystem::path& path,
                                                    const summary::RunSummary& summary,
                                                    const trace::Selection& selection,
                                                    PartNeeds needs, base::ThreadPool& pool,
                                                    std::vector<std::string>& notes,
                                                    KeptIndex* kept = nullptr);

/// The events of the time of `selection` as they were recorded, and some Enters in front of it.
///
/// locations  whose events are asked for; others have none.
/// returns    nullopt where the whole has to be read, as of read_part().
/// errors     those of read_part().
/// cost       O(events) of the part.
base::Result<std::optional<trace::Trace>> read_recorded(const std::filesystem::path& path,
                                                        const summary::RunSummary& summary,
                                                        const trace::Selection& selection,
                                                        std::vector<uint32_t> locations,
                                                        base::ThreadPool& pool,
                                                        KeptIndex* kept = nullptr);

/// So many events are judged in a few seconds.
inline constexpr uint64_t kMostJudgedEvents = 1 << 24;

/// A part of the time of a run, in seconds since its start.
struct PartOfTime {
  double from_s;
  double until_s;
  std::string steps;  ///< "time steps 690 to 701"; "" without.
};

/// That of a marked time step, from where the first rank begins to where the last one ends it.
/// errors  kNotFound for a step that there is not; those of reading the summary.
base::Result<PartOfTime> time_of_step(const std::filesystem::path& path,
                                      const summary::RunSummary& summary, uint32_t step);

}  // namespace pathline::app

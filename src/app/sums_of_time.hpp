// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/known_archive.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "comm/matrix.hpp"
#include "comm/waits.hpp"
#include "profile/profile.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"

// The tables of a time of a run whose events are larger than memory: all of a run but for its
// beginning, say. Its archive is read one piece of that time after the other, and what these have
// adds up.
namespace pathline::app {

/// The tables of a summary, of a chosen time and ranks.
struct SumsOfTime {
  profile::Profile profile;  ///< For PartNeeds::kCalls and kWaits.
  comm::Matrix matrix;       ///< For kMessages.
  comm::Waits waits;         ///< For kWaits; messages without a call are not counted.
  /// Calls wait for what came too far behind them to be read: of these waits some are missing.
  bool lacks_waits = false;
};

/// What to say where SumsOfTime::lacks_waits.
inline constexpr const char* kLacksWaits =
    "some calls of the chosen time wait for what came too far behind them to be read: their waits "
    "are missing, or shorter than they were";

/// A chosen time and ranks, to be summed up.
struct TimeInPieces {
  KnownArchive archive;
  std::vector<trace::Selection> pieces;  ///< In the order of time.
};

/// Cuts the time of `selection`: for calls anywhere, for messages and waits at marks.
///
/// most_events  about, of a piece; one that cannot be cut may have more.
TimeInPieces cut_time(KnownArchive archive, const trace::Trace& run,
                      const trace::Selection& selection, PartNeeds needs, uint64_t most_events);

/// The same, as memory wants it.
///
/// path     of the summary.
/// kept     of this summary, or null, as for read_part().
/// returns  nullopt where read_part() reads the time, as it fits into memory, or says why it cannot
///          be read.
/// errors   those of reading the summary.
base::Result<std::optional<TimeInPieces>> time_in_pieces(const std::filesystem::path& path,
                                                         const summary::RunSummary& summary,
                                                         const trace::Selection& selection,
                                                         PartNeeds needs,
                                                         KeptIndex* kept = nullptr);

/// What a trace of the whole run would say of that time and these ranks.
///
/// needs   what the time was cut for; no kFindings.
/// errors  those of read_known_part()
/// cost    O(events) of that time; for messages those between two marks twice for each piece, for
///         waits those that calls of a piece wait for once more, up to 31 marks behind it.
base::Result<SumsOfTime> sums_of_time(const TimeInPieces& time, const summary::RunSummary& summary,
                                      PartNeeds needs, base::ThreadPool& pool,
                                      base::Progress& progress);

}  // namespace pathline::app

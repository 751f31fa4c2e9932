// SPDX-License-Identifier: BSD-3-Clause
#include "app/sums_of_time.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "app/judged_part.hpp"
#include "app/part_of_run.hpp"
#include "base/memory.hpp"
#include "summary/archive_index.hpp"

namespace pathline::app {
namespace {

using trace::Selection;

/// Each piece has a border where calls may wait for what comes behind it.
constexpr ReadOn kReadOn = {5, kBytesOfPartAnEvent};

/// How many events are in memory for a piece, about.
uint64_t events_in(const KnownArchive& archive, const trace::Trace& run, const Selection& piece,
                   PartNeeds needs) {
  return summary::events_to_keep(*archive.index, run, part_for(archive, run, piece, needs));
}

/// About the middle of a piece; for messages a mark, as what lies between two of them is read as a
/// whole.
std::optional<uint64_t> border_in(const KnownArchive& archive, const trace::Trace& run,
                                  const Selection& piece, PartNeeds needs) {
  const uint64_t from = std::max(piece.from_ticks, run.start_ticks);
  const uint64_t until = std::min(piece.until_ticks, run.end_ticks);
  if (from + 1 >= until) return std::nullopt;
  const uint64_t middle = from + (until - from) / 2;
  if (needs == PartNeeds::kCalls) return middle;
  const auto distance = [&](uint64_t ticks) {
    return ticks > middle ? ticks - middle : middle - ticks;
  };
  std::optional<uint64_t> nearest;
  for (const summary::Mark& mark : archive.marks) {
    if (mark.ticks <= from || mark.ticks >= until) continue;
    if (needs != PartNeeds::kMessages && !mark.knows_operations) continue;
    if (!nearest || distance(mark.ticks) < distance(*nearest)) nearest = mark.ticks;
  }
  return nearest;
}

}  // namespace

TimeInPieces cut_time(KnownArchive archive, const trace::Trace& run, const Selection& selection,
                      PartNeeds needs, uint64_t most_events) {
  TimeInPieces time{std::move(archive), {}};
  std::vector<Selection> open = {selection};
  while (!open.empty()) {
    Selection piece = std::move(open.back());
    open.pop_back();
    const bool is_large = events_in(time.archive, run, piece, needs) > most_events;
    const auto border = is_large ? border_in(time.archive, run, piece, needs) : std::nullopt;
    if (border) {
      open.push_back({*border, piece.until_ticks, piece.ranks});
      open.push_back({piece.from_ticks, *border, piece.ranks});
    } else {
      time.pieces.push_back(std::move(piece));
    }
  }
  return time;
}

base::Result<std::optional<TimeInPieces>> time_in_pieces(const std::filesystem::path& path,
                                                         const summary::RunSummary& summary,
                                                         const Selection& selection,
                                                         PartNeeds needs, KeptIndex* kept) {
  using Time = std::optional<TimeInPieces>;
  const auto available = base::available_memory();
  if (!available || fits_into_memory(summary)) return Time();
  auto known = known_archive(path, summary, needs, kept);
  if (!known) return known.error();
  if (!known.value()) return Time();
  const trace::Trace& run = summary.run;
  // Somewhat less can be had when it is read as a whole, for which that is looked at again.
  const bool is_large = events_in(*known.value(), run, selection, needs) >
                        (*available - *available / 16) / bytes_an_event(needs);
  constexpr uint64_t kBytesOfWaitsAnEvent = 72;  // With what calls depend on.
  const uint64_t most =
      *available / (needs == PartNeeds::kWaits ? kBytesOfWaitsAnEvent : bytes_an_event(needs));
  constexpr uint64_t kLeastEvents = 1 << 18;  // Of a piece that is worth its opening.
  if (!is_large || most < 2 * kLeastEvents || !leaves_out_time(run, selection)) return Time();
  // Of half of it: the pieces before leave holes.
  TimeInPieces time = cut_time(std::move(*known.value()), run, selection, needs,
                               std::min(kMostJudgedEvents, most / 2));
  const bool fits = std::all_of(time.pieces.begin(), time.pieces.end(), [&](const auto& piece) {
    return events_in(time.archive, run, piece, needs) <= most - most / 8;
  });
  return fits ? Time(std::move(time)) : Time();
}

base::Result<SumsOfTime> sums_of_time(const TimeInPieces& time, const summary::RunSummary& summary,
                                      PartNeeds needs, base::ThreadPool& pool,
                                      base::Progress& progress) {
  const KnownArchive& archive = time.archive;
  std::vector<uint64_t> events;
  for (const Selection& piece : time.pieces) {
    events.push_back(events_in(archive, summary.run, piece, needs));
  }
  const uint64_t to_read =
      std::max<uint64_t>(1, std::accumulate(events.begin(), events.end(), uint64_t{0}));
  // Around the borders of pieces events are read twice: the time has no more for that.
  Selection whole = time.pieces.front();
  whole.until_ticks = time.pieces.back().until_ticks;
  const uint64_t of_all =
      std::min({to_read, summary.facts.events, events_in(archive, summary.run, whole, needs)});
  progress.begin("reading events", "events", of_all);
  uint64_t have_read = 0;
  SumsOfTime sums;
  comm::GrowingMatrix matrix;
  for (size_t i = 0; i < time.pieces.size(); ++i) {
    const Selection& piece = time.pieces[i];
    auto read = read_known_part(archive, summary, piece, needs,
                                part_for(archive, summary.run, piece, needs), pool, kReadOn);
    if (!read) return read.error();
    const trace::Trace& trace = read.value().trace;
    if (needs == PartNeeds::kMessages) {
      matrix.add(trace.messages, &piece);
    } else {
      profile::add(profile::from_trace(trace, piece, pool), sums.profile);
    }
    if (needs == PartNeeds::kWaits) {
      comm::add(comm::waits(trace, piece, pool), sums.waits);
      sums.lacks_waits = sums.lacks_waits || read.value().cut_calls > 0;
    }
    have_read += events[i];
    const double share = static_cast<double>(have_read) / static_cast<double>(to_read);
    progress.done = static_cast<uint64_t>(share * static_cast<double>(of_all));
  }
  sums.waits.messages_without_call = 0;  // Those around the pieces are in several.
  if (needs == PartNeeds::kMessages) sums.matrix = matrix.finish(summary.run.rank_count);
  return sums;
}

}  // namespace pathline::app

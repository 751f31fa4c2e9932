// SPDX-License-Identifier: BSD-3-Clause
#include "app/part_of_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/memory.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "findings/model.hpp"
#include "input/input.hpp"
#include "summary/read_back.hpp"
#include "summary/steps_file.hpp"

namespace pathline::app {
namespace fs = std::filesystem;

namespace {

/// Findings with two threads: 39 resident, 43 of address space.
constexpr uint64_t kBytesAnEventOfAll = 44;

}  // namespace

uint64_t memory_for_all(const summary::RunSummary& summary) {
  return kBytesAnEventOfAll * std::min(summary.facts.events, UINT64_MAX / kBytesAnEventOfAll);
}

bool fits_into_memory(const summary::RunSummary& summary) {
  const auto available = base::available_memory();
  return !available || summary.facts.events <= *available / kBytesAnEventOfAll;
}

std::vector<uint32_t> chosen_locations(const trace::Trace& run, const trace::Selection& selection) {
  std::vector<uint32_t> locations;
  for (uint32_t i = 0; i < run.locations.size(); ++i) {
    const trace::Rank rank = run.locations[i].rank;
    const bool is_chosen =
        selection.ranks.empty() || (rank.valid() && selection.has_rank(uint32_t{rank}));
    if (is_chosen) locations.push_back(i);
  }
  return locations;
}

// For calls without fields of messages, and without what is read for those alone.
uint64_t bytes_an_event(PartNeeds needs) {
  return needs == PartNeeds::kCalls ? 32 : needs == PartNeeds::kMessages ? 40 : kBytesOfPartAnEvent;
}

namespace {

/// Whether a part is so much of a run that this is read as a whole.
bool is_whole(const KnownArchive& archive, const summary::RunSummary& summary,
              const summary::PartOfRun& part) {
  return summary::events_to_read(*archive.index, part) > summary.facts.events / 2 &&
         fits_into_memory(summary);
}

/// Whether so many events of a part fit into memory.
///
/// more  bytes an event of what will be made of them
base::Status check_memory(const KnownArchive& archive, uint64_t events, PartNeeds needs,
                          uint64_t more = 0) {
  const auto available = base::available_memory();
  const uint64_t each = bytes_an_event(needs) + more;
  if (!available || events <= *available / each) return {};
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("this part of {} has about {} events and needs {} of memory; {} can be had",
                  archive.source.string(), base::human_count(events),
                  base::human_bytes(static_cast<double>(events) * static_cast<double>(each)),
                  base::human_bytes(static_cast<double>(*available))),
      needs == PartNeeds::kCalls
          ? "A shorter time or fewer ranks need less; --scratch DIR has a disk in its place."
          : "A shorter time needs less; --scratch DIR has a disk in its place."};
}

}  // namespace

summary::PartOfRun part_for(const KnownArchive& archive, const trace::Trace& run,
                            const trace::Selection& selection, PartNeeds needs) {
  // From a tick before: calls that are open there do not count as visits.
  summary::PartOfRun part{
      std::max<uint64_t>(1, selection.from_ticks) - 1, selection.until_ticks, {}};
  if (needs == PartNeeds::kCalls) {
    part.locations = chosen_locations(run, selection);
  } else {
    part = needs == PartNeeds::kMessages ? summary::between_marks(archive.marks, part)
                                         : summary::between_operations(archive.marks, part);
    // Also those of the others with whom chosen ranks talk.
    part.locations = chosen_locations(run, {});
  }
  return part;
}

base::Result<WaitsOfPart> read_known_part(const KnownArchive& archive,
                                          const summary::RunSummary& summary,
                                          const trace::Selection& selection, PartNeeds needs,
                                          summary::PartOfRun part, base::ThreadPool& pool,
                                          const ReadOn& read_on) {
  if (needs == PartNeeds::kWaits || needs == PartNeeds::kFindings) {
    const uint64_t from_ticks = needs == PartNeeds::kFindings ? selection.from_ticks : 0;
    return waits_of_part(archive, summary, {from_ticks, selection.until_ticks}, std::move(part),
                         read_on, pool);
  }
  auto opened = open_archive_of(archive.source, *archive.index, part.locations, pool);
  if (!opened) return opened.error();
  auto trace =
      needs == PartNeeds::kMessages
          ? summary::read_back_messages(std::move(opened).value(), *archive.index, archive.marks,
                                        summary.run, part, pool)
          : summary::read_back(std::move(opened).value(), *archive.index, summary.run, part, pool);
  if (!trace) return trace.error();
  return WaitsOfPart{std::move(trace).value(), std::move(part), 0};
}

base::Result<std::optional<trace::Trace>> read_part(
    const fs::path& path, const summary::RunSummary& summary, const trace::Selection& selection,
    PartNeeds needs, base::ThreadPool& pool, std::vector<std::string>& notes, KeptIndex* kept) {
  using Part = std::optional<trace::Trace>;
  const auto known = known_archive(path, summary, needs, kept);
  if (!known) return known.error();
  if (!known.value()) return Part();
  const KnownArchive& archive = *known.value();
  summary::PartOfRun part = part_for(archive, summary.run, selection, needs);
  if (is_whole(archive, summary, part)) return Part();
  const uint64_t events = summary::events_to_keep(*archive.index, summary.run, part);
  if (auto status = check_memory(archive, events, needs); !status) return status.error();
  auto read = read_known_part(archive, summary, selection, needs, std::move(part), pool);
  if (!read) return read.error();
  if (const uint64_t cut = read.value().cut_calls; cut > 0) {
    notes.push_back(
        fmt::format("{} of the chosen time {} for what came after {:.6f} s, which was not read",
                    base::counted(cut, "call", "calls"), cut == 1 ? "waits" : "wait",
                    summary.run.seconds(read.value().read.until_ticks)));
  }
  return Part(std::move(read.value().trace));
}

base::Result<std::optional<trace::Trace>> read_recorded(const fs::path& path,
                                                        const summary::RunSummary& summary,
                                                        const trace::Selection& selection,
                                                        std::vector<uint32_t> locations,
                                                        base::ThreadPool& pool, KeptIndex* kept) {
  using Part = std::optional<trace::Trace>;
  const auto known = known_archive(path, summary, PartNeeds::kCalls, kept);
  if (!known) return known.error();
  if (!known.value()) return Part();
  const KnownArchive& archive = *known.value();
  const summary::PartOfRun part{std::max<uint64_t>(1, selection.from_ticks) - 1,
                                selection.until_ticks, std::move(locations)};
  if (is_whole(archive, summary, part)) return Part();
  const uint64_t events = summary::events_to_keep(*archive.index, summary.run, part);
  constexpr uint64_t kBytesOfRow = 29;  // Of events_table().
  if (auto status = check_memory(archive, events, PartNeeds::kCalls, kBytesOfRow); !status) {
    return status.error();
  }
  auto opened = open_archive_of(archive.source, *archive.index, part.locations, pool);
  if (!opened) return opened.error();
  auto trace = summary::read_back_recorded(std::move(opened).value(), *archive.index, summary.run,
                                           part, pool);
  if (!trace) return trace.error();
  return Part(std::move(trace).value());
}

base::Result<PartOfTime> time_of_step(const fs::path& path, const summary::RunSummary& summary,
                                      uint32_t step) {
  const auto file = summary::ColumnReader::open(path);
  if (!file) return file.error();
  const auto time = summary::read_time_of_step(file.value(), summary, step);
  if (!time) return time.error();
  // With what begins and what ends it.
  return PartOfTime{summary.run.seconds(std::max<uint64_t>(1, time.value().begin_ticks) - 1),
                    summary.run.seconds(time.value().end_ticks + 2),
                    fmt::format("time step {}", step)};
}

}  // namespace pathline::app

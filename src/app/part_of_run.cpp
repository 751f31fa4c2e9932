// SPDX-License-Identifier: BSD-3-Clause
#include "app/part_of_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/memory.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "input/input.hpp"
#include "summary/read_back.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using trace::EventKind;

uint64_t count_of(const summary::RunSummary& summary, EventKind kind) {
  return summary.facts.events_by_kind[static_cast<size_t>(kind)];
}

/// Whether what is asked for may follow from events in front of the part or behind it, which
/// neither places nor marks tell.
bool follows_from_others(const summary::RunSummary& summary, PartNeeds needs) {
  return needs == PartNeeds::kMessages ? count_of(summary, EventKind::kMpiRequestCancelled) > 0
                                       : count_of(summary, EventKind::kCallingContextEnter) > 0;
}

/// errors  kIo where so many events are too much for the memory there is.
base::Status check_memory(const fs::path& source, uint64_t events) {
  constexpr uint64_t kBytesAnEvent =
      48;  // Some are read that are not kept, and fields of messages.
  const auto available = base::available_memory();
  if (!available || events <= *available / kBytesAnEvent) return {};
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("this part of {} has about {} events and needs {} of memory; {} can be had",
                  source.string(), base::human_count(events),
                  base::human_bytes(static_cast<double>(events * kBytesAnEvent)),
                  base::human_bytes(static_cast<double>(*available))),
      "A shorter time or fewer ranks need less."};
}

}  // namespace

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

base::Result<otf2::Archive> open_archive_of(const fs::path& source,
                                            const std::vector<uint32_t>& locations,
                                            base::ThreadPool& pool) {
  const auto anchor = input::archive_of(source);
  if (!anchor) return anchor.error();
  if (!anchor.value()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{} is no OTF2 archive", source.string())};
  }
  base::Progress progress;
  const auto choose = [&](const trace::Trace& trace, const std::vector<uint64_t>& /*bytes*/) {
    std::vector<bool> is_chosen(trace.locations.size());
    for (const uint32_t location : locations) {
      if (location < is_chosen.size()) is_chosen[location] = true;
    }
    return is_chosen;
  };
  return otf2::open_archive(*anchor.value(), pool, progress, choose);
}

base::Result<std::optional<trace::Trace>> read_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    const trace::Selection& selection,
                                                    PartNeeds needs, base::ThreadPool& pool) {
  using Part = std::optional<trace::Trace>;
  const trace::Trace& run = summary.run;
  const fs::path source = input::events_of(summary, path);
  std::error_code failed;
  if (follows_from_others(summary, needs) || !fs::exists(source, failed)) return Part();
  const auto file = summary::ColumnReader::open(path);
  if (!file) return file.error();
  const auto index = summary::read_archive_index(file.value(), run);
  if (!index) return index.error();
  if (index.value().empty()) return Part();
  // From a tick before: calls that are open there do not count as visits.
  summary::PartOfRun part{
      std::max<uint64_t>(1, selection.from_ticks) - 1, selection.until_ticks, {}};
  summary::Marks marks;
  if (needs == PartNeeds::kMessages) {
    auto known = summary::read_marks(file.value(), run);
    if (!known) return known.error();
    marks = std::move(known).value();
    part = summary::between_marks(marks, part);
    // Also those of the others with whom chosen ranks talk.
    part.locations = chosen_locations(run, {});
  } else {
    part.locations = chosen_locations(run, selection);
  }
  if (summary::events_to_read(index.value(), part) > summary.facts.events / 2) return Part();
  const uint64_t events = summary::events_to_keep(index.value(), run, part);
  if (auto status = check_memory(source, events); !status) return status.error();
  auto archive = open_archive_of(source, part.locations, pool);
  if (!archive) return archive.error();
  auto trace = needs == PartNeeds::kMessages
                   ? summary::read_back_messages(std::move(archive).value(), index.value(), marks,
                                                 run, part, pool)
                   : summary::read_back(std::move(archive).value(), index.value(), run, part, pool);
  if (!trace) return trace.error();
  return Part(std::move(trace).value());
}

}  // namespace pathline::app

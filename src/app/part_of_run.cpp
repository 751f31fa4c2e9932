// SPDX-License-Identifier: BSD-3-Clause
#include "app/part_of_run.hpp"

#include <algorithm>
#include <bit>
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

bool fits_into_memory(const summary::RunSummary& summary) {
  // Findings with two threads: 39 resident, 43 of address space.
  constexpr uint64_t kBytesAnEventOfAll = 44;
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

namespace {

/// For calls without fields of messages, and without what is read for those alone.
uint64_t bytes_an_event(PartNeeds needs) {
  return needs == PartNeeds::kCalls ? 32 : needs == PartNeeds::kMessages ? 40 : kBytesOfPartAnEvent;
}

/// Whether a part of so many events fits into memory.
base::Status check_memory(const fs::path& source, uint64_t events, PartNeeds needs) {
  const auto available = base::available_memory();
  const uint64_t each = bytes_an_event(needs);
  if (!available || events <= *available / each) return {};
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("this part of {} has about {} events and needs {} of memory; {} can be had",
                  source.string(), base::human_count(events),
                  base::human_bytes(static_cast<double>(events) * static_cast<double>(each)),
                  base::human_bytes(static_cast<double>(*available))),
      needs == PartNeeds::kCalls
          ? "A shorter time or fewer ranks need less; --scratch DIR has a disk in its place."
          : "A shorter time needs less; --scratch DIR has a disk in its place."};
}

}  // namespace

base::Result<std::optional<trace::Trace>> read_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    const trace::Selection& selection,
                                                    PartNeeds needs, base::ThreadPool& pool,
                                                    std::vector<std::string>& notes) {
  using Part = std::optional<trace::Trace>;
  const trace::Trace& run = summary.run;
  const auto known = known_archive(path, summary, needs);
  if (!known) return known.error();
  if (!known.value()) return Part();
  const KnownArchive& archive = *known.value();
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
  if (summary::events_to_read(archive.index, part) > summary.facts.events / 2 &&
      fits_into_memory(summary)) {
    return Part();
  }
  const uint64_t events = summary::events_to_keep(archive.index, run, part);
  if (auto status = check_memory(archive.source, events, needs); !status) return status.error();
  if (needs == PartNeeds::kWaits || needs == PartNeeds::kFindings) {
    const uint64_t from_ticks = needs == PartNeeds::kFindings ? selection.from_ticks : 0;
    auto read = waits_of_part(archive, summary, {from_ticks, selection.until_ticks},
                              std::move(part), {}, pool);
    if (!read) return read.error();
    if (const uint64_t cut = read.value().cut_calls; cut > 0) {
      notes.push_back(
          fmt::format("{} of the chosen time {} for what came after {:.6f} s, which was not read",
                      base::counted(cut, "call", "calls"), cut == 1 ? "waits" : "wait",
                      run.seconds(read.value().read.until_ticks)));
    }
    return Part(std::move(read.value().trace));
  }
  auto opened = open_archive_of(archive.source, part.locations, pool);
  if (!opened) return opened.error();
  auto trace = needs == PartNeeds::kMessages
                   ? summary::read_back_messages(std::move(opened).value(), archive.index,
                                                 archive.marks, run, part, pool)
                   : summary::read_back(std::move(opened).value(), archive.index, run, part, pool);
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

namespace {

using Steps = std::vector<std::vector<trace::StepWindow>>;

/// Times of a run in their order, of which some around the middle can be taken: the steps of a
/// rank, or where there are less than three pieces of equal length. Of a program that began anew
/// those of one go.
std::vector<trace::StepWindow> stretches_of(const trace::Trace& run, const Steps& steps) {
  constexpr size_t kLeastSteps = 3;
  const auto of_rank =
      std::find_if(steps.begin(), steps.end(), [](const auto& some) { return !some.empty(); });
  if (of_rank != steps.end() && of_rank->size() >= kLeastSteps) {
    const auto is_anew = [](const trace::StepWindow& a, const trace::StepWindow& b) {
      return b.step <= a.step;
    };
    const auto middle = of_rank->begin() + static_cast<ptrdiff_t>(of_rank->size() / 2);
    const auto end = std::adjacent_find(middle, of_rank->end(), is_anew);
    const auto before = std::adjacent_find(
        std::reverse_iterator(middle + 1), of_rank->rend(),
        [&](const trace::StepWindow& b, const trace::StepWindow& a) { return is_anew(a, b); });
    return {before == of_rank->rend() ? of_rank->begin() : before.base() - 1,
            end == of_rank->end() ? end : end + 1};
  }
  constexpr uint64_t kPieces = 4096;
  const uint64_t ticks = (run.end_ticks - run.start_ticks) / kPieces;
  std::vector<trace::StepWindow> pieces;
  for (uint64_t i = 0; i < kPieces; ++i) {
    const uint64_t begin = run.start_ticks + i * ticks;
    pieces.push_back({findings::kNone, begin, begin + ticks});
  }
  return pieces;
}

/// From the first begin to the last end of a step, of all ranks.
///
/// like  that of one rank: a program that begins anew has its number several times.
trace::StepWindow of_all_ranks(const trace::StepWindow& like, const Steps& steps) {
  trace::StepWindow all = like;
  for (const auto& of_rank : steps) {
    for (const trace::StepWindow& one : of_rank) {
      const bool overlaps = one.begin_ticks < like.end_ticks && one.end_ticks > like.begin_ticks;
      if (one.step != like.step || !overlaps) continue;
      all.begin_ticks = std::min(all.begin_ticks, one.begin_ticks);
      all.end_ticks = std::max(all.end_ticks, one.end_ticks);
    }
  }
  return all;
}

}  // namespace

base::Result<std::optional<PartOfTime>> middle_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    uint64_t most_events) {
  using Middle = std::optional<PartOfTime>;
  if (summary.facts.events <= most_events && fits_into_memory(summary)) return Middle();
  const auto known = known_archive(path, summary, PartNeeds::kFindings);
  if (!known) return known.error();
  if (!known.value()) return Middle();
  const KnownArchive& archive = *known.value();
  Steps steps;
  if (summary.facts.marked_steps > 0) {
    auto read = summary::read_steps_of_time(*archive.file, summary.run, 0, UINT64_MAX, true);
    if (!read) return read.error();
    steps = std::move(read.value().windows);
  }
  const auto stretches = stretches_of(summary.run, steps);
  // A power of two: what is judged does not change with some more or less memory.
  const uint64_t most = std::bit_floor(std::min(
      kMostJudgedEvents, base::available_memory().value_or(UINT64_MAX) / kBytesOfPartAnEvent / 2));
  const size_t count = stretches.size();
  // `wide` more on each side of the one in the middle.
  const auto part_of = [&](size_t wide) {
    const size_t middle = count / 2;
    const size_t first = middle - std::min(middle, wide);
    const size_t last = std::min(count - 1, middle + wide);
    return std::pair(stretches[first], stretches[last]);
  };
  const std::vector<uint32_t> locations = chosen_locations(summary.run, {});
  const auto events_of = [&](size_t wide) {
    const auto [first, last] = part_of(wide);
    const summary::PartOfRun part =
        summary::between_operations(archive.marks, {first.begin_ticks, last.end_ticks, locations});
    return summary::events_to_keep(archive.index, summary.run, part);
  };
  // All that lies between the marks is read for the one in the middle, too.
  const uint64_t least = events_of(0);
  const auto fits = [&](size_t wide) { return events_of(wide) <= std::max(most, least); };
  size_t wide = 0;
  size_t too_wide = count;
  while (wide + 1 < too_wide) {
    const size_t between = (wide + too_wide) / 2;
    (fits(between) ? wide : too_wide) = between;
  }
  auto [first, last] = part_of(wide);
  if (first.step != findings::kNone) {
    const auto all =
        summary::read_steps_of_time(*archive.file, summary.run, first.begin_ticks, last.end_ticks);
    if (!all) return all.error();
    first = of_all_ranks(first, all.value().windows);
    last = of_all_ranks(last, all.value().windows);
  }
  PartOfTime part{summary.run.seconds(first.begin_ticks), summary.run.seconds(last.end_ticks), ""};
  if (first.step != findings::kNone) {
    part.steps = first.step == last.step
                     ? fmt::format("time step {}", first.step)
                     : fmt::format("time steps {} to {}", first.step, last.step);
  }
  return Middle(part);
}

}  // namespace pathline::app

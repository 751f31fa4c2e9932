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
#include "summary/file.hpp"
#include "summary/read_back.hpp"
#include "summary/steps_file.hpp"

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
  const bool samples = count_of(summary, EventKind::kCallingContextEnter) > 0;
  if (needs == PartNeeds::kCalls) return samples;
  const bool cancels = count_of(summary, EventKind::kMpiRequestCancelled) > 0;
  if (needs == PartNeeds::kMessages) return cancels;
  bool switches = count_of(summary, EventKind::kMeasurementOnOff) > 0;
  // Who waits for a lock or an exposure follows from all that was done to a window.
  for (auto kind = static_cast<size_t>(EventKind::kRmaWinCreate);
       kind <= static_cast<size_t>(EventKind::kRmaOpCompleteRemote); ++kind) {
    switches = switches || summary.facts.events_by_kind[kind] > 0;
  }
  return samples || cancels || switches;
}

constexpr uint64_t kBytesAnEvent = 48;  // Some are read that are not kept, and fields of messages.

/// errors  kIo where so many events are too much for the memory there is.
base::Status check_memory(const fs::path& source, uint64_t events) {
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

bool fits_into_memory(const summary::RunSummary& summary) {
  constexpr uint64_t kBytesAnEventOfAll = 36;
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

namespace {

/// What the marked steps of the whole are, of a part.
base::Result<std::shared_ptr<const trace::WholeRun>> whole_of(const summary::ColumnReader& file,
                                                              const summary::RunSummary& summary,
                                                              const summary::ArchiveIndex& index,
                                                              const summary::PartOfRun& part) {
  auto whole = std::make_shared<trace::WholeRun>();
  for (const uint64_t events : index.events) whole->is_recorded.push_back(events > 0);
  whole->steps.resize(summary.run.rank_count);
  if (summary.facts.marked_steps > 0) {
    auto steps = summary::read_steps_of_time(file, summary.run, part.from_ticks, part.until_ticks);
    if (!steps) return steps.error();
    whole->steps = std::move(steps.value().windows);
    whole->step_count = steps.value().count;
  }
  return std::shared_ptr<const trace::WholeRun>(std::move(whole));
}

/// A part of a run is read until it is known what its calls wait for; but of what comes far behind
/// it no more than this.
constexpr int kMostDoublings = 3;

base::Result<std::optional<trace::Trace>> read_waits(
    const fs::path& source, const summary::ColumnReader& file, const summary::RunSummary& summary,
    const trace::Selection& selection, PartNeeds needs, const summary::ArchiveIndex& index,
    const summary::Marks& marks, summary::PartOfRun part, base::ThreadPool& pool,
    std::vector<std::string>& notes) {
  summary::PartOfRun most = part;  // That may be read.
  for (int more = (1 << kMostDoublings) - 1; more > 0; --more) {
    most.until_ticks = summary::next_mark(marks, most.until_ticks);
  }
  const auto whole = whole_of(file, summary, index, most);
  if (!whole) return whole.error();
  const uint64_t from_ticks = needs == PartNeeds::kFindings ? selection.from_ticks : 0;
  for (int doublings = 0;; ++doublings) {
    auto archive = open_archive_of(source, part.locations, pool);
    if (!archive) return archive.error();
    auto read =
        summary::read_back_waits(std::move(archive).value(), index, marks, summary.run, part,
                                 from_ticks, selection.until_ticks, whole.value(), pool);
    if (!read) return read.error();
    summary::PartOfRun longer = part;
    for (int more = 1 << doublings; more > 0; --more) {
      longer.until_ticks = summary::next_mark(marks, longer.until_ticks);
    }
    const bool is_all = part.until_ticks == UINT64_MAX;
    const auto fits = [&] {
      return check_memory(source, summary::events_to_keep(index, summary.run, longer)).ok();
    };
    if (read.value().cut_calls == 0 || is_all || doublings == kMostDoublings || !fits()) {
      if (read.value().cut_calls > 0 && !is_all) {
        notes.push_back(fmt::format(
            "{} of the chosen time {} for what came after {:.6f} s, which was not read",
            base::counted(read.value().cut_calls, "call", "calls"),
            read.value().cut_calls == 1 ? "waits" : "wait", summary.run.seconds(part.until_ticks)));
      }
      return std::optional(std::move(read.value().trace));
    }
    part = std::move(longer);
  }
}

}  // namespace

base::Result<std::optional<trace::Trace>> read_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    const trace::Selection& selection,
                                                    PartNeeds needs, base::ThreadPool& pool,
                                                    std::vector<std::string>& notes) {
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
  if (needs == PartNeeds::kCalls) {
    part.locations = chosen_locations(run, selection);
  } else {
    auto known = summary::read_marks(file.value(), run);
    if (!known) return known.error();
    marks = std::move(known).value();
    part = needs == PartNeeds::kMessages ? summary::between_marks(marks, part)
                                         : summary::between_operations(marks, part);
    // Also those of the others with whom chosen ranks talk.
    part.locations = chosen_locations(run, {});
  }
  if (summary::events_to_read(index.value(), part) > summary.facts.events / 2 &&
      fits_into_memory(summary)) {
    return Part();
  }
  const uint64_t events = summary::events_to_keep(index.value(), run, part);
  if (auto status = check_memory(source, events); !status) return status.error();
  if (needs == PartNeeds::kWaits || needs == PartNeeds::kFindings) {
    return read_waits(source, file.value(), summary, selection, needs, index.value(), marks,
                      std::move(part), pool, notes);
  }
  auto archive = open_archive_of(source, part.locations, pool);
  if (!archive) return archive.error();
  auto trace = needs == PartNeeds::kMessages
                   ? summary::read_back_messages(std::move(archive).value(), index.value(), marks,
                                                 run, part, pool)
                   : summary::read_back(std::move(archive).value(), index.value(), run, part, pool);
  if (!trace) return trace.error();
  return Part(std::move(trace).value());
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

base::Result<std::optional<MiddlePart>> middle_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    uint64_t most_events) {
  using Middle = std::optional<MiddlePart>;
  const fs::path source = input::events_of(summary, path);
  std::error_code failed;
  if ((summary.facts.events <= most_events && fits_into_memory(summary)) ||
      follows_from_others(summary, PartNeeds::kFindings) || !fs::exists(source, failed)) {
    return Middle();
  }
  const auto file = summary::ColumnReader::open(path);
  if (!file) return file.error();
  const auto index = summary::read_archive_index(file.value(), summary.run);
  if (!index) return index.error();
  const auto marks = summary::read_marks(file.value(), summary.run);
  if (!marks) return marks.error();
  if (index.value().empty()) return Middle();
  Steps steps;
  if (summary.facts.marked_steps > 0) {
    auto read = summary::read_steps_of_time(file.value(), summary.run, 0, UINT64_MAX, true);
    if (!read) return read.error();
    steps = std::move(read.value().windows);
  }
  const auto stretches = stretches_of(summary.run, steps);
  const uint64_t most = std::min(kMostJudgedEvents,
                                 base::available_memory().value_or(UINT64_MAX) / kBytesAnEvent / 2);
  const size_t count = stretches.size();
  // `wide` more on each side of the one in the middle.
  const auto part_of = [&](size_t wide) {
    const size_t middle = count / 2;
    const size_t first = middle - std::min(middle, wide);
    const size_t last = std::min(count - 1, middle + wide);
    return std::pair(stretches[first], stretches[last]);
  };
  const std::vector<uint32_t> locations = chosen_locations(summary.run, {});
  const auto fits = [&](size_t wide) {
    const auto [first, last] = part_of(wide);
    const summary::PartOfRun part =
        summary::between_operations(marks.value(), {first.begin_ticks, last.end_ticks, locations});
    return summary::events_to_keep(index.value(), summary.run, part) <= most;
  };
  size_t wide = 0;
  size_t too_wide = count;
  while (wide + 1 < too_wide) {
    const size_t between = (wide + too_wide) / 2;
    (fits(between) ? wide : too_wide) = between;
  }
  auto [first, last] = part_of(wide);
  if (first.step != findings::kNone) {
    const auto all =
        summary::read_steps_of_time(file.value(), summary.run, first.begin_ticks, last.end_ticks);
    if (!all) return all.error();
    first = of_all_ranks(first, all.value().windows);
    last = of_all_ranks(last, all.value().windows);
  }
  MiddlePart part{summary.run.seconds(first.begin_ticks), summary.run.seconds(last.end_ticks), ""};
  if (first.step != findings::kNone) {
    part.steps = first.step == last.step
                     ? fmt::format("time step {}", first.step)
                     : fmt::format("time steps {} to {}", first.step, last.step);
  }
  return Middle(part);
}

}  // namespace pathline::app

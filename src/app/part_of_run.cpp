// SPDX-License-Identifier: BSD-3-Clause
#include "app/part_of_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/step_source.hpp"
#include "base/memory.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "input/input.hpp"
#include "summary/file.hpp"
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

/// Whether the whole run does, as far as its number of events tells.
bool fits_into_memory(const summary::RunSummary& summary) {
  constexpr uint64_t kBytesAnEventOfAll = 36;
  const auto available = base::available_memory();
  return !available || summary.facts.events <= *available / kBytesAnEventOfAll;
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

namespace {

/// What the marked steps of the whole are, of a part.
base::Result<std::shared_ptr<const trace::WholeRun>> whole_of(const fs::path& path,
                                                              const summary::RunSummary& summary,
                                                              const summary::ArchiveIndex& index) {
  auto whole = std::make_shared<trace::WholeRun>();
  for (const uint64_t events : index.events) whole->is_recorded.push_back(events > 0);
  whole->steps.resize(summary.run.rank_count);
  if (summary.facts.marked_steps > 0) {
    summary::Parts steps = summary::Parts::none();
    steps.steps = true;
    const auto read = summary::read(path, steps);
    if (!read) return read.error();
    whole->steps = windows_of(read.value().steps, summary.run.rank_count);
  }
  return std::shared_ptr<const trace::WholeRun>(std::move(whole));
}

/// A part of a run is read until it is known what its calls wait for; but of what comes far behind
/// it no more than this.
constexpr int kMostDoublings = 3;

base::Result<std::optional<trace::Trace>> read_waits(
    const fs::path& path, const summary::RunSummary& summary, const trace::Selection& selection,
    PartNeeds needs, const summary::ArchiveIndex& index, const summary::Marks& marks,
    summary::PartOfRun part, base::ThreadPool& pool, std::vector<std::string>& notes) {
  const fs::path source = input::events_of(summary, path);
  const auto whole = whole_of(path, summary, index);
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
    return read_waits(path, summary, selection, needs, index.value(), marks, std::move(part), pool,
                      notes);
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

/// Times of a run, of which some around the middle can be taken.
struct Stretches {
  struct Stretch {
    uint64_t from_ticks;
    uint64_t until_ticks;
    uint32_t step;
  };
  std::vector<Stretch> all;  ///< In the order of time.
  bool are_steps = false;
};

Stretches stretches_of(const summary::RunSummary& summary,
                       const std::vector<std::vector<trace::StepWindow>>& steps) {
  constexpr size_t kLeastSteps = 3;
  Stretches result;
  std::map<uint32_t, Stretches::Stretch> by_step;
  for (const auto& of_rank : steps) {
    for (const trace::StepWindow& one : of_rank) {
      const auto [at, is_new] = by_step.try_emplace(
          one.step, Stretches::Stretch{one.begin_ticks, one.end_ticks, one.step});
      at->second.from_ticks = std::min(at->second.from_ticks, one.begin_ticks);
      at->second.until_ticks = std::max(at->second.until_ticks, one.end_ticks);
    }
  }
  if (by_step.size() >= kLeastSteps) {
    result.are_steps = true;
    for (const auto& [step, one] : by_step) result.all.push_back(one);
    std::sort(result.all.begin(), result.all.end(),
              [](const auto& a, const auto& b) { return a.from_ticks < b.from_ticks; });
    return result;
  }
  constexpr uint64_t kPieces = 4096;
  const uint64_t begin = summary.run.start_ticks;
  const uint64_t span = summary.run.end_ticks - begin;
  for (uint64_t i = 0; i < kPieces; ++i) {
    const auto at = [&](uint64_t piece) { return begin + span / kPieces * piece; };
    result.all.push_back({at(i), at(i + 1), 0});
  }
  return result;
}

}  // namespace

base::Result<std::optional<MiddlePart>> middle_part(const fs::path& path,
                                                    const summary::RunSummary& summary) {
  using Middle = std::optional<MiddlePart>;
  constexpr uint64_t kMostEvents = 1 << 24;
  const fs::path source = input::events_of(summary, path);
  std::error_code failed;
  if (fits_into_memory(summary) || follows_from_others(summary, PartNeeds::kFindings) || !fs::exists(source, failed)) {
    return Middle();
  }
  const auto file = summary::ColumnReader::open(path);
  if (!file) return file.error();
  const auto index = summary::read_archive_index(file.value(), summary.run);
  if (!index) return index.error();
  const auto marks = summary::read_marks(file.value(), summary.run);
  if (!marks) return marks.error();
  if (index.value().empty()) return Middle();
  const auto whole = whole_of(path, summary, index.value());
  if (!whole) return whole.error();
  const Stretches stretches = stretches_of(summary, whole.value()->steps);
  const uint64_t most = std::min(
      kMostEvents, base::available_memory().value_or(UINT64_MAX) / kBytesAnEvent / 2);
  const size_t count = stretches.all.size();
  // `wide` more on each side of the one in the middle.
  const auto part_of = [&](size_t wide) {
    const size_t middle = count / 2;
    const size_t first = middle - std::min(middle, wide);
    const size_t last = std::min(count - 1, middle + wide);
    return std::pair(stretches.all[first], stretches.all[last]);
  };
  const auto fits = [&](size_t wide) {
    const auto [first, last] = part_of(wide);
    summary::PartOfRun part =
        summary::between_operations(marks.value(), {first.from_ticks, last.until_ticks, {}});
    part.locations = chosen_locations(summary.run, {});
    return summary::events_to_keep(index.value(), summary.run, part) <= most;
  };
  size_t wide = 0;
  size_t too_wide = count;
  while (wide + 1 < too_wide) {
    const size_t between = (wide + too_wide) / 2;
    (fits(between) ? wide : too_wide) = between;
  }
  const auto [first, last] = part_of(wide);
  MiddlePart part{summary.run.seconds(first.from_ticks), summary.run.seconds(last.until_ticks), ""};
  if (stretches.are_steps) {
    part.steps = first.step == last.step
                     ? fmt::format("time step {}", first.step)
                     : fmt::format("time steps {} to {}", first.step, last.step);
  }
  return Middle(part);
}

}  // namespace pathline::app

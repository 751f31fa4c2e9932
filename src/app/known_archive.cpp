// SPDX-License-Identifier: BSD-3-Clause
#include "app/known_archive.hpp"

#include <algorithm>
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

/// What the marked steps of the whole are, of a part.
base::Result<std::shared_ptr<const trace::WholeRun>> whole_of(const KnownArchive& archive,
                                                              const summary::RunSummary& summary,
                                                              const summary::PartOfRun& part) {
  auto whole = std::make_shared<trace::WholeRun>();
  for (const uint64_t events : archive.index->events) whole->is_recorded.push_back(events > 0);
  whole->steps.resize(summary.run.rank_count);
  if (summary.facts.marked_steps == 0) return std::shared_ptr<const trace::WholeRun>(whole);
  if (!archive.steps) {
    auto steps =
        summary::read_steps_of_time(*archive.file, summary.run, part.from_ticks, part.until_ticks);
    if (!steps) return steps.error();
    whole->steps = std::move(steps.value().windows);
    whole->step_count = steps.value().count;
    return std::shared_ptr<const trace::WholeRun>(std::move(whole));
  }
  whole->step_count = archive.steps->count;
  for (size_t rank = 0; rank < whole->steps.size(); ++rank) {
    for (const trace::StepWindow& step : archive.steps->windows[rank]) {
      if (step.begin_ticks > part.until_ticks) break;
      if (step.end_ticks >= part.from_ticks) whole->steps[rank].push_back(step);
    }
  }
  return std::shared_ptr<const trace::WholeRun>(std::move(whole));
}

}  // namespace

base::Result<otf2::Archive> open_archive_of(const fs::path& source,
                                            const summary::ArchiveIndex& index,
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
  return otf2::open_archive(*anchor.value(), pool, progress, choose,
                            index.local_files.empty() ? nullptr : &index.local_files);
}

base::Result<std::shared_ptr<const summary::ArchiveIndex>> KeptIndex::of(
    const summary::ColumnReader& file, const trace::Trace& run) {
  const std::scoped_lock lock(reading_);
  const uint32_t checksum = summary::checksum_of_index(file);
  if (!index_ || checksum != checksum_) {
    auto read = summary::read_archive_index(file, run);
    if (!read) return read.error();
    index_ = std::make_shared<const summary::ArchiveIndex>(std::move(read).value());
    checksum_ = checksum;
  }
  return index_;
}

base::Result<std::optional<KnownArchive>> known_archive(const fs::path& path,
                                                        const summary::RunSummary& summary,
                                                        PartNeeds needs, KeptIndex* kept) {
  using Known = std::optional<KnownArchive>;
  KnownArchive archive{input::events_of(summary, path), {}, {}, {}, {}};
  std::error_code failed;
  if (follows_from_others(summary, needs) || !fs::exists(archive.source, failed)) return Known();
  auto file = summary::ColumnReader::open(path);
  if (!file) return file.error();
  archive.file = std::move(file).value();
  KeptIndex own;
  auto index = (kept != nullptr ? *kept : own).of(*archive.file, summary.run);
  if (!index) return index.error();
  if (index.value()->empty()) return Known();
  archive.index = std::move(index).value();
  if (needs == PartNeeds::kCalls) return Known(std::move(archive));
  auto marks = summary::read_marks(*archive.file, summary.run);
  if (!marks) return marks.error();
  archive.marks = std::move(marks).value();
  return Known(std::move(archive));
}

base::Result<WaitsOfPart> waits_of_part(const KnownArchive& archive,
                                        const summary::RunSummary& summary,
                                        const summary::AskedCalls& asked, summary::PartOfRun part,
                                        const ReadOn& read_on, base::ThreadPool& pool) {
  const auto longer_by = [&](summary::PartOfRun longer, int marks) {
    for (; marks > 0; --marks) {
      longer.until_ticks = summary::next_mark(archive.marks, longer.until_ticks);
    }
    return longer;
  };
  const uint64_t available = base::available_memory().value_or(UINT64_MAX);
  std::shared_ptr<const trace::WholeRun> whole;
  for (int doublings = 0;; ++doublings) {
    if (archive.steps || !whole) {
      // Steps that have to be read from the file are read once.
      const int most = archive.steps ? 0 : (1 << read_on.doublings) - 1;
      auto known = whole_of(archive, summary, longer_by(part, most));
      if (!known) return known.error();
      whole = std::move(known).value();
    }
    auto opened = open_archive_of(archive.source, *archive.index, part.locations, pool);
    if (!opened) return opened.error();
    auto read = summary::read_back_waits(std::move(opened).value(), *archive.index, archive.marks,
                                         summary.run, part, asked, whole, pool);
    if (!read) return read.error();
    const bool is_all = part.until_ticks == UINT64_MAX;
    const uint64_t cut_calls = is_all ? 0 : read.value().cut_calls;
    summary::PartOfRun longer = longer_by(part, 1 << doublings);
    const auto fits = [&] {
      const uint64_t events = summary::events_to_keep(*archive.index, summary.run, longer);
      return events <= available / read_on.bytes_an_event;
    };
    if (cut_calls == 0 || doublings == read_on.doublings || !fits()) {
      return WaitsOfPart{std::move(read.value().trace), std::move(part), cut_calls};
    }
    part = std::move(longer);
  }
}

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/judge_summary.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "app/middle_part.hpp"
#include "app/open_run.hpp"
#include "app/part_of_run.hpp"
#include "base/text.hpp"
#include "input/input.hpp"
#include "trace/select.hpp"

namespace pathline::app {
namespace {

/// most_events  what a run may have that is judged as a whole.
/// request      gets the time that is judged, where that is not all.
base::Result<trace::Trace> events_to_judge(const std::filesystem::path& path,
                                           const summary::RunSummary& summary, uint64_t most_events,
                                           FindingsRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress,
                                           std::vector<std::string>& notes) {
  const auto middle = middle_part(path, summary, most_events);
  if (!middle) return middle.error();
  if (const auto& chosen = middle.value()) {
    const auto time = trace::select(
        summary.run, {.from_s = chosen->from_s, .until_s = chosen->until_s, .ranks = {}});
    if (!time) return time.error();
    auto part = read_part(path, summary, time.value(), PartNeeds::kFindings, pool, notes);
    if (!part) return part.error();
    if (part.value()) {
      request.focus = findings::Focus::kTime;
      request.from_s = chosen->from_s;
      request.until_s = chosen->until_s;
      notes.push_back(fmt::format("findings are of {}, read from {}", chosen->text(),
                                  input::events_of(summary, path).string()));
      if (chosen->slower) {
        notes.push_back(fmt::format("{} (--from {:.6f} --until {:.6f})", chosen->slower_text,
                                    chosen->slower->from_s, chosen->slower->until_s));
      }
      return std::move(*part.value());
    }
  }
  // So many are judged in a minute.
  constexpr uint64_t kMostEvents = 8 * kMostJudgedEvents;
  if (summary.facts.events > kMostEvents) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("only all of its {} events tell who waits for whom",
                                   base::human_count(summary.facts.events))};
  }
  return open_events(path, summary, {}, pool, progress, notes);
}

base::Result<JudgedSummary> judge_up_to(uint64_t most_events, const std::filesystem::path& path,
                                        const summary::RunSummary& summary, base::ThreadPool& pool,
                                        base::Progress& progress, std::vector<std::string>& notes) {
  progress.begin("reading", "", 0);
  FindingsRequest request{.critical_path = true};
  auto events = events_to_judge(path, summary, most_events, request, pool, progress, notes);
  if (!events) return events.error();
  auto found = find_findings(events.value(), input::events_of(summary, path).string(), request,
                             pool, progress);
  if (!found) return found.error();
  name_run(path.string(), found.value());
  return JudgedSummary{std::move(found).value(), std::move(events).value()};
}

}  // namespace

base::Result<JudgedSummary> judge_summary(const std::filesystem::path& path,
                                          const summary::RunSummary& summary,
                                          base::ThreadPool& pool, base::Progress& progress,
                                          std::vector<std::string>& notes) {
  // What it takes to judge a run is an estimate, and other programs take memory meanwhile.
  const size_t said = notes.size();
  for (const uint64_t most_events : {kMostJudgedEvents, uint64_t{0}}) {
    try {
      return judge_up_to(most_events, path, summary, pool, progress, notes);
    } catch (const std::bad_alloc&) {
      notes.resize(said);
    }
  }
  return base::Error{base::ErrorCode::kIo, "there is not enough memory to judge its events"};
}

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/judge_summary.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/open_run.hpp"
#include "app/part_of_run.hpp"
#include "input/input.hpp"
#include "trace/select.hpp"

namespace pathline::app {

std::optional<FindingsReport> judge_summary(const std::filesystem::path& path,
                                            const summary::RunSummary& summary,
                                            base::ThreadPool& pool, base::Progress& progress,
                                            std::vector<std::string>& notes) {
  progress.begin("reading", "", 0);
  const auto middle = middle_part(path, summary, kMostJudgedEvents);
  if (!middle) return std::nullopt;
  FindingsRequest request;
  std::optional<trace::Trace> events;
  const std::string source = input::events_of(summary, path).string();
  if (middle.value()) {
    request.focus = findings::Focus::kTime;
    request.from_s = middle.value()->from_s;
    request.until_s = middle.value()->until_s;
    const auto time = trace::select(
        summary.run, {.from_s = request.from_s, .until_s = request.until_s, .ranks = {}});
    if (!time) return std::nullopt;
    auto part = read_part(path, summary, time.value(), PartNeeds::kFindings, pool, notes);
    if (!part || !part.value()) return std::nullopt;
    notes.push_back(fmt::format(
        "findings are of {:.6f} s to {:.6f} s{}{}, read from {}", request.from_s, request.until_s,
        middle.value()->steps.empty() ? "" : ", ", middle.value()->steps, source));
    events = std::move(part).value();
  } else if (summary.facts.events <= kMostJudgedEvents) {
    auto all = open_events(path, summary, {}, pool, progress, notes);
    if (!all) return std::nullopt;
    events = std::move(all).value();
  } else {
    return std::nullopt;
  }
  auto found = find_findings(*events, source, request, pool, progress);
  if (!found) return std::nullopt;
  name_run(path.string(), found.value());
  return std::move(found).value();
}

}  // namespace pathline::app

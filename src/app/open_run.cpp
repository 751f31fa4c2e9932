// SPDX-License-Identifier: BSD-3-Clause
#include "app/open_run.hpp"

#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/finish.hpp"
#include "app/part_of_run.hpp"
#include "comm/summary.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

/// What tells at once that events are not those that were summarised; "" if nothing does.
std::string difference(const trace::Trace& trace, const summary::RunSummary& summary) {
  const trace::Trace& run = summary.run;
  const auto of = [](uint64_t is, uint64_t was, std::string_view what) {
    return is == was ? "" : fmt::format("it has {} {} instead of {}", is, what, was);
  };
  for (const std::string& text : {of(trace.rank_count, run.rank_count, "ranks"),
                                  of(trace.locations.size(), run.locations.size(), "locations"),
                                  of(trace.event_count() + trace.unknown_events,
                                     summary.facts.events + run.unknown_events, "events"),
                                  of(trace.start_ticks, run.start_ticks, "as its first time"),
                                  of(trace.end_ticks, run.end_ticks, "as its last time")}) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

base::Result<input::Input> open_input(const fs::path& path, const input::OpenOptions& options,
                                      base::ThreadPool& pool, base::Progress& progress,
                                      std::vector<std::string>& notes) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && needs_finish(path)) {
    const std::string name = path.string();
    if (::access(path.c_str(), W_OK) != 0) {
      notes.push_back(
          fmt::format("{} is not finished and cannot be written: reading its raw files", name));
    } else if (const auto finished = finish_run(path, {.has_ended = false}, pool, progress);
               !finished) {
      notes.push_back(fmt::format("{} could not be finished ({}): reading its raw files", name,
                                  finished.error().message));
    } else if (finished.value().outcome == Finish::kStillRuns) {
      notes.push_back(fmt::format("{} is still being written: reading what is there", name));
    } else if (finished.value().outcome == Finish::kMayRun) {
      notes.push_back(
          fmt::format("{} may still be written on another host: reading what is there "
                      "('pathline finish {}' when it has ended)",
                      name, name));
    } else if (finished.value().outcome == Finish::kDone) {
      notes.push_back(
          fmt::format("{} was not finished: its raw files were made into traces.otf2", name));
    }
  }
  return input::open(path, options, pool, progress);
}

base::Result<trace::Trace> open_events(const fs::path& path, const summary::RunSummary& summary,
                                       const input::OpenOptions& options, base::ThreadPool& pool,
                                       base::Progress& progress, std::vector<std::string>& notes) {
  const fs::path source = input::events_of(summary, path);
  std::error_code failed;
  if (!fs::exists(source, failed)) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{} is a summary, and the run with the events that this needs is not in {}",
                    path.string(), fs::absolute(source, failed).lexically_normal().string()),
        kWhereEventsAre};
  }
  notes.push_back(
      fmt::format("{} has tables, not the events: reading {}", path.string(), source.string()));
  // A summary of what a damaged archive holds was asked for with --partial.
  input::OpenOptions as_summary = options;
  as_summary.partial = options.partial || !summary.run.complete;
  auto trace = input::need_trace(open_input(source, as_summary, pool, progress, notes), source);
  if (!trace && trace.error().code == ErrorCode::kUnsupported && !fits_into_memory(summary)) {
    Error error = trace.error();
    error.advice = "With a disk in place of memory it can be done: --scratch DIR.";
    return error;
  }
  if (!trace && trace.error().code == ErrorCode::kCorrupt) {
    // Of a part of it, as --partial reads, the summary is not.
    Error error = trace.error();
    error.advice = fmt::format(
        "It may have changed since {} was made of it. 'pathline info {} "
        "--partial' reads what is there.",
        path.string(), source.string());
    return error;
  }
  if (!trace) return trace;
  if (const std::string text = difference(trace.value(), summary); !text.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not the run any more that {} is a summary of: {}", source.string(),
                    path.string(), text),
        fmt::format("'pathline reduce {} -o {}' makes it again.", source.string(), path.string())};
  }
  return trace;
}

base::Result<trace::Trace> open_run(const fs::path& path, const input::OpenOptions& options,
                                    base::ThreadPool& pool, base::Progress& progress,
                                    std::vector<std::string>& notes) {
  auto input = open_input(path, options, pool, progress, notes);
  if (input) {
    if (const auto* summary = std::get_if<summary::RunSummary>(&input.value())) {
      return open_events(path, *summary, options, pool, progress, notes);
    }
  }
  return input::need_trace(std::move(input), path);
}

}  // namespace pathline::app

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/findings_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/judged_part.hpp"
#include "app/middle_part.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::cli {

void add_focus(Command& command, FocusOptions& options) {
  command
      .option("--focus", options.focus,
              "steps: the time steps, what is outside of them apart; run: from MPI_Init to "
              "MPI_Finalize; FROM:UNTIL: seconds since the start")
      .show_default();
}

base::Result<app::FindingsRequest> focus_of(const FocusOptions& options) {
  app::FindingsRequest request;
  if (options.focus == "steps") return request;
  if (options.focus == "run") {
    request.focus = findings::Focus::kRun;
    return request;
  }
  const auto times = base::numbers_in<double>(options.focus, ':');
  if (!times || times->size() != 2 || (*times)[0] < 0 || !((*times)[0] < (*times)[1])) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--focus is '{}', expected steps, run, or a time as in 0.5:2.0, seconds since "
                    "the start of the run",
                    options.focus)};
  }
  request.focus = findings::Focus::kTime;
  request.from_s = (*times)[0];
  request.until_s = (*times)[1];
  return request;
}

namespace {

/// Of a run that is too large for memory, the part to judge, with a note. `run` is of its summary.
///
/// choice  how another one is chosen, as kByFocus.
base::Result<std::optional<app::MiddlePart>> middle_of(const CommonOptions& options,
                                                       std::string_view choice, Opened& run) {
  if (!options.scratch.empty()) return std::optional<app::MiddlePart>();
  run.summary->run = std::move(run.trace);
  auto part = app::middle_part(options.input, *run.summary);
  run.trace = std::move(run.summary->run);
  // Also where notes are not wanted: who asked for all of the run gets a part of it.
  if (!part || !part.value()) return part;
  const app::MiddlePart& judged = *part.value();
  const auto needed = static_cast<double>(app::memory_for_all(*run.summary));
  note(fmt::format(
      "{} events need {} of memory, more than there is: judging {} ({} for others, --scratch DIR "
      "for all, on a disk)",
      base::human_count(run.summary->facts.events), base::human_bytes(needed), judged.text(),
      fmt::format(fmt::runtime(choice), "FROM", "UNTIL")));
  if (judged.slower && !options.quiet) {
    note(fmt::format("{} ({})", judged.slower_text,
                     fmt::format(fmt::runtime(choice), fmt::format("{:.6f}", judged.slower->from_s),
                                 fmt::format("{:.6f}", judged.slower->until_s))));
  }
  return part;
}

base::Result<std::optional<app::JudgedRun>> kept_of(const CommonOptions& options,
                                                    const Opened& run) {
  if (!run.summary) return std::optional<app::JudgedRun>();
  return app::judged_run(options.input, run.summary->judged, run.trace);
}

/// read_events(), whose error says what the file has where the run is not there.
///
/// answer  "of all ranks"; "" where it has none
base::Status read_events_for(const CommonOptions& options, std::optional<app::PartNeeds> needs,
                             std::string_view answer, Opened& run) {
  const auto status = read_events(options, run, needs);
  if (status || status.error().code != base::ErrorCode::kNotFound) return status;
  base::Error error = status.error();
  if (!error.advice.empty()) error.advice += ' ';
  error.advice += answer.empty() ? "'pathline reduce --findings' keeps an answer in the file."
                                 : fmt::format("What the file has is {}.", answer);
  return error;
}

std::string focus_word(const app::FindingsRequest& request) {
  switch (request.focus) {
    case findings::Focus::kSteps: return "steps";
    case findings::Focus::kRun: return "run";
    case findings::Focus::kTime: break;
  }
  return fmt::format("{}:{}", request.from_s, request.until_s);
}

}  // namespace

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        const Answers& answers, Opened& run) {
  auto kept = kept_of(options, run);
  if (!kept || !run.summary) return kept;
  std::string_view answer;
  if (kept.value()) {
    if (answers(*kept.value())) return kept;
    answer = "of all ranks and all of the time";
    kept.value().reset();
  }
  const auto middle = middle_of(options, kByTime, run);
  if (!middle) return middle.error();
  CommonOptions time = options;
  std::optional<app::PartNeeds> needs;
  if (middle.value()) {
    time.from_s = middle.value()->from_s;
    time.until_s = middle.value()->until_s;
    needs = app::PartNeeds::kWaits;
  }
  if (auto status = read_events_for(time, needs, answer, run); !status) return status.error();
  return kept;
}

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        app::FindingsRequest& request, Opened& run,
                                                        std::string_view choice) {
  auto kept = kept_of(options, run);
  if (!kept || !run.summary) return kept;
  std::string answer;
  if (kept.value()) {
    if (kept.value()->answers(request)) {
      kept.value()->leave_out_below(request.min_percent);
      return kept;
    }
    const app::FindingsRequest& known = kept.value()->request;
    answer = "of all ranks, with --focus " + focus_word(known);
    if (request.min_percent < known.min_percent) {
      answer += fmt::format(" and a --min of {:g} or more", known.min_percent);
    }
    kept.value().reset();
  }
  if (request.focus != findings::Focus::kTime) {
    const auto middle = middle_of(options, choice, run);
    if (!middle) return middle.error();
    if (middle.value()) {
      request.focus = findings::Focus::kTime;
      request.from_s = middle.value()->from_s;
      request.until_s = middle.value()->until_s;
    }
  }
  CommonOptions time = options;
  std::optional<app::PartNeeds> needs;
  if (request.focus == findings::Focus::kTime) {
    if (const auto is_there = app::select_focus(run.trace, request); !is_there) {
      return is_there.error();
    }
    time.from_s = request.from_s;
    time.until_s = request.until_s;
    needs = app::PartNeeds::kFindings;
  }
  if (auto status = read_events_for(time, needs, answer, run); !status) return status.error();
  return kept;
}

void add_summary_to(nlohmann::ordered_json& json) {
  json["source"] = "summary";
  json["exact"] = true;
}

void add_focus_to_json(const app::FindingsRequest& request, Table& table) {
  if (request.focus != findings::Focus::kTime) return;
  table.add_to_json("from_s", fmt::format("{:.9f}", request.from_s));
  table.add_to_json("until_s", fmt::format("{:.9f}", request.until_s));
}

}  // namespace pathline::cli

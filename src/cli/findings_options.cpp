// SPDX-License-Identifier: BSD-3-Clause
#include "cli/findings_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/part_of_run.hpp"
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
  if (!times || times->size() != 2 || !((*times)[0] < (*times)[1])) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("--focus is '{}', expected steps, run, or a time as in 0.5:2.0",
                                   options.focus)};
  }
  request.focus = findings::Focus::kTime;
  request.from_s = (*times)[0];
  request.until_s = (*times)[1];
  return request;
}

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        const Answers& answers, Opened& run) {
  if (!run.summary) return std::optional<app::JudgedRun>();
  auto kept = app::judged_run(options.input, *run.summary, run.trace);
  if (!kept) return kept.error();
  if (kept.value() && answers(*kept.value())) return kept;
  if (auto status = read_events(options, run); !status) return status.error();
  return std::optional<app::JudgedRun>();
}

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        app::FindingsRequest& request,
                                                        Opened& run) {
  using Answer = std::optional<app::JudgedRun>;
  if (!run.summary) return Answer();
  auto kept = app::judged_run(options.input, *run.summary, run.trace);
  if (!kept) return kept.error();
  if (kept.value() && kept.value()->answers(request)) return kept;
  if (request.focus != findings::Focus::kTime && options.scratch.empty()) {
    run.summary->run = std::move(run.trace);
    const auto middle = app::middle_part(options.input, *run.summary);
    run.trace = std::move(run.summary->run);
    if (!middle) return middle.error();
    if (middle.value()) {
      const app::MiddlePart& part = *middle.value();
      request.focus = findings::Focus::kTime;
      request.from_s = part.from_s;
      request.until_s = part.until_s;
      if (!options.quiet) {
        note(fmt::format(
            "{} events are too many for the memory there is: judging {:.6f} s to {:.6f} s{}; "
            "--focus FROM:UNTIL chooses others, --scratch DIR takes a disk for all",
            base::human_count(run.summary->facts.events), part.from_s, part.until_s,
            part.steps.empty() ? "" : ", time steps " + part.steps));
      }
    }
  }
  CommonOptions time = options;
  if (request.focus == findings::Focus::kTime) {
    time.from_s = request.from_s;
    time.until_s = request.until_s;
  }
  const auto needs = request.focus == findings::Focus::kTime
                         ? std::optional(app::PartNeeds::kFindings)
                         : std::nullopt;
  if (auto status = read_events(time, run, needs); !status) return status.error();
  return Answer();
}

void add_summary_to(nlohmann::ordered_json& json) {
  json["source"] = "summary";
  json["exact"] = true;
}

}  // namespace pathline::cli

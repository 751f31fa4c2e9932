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
/// choice  how another one is chosen, with {0} and {1} for where it begins and ends.
base::Result<std::optional<app::MiddlePart>> middle_of(const CommonOptions& options,
                                                       std::string_view choice, Opened& run) {
  if (!options.scratch.empty()) return std::optional<app::MiddlePart>();
  run.summary->run = std::move(run.trace);
  auto part = app::middle_part(options.input, *run.summary);
  run.trace = std::move(run.summary->run);
  if (!part || !part.value() || options.quiet) return part;
  const app::MiddlePart& judged = *part.value();
  const auto needed = static_cast<double>(app::memory_for_all(*run.summary));
  note(fmt::format(
      "{} events need {} of memory, more than there is: judging {} ({} for others, --scratch DIR "
      "for all, on a disk)",
      base::human_count(run.summary->facts.events), base::human_bytes(needed), judged.text(),
      fmt::format(fmt::runtime(choice), "FROM", "UNTIL")));
  if (judged.slower) {
    note(fmt::format("{} ({})", judged.slower_text,
                     fmt::format(fmt::runtime(choice), fmt::format("{:.6f}", judged.slower->from_s),
                                 fmt::format("{:.6f}", judged.slower->until_s))));
  }
  return part;
}

base::Result<std::optional<app::JudgedRun>> kept_of(const CommonOptions& options,
                                                    const Answers& answers, const Opened& run) {
  if (!run.summary) return std::optional<app::JudgedRun>();
  auto kept = app::judged_run(options.input, run.summary->judged, run.trace);
  if (kept && kept.value() && !answers(*kept.value())) kept.value().reset();
  return kept;
}

}  // namespace

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        const Answers& answers, Opened& run) {
  auto kept = kept_of(options, answers, run);
  if (!kept || kept.value() || !run.summary) return kept;
  const auto middle = middle_of(options, "--from {} --until {}", run);
  if (!middle) return middle.error();
  CommonOptions time = options;
  std::optional<app::PartNeeds> needs;
  if (middle.value()) {
    time.from_s = middle.value()->from_s;
    time.until_s = middle.value()->until_s;
    needs = app::PartNeeds::kWaits;
  }
  if (auto status = read_events(time, run, needs); !status) return status.error();
  return kept;
}

base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        app::FindingsRequest& request,
                                                        Opened& run) {
  auto kept = kept_of(
      options, [&](const app::JudgedRun& judged) { return judged.answers(request); }, run);
  if (kept && kept.value()) kept.value()->leave_out_below(request.min_percent);
  if (!kept || kept.value() || !run.summary) return kept;
  if (request.focus != findings::Focus::kTime) {
    const auto middle = middle_of(options, "--focus {}:{}", run);
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
  if (auto status = read_events(time, run, needs); !status) return status.error();
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

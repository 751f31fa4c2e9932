// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/findings.hpp"
#include "app/judged_run.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {

/// Options of commands that judge a part of a run.
struct FocusOptions : CommonOptions {
  std::string focus = "steps";
};

void add_focus(Command& command, FocusOptions& options);

/// errors  kInvalidArgument for a focus that is none.
base::Result<app::FindingsRequest> focus_of(const FocusOptions& options);

/// How a command lets a time be chosen, with {0} and {1} for where it begins and ends.
inline constexpr std::string_view kByFocus = "--focus {0}:{1}";
inline constexpr std::string_view kByTime = "--from {0} --until {1}";

using Answers = std::function<bool(const app::JudgedRun&)>;

/// What the summary that was opened keeps, if that answers the question. Where it does not, its
/// events are read: from then on `run` is of a trace. Of a trace nothing.
/// errors  those of app::judged_run() and read_events()
base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        const Answers& answers, Opened& run);
/// The same for what is asked of findings. Of a time only that is read where it can be. Of a run
/// that is too large for memory a part is judged, which a note says: then `request` is of that.
///
/// choice  how another part is chosen.
base::Result<std::optional<app::JudgedRun>> kept_answer(const CommonOptions& options,
                                                        app::FindingsRequest& request, Opened& run,
                                                        std::string_view choice = kByFocus);

/// Says in a command's JSON that a summary answered, and that the answer is exact.
void add_summary_to(nlohmann::ordered_json& json);
/// "from_s" and "until_s" of the JSON of an answer about a part of the run, chosen or for want of
/// memory.
void add_focus_to_json(const app::FindingsRequest& request, Table& table);

/// Why there is no row of a step.
inline constexpr std::string_view kNoSteps =
    "the program marks no time steps, or none is whole in what is judged";

/// Of the tables of a summary that alone.
inline constexpr summary::Parts kJudgedOnly = {false, false, false, false, false, true};

}  // namespace pathline::cli

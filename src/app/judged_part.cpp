// SPDX-License-Identifier: BSD-3-Clause
#include "app/judged_part.hpp"

#include <fmt/format.h>

#include "app/profile_rows.hpp"
#include "base/text.hpp"
#include "profile/metric_table.hpp"
#include "trace/select.hpp"

namespace pathline::app {

base::Result<trace::Selection> select_focus(const trace::Trace& trace,
                                            const FindingsRequest& request) {
  auto selection =
      trace::select(trace, {.from_s = request.from_s, .until_s = request.until_s, .ranks = {}});
  if (selection) return selection;
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("nothing of the run lies in the focus, from {} s to {} s", request.from_s,
                  request.until_s),
      fmt::format("The run lasts {}.", base::human_seconds(trace.duration_seconds()))};
}

bool leaves_out_time(const trace::Trace& trace, const trace::Selection& selection) {
  return selection.from_ticks > trace.start_ticks || selection.until_ticks <= trace.end_ticks;
}

void focus_on(const trace::Trace& trace, const trace::Selection& selection,
              FindingsRequest& request) {
  if (!leaves_out_time(trace, selection)) return;
  request.focus = findings::Focus::kTime;
  request.from_s = trace.seconds(std::max(selection.from_ticks, trace.start_ticks));
  request.until_s = trace.seconds(std::min(selection.until_ticks, trace.end_ticks));
}

base::Result<std::unique_ptr<JudgedPart>> judged_part(const trace::Trace& trace,
                                                      const std::string& input,
                                                      const FindingsRequest& request,
                                                      base::ThreadPool& pool) {
  auto part = std::make_unique<JudgedPart>(JudgedPart{.all = comm::dependencies(trace, pool)});
  if (part->all.calls.size() == 0 && !trace.whole) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} has no calls of MPI, whose waits tell who is late", input),
                       "'pathline info' says what was recorded."};
  }
  part->program = findings::program_window(trace, part->all);
  part->window = part->program;
  if (request.focus == findings::Focus::kSteps) {
    part->window = findings::steps_window(trace::marked_steps(trace, &pool), part->program);
    if (!(part->window == part->program)) part->focus = findings::Focus::kSteps;
  } else if (request.focus == findings::Focus::kTime) {
    const auto selection = select_focus(trace, request);
    if (!selection) return selection.error();
    part->focus = findings::Focus::kTime;
    part->window = {std::max(selection.value().from_ticks, part->program.begin_ticks),
                    std::min(selection.value().until_ticks, part->program.end_ticks)};
  }
  if (part->window.begin_ticks >= part->window.end_ticks) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "nothing of the program is in the chosen time: MPI_Init had not ended, or "
                       "MPI_Finalize had begun"};
  }
  return part;
}

findings::Model model_of(const trace::Trace& trace, const JudgedPart& part,
                         base::ThreadPool& pool) {
  return findings::model(trace, part.all, part.window, trace::marked_steps(trace, &pool), pool);
}

PathNames::PathNames(const trace::Trace& trace,
                     const std::vector<profile::CallPathNode>& call_paths) {
  profile_.call_paths = call_paths;
  labels_ = profile::region_labels(trace, profile_);
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i].empty()) labels_[i] = base::printable(trace.definitions.regions[i].name);
  }
}

std::string PathNames::text(uint32_t path) const {
  return path == findings::kNone ? "" : call_path_text(profile_, labels_, profile::CallPath(path));
}

std::string PathNames::text(const std::vector<trace::Region>& path) const {
  std::string text;
  for (const trace::Region region : path) {
    if (!text.empty()) text += profile::kCallPathArrow;
    text += region.valid() ? labels_[region] : "?";
  }
  return text;
}

}  // namespace pathline::app

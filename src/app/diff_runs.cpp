// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff_runs.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "app/campaign.hpp"
#include "campaign/folder.hpp"

namespace pathline::app {
namespace {

using base::Error;
using base::ErrorCode;

base::Result<std::vector<std::string>> recorded_runs(const std::string& input) {
  auto opened = open_campaign({.input = input}, false);
  if (!opened) return opened.error();
  const PlannedStudy& planned = *opened.value().planned;
  auto runs = opened.value().state->runs();
  if (!runs) return runs.error();
  std::map<std::string_view, const campaign::Run*> done;
  for (const campaign::Run& run : runs.value()) {
    if (run.state == campaign::RunState::kDone) done[run.key] = &run;
  }
  std::vector<std::string> folders;
  std::set<std::pair<uint32_t, uint32_t>> kinds;  // Step and combination.
  for (const campaign::Package& package : planned.plan.packages) {
    const auto run = done.find(package.key);
    if (!planned.study.steps[package.step].record || run == done.end()) continue;
    kinds.emplace(package.step, package.point);
    folders.push_back(
        (opened.value().state->folder() / run->second->folder / campaign::kRecordedRun).string());
  }
  if (kinds.size() > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the {} recorded runs of {} are not repetitions of one another",
                             folders.size(), input),
                 "'pathline campaign compare' compares campaigns row by row; or name runs."};
  }
  if (folders.empty()) {
    return Error{ErrorCode::kNotFound, input + ": no recorded run of this campaign is done",
                 "A step with 'record = true' makes them."};
  }
  return folders;
}

}  // namespace

base::Result<std::vector<std::string>> runs_of_campaigns(const std::vector<std::string>& runs) {
  std::vector<std::string> result;
  for (const std::string& run : runs) {
    if (!is_campaign(run)) {
      result.push_back(run);
      continue;
    }
    auto recorded = recorded_runs(run);
    if (!recorded) return recorded.error();
    result.insert(result.end(), recorded.value().begin(), recorded.value().end());
  }
  return result;
}

}  // namespace pathline::app

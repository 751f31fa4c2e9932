// SPDX-License-Identifier: BSD-3-Clause
#include "trace/select.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "trace/calls.hpp"

namespace pathline::trace {
namespace {

base::Error bad_list(std::string_view list, std::string_view part) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("cannot read rank list '{}': found '{}', expected numbers and ranges as in "
                      "0-31,64",
                      list, part)};
}

base::Result<std::vector<bool>> parse_ranks(std::string_view list, uint32_t rank_count) {
  std::vector<bool> ranks(rank_count);
  std::string_view wrong;
  const auto wanted = base::ranges_in(list, &wrong);
  if (!wanted) return bad_list(list, wrong);
  for (const auto [first, last] : *wanted) {
    if (last >= rank_count) {
      return base::Error{base::ErrorCode::kNotFound,
                         fmt::format("rank {} of list '{}' does not exist: the run has {}", last,
                                     list, base::counted(rank_count, "rank", "ranks"))};
    }
    for (uint64_t rank = first; rank <= last; ++rank) ranks[rank] = true;
  }
  return ranks;
}

base::Result<uint64_t> to_ticks(const Trace& trace, double seconds, const char* option) {
  const double ticks = seconds * static_cast<double>(trace.definitions.clock.ticks_per_second);
  if (!std::isfinite(seconds) || ticks < 0) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} is {}, expected seconds since the start of the run, 0 or "
                                   "more",
                                   option, seconds)};
  }
  const double room = static_cast<double>(UINT64_MAX - trace.start_ticks);
  if (ticks >= room) return UINT64_MAX;
  return trace.start_ticks + static_cast<uint64_t>(std::llround(std::min(ticks, 9e18)));
}

/// "0-31,64", cut where it becomes long.
std::string ranges(const std::set<uint32_t>& numbers) {
  constexpr int kMostRanges = 8;
  std::string text;
  int count = 0;
  for (auto i = numbers.begin(); i != numbers.end();) {
    if (++count > kMostRanges) return text + " ...";
    const uint32_t first = *i;
    uint32_t last = first;
    while (++i != numbers.end() && *i == last + 1) ++last;
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace

base::Result<Selection> select(const Trace& trace, const SelectionText& text) {
  Selection selection;
  if (text.from_s) {
    auto ticks = to_ticks(trace, *text.from_s, "--from");
    if (!ticks) return ticks.error();
    selection.from_ticks = ticks.value();
  }
  if (text.until_s) {
    auto ticks = to_ticks(trace, *text.until_s, "--until");
    if (!ticks) return ticks.error();
    selection.until_ticks = ticks.value();
  }
  const uint64_t first_ticks = std::max(selection.from_ticks, trace.start_ticks);
  if (first_ticks >= selection.until_ticks || first_ticks > trace.end_ticks) {
    const std::string from = text.from_s ? fmt::format("--from {}", *text.from_s) : "the start";
    const std::string until = text.until_s ? fmt::format("--until {}", *text.until_s) : "the end";
    const bool is_turned = text.from_s && text.until_s && *text.from_s >= *text.until_s;
    return base::Error{base::ErrorCode::kNotFound,
                       is_turned ? fmt::format("{} is not before {}", from, until)
                                 : fmt::format("nothing lies between {} and {}", from, until),
                       fmt::format("The run lasts {} s.", trace.duration_seconds())};
  }
  if (!text.ranks.empty()) {
    auto ranks = parse_ranks(text.ranks, trace.rank_count);
    if (!ranks) return ranks.error();
    selection.ranks = std::move(ranks).value();
  }
  return selection;
}

base::Status require_step(const Trace& trace, uint32_t step) {
  std::set<uint32_t> steps;
  for (const auto& windows : marked_steps(trace)) {
    for (const StepWindow& window : windows) steps.insert(window.step);
  }
  if (steps.contains(step)) return {};
  const std::string found = steps.empty()       ? "the run marks none"
                            : steps.size() == 1 ? "the run has step " + ranges(steps)
                                                : "the run has steps " + ranges(steps);
  return base::Error{base::ErrorCode::kNotFound,
                     fmt::format("there is no time step {}: {}", step, found)};
}

}  // namespace pathline::trace

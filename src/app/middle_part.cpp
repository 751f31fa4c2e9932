// SPDX-License-Identifier: BSD-3-Clause
#include "app/middle_part.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/memory.hpp"
#include "base/text.hpp"
#include "findings/model.hpp"
#include "summary/read_back.hpp"
#include "summary/steps_file.hpp"

namespace pathline::app {
namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::vector<trace::StepWindow>>;
using Stretches = std::vector<trace::StepWindow>;

/// Times of a run in their order, of which some around the middle can be taken: the steps of a
/// rank, or where there are less than three pieces of equal length. Of a program that began anew
/// those of one go.
Stretches stretches_of(const trace::Trace& run, const Steps& steps) {
  constexpr size_t kLeastSteps = 3;
  const auto of_rank =
      std::find_if(steps.begin(), steps.end(), [](const auto& some) { return !some.empty(); });
  if (of_rank != steps.end() && of_rank->size() >= kLeastSteps) {
    const auto is_anew = [](const trace::StepWindow& a, const trace::StepWindow& b) {
      return b.step <= a.step;
    };
    const auto middle = of_rank->begin() + static_cast<ptrdiff_t>(of_rank->size() / 2);
    const auto end = std::adjacent_find(middle, of_rank->end(), is_anew);
    const auto before = std::adjacent_find(
        std::reverse_iterator(middle + 1), of_rank->rend(),
        [&](const trace::StepWindow& b, const trace::StepWindow& a) { return is_anew(a, b); });
    return {before == of_rank->rend() ? of_rank->begin() : before.base() - 1,
            end == of_rank->end() ? end : end + 1};
  }
  constexpr uint64_t kPieces = 4096;
  const uint64_t ticks = (run.end_ticks - run.start_ticks) / kPieces;
  Stretches pieces;
  for (uint64_t i = 0; i < kPieces; ++i) {
    const uint64_t begin = run.start_ticks + i * ticks;
    pieces.push_back({findings::kNone, begin, begin + ticks});
  }
  return pieces;
}

/// From the first begin to the last end of a step, of all ranks.
///
/// like  that of one rank: a program that begins anew has its number several times.
trace::StepWindow of_all_ranks(const trace::StepWindow& like, const Steps& steps) {
  trace::StepWindow all = like;
  for (const auto& of_rank : steps) {
    for (const trace::StepWindow& one : of_rank) {
      const bool overlaps = one.begin_ticks < like.end_ticks && one.end_ticks > like.begin_ticks;
      if (one.step != like.step || !overlaps) continue;
      all.begin_ticks = std::min(all.begin_ticks, one.begin_ticks);
      all.end_ticks = std::max(all.end_ticks, one.end_ticks);
    }
  }
  return all;
}

/// With what follows up to the next one.
double length_of(const Stretches& steps, size_t i) {
  const uint64_t end = i + 1 < steps.size() ? steps[i + 1].begin_ticks : steps[i].end_ticks;
  return static_cast<double>(end) - static_cast<double>(steps[i].begin_ticks);
}

double mean_length(const Stretches& steps, size_t first, size_t last) {
  double sum = 0;
  for (size_t i = first; i <= last; ++i) sum += length_of(steps, i);
  return sum / static_cast<double>(last - first + 1);
}

double median_length(const Stretches& steps, size_t first, size_t last) {
  std::vector<double> lengths;
  for (size_t i = first; i <= last; ++i) lengths.push_back(length_of(steps, i));
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

std::string steps_text(const trace::StepWindow& first, const trace::StepWindow& last) {
  if (first.step == findings::kNone) return "";
  return first.step == last.step ? fmt::format("time step {}", first.step)
                                 : fmt::format("time steps {} to {}", first.step, last.step);
}

}  // namespace

std::optional<std::pair<size_t, size_t>> slower_steps(const std::vector<trace::StepWindow>& steps,
                                                      size_t first, size_t last) {
  constexpr double kUnusual = 1.2;
  constexpr double kLeastShare = 0.02;
  const double usual = median_length(steps, first, last);
  // The stretch of the largest sum, of any length.
  size_t best_begin = 0;
  size_t best_end = 0;
  double best = 0;
  size_t begin = 0;
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_judged = i >= first && i <= last;
    if (sum <= 0 || is_judged) {
      begin = is_judged ? i + 1 : i;
      sum = 0;
    }
    if (is_judged) continue;
    sum += length_of(steps, i) - kUnusual * usual;
    if (sum <= best) continue;
    best = sum;
    best_begin = begin;
    best_end = i + 1;
  }
  if (best_begin == best_end) return std::nullopt;
  // Of that as many as are judged, where they take most time.
  const size_t most = std::min(best_end - best_begin, last - first + 1);
  double time = 0;
  double most_time = 0;
  size_t chosen = best_begin;
  for (size_t i = best_begin; i < best_end; ++i) {
    time += length_of(steps, i);
    if (i >= best_begin + most) time -= length_of(steps, i - most);
    if (i + 1 < best_begin + most || time <= most_time) continue;
    most_time = time;
    chosen = i + 1 - most;
  }
  const double all = mean_length(steps, 0, steps.size() - 1) * static_cast<double>(steps.size());
  if (most_time - static_cast<double>(most) * usual < kLeastShare * all) return std::nullopt;
  return std::pair(chosen, chosen + most - 1);
}

std::string MiddlePart::text() const {
  return fmt::format("{:.6f} s to {:.6f} s{}{}", from_s, until_s, steps.empty() ? "" : ", ", steps);
}

base::Result<std::optional<MiddlePart>> middle_part(const fs::path& path,
                                                    const summary::RunSummary& summary,
                                                    uint64_t most_events) {
  using Middle = std::optional<MiddlePart>;
  if (summary.facts.events <= most_events && fits_into_memory(summary)) return Middle();
  const auto known = known_archive(path, summary, PartNeeds::kFindings);
  if (!known) return known.error();
  if (!known.value()) return Middle();
  const KnownArchive& archive = *known.value();
  Steps steps;
  if (summary.facts.marked_steps > 0) {
    auto read = summary::read_steps_of_time(*archive.file, summary.run, 0, UINT64_MAX, true);
    if (!read) return read.error();
    steps = std::move(read.value().windows);
  }
  const auto stretches = stretches_of(summary.run, steps);
  // A power of two: what is judged does not change with some more or less memory.
  const uint64_t most = std::bit_floor(std::min(
      kMostJudgedEvents, base::available_memory().value_or(UINT64_MAX) / kBytesOfPartAnEvent / 2));
  const size_t count = stretches.size();
  // `wide` more on each side of the one in the middle.
  const auto part_of = [&](size_t wide) {
    const size_t middle = count / 2;
    return std::pair(middle - std::min(middle, wide), std::min(count - 1, middle + wide));
  };
  const std::vector<uint32_t> locations = chosen_locations(summary.run, {});
  const auto events_of = [&](size_t wide) {
    const auto [first, last] = part_of(wide);
    const summary::PartOfRun part = summary::between_operations(
        archive.marks, {stretches[first].begin_ticks, stretches[last].end_ticks, locations});
    return summary::events_to_keep(*archive.index, summary.run, part);
  };
  // All that lies between the marks is read for the one in the middle, too.
  const uint64_t least = events_of(0);
  const auto fits = [&](size_t wide) { return events_of(wide) <= std::max(most, least); };
  size_t wide = 0;
  size_t too_wide = count;
  while (wide + 1 < too_wide) {
    const size_t between = (wide + too_wide) / 2;
    (fits(between) ? wide : too_wide) = between;
  }
  // Of all ranks.
  const auto time_of = [&](size_t begin, size_t end) -> base::Result<PartOfTime> {
    trace::StepWindow first = stretches[begin];
    trace::StepWindow last = stretches[end];
    if (first.step != findings::kNone) {
      const auto all = summary::read_steps_of_time(*archive.file, summary.run, first.begin_ticks,
                                                   last.end_ticks);
      if (!all) return all.error();
      first = of_all_ranks(first, all.value().windows);
      last = of_all_ranks(last, all.value().windows);
    }
    return PartOfTime{summary.run.seconds(first.begin_ticks), summary.run.seconds(last.end_ticks),
                      steps_text(first, last)};
  };
  const auto [first, last] = part_of(wide);
  const auto judged = time_of(first, last);
  if (!judged) return judged.error();
  MiddlePart part{judged.value(), std::nullopt, ""};
  if (stretches[first].step == findings::kNone) return Middle(part);
  if (const auto slower = slower_steps(stretches, first, last)) {
    const auto time = time_of(slower->first, slower->second);
    if (!time) return time.error();
    part.slower = time.value();
    const auto hz = static_cast<double>(summary.run.definitions.clock.ticks_per_second);
    const bool is_one = slower->first == slower->second;
    part.slower_text = fmt::format(
        "{} {} {}{}, those judged {}", part.slower->steps, is_one ? "takes" : "take",
        base::human_seconds(mean_length(stretches, slower->first, slower->second) / hz),
        is_one ? "" : " each", base::human_seconds(median_length(stretches, first, last) / hz));
  }
  return Middle(part);
}

}  // namespace pathline::app

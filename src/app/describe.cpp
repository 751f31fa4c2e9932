// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/application_file.hpp"
#include "app/describe_grid.hpp"
#include "app/describe_shifts.hpp"
#include "app/describe_steps.hpp"
#include "app/describe_work.hpp"
#include "app/prediction.hpp"
#include "base/text.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::app {
namespace {

/// As a double: three sizes of 2^24 are no 64-bit number.
double product(const std::vector<uint32_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
}

/// The program's name: that of the call around everything on rank 0, which our recorder writes.
std::string program_name(const trace::Trace& trace, const std::string& run) {
  if (trace.rank_count == 0 || trace.rank_location[0] >= trace.locations.size()) return run;
  const trace::Events& events = trace.locations[trace.rank_location[0]].events;
  const auto classes = trace::call_classes(trace.definitions);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != trace::EventKind::kEnter) continue;
    const trace::Region region = events.region(i);
    if (!region.valid() || classes[region] != trace::CallClass::kOther) break;
    const std::string name(trace.definitions.regions[region].name);
    return name.empty() || name == "main" || name == "time step" ? run : name;
  }
  return run;
}

class Describer {
 public:
  Describer(const trace::Trace& trace, const DescribeRequest& request, const RankSteps& steps)
      : trace_(trace), request_(request), steps_(steps), pairs_(pair_counts(steps)) {
    for (const std::vector<RankStep>& of_rank : steps.of_rank) {
      patterns_.push_back(pattern_of(of_rank));
      result_.steps = std::max<uint64_t>(result_.steps, of_rank.size());
    }
    const auto most =
        std::max_element(patterns_.begin(), patterns_.end(), [](const auto& a, const auto& b) {
          return a.sends() != b.sends() ? a.sends() < b.sends() : a.steps < b.steps;
        });
    reference_ = static_cast<uint32_t>(most - patterns_.begin());
  }

  base::Result<Description> run() {
    if (auto status = choose_ranks(); !status) return status.error();
    result_.run = request_.run;
    result_.grid = request_.grid;
    predict::Application& application = result_.application;
    application.name = program_name(trace_, request_.run);
    application.periodic = shifts_.periodic;
    remark_on_messages();
    add_phases(work());
    remark_on_calls();
    remark(
        "layouts are a guess: strided along x, contiguous along the others; packed where a program "
        "copies a side into a buffer first");
    remark(
        "fields, the arrays of 8 bytes a cell, are not seen; they matter only for kernels without "
        "seconds_per_cell");
    if (application.phases.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "the time steps hold no messages and no time outside of MPI", ""};
    }
    if (auto status = predict::check(application); !status) return status.error();
    return std::move(result_);
  }

 private:
  void remark(std::string text) { result_.remarks.push_back(std::move(text)); }

  /// Those of --rank-grid, or of all that fit the one whose sides fit the messages best.
  base::Status choose_ranks() {
    if (request_.rank_grid) {
      result_.rank_grid = *request_.rank_grid;
      if (product(result_.rank_grid) != trace_.rank_count) {
        return base::Error{
            base::ErrorCode::kInvalidArgument,
            fmt::format(
                "--rank-grid {} is for {}, but the run has {}", grid_text(result_.rank_grid),
                base::counted(static_cast<uint64_t>(product(result_.rank_grid)), "rank", "ranks"),
                trace_.rank_count)};
      }
      for (size_t i = 0; i < request_.grid.size(); ++i) {
        if (result_.rank_grid[i] <= request_.grid[i]) continue;
        return base::Error{base::ErrorCode::kInvalidArgument,
                           fmt::format("--rank-grid {} has more ranks along an axis than --grid {} "
                                       "has cells",
                                       grid_text(result_.rank_grid), grid_text(request_.grid))};
      }
      shifts_ = shifts_with(request_.grid, result_.rank_grid);
      return {};
    }
    const auto fitting = find_rank_grids(trace_.rank_count, request_.grid, pairs_);
    if (!fitting) return fitting.error();
    std::vector<std::string> equal;
    for (const std::vector<uint32_t>& ranks : fitting.value()) {
      Shifts shifts = shifts_with(request_.grid, ranks);
      if (!equal.empty() && shifts.misfits > shifts_.misfits) continue;
      if (equal.empty() || shifts.misfits < shifts_.misfits) {
        equal.clear();
        result_.rank_grid = ranks;
        shifts_ = std::move(shifts);
      }
      equal.push_back(grid_text(ranks));
    }
    if (equal.size() > 1) {
      remark(
          fmt::format("the ranks may be arranged as {}; the first is taken, --rank-grid takes "
                      "another one",
                      fmt::join(equal, " or ")));
    }
    return {};
  }

  [[nodiscard]] Shifts shifts_with(const std::vector<uint32_t>& cells,
                                   const std::vector<uint32_t>& ranks) const {
    return find_shifts(pairs_, patterns_, reference_, cells, ranks);
  }

  /// A hint where the messages would fit if the axes of --grid stood in the other order.
  void remark_on_order() {
    const std::vector<uint32_t> turned(request_.grid.rbegin(), request_.grid.rend());
    if (shifts_.misfits == 0 || turned == request_.grid) return;
    for (size_t i = 0; i < turned.size(); ++i) {
      if (result_.rank_grid[i] > turned[i]) return;
    }
    if (shifts_with(turned, result_.rank_grid).misfits > 0) return;
    remark(
        fmt::format("the messages would fit --grid {}: its first axis is the one along which "
                    "neighbours are ranks 0 and 1, with MPI_Cart_create the last dimension",
                    grid_text(turned)));
  }

  void remark_on_messages() {
    remark_on_order();
    for (std::string& text : shifts_.remarks) remark(std::move(text));
    const Pattern& pattern = patterns_[reference_];
    const size_t all = steps_.of_rank[reference_].size();
    if (pattern.steps < all) {
      remark(
          fmt::format("rank {} sends other messages in {} of {}: the most common ones are "
                      "described",
                      reference_, all - pattern.steps, base::counted(all, "step", "steps")));
    }
    size_t left_out = 0;
    for (const auto& group : shifts_.ways[reference_]) {
      left_out += static_cast<size_t>(std::count(group.begin(), group.end(), std::nullopt));
    }
    if (left_out > 0) {
      remark(
          fmt::format("{} of rank {} in a step go to no neighbour along one axis and are left "
                      "out",
                      base::counted(left_out, "message", "messages"), reference_));
    }
    if (pattern.sends() == 0) remark("no messages are sent inside of the time steps");
  }

  [[nodiscard]] Work work() const {
    std::vector<double> cells;
    for (const auto& local : shifts_.locals) {
      cells.push_back(std::accumulate(local.begin(), local.end(), 1.0, std::multiplies<>()));
    }
    return find_work(trace_, steps_, patterns_, shifts_.ways, reference_, cells);
  }

  void add_kernels(const std::vector<predict::Kernel>& kernels) {
    auto& phases = result_.application.phases;
    if (kernels.empty()) return;
    if (phases.empty() || !phases.back().shifts.empty()) phases.emplace_back();
    auto& to = phases.back().kernels;
    to.insert(to.end(), kernels.begin(), kernels.end());
  }

  void add_phases(Work found) {
    auto& phases = result_.application.phases;
    std::vector<std::string> overlapping;
    for (size_t i = 0; i < shifts_.groups.size(); ++i) {
      add_kernels(found.stretches[2 * i]);
      const Shifts::Group& group = shifts_.groups[i];
      const bool goes_on = !phases.empty() && !phases.back().shifts.empty() &&
                           !phases.back().at_once && !group.at_once;
      if (!group.shifts.empty()) {
        if (!goes_on) phases.push_back({.at_once = group.at_once});
        auto& shifts = phases.back().shifts;
        shifts.insert(shifts.end(), group.shifts.begin(), group.shifts.end());
      }
      add_kernels(found.stretches[2 * i + 1]);
      for (const predict::Kernel& kernel : found.stretches[2 * i + 1]) {
        overlapping.push_back(kernel.name);
      }
    }
    add_kernels(found.stretches.back());
    constexpr const char* kWork =
        "{} computed while messages were under way; a description has one after the other, which "
        "takes longer";
    if (!overlapping.empty()) remark(fmt::format(kWork, fmt::join(overlapping, ", ")));
    auto& beside = found.beside_messages;
    std::sort(beside.begin(), beside.end());
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
    if (!beside.empty()) {
      remark(
          fmt::format("{}: also sends or receives. Where its time is packing, it grows with the "
                      "side of a rank's cells, not with all of them",
                      fmt::join(beside, ", ")));
    }
    constexpr double kMost = 0.9;
    if (found.share < kMost) {
      remark(
          fmt::format("kernels hold {:.0f} % of rank {}'s time outside of MPI; the rest is in "
                      "pieces too short to be told from the recorder's own time, or irregular",
                      100 * found.share, reference_));
    }
  }

  void remark_on_calls() {
    const double steps = static_cast<double>(std::max<uint64_t>(steps_.count(), 1));
    for (const auto& [name, count] : steps_.other_calls) {
      remark(fmt::format("{} is not described: {:.3g} per step and rank", name,
                         static_cast<double>(count) / steps));
    }
    if (steps_.puts > 0) {
      remark(
          "MPI_Put is described as messages that are under way at once; that all ranks wait for "
          "each other at the synchronisation of the window is not");
    }
    if (steps_.gets > 0) {
      remark(fmt::format("MPI_Get is not described: {:.3g} per step and rank",
                         static_cast<double>(steps_.gets) / steps));
    }
    if (steps_.unfinished > 0) {
      remark(fmt::format(
          "in {} of {} requests are not complete where the step ends: which "
          "messages are under way together is a guess",
          steps_.unfinished, base::counted(steps_.count(), "step of a rank", "steps of ranks")));
    }
    if (steps_.of_other_threads > 0) {
      remark(fmt::format("{} that other threads than the first of a rank sent are left out",
                         base::counted(steps_.of_other_threads, "message", "messages")));
    }
  }

  const trace::Trace& trace_;
  const DescribeRequest& request_;
  const RankSteps& steps_;
  PairCounts pairs_;
  std::vector<Pattern> patterns_;
  uint32_t reference_ = 0;
  Shifts shifts_;
  Description result_;
};

/// A comment of as many lines as it needs.
std::string comment(std::string_view text, std::string_view first, std::string_view next) {
  constexpr size_t kWidth = 100;
  std::string lines;
  std::string line(first);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (line.size() > first.size() && line.size() + 1 + end > kWidth) {
      lines += line + '\n';
      line = next;
    }
    line += ' ';
    line += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + line + '\n';
}

}  // namespace

base::Result<Description> describe(const trace::Trace& trace, const DescribeRequest& request,
                                   base::ThreadPool& pool) {
  const auto steps = rank_steps(trace, pool);
  if (!steps) return steps.error();
  return Describer(trace, request, steps.value()).run();
}

std::string description_text(const Description& description) {
  std::string text = comment(
      base::printable(fmt::format(
          "What {} does in a time step, as 'pathline predict --describe' saw it in the run {}: {} "
          "cells, {} as {}, {}. Times per cell are lower quartiles.",
          description.application.name, description.run, grid_text(description.grid),
          base::counted(static_cast<uint64_t>(product(description.rank_grid)), "rank", "ranks"),
          grid_text(description.rank_grid),
          base::counted(description.steps, "time step", "time steps"))),
      "#", "#");
  text += comment("To be corrected by hand:", "#", "#");
  for (const std::string& remark : description.remarks) {
    text += comment(base::printable(remark), "# -", "#  ");
  }
  return text + '\n' + application_text(description.application);
}

}  // namespace pathline::app

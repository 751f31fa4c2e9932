// SPDX-License-Identifier: BSD-3-Clause
#include "app/judge_in_parts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/judged_part.hpp"
#include "app/part_of_run.hpp"
#include "base/memory.hpp"
#include "comm/call_stream.hpp"
#include "comm/dependencies.hpp"
#include "trace/calls.hpp"

namespace pathline::app {
namespace {

using findings::Window;

constexpr uint64_t kBytesOfJudgedAnEvent = 96;  // With what its calls depend on, and the model.
constexpr ReadOn kReadOn = {16, kBytesOfJudgedAnEvent};  // To the end, if memory holds it.

/// As findings::program_window() of the whole.
Window program_of(const summary::RunSummary& summary) {
  const comm::Summary& facts = summary.facts;
  Window program{std::max(summary.run.start_ticks, facts.init_end_ticks), summary.run.end_ticks};
  if (facts.finalize_begin_ticks > 0) program.end_ticks = facts.finalize_begin_ticks;
  program.end_ticks = std::max(program.begin_ticks, program.end_ticks);
  return program;
}

/// Whether what is asked follows from what parts do not tell: nonblocking operations go on across
/// several of them, what polls do between them is judged by all of a run, and threads beside the
/// first one of a rank are lanes where they call MPI.
bool needs_all(const summary::RunSummary& summary) {
  using trace::EventKind;
  constexpr EventKind kKinds[] = {EventKind::kNonBlockingCollectiveRequest, EventKind::kThreadFork,
                                  EventKind::kOmpFork};
  // Of polls the recorder alone tells that; its definitions are of what was called.
  constexpr uint64_t kParameters = 16;
  const std::vector<comm::RegionFacts> regions = comm::region_facts(summary.run.definitions);
  const bool polls = std::any_of(regions.begin(), regions.end(),
                                 [](const comm::RegionFacts& region) { return region.polls; });
  for (uint64_t id = 0; polls && id < kParameters; ++id) {
    if (summary.run.definitions.parameter_name(id) == trace::kWorkBetweenPolls) return true;
  }
  std::vector<uint32_t> threads(summary.run.rank_count);
  for (const trace::Location& location : summary.run.locations) {
    const bool is_thread =
        location.rank.valid() && location.type == trace::LocationType::kCpuThread;
    if (is_thread && ++threads[location.rank] > 1) return true;
  }
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](EventKind kind) {
    return summary.facts.events_by_kind[static_cast<size_t>(kind)] > 0;
  });
}

/// Whether ranks end MPI in a part, but not all of them: then the part does not tell who waits
/// there for whom.
bool ends_in_part(const findings::Model& part) {
  const comm::MpiCalls& calls = part.all->calls;
  bool any = false;
  bool all = true;
  for (size_t lane = 0; lane < part.lanes.size(); ++lane) {
    if (!part.lanes[lane].recorded) continue;
    bool ends = false;
    for (uint32_t call = part.lanes[lane].first_call; call < calls.first[lane + 1]; ++call) {
      if (!calls.is(call, comm::kFinalizes)) continue;
      ends = true;
      any = any || call < part.lanes[lane].end_call;
    }
    const uint32_t before = part.lanes[lane].first_call;
    ends = ends || (before > calls.first[lane] && calls.is(before - 1, comm::kFinalizes));
    all = all && ends;
  }
  return any && !all;
}

/// Goes through a window from part to part.
class Parts {
 public:
  Parts(const RunInParts& run, const summary::RunSummary& summary)
      : archive_(run.archive),
        summary_(summary),
        window_(run.window),
        locations_(chosen_locations(summary.run, {})) {}

  /// What is read for a part, with what comes before and what calls there wait for, mostly.
  [[nodiscard]] summary::PartOfRun read_for(const Window& part) const {
    summary::PartOfRun read = summary::between_operations(
        archive_.marks, {std::max<uint64_t>(1, part.begin_ticks) - 1, part.end_ticks, {}});
    if (part.begin_ticks != window_.begin_ticks) read.from_ticks = from_of(part.begin_ticks);
    if (part.end_ticks != window_.end_ticks) {
      read.until_ticks = summary::next_mark(archive_.marks, part.end_ticks);
    }
    read.locations = locations_;
    return read;
  }
  /// Borders are marks, so that what is under way there is known.
  [[nodiscard]] std::vector<Window> cut(uint64_t events_of_part) const {
    std::vector<Window> parts;
    Window part{window_.begin_ticks, window_.begin_ticks};
    const auto extend = [&](uint64_t until) {
      const bool any = part.end_ticks > part.begin_ticks;
      if (any && events_in({part.begin_ticks, until}) > events_of_part) {
        parts.push_back(std::exchange(part, Window{part.end_ticks, part.end_ticks}));
      }
      part.end_ticks = until;
    };
    for (const summary::Mark& mark : archive_.marks) {
      const bool is_inside = mark.ticks > window_.begin_ticks && mark.ticks < window_.end_ticks;
      if (is_inside && mark.knows_operations) extend(mark.ticks);
    }
    extend(window_.end_ticks);
    parts.push_back(part);
    return parts;
  }
  [[nodiscard]] uint64_t events_in(const Window& part) const {
    return summary::events_to_keep(*archive_.index, summary_.run, read_for(part));
  }

  /// What the part from a border on is read from, and what was sent before.
  [[nodiscard]] findings::NextPart next(const Window& part, const comm::MpiCalls& calls) const {
    if (part.end_ticks == window_.end_ticks) return {UINT64_MAX, {}};
    findings::NextPart next{from_of(part.end_ticks), {}};
    for (const summary::Mark& mark : archive_.marks) {
      if (mark.ticks != next.read_from_ticks) continue;
      for (const summary::MarkedMessage& one : mark.messages) {
        const uint32_t lane = calls.lane_at(one.send_location);
        if (lane != comm::kNoLane) next.sends.push_back({lane, one.send_ticks});
      }
    }
    return next;
  }

 private:
  [[nodiscard]] uint64_t from_of(uint64_t border) const {
    return summary::between_operations(archive_.marks, {border, border, {}}).from_ticks;
  }

  const KnownArchive& archive_;
  const summary::RunSummary& summary_;
  const Window window_;
  const std::vector<uint32_t> locations_;
};

enum class Order : uint8_t { kForwards, kBackwards };

/// Calls visit(model, next) for each part, until that is false.
///
/// stage    for progress
/// returns  whether all was visited.
template <class Visit>
base::Result<bool> for_each_part(const RunInParts& run, const summary::RunSummary& summary,
                                 Order order, base::ThreadPool& pool, base::Progress& progress,
                                 Visit visit, const char* stage = "judging part by part") {
  const Parts parts(run, summary);
  std::vector<Window> cut = parts.cut(run.events_of_part);
  // Around the borders of parts events are read twice: a run has no more for that.
  const uint64_t of_all = std::min(summary.facts.events, parts.events_in(run.window));
  uint64_t to_read = 0;
  for (const Window& part : cut) {
    const uint64_t of_part = parts.events_in(part);
    to_read += of_part;
    if (of_part > run.most_events) return false;
  }
  progress.begin(stage, "events", of_all);
  uint64_t have_read = 0;
  if (order == Order::kBackwards) std::reverse(cut.begin(), cut.end());
  for (const Window& part : cut) {
    const bool is_last = part.end_ticks == run.window.end_ticks;
    // Backwards a wait is followed from where it ends, which may be some parts behind the begin of
    // its call. Forwards the part before says what was sent there (findings::NextPart).
    const summary::AskedCalls asked{.from_ticks = part.begin_ticks,
                                    .until_ticks = part.end_ticks - (is_last ? 0 : 1),
                                    .with_open = order == Order::kBackwards,
                                    .sends_stay_in_calls = order == Order::kBackwards};
    const auto waits =
        waits_of_part(run.archive, summary, asked, parts.read_for(part), kReadOn, pool);
    if (!waits) return waits.error();
    if (waits.value().cut_calls > 0) return false;
    const trace::Trace& trace = waits.value().trace;
    const comm::Dependencies all = comm::dependencies(trace, pool);
    // Threads that call MPI now and then would be lanes of some parts only.
    if (all.calls.lanes.size() != summary.run.rank_count) return false;
    const findings::Model model =
        findings::model(trace, all, run.window, trace::marked_steps(trace), pool, part);
    if (ends_in_part(model) || !visit(model, parts.next(part, all.calls))) return false;
    have_read += parts.events_in(part);
    const double share = static_cast<double>(have_read) / static_cast<double>(to_read);
    progress.done = static_cast<uint64_t>(share * static_cast<double>(of_all));
  }
  return true;
}

/// Per lane: when the call ends that it is in where the window begins, or that. nullopt as
/// critical_path_in_parts().
base::Result<std::optional<std::vector<uint64_t>>> first_ticks_of(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool) {
  using Ticks = std::optional<std::vector<uint64_t>>;
  const uint64_t begin = run.window.begin_ticks;
  const Parts parts(run, summary);
  const auto waits = waits_of_part(run.archive, summary,
                                   {.from_ticks = begin, .until_ticks = begin, .with_open = true},
                                   parts.read_for({begin, begin}), kReadOn, pool);
  if (!waits) return waits.error();
  const comm::MpiCalls calls = comm::mpi_calls(waits.value().trace, pool);
  if (waits.value().cut_calls > 0 || calls.lanes.size() != summary.run.rank_count) return Ticks();
  std::vector<uint64_t> ticks(calls.lanes.size(), begin);
  for (size_t lane = 0; lane < ticks.size(); ++lane) {
    for (uint32_t call = calls.first[lane]; call < calls.first[lane + 1]; ++call) {
      if (calls.begin_ticks[call] >= begin) break;
      ticks[lane] = std::max(ticks[lane], calls.end_ticks[call]);
    }
  }
  return Ticks(std::move(ticks));
}

}  // namespace

base::Result<std::optional<findings::GrowingEfficiency::Found>> efficiency_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool,
    base::Progress& progress) {
  findings::GrowingEfficiency growing;
  const auto all = for_each_part(run, summary, Order::kForwards, pool, progress,
                                 [&](const findings::Model& part, const findings::NextPart& next) {
                                   return growing.add(part, next);
                                 });
  if (!all) return all.error();
  if (!all.value()) return std::optional<findings::GrowingEfficiency::Found>();
  return growing.finish();
}

namespace {

/// `see(part, path)` is told of each part when it was added; nullopt also where that returns false.
template <class See>
base::Result<std::optional<findings::GrowingCriticalPath::Found>> follow_critical_path(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool,
    base::Progress& progress, See see) {
  auto first_ticks = first_ticks_of(run, summary, pool);
  if (!first_ticks) return first_ticks.error();
  if (!first_ticks.value()) return std::optional<findings::GrowingCriticalPath::Found>();
  findings::GrowingCriticalPath growing(std::move(*first_ticks.value()));
  const auto all = for_each_part(run, summary, Order::kBackwards, pool, progress,
                                 [&](const findings::Model& part, const findings::NextPart&) {
                                   growing.add(part);
                                   return see(part, growing);
                                 });
  if (!all) return all.error();
  if (!all.value()) return std::optional<findings::GrowingCriticalPath::Found>();
  return std::optional(growing.finish());
}

struct FollowedSteps {
  findings::GrowingCriticalPath::Found critical;
  StepFindings steps;
};
base::Result<std::optional<FollowedSteps>> follow_steps(
    const RunInParts& run, const summary::RunSummary& summary,
    const std::vector<findings::StepEfficiency>& steps, base::ThreadPool& pool,
    base::Progress& progress) {
  using Followed = std::optional<FollowedSteps>;
  findings::GrowingStepCauses causes;
  auto path = follow_critical_path(
      run, summary, pool, progress,
      [&](const findings::Model& part, const findings::GrowingCriticalPath& critical) {
        return causes.add(part, critical);
      });
  if (!path) return path.error();
  if (!path.value()) return Followed();
  findings::GrowingCriticalPath::Found& critical = *path.value();
  StepFindings found = step_findings(summary.run, causes.finish(steps), critical.rank_of_lane,
                                     PathNames(summary.run, critical.call_paths));
  return Followed({std::move(critical), std::move(found)});
}

}  // namespace

base::Result<std::optional<findings::GrowingCriticalPath::Found>> critical_path_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool,
    base::Progress& progress) {
  return follow_critical_path(run, summary, pool, progress,
                              [](const auto&, const auto&) { return true; });
}

base::Result<std::optional<StepFindings>> step_findings_in_parts(const RunInParts& run,
                                                                 const summary::RunSummary& summary,
                                                                 base::ThreadPool& pool,
                                                                 base::Progress& progress) {
  using Steps = std::optional<StepFindings>;
  findings::GrowingSteps steps;
  const auto there = for_each_part(
      run, summary, Order::kForwards, pool, progress,
      [&](const findings::Model& part, const findings::NextPart&) {
        steps.add(part);
        return true;
      },
      "measuring time steps part by part");
  if (!there) return there.error();
  if (!there.value()) return Steps();
  auto back = follow_steps(run, summary, steps.finish(), pool, progress);
  if (!back) return back.error();
  return back.value() ? Steps(std::move(back.value()->steps)) : Steps();
}

base::Result<std::optional<JudgedInParts>> judge_all_in_parts(const RunInParts& run,
                                                              const summary::RunSummary& summary,
                                                              base::ThreadPool& pool,
                                                              base::Progress& progress) {
  using Judged = std::optional<JudgedInParts>;
  auto there = efficiency_in_parts(run, summary, pool, progress);
  if (!there) return there.error();
  if (!there.value()) return Judged();
  auto back = follow_steps(run, summary, there.value()->efficiency.steps, pool, progress);
  if (!back) return back.error();
  if (!back.value()) return Judged();
  return Judged({std::move(*there.value()), std::move(back.value()->critical),
                 std::move(back.value()->steps)});
}

base::Result<std::optional<std::vector<PathWaits>>> waits_by_call_path_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, const trace::Selection& selection,
    base::ThreadPool& pool, base::Progress& progress) {
  GrowingPathWaits waits;
  const auto all = for_each_part(run, summary, Order::kForwards, pool, progress,
                                 [&](const findings::Model& part, const findings::NextPart&) {
                                   waits.add(part, selection);
                                   return true;
                                 });
  if (!all) return all.error();
  if (!all.value()) return std::optional<std::vector<PathWaits>>();
  return std::optional(waits.rows(summary.run));
}

base::Result<std::optional<std::vector<WaitCause>>> wait_causes_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, const trace::Selection& selection,
    base::ThreadPool& pool, base::Progress& progress) {
  using Causes = std::optional<std::vector<WaitCause>>;
  auto rows = wait_rows_in_parts(run, summary, selection, pool, progress);
  if (!rows) return rows.error();
  return rows.value() ? Causes(std::move(rows.value()->causes)) : Causes();
}

base::Result<std::optional<WaitRows>> wait_rows_in_parts(const RunInParts& run,
                                                         const summary::RunSummary& summary,
                                                         const trace::Selection& selection,
                                                         base::ThreadPool& pool,
                                                         base::Progress& progress) {
  using Rows = std::optional<WaitRows>;
  const auto forwards = [&](auto visit, const char* stage) {
    return for_each_part(
        run, summary, Order::kForwards, pool, progress,
        [&](const findings::Model& part, const findings::NextPart&) { return visit(part); }, stage);
  };
  GrowingWaitCauses causes;
  GrowingPathWaits paths;
  const auto add = [&](const findings::Model& part) {
    paths.add(part, selection);
    return causes.add(part);
  };
  constexpr const char* kStage = "finding waits part by part";
  auto there = forwards(add, kStage);
  if (there && causes.has_to_count()) {
    causes = {};
    const auto counted = forwards(
        [&](const findings::Model& part) {
          causes.count_paths(part);
          return true;
        },
        "counting call paths part by part");
    if (!counted) return counted.error();
    paths = {};
    there = forwards(add, kStage);
  }
  if (!there) return there.error();
  if (!there.value()) return Rows();
  const auto back = for_each_part(
      run, summary, Order::kBackwards, pool, progress,
      [&](const findings::Model& part, const findings::NextPart&) { return causes.blame(part); },
      "looking for causes part by part");
  if (!back) return back.error();
  if (!back.value()) return Rows();
  auto rows = causes.rows(summary.run, selection);
  if (!rows) return Rows();
  return Rows({paths.rows(summary.run), std::move(*rows)});
}

base::Result<std::optional<RunInParts>> run_in_parts(const std::filesystem::path& path,
                                                     const summary::RunSummary& summary,
                                                     const FindingsRequest& request) {
  using Run = std::optional<RunInParts>;
  if (fits_into_memory(summary) || needs_all(summary)) return Run();
  auto known = known_archive(path, summary, PartNeeds::kFindings);
  if (!known) return known.error();
  if (!known.value()) return Run();
  RunInParts run{std::move(*known.value())};
  if (summary.facts.marked_steps > 0) {
    auto steps = summary::read_steps_of_time(*run.archive.file, summary.run, 0, UINT64_MAX);
    if (!steps) return steps.error();
    run.archive.steps = std::move(steps).value();
  }
  const Window program = program_of(summary);
  run.window = program;
  if (request.focus == findings::Focus::kTime) {
    const auto selection = select_focus(summary.run, request);
    if (!selection) return selection.error();
    run.window = {std::max(selection.value().from_ticks, program.begin_ticks),
                  std::min(selection.value().until_ticks, program.end_ticks)};
  } else if (request.focus == findings::Focus::kSteps && run.archive.steps) {
    run.window = findings::steps_window(run.archive.steps->windows, program);
  }
  if (run.window.begin_ticks >= run.window.end_ticks) return Run();
  run.most_events = base::available_memory().value_or(UINT64_MAX) / kBytesOfJudgedAnEvent;
  // Of half of it: threads and the parts before leave holes.
  run.events_of_part = std::min(kMostJudgedEvents, run.most_events / 2);
  return Run(std::move(run));
}

}  // namespace pathline::app

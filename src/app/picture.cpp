// SPDX-License-Identifier: BSD-3-Clause
#include "app/picture.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/efficiency.hpp"
#include "app/step_source.hpp"
#include "app/topology.hpp"
#include "base/choice.hpp"
#include "base/cpu_time.hpp"
#include "base/file.hpp"
#include "figure/machine/topology.hpp"
#include "trace/calls.hpp"

namespace pathline::app {
namespace {

/// Steps that the program marks, or a guess that is likely to be right.
figure::StepMarks step_marks(const trace::Trace& trace, base::ThreadPool& pool) {
  auto found = find_steps(trace, {.detect = true}, pool);
  if (!found) return {};
  Steps& steps = found.value();
  if (!steps.detection) return {std::move(steps.windows), "step"};
  if (!steps.detection->found() || steps.detection->certainty < 0.5) return {};
  return {std::move(steps.detection->windows), "period"};
}

/// The steps of a run, and what they are called.
struct NamedSteps {
  steps::Table table;
  figure::StepsText text;
};

base::Result<NamedSteps> named_steps(const trace::Trace& trace, const trace::Selection& selection,
                                     base::ThreadPool& pool) {
  const auto found = find_steps(trace, {.detect = true}, pool);
  if (!found) return found.error();
  const Steps& steps = found.value();
  NamedSteps named;
  if (steps.detection) {
    const comm::Detection& detection = *steps.detection;
    if (!detection.found()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("there is nothing to draw: the program marks no time steps, "
                                     "and {}",
                                     detection.reason)};
    }
    named.text = {"period", "period (a guess)", "Periods in the calls",
                  fmt::format("a guess of {} certainty, not time steps of the program",
                              detection.certainty_word())};
  }
  named.table = comm::step_table(trace, steps.windows, selection, pool);
  return named;
}

base::Result<layout::Scene> steps_scene(const trace::Trace& trace,
                                        const trace::Selection& selection,
                                        const figure::Options& options, base::ThreadPool& pool) {
  const auto found = named_steps(trace, selection, pool);
  if (!found) return found.error();
  return figure::steps(trace, selection, found.value().table, found.value().text, options);
}

base::Result<layout::Scene> steps_comparison(const figure::ComparedRun& before,
                                             const figure::ComparedRun& after,
                                             const figure::Options& options,
                                             base::ThreadPool& pool) {
  const auto was = named_steps(before.trace, before.selection, pool);
  if (!was) return was.error();
  const auto is = named_steps(after.trace, after.selection, pool);
  if (!is) return is.error();
  // If either is a guess, that must be said.
  const figure::StepsText& text =
      was.value().text.remark.empty() ? is.value().text : was.value().text;
  return figure::steps_comparison(before, was.value().table, after, is.value().table, text,
                                  options);
}

base::Result<layout::Scene> profile_scene(const trace::Trace& trace,
                                          const trace::Selection& selection,
                                          const figure::Options& options,
                                          const profile::Profile* known, base::ThreadPool& pool) {
  profile::Profile own;
  if (known == nullptr) own = profile::from_trace(trace, {}, pool);
  const profile::Profile& whole = known == nullptr ? own : *known;
  if (selection.everything()) return figure::profile(trace, selection, whole, whole, options);
  return figure::profile(trace, selection, profile::from_trace(trace, selection, pool), whole,
                         options);
}

}  // namespace

base::Result<FigureKind> parse_figure_kind(std::string_view name) {
  static constexpr std::pair<std::string_view, FigureKind> kNames[] = {
      {"timeline", FigureKind::kTimeline},     {"matrix", FigureKind::kMatrix},
      {"chord", FigureKind::kChord},           {"flow", FigureKind::kFlow},
      {"profile", FigureKind::kProfile},       {"steps", FigureKind::kSteps},
      {"efficiency", FigureKind::kEfficiency}, {"topology", FigureKind::kTopology},
      {"graph", FigureKind::kGraph},           {"routes", FigureKind::kRoutes},
      {"ranking", FigureKind::kRanking},       {"model", FigureKind::kModel},
      {"prediction", FigureKind::kPrediction}};
  return base::choose("KIND", name, kNames);
}

base::Result<layout::Scene> make_scene(FigureKind kind, const trace::Trace& trace,
                                       const trace::Selection& selection,
                                       const figure::Options& options, std::optional<uint32_t> step,
                                       base::ThreadPool& pool, figure::TimelineReport* report,
                                       const profile::Profile* whole) {
  switch (kind) {
    case FigureKind::kTimeline:
      return figure::timeline(trace, selection, options, step_marks(trace, pool), pool, report);
    case FigureKind::kMatrix:
      return figure::matrix(trace, selection, comm::matrix(trace, selection, step, pool), options);
    case FigureKind::kChord:
      return figure::chord(trace, selection, comm::matrix(trace, selection, step, pool), options);
    case FigureKind::kFlow:
      return figure::flow(trace, selection, comm::matrix(trace, selection, step, pool), options);
    case FigureKind::kProfile: return profile_scene(trace, selection, options, whole, pool);
    case FigureKind::kSteps: return steps_scene(trace, selection, options, pool);
    case FigureKind::kEfficiency:
    case FigureKind::kTopology:
    case FigureKind::kGraph:
    case FigureKind::kRoutes:
    case FigureKind::kRanking:
    case FigureKind::kModel:
    case FigureKind::kPrediction: break;
  }
  return base::Error{base::ErrorCode::kInvalidArgument, "this figure is not of a run"};
}

base::Result<layout::Scene> make_comparison_scene(
    FigureKind kind, const figure::ComparedRun& before, const figure::ComparedRun& after,
    const figure::Options& options, std::optional<uint32_t> step, base::ThreadPool& pool) {
  const auto matrix = [&](const figure::ComparedRun& run) {
    return comm::matrix(run.trace, run.selection, step, pool);
  };
  const auto profile = [&](const figure::ComparedRun& run) {
    return profile::from_trace(run.trace, run.selection, pool);
  };
  switch (kind) {
    case FigureKind::kTimeline:
      return figure::timeline_comparison(before, step_marks(before.trace, pool), after,
                                         step_marks(after.trace, pool), options, pool);
    case FigureKind::kMatrix:
      return figure::matrix_comparison(before, matrix(before), after, matrix(after), options);
    case FigureKind::kProfile:
      return figure::profile_comparison(before, profile(before), after, profile(after), options);
    case FigureKind::kSteps: return steps_comparison(before, after, options, pool);
    default: break;
  }
  return base::Error{base::ErrorCode::kInvalidArgument, "this figure compares no runs"};
}

base::Result<layout::Scene> make_efficiency_scene(const EfficiencyReport& report,
                                                  const figure::Options& options) {
  return figure::efficiency(report.whole, report.end_s - report.begin_s, options);
}

base::Result<layout::Scene> make_topology_scene(const std::filesystem::path& input,
                                                const trace::Trace& trace, const std::string& slurm,
                                                const trace::Selection& selection,
                                                std::optional<uint32_t> step,
                                                const figure::Options& options,
                                                base::ThreadPool& pool) {
  const bool has_time = selection.from_ticks != 0 || selection.until_ticks != UINT64_MAX;
  if (step && has_time) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--step and --from or --until both choose the time; give one of them"};
  }
  const auto machine = machine_of(input, trace, slurm);
  if (!machine) return machine.error();
  const trace::StepWindow part = {0, std::max(selection.from_ticks, trace.start_ticks),
                                  std::min(selection.until_ticks, trace.end_ticks)};
  const comm::StepWindows windows =
      step ? trace::marked_steps(trace) : comm::StepWindows(trace.rank_count, {part});
  auto figures = insitu::figures_of(trace, windows, {.step = step, .most_regions = 32}, pool);
  if (!figures) return figures.error();
  insitu::Step& only = figures.value().steps.front();
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    if (!selection.has_rank(rank)) only.ranks[rank].recorded = false;
  }
  std::erase_if(only.pairs, [&](const insitu::PairFigures& pair) {
    return !selection.has_rank(pair.source) && !selection.has_rank(pair.destination);
  });
  return figure::topology(machine.value(), figures.value(), only, options);
}

base::Result<layout::Scene> make_network_scene(FigureKind kind, const NetworkInput& input,
                                               const figure::NetworkOptions& options) {
  figure::NetworkOptions drawing = options;
  drawing.unit = input.counts_routes ? figure::LoadUnit::kRoutes : figure::LoadUnit::kBytes;
  const network::Network& network = *input.machine.network;
  if (kind == FigureKind::kRoutes) return figure::routes(network, input.routes, drawing);
  if (kind == FigureKind::kRanking) return figure::ranking(network, input.routes, drawing);
  return figure::graph(network, input.routes, drawing);
}

base::Result<layout::Scene> make_model_scene(const scaling::Experiment& experiment,
                                             const ModelPicture& picture, base::ThreadPool& pool,
                                             double* search_ms) {
  base::CpuStopwatch watch;
  const std::vector<scaling::Fit> fits =
      scaling::fit(experiment, picture.kernels, picture.search, pool);
  if (search_ms != nullptr) *search_ms = watch.lap_ms();
  std::vector<scaling::Fit> ranked;
  for (const scaling::Ranked& row : scaling::rank(experiment, fits, picture.rank_by, 0)) {
    ranked.push_back(fits[row.fit]);
  }
  figure::ModelOptions drawing = picture.drawing;
  drawing.target = picture.search.targets.front();
  drawing.aggregate = picture.search.aggregate;
  const auto again = [&](std::span<const uint32_t> kernels,
                         std::vector<std::vector<double>> targets) {
    scaling::SearchOptions search = picture.search;
    search.targets = std::move(targets);
    return scaling::fit(experiment, kernels, search, pool);
  };
  return figure::model(experiment, ranked, drawing, again);
}

base::Status check_picture_name(const std::string& path) {
  if (path.ends_with(".svg") || path.ends_with(".png")) return {};
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("cannot write {}: a picture's name ends with .png or .svg", path)};
}

base::Status write_picture(const layout::Scene& scene, const std::string& path,
                           base::ThreadPool& pool, render::DrawStats* stats) {
  if (auto status = check_picture_name(path); !status) return status;
  if (path.ends_with(".svg")) {
    const auto svg = render::draw_svg(scene, pool, stats);
    return svg ? base::write_file(path, svg.value()) : base::Status(svg.error());
  }
  const auto image = render::draw(scene, pool, stats);
  if (!image) return image.error();
  return render::write_png(
      image.value(), path,
      {{"Title", scene.title}, {"Description", scene.description}, {"Software", "Pathline"}});
}

}  // namespace pathline::app

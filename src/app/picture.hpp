// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/network_input.hpp"
#include "app/outcomes.hpp"
#include "figure/compare/compare.hpp"
#include "figure/figure.hpp"
#include "figure/model/model.hpp"
#include "figure/network/network.hpp"
#include "render/draw.hpp"
#include "scaling/ranking.hpp"

namespace pathline::app {

enum class FigureKind : uint8_t {
  kTimeline,
  kMatrix,
  kChord,
  kFlow,
  kProfile,
  kSteps,
  kEfficiency,  ///< See make_efficiency_scene().
  kTopology,    ///< Of a run on its machine, see make_topology_scene().
  kGraph,       ///< This and the next two are of routes on a network, see make_network_scene().
  kRoutes,
  kRanking,
  kModel,      ///< Of a series of runs, see make_model_scene().
  kPrediction  ///< Of a database, see make_prediction_scene().
};

/// "timeline", "matrix", "chord", "flow", "profile", "steps", "efficiency", "topology", "graph",
/// "routes", "ranking", "model", "prediction". errors  kInvalidArgument naming the kinds there are.
base::Result<FigureKind> parse_figure_kind(std::string_view name);

/// The picture of one kind of a run, not kEfficiency, kTopology, kGraph, kRoutes, kRanking, kModel
/// or kPrediction.
///
/// step    matrix, chord, flow: the messages of this marked time step.
/// report  timeline only: what became of its messages and its ends.
/// whole   kProfile: of the whole run, where `trace` is a part of it; colours follow from that.
/// errors  kInvalidArgument for steps of a program that marks none and whose calls have no period.
base::Result<layout::Scene> make_scene(FigureKind kind, const trace::Trace& trace,
                                       const trace::Selection& selection,
                                       const figure::Options& options, std::optional<uint32_t> step,
                                       base::ThreadPool& pool,
                                       figure::TimelineReport* report = nullptr,
                                       const profile::Profile* whole = nullptr);

/// Two runs in one picture: kTimeline, kMatrix, kProfile or kSteps.
///
/// errors  those of make_scene(), and of the figures (figure/compare/compare.hpp).
base::Result<layout::Scene> make_comparison_scene(
    FigureKind kind, const figure::ComparedRun& before, const figure::ComparedRun& after,
    const figure::Options& options, std::optional<uint32_t> step, base::ThreadPool& pool);

/// kEfficiency: how well each time step uses the ranks.
///
/// report  of the part of the run whose steps are shown
/// errors  those of figure::efficiency().
base::Result<layout::Scene> make_efficiency_scene(const EfficiencyReport& report,
                                                  const figure::Options& options);

/// kTopology: the ranks of a run on the machine that `input` tells of (machine_of()).
///
/// slurm      a topology.conf; "" for none
/// selection  the time, as if it were one step; of the ranks nothing but these is shown
/// step       this marked time step, instead of the selection's time
/// errors     those of machine_of() and figure::topology(); kInvalidArgument for a step and a time.
base::Result<layout::Scene> make_topology_scene(const std::filesystem::path& input,
                                                const trace::Trace& trace, const std::string& slurm,
                                                const trace::Selection& selection,
                                                std::optional<uint32_t> step,
                                                const figure::Options& options,
                                                base::ThreadPool& pool);

/// kGraph, kRoutes, kRanking: the picture of routes on a network.
base::Result<layout::Scene> make_network_scene(FigureKind kind, const NetworkInput& input,
                                               const figure::NetworkOptions& options);

/// What of a series of runs is drawn, and how it is modelled.
struct ModelPicture {
  std::vector<uint32_t> kernels;  ///< Of one metric.
  scaling::SearchOptions search;  ///< Its first target is the one of the picture.
  scaling::RankBy rank_by = scaling::RankBy::kValue;
  figure::ModelOptions drawing;  ///< Target and aggregate are those of `search`.
};

/// kModel: the picture of models, the first by rank before others.
/// search_ms  CPU time of the search for models, that for the picture excluded.
base::Result<layout::Scene> make_model_scene(const scaling::Experiment& experiment,
                                             const ModelPicture& picture, base::ThreadPool& pool,
                                             double* search_ms = nullptr);

/// kPrediction: runs of a machine beside what was predicted for them.
base::Result<layout::Scene> make_prediction_scene(const std::vector<RunOutcome>& outcomes,
                                                  const store::Machine& machine,
                                                  const figure::Options& options);

/// errors  kInvalidArgument for the name of a file that write_picture() does not know how to write.
base::Status check_picture_name(const std::string& path);

/// Draws a scene into a file, PNG or SVG by the end of its name.
/// errors  of check_picture_name(), kIo.
base::Status write_picture(const layout::Scene& scene, const std::string& path,
                           base::ThreadPool& pool, render::DrawStats* stats);

}  // namespace pathline::app

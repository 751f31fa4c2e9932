// SPDX-License-Identifier: BSD-3-Clause
#include "cli/model_figure.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/cpu_time.hpp"
#include "base/text.hpp"
#include "cli/figure_kinds.hpp"

namespace pathline::cli {
namespace {

using base::Error;
using base::ErrorCode;

const std::map<std::string, figure::ModelKind> kKinds = {{"kernel", figure::ModelKind::kKernel},
                                                         {"sheet", figure::ModelKind::kSheet},
                                                         {"bars", figure::ModelKind::kBars}};
const std::map<std::string, figure::ModelAxes> kAxes = {{"auto", figure::ModelAxes::kAuto},
                                                        {"log", figure::ModelAxes::kLog},
                                                        {"linear", figure::ModelAxes::kLinear}};

Error invalid(std::string message, std::string advice = "") {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

void note(const CommonOptions& common, const std::string& text) {
  if (!common.quiet) cli::note(text);
}

/// The metric to draw; without a wish the time, or else the first one.
uint32_t choose_metric(const CommonOptions& common, const scaling::Experiment& experiment,
                       bool wished) {
  std::vector<bool> has_kernels(experiment.metrics.size());
  for (const scaling::Kernel& kernel : experiment.kernels) has_kernels[kernel.metric] = true;
  const auto count = std::count(has_kernels.begin(), has_kernels.end(), true);
  uint32_t chosen = experiment.kernels.front().metric;
  for (uint32_t m = 0; m < experiment.metrics.size(); ++m) {
    if (has_kernels[m] && experiment.metrics[m] == "time") chosen = m;
  }
  if (count > 1 && !wished) {
    note(common, fmt::format("drawing metric {}, one of {}: --metric chooses",
                             experiment.metrics[chosen], count));
  }
  return chosen;
}

/// Whether `name` is the call path or its end: "solve" and "main->solve" for "app->main->solve".
bool is_named(const std::string& call_path, const std::string& name) {
  return call_path == name || (call_path.size() > name.size() + 2 && call_path.ends_with(name) &&
                               call_path.substr(0, call_path.size() - name.size()).ends_with("->"));
}

/// errors  kNotFound for a name that no call path has, kInvalidArgument for one that several end
///         with.
base::Result<std::vector<uint32_t>> choose_kernels(const std::vector<std::string>& names,
                                                   const scaling::Experiment& experiment,
                                                   uint32_t metric) {
  std::vector<uint32_t> of_metric;
  std::vector<std::string> paths;
  for (uint32_t k = 0; k < experiment.kernels.size(); ++k) {
    if (experiment.kernels[k].metric != metric) continue;
    of_metric.push_back(k);
    paths.push_back(experiment.call_paths[experiment.kernels[k].call_path]);
  }
  if (names.empty()) return of_metric;
  std::vector<uint32_t> chosen;
  for (const std::string& name : names) {
    std::vector<size_t> found;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (paths[i] == name) {
        found.assign(1, i);
        break;
      }
      if (is_named(paths[i], name)) found.push_back(i);
    }
    if (found.empty()) {
      std::vector<std::string> ends = paths;
      for (const std::string& path : paths) {
        for (size_t at = path.find("->"); at != std::string::npos; at = path.find("->", at + 2)) {
          ends.push_back(path.substr(at + 2));
        }
      }
      const std::string_view near = base::nearest(name, ends);
      const std::string& metric_name = experiment.metrics[metric];
      return Error{ErrorCode::kNotFound,
                   fmt::format("no kernel{} has the call path '{}'",
                               metric_name.empty() ? "" : " of " + base::printable(metric_name),
                               base::printable(name)),
                   near.empty() ? "'pathline model' lists them."
                                : fmt::format("Did you mean '{}'?", base::printable(near))};
    }
    if (found.size() > 1) {
      return invalid(
          fmt::format("{} call paths end with '{}'", found.size(), base::printable(name)),
          fmt::format("Say which, as '{}'.", base::printable(paths[found[0]])));
    }
    if (std::find(chosen.begin(), chosen.end(), of_metric[found[0]]) == chosen.end()) {
      chosen.push_back(of_metric[found[0]]);
    }
  }
  return chosen;
}

/// What would be ignored is refused.
base::Status check(const ModelFigureOptions& options, figure::ModelKind kind, size_t kernel_count,
                   bool from_profiles) {
  if (options.at.size() > 1) return invalid("a picture predicts at one point: give --at once");
  if (kind == figure::ModelKind::kKernel && options.top > 0) {
    return invalid("--top belongs to --kind sheet and bars: a picture of a kernel has one");
  }
  if (kind == figure::ModelKind::kKernel && options.kernels.size() > 1) {
    return invalid("--kind kernel draws one kernel", "Give --kernel once, or take --kind sheet.");
  }
  if (kernel_count == 1 && options.rank_by_given) {
    return invalid("--rank-by has no effect on a single kernel");
  }
  if (options.scaling_given && !from_profiles) {
    return invalid("--scaling has no effect here: it is about the locations of profiles");
  }
  return {};
}

}  // namespace

void add_model_figure_options(Command& command, ModelFigureOptions& options) {
  const std::string group = kModelGroup;
  command
      .option("--kind", options.kind,
              "kernel (measurements and model of one, the first unless --kernel names it), "
              "sheet (many), bars (predictions beside measurements); default: kernel if there "
              "is only one, else sheet")
      .one_of({"kernel", "sheet", "bars"})
      .group(group);
  command
      .option("--kernel", options.kernels,
              "Only this call path, 'main->solve', or its end if no other has it; may be given "
              "again")
      .one_value_each()
      .group(group);
  add_model_data_options(command, options, group);
  command
      .option("--axes", options.axes,
              "log, linear, or auto: log where values are positive and far apart")
      .one_of({"auto", "log", "linear"})
      .group(group);
  command.option("--top", options.top, "At most so many kernels")
      .range(size_t{1}, size_t{1000000000})
      .group(group);
}

base::Result<int> draw_model(const CommonOptions& common, ModelFigureOptions options,
                             const std::string& metric, const figure::Options& look, bool stats) {
  options.data.assign(1, common.input);
  options.data.insert(options.data.end(), options.more.begin(), options.more.end());
  if (!metric.empty()) options.metrics = {metric};
  auto request = model_request(options, common.partial);
  if (!request) return request.error();
  if (auto status = check_output(common.output, request.value()); !status) return status.error();
  base::ThreadPool pool(common.threads);
  base::Progress progress;
  base::Result<app::ModelInput> input = app::ModelInput{};
  with_progress(progress, common.quiet,
                [&] { input = app::open_measurements(request.value(), pool, progress); });
  if (!input) return input.error();
  const scaling::Experiment& experiment = input.value().experiment;
  if (!common.quiet) print_model_notes(experiment);
  if (experiment.kernels.empty()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{} holds no kernel that can be modelled", common.input)};
  }
  const uint32_t chosen = choose_metric(common, experiment, !metric.empty());
  auto kernels = choose_kernels(options.kernels, experiment, chosen);
  if (!kernels) return kernels.error();
  auto targets = model_targets(options, experiment);
  if (!targets) return targets.error();

  app::ModelPicture picture;
  picture.kernels = std::move(kernels).value();
  const std::string fallback = picture.kernels.size() == 1 ? "kernel" : "sheet";
  const std::string& kind = options.kind.empty() ? fallback : options.kind;
  picture.drawing.kind = kKinds.at(kind);
  if (auto status =
          check(options, picture.drawing.kind, picture.kernels.size(), input.value().from_profiles);
      !status) {
    return status.error();
  }
  picture.search.aggregate = aggregate_of(options);
  picture.search.max_terms = options.terms;
  picture.search.targets = std::move(targets).value();
  picture.rank_by = rank_by_of(options);
  picture.drawing.width_px = look.width_px;
  picture.drawing.height_px = look.height_px;
  picture.drawing.scale = look.scale;
  picture.drawing.theme = look.theme;
  picture.drawing.title = options.data.size() == 1
                              ? run_name(common.input)
                              : base::counted(options.data.size(), "run", "runs");
  picture.drawing.axes = kAxes.at(options.axes.empty() ? "auto" : options.axes);
  picture.drawing.top = options.top;
  picture.drawing.unit = experiment.units[chosen];
  const auto& parts = input.value().not_additive;
  picture.drawing.adds_up =
      std::find(parts.begin(), parts.end(), experiment.metrics[chosen]) == parts.end();

  base::CpuStopwatch watch;
  double search_ms = 0;
  auto scene = app::make_model_scene(experiment, picture, pool, &search_ms);
  if (!scene) return scene.error();
  const double scene_ms = watch.lap_ms();
  render::DrawStats drawn;
  if (auto status = app::write_picture(scene.value(), common.output, pool, &drawn); !status) {
    return status.error();
  }
  if (stats) {
    nlohmann::ordered_json json;
    json["kind"] = kind;
    json["metric"] = base::printable(experiment.metrics[chosen]);
    json["kernels"] = picture.kernels.size();
    json["points"] = experiment.point_count();
    for (size_t i = 0; i < experiment.parameters.size(); ++i) {
      json["at"][base::printable(experiment.parameters[i])] = picture.search.targets[0][i];
    }
    json["search_ms"] = search_ms;
    json["scene_ms"] = scene_ms - search_ms;
    json["raster_ms"] = drawn.raster_cpu_ms;
    json["total_ms"] = scene_ms + watch.lap_ms();
    if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  }
  return kDone;
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prediction_figure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/measured_machine.hpp"
#include "base/cpu_time.hpp"
#include "base/text.hpp"
#include "cli/figure_kinds.hpp"

namespace pathline::cli {

void add_prediction_figure_options(Command& command, PredictionFigureOptions& options) {
  command
      .option("--machine", options.machine,
              "Which machine of the database; not needed where there is one")
      .group(kPredictionGroup);
}

base::Result<int> draw_prediction(const CommonOptions& common,
                                  const PredictionFigureOptions& options,
                                  const figure::Options& look, bool stats) {
  auto database = store::Database::open(common.input, store::Database::Access::kRead);
  if (!database) return database.error();
  auto machine = app::find_machine(database.value(), common.input, options.machine);
  if (!machine) return machine.error();
  auto outcomes = app::outcomes_of(database.value(), machine.value().id);
  if (!outcomes) return outcomes.error();
  if (outcomes.value().empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{} holds no runs of '{}'", common.input,
                                   base::printable(machine.value().name)),
                       "'pathline validate --db FILE --app ... -- COMMAND' makes some."};
  }
  base::CpuStopwatch watch;
  auto scene = app::make_prediction_scene(outcomes.value(), machine.value(), look);
  if (!scene) return scene.error();
  const double scene_ms = watch.lap_ms();
  base::ThreadPool pool(1);
  render::DrawStats drawn;
  if (auto status = app::write_picture(scene.value(), common.output, pool, &drawn); !status) {
    return status.error();
  }
  if (!stats) return kDone;
  nlohmann::ordered_json json;
  json["runs"] = outcomes.value().size();
  json["scene_ms"] = scene_ms;
  json["raster_ms"] = drawn.raster_cpu_ms;
  json["total_ms"] = scene_ms + watch.lap_ms();
  if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  return kDone;
}

}  // namespace pathline::cli

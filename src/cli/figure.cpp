// SPDX-License-Identifier: BSD-3-Clause
#include "figure/figure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/picture.hpp"
#include "base/parse.hpp"
#include "cli/command.hpp"
#include "cli/figure_kinds.hpp"
#include "cli/model_figure.hpp"
#include "cli/network_figure.hpp"
#include "cli/prediction_figure.hpp"
#include "cli/run_figure.hpp"
#include "render/raster.hpp"

namespace pathline::cli {
namespace {

/// The options of all kinds; --metric means something else in each.
struct FigureOptions : NetworkOptions {
  std::string kind;
  std::string size = "1280x720";
  std::string scale = "auto";
  std::string metric;
  std::string theme = "light";
  std::string compare;
  std::string stats;
  std::vector<Command::Given> given;
  RunFigureOptions of_run;
  NetworkFigureOptions of_network;
  ModelFigureOptions of_model;
  PredictionFigureOptions of_prediction;
};

bool is_of_network(app::FigureKind kind) {
  return kind == app::FigureKind::kGraph || kind == app::FigureKind::kRoutes ||
         kind == app::FigureKind::kRanking;
}

base::Status parse_size(const std::string& text, figure::Options& look) {
  // Checked before anything is sized by it.
  const auto drawable = [](unsigned side_px) {
    return side_px >= 1 && side_px <= render::kMaxRasterSide;
  };
  const auto sides = base::numbers_in<unsigned>(text, 'x');
  if (!sides || sides->size() != 2 || !std::all_of(sides->begin(), sides->end(), drawable)) {
    return bad_option("--size", text,
                      fmt::format("width x height in pixels as in 1280x720, at most {} each",
                                  render::kMaxRasterSide));
  }
  look.width_px = sides->front();
  look.height_px = sides->back();
  return {};
}

/// How much larger than usual text, lines and marks are: as the picture, in steps of a half.
base::Status parse_scale(const std::string& text, figure::Options& look) {
  look.scale =
      std::max(1.0, std::floor(2 * std::min(look.width_px / 1280, look.height_px / 720)) / 2);
  if (text != "auto") {
    const auto scale = base::number_in<double>(text);
    if (!scale || !(*scale >= 0.25 && *scale <= 16)) {
      return bad_option("--scale", text, "auto or a number from 0.25 to 16");
    }
    look.scale = *scale;
  }
  look.width_px /= look.scale;
  look.height_px /= look.scale;
  return {};
}

/// Size, theme and lines.
base::Result<figure::Options> parse_look(const FigureOptions& options) {
  figure::Options look;
  if (auto status = parse_size(options.size, look); !status) return status.error();
  if (auto status = parse_scale(options.scale, look); !status) return status.error();
  const auto theme = layout::parse_theme(options.theme);
  if (!theme) return theme.error();
  look.theme = theme.value();
  if (auto status = parse_line_options(options.of_run.lines, look); !status) return status.error();
  return look;
}

/// Whether the kind has the inputs that it needs; those of a network are checked with it.
base::Status check_inputs(app::FigureKind kind, const FigureOptions& options) {
  if (kind != app::FigureKind::kModel && !options.of_model.more.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} is of one input, '{}' is another", options.kind, options.of_model.more[0])};
  }
  if (!is_of_network(kind) && options.input.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "INPUT is required"};
  }
  return {};
}

base::Status check_output(const std::string& output) {
  if (output != "-") return app::check_picture_name(output);
  return base::Error{base::ErrorCode::kInvalidArgument, "a picture needs a file to go to",
                     "Name it with -o FILE.png or -o FILE.svg."};
}

base::Result<int> run_figure(const FigureOptions& options) {
  const auto parsed_kind = app::parse_figure_kind(options.kind);
  if (!parsed_kind) return parsed_kind.error();
  const app::FigureKind kind = parsed_kind.value();
  if (auto status = check_figure_options(kind, options.given); !status) return status.error();
  if (kind == app::FigureKind::kTimeline) {
    auto status = check_line_options(options.of_run.lines, options.given);
    if (!status) return status.error();
  }
  if (auto status = check_inputs(kind, options); !status) return status.error();
  if (auto status = check_output(options.output); !status) return status.error();
  const auto look = parse_look(options);
  if (!look) return look.error();
  const bool stats = options.stats == "json";
  if (is_of_network(kind)) {
    return draw_network(kind, options, options.of_network, options.compare, look.value(), stats);
  }
  if (kind == app::FigureKind::kModel) {
    return draw_model(options, options.of_model, options.metric, look.value(), stats);
  }
  if (kind == app::FigureKind::kPrediction) {
    return draw_prediction(options, options.of_prediction, look.value(), stats);
  }
  return draw_run(kind, options, options.of_run, options.metric, options.compare, look.value(),
                  stats);
}

/// KIND, inputs and output, and what all pictures have.
void add_common_options(Command& command, FigureOptions& options) {
  command
      .option(
          "KIND", options.kind,
          "timeline, matrix, chord (processes on a circle), flow (from senders on the left to "
          "receivers on the right), profile, steps, efficiency (of each time step) or topology "
          "(load "
          "and messages on the nodes of the machine); of routes on a network: graph (nodes near "
          "those they talk to), routes (matrix of links), ranking (bars); of a series of runs: "
          "model (how parts of a program grow); of a database of 'pathline bench': prediction "
          "(beside what was measured)")
      .suggest(figure_kind_words())
      .required();
  add_input(command, options, false);
  command.option("RUNS", options.of_model.more,
                 "model: further runs of the series, see --parameter");
  command.option("-o,--output", options.output, "Picture to write, *.png or *.svg").required();
  add_selection(command, options);
  command.option("--size", options.size, "Width x height in pixels").show_default();
  command
      .option("--scale", options.scale,
              "Of text, lines and marks; auto: 1 up to 1280x720, and growing with the size")
      .show_default();
  command.option(
      "--metric", options.metric,
      "What is shown: messages, bytes, time or bandwidth; unless you say so, lines of "
      "a timeline count messages, pictures of pairs show bytes, and topology shows time; of "
      "model any "
      "metric of the data");
  command
      .option("--compare", options.compare,
              "Draw two states with one layout and scale, the second is after: another run; of "
              "routes on a network also routes:FILE or placement:FILE")
      .value_name("STATE");
  command.option("--theme", options.theme, "light or dark")
      .suggest({"light", "dark"})
      .show_default();
}

}  // namespace

void add_figure_command(Command& program, Action& action) {
  auto options = std::make_shared<FigureOptions>();
  Command command = program.command(
      "figure", "Draws a run, its routes on a network, how a series of runs grows, or predictions");
  add_common_options(command, *options);
  add_run_figure_options(command, options->of_run);
  add_network_figure_options(command, *options, options->of_network);
  add_model_figure_options(command, options->of_model);
  add_prediction_figure_options(command, options->of_prediction);
  command.option("--stats", options->stats, "Print quality and CPU time of the picture: json")
      .one_of({"json"});
  command.footer(
      "Examples:\n  pathline figure timeline run -o timeline.png\n"
      "  pathline figure matrix run -o matrix.svg --theme dark --metric messages\n"
      "  pathline figure matrix run -o matrix.png --order spectral\n"
      "  pathline figure flow run -o flow.png --order host\n"
      "  pathline figure chord run -o chord.svg --metric messages --beta 0.9\n"
      "  pathline figure timeline run.plsum -o zoom.png --from 1.2 --until 1.25 --ranks 0-7\n"
      "  pathline figure timeline run -o critical.png --critical --from 1 --until 1.2\n"
      "  pathline figure steps run -o steps.png\n"
      "  pathline figure efficiency run -o efficiency.png\n"
      "  pathline figure topology run -o machine.png --step 12\n"
      "  pathline figure routes --network torus:4x4x4x16x2 --hopbytes traffic.txt -o routes.png\n"
      "  pathline figure graph run --network slurm:topology.conf -o graph.png\n"
      "  pathline figure model series --at p=65536 -o models.png\n"
      "  pathline figure prediction machine.db -o predicted.png\n"
      "  pathline figure model series --kernel 'main->solve' --metric visits -o solve.svg");
  command.on_chosen([options, command, &action] {
    options->given = command.given();
    note_order(command, {"INPUT", "RUNS"}, options->of_model);
    action = [options] { return run_figure(*options); };
  });
}

}  // namespace pathline::cli

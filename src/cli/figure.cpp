// SPDX-License-Identifier: BSD-3-Clause
#include "figure/figure.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/picture.hpp"
#include "base/cpu_time.hpp"
#include "cli/command.hpp"
#include "cli/message_rows.hpp"
#include "cli/model_figure.hpp"
#include "cli/network_figure.hpp"
#include "render/raster.hpp"

namespace pathline::cli {
namespace {

struct FigureOptions : NetworkOptions {
  std::string kind;
  std::string size = "1280x720";
  std::string metric;
  std::string theme = "light";
  std::string palette = "blue-orange";
  std::string blend = "alpha";
  std::string opacity = "auto";
  std::string bundle = "auto";
  size_t degree = 2;
  std::string beta = "auto";
  size_t levels = 3;
  std::string grid = "auto";
  bool show_hierarchy = false;
  bool bursts = false;
  std::string order = "rank";
  std::string pick;
  std::string stats;
  std::optional<uint32_t> step;
  NetworkFigureOptions of_network;
  std::string network_option;  ///< The first one given that belongs to a network; "" if none.
  ModelFigureOptions of_model;
};

bool is_of_network(app::FigureKind kind) {
  return kind == app::FigureKind::kGraph || kind == app::FigureKind::kRoutes ||
         kind == app::FigureKind::kRanking;
}

base::Error bad_option(const char* option, const std::string& value, std::string_view expected) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is '{}', expected {}", option, value, expected)};
}

base::Result<figure::Options> parse(const FigureOptions& text) {
  figure::Options options;
  unsigned width = 0;
  unsigned height = 0;
  char end = 0;
  // Checked before anything is sized by it: sscanf takes "-1" for 4294967295.
  const auto drawable = [](unsigned side_px) {
    return side_px >= 1 && side_px <= render::kMaxRasterSide;
  };
  if (std::sscanf(text.size.c_str(), "%5ux%5u%c", &width, &height, &end) != 2 || !drawable(width) ||
      !drawable(height)) {
    return bad_option("--size", text.size,
                      fmt::format("width x height in pixels as in 1280x720, at most {} each",
                                  render::kMaxRasterSide));
  }
  options.width_px = width;
  options.height_px = height;
  const auto theme = layout::parse_theme(text.theme);
  if (!theme) return theme.error();
  options.theme = theme.value();
  options.palette = text.palette;
  if (text.opacity != "auto") {
    char* rest = nullptr;
    const double opacity = std::strtod(text.opacity.c_str(), &rest);
    if (text.opacity.empty() || *rest != '\0' || !(opacity >= 0 && opacity <= 1)) {
      return bad_option("--opacity", text.opacity, "auto or a number from 0 (no lines) to 1");
    }
    options.opacity = opacity;
  }
  const auto order = comm::parse_order(text.order);
  if (!order) return order.error();
  options.order = order.value();
  options.blend = text.blend == "additive" ? layout::Blend::kAdditive
                  : text.blend == "over"   ? layout::Blend::kOver
                                           : layout::Blend::kAlpha;
  const auto bundling = figure::parse_bundling(text.bundle);
  if (!bundling) return bundling.error();
  options.bundling.mode = bundling.value();
  options.bursts = text.bursts;
  options.bundling.degree = text.degree;
  options.bundling.levels = text.levels;
  options.bundling.show_nodes = text.show_hierarchy;
  options.bundling.measure = !text.stats.empty();
  if (text.beta != "auto") {
    char* rest = nullptr;
    const double beta = std::strtod(text.beta.c_str(), &rest);
    if (text.beta.empty() || *rest != '\0' || !(beta >= 0 && beta <= 1)) {
      return bad_option("--beta", text.beta, "auto or a number from 0 (straight) to 1 (bundled)");
    }
    options.beta = beta;
    options.bundling.beta = beta;
  }
  if (text.grid != "auto") {
    auto& [columns, rows] = options.bundling.grid;
    if (std::sscanf(text.grid.c_str(), "%4ux%4u%c", &columns, &rows, &end) != 2 || columns < 2 ||
        rows < 2 || columns > 1024 || rows > 1024) {
      return bad_option("--grid", text.grid, "auto or columns x rows as in 24x12, 2 to 1024 each");
    }
  }
  if (!text.pick.empty()) {
    figure::Pixel pixel;
    if (std::sscanf(text.pick.c_str(), "%5u,%5u%c", &pixel.x, &pixel.y, &end) != 2 ||
        pixel.x >= width || pixel.y >= height) {
      return bad_option(
          "--pick", text.pick,
          fmt::format("column,row of a pixel of the picture of {} as in 640,210", text.size));
    }
    options.pick = pixel;
  }
  if (!text.metric.empty()) {
    options.metric = text.metric == "messages"    ? figure::Metric::kMessages
                     : text.metric == "time"      ? figure::Metric::kTime
                     : text.metric == "bandwidth" ? figure::Metric::kBandwidth
                                                  : figure::Metric::kBytes;
    options.line_weight = options.metric;
  }
  return options;
}

/// "lulesh8: communication matrix of time step 3, from 1 s": what a picture is about must
/// stand in it when it has left the folder of its run.
std::string title_of(app::FigureKind kind, const FigureOptions& options, bool complete) {
  std::string title = run_name(options.input);
  title += kind == app::FigureKind::kTimeline ? ": timeline"
           : kind == app::FigureKind::kMatrix ? ": communication matrix"
           : kind == app::FigureKind::kChord  ? ": who sends to whom"
           : kind == app::FigureKind::kFlow   ? ": who sends to whom"
           : kind == app::FigureKind::kSteps  ? ": time and MPI by rank"
                                              : ": profile";
  if (options.step) title += fmt::format(" in time step {}", *options.step);
  if (options.from_s) title += fmt::format(", from {} s", *options.from_s);
  if (options.until_s) title += fmt::format(", until {} s", *options.until_s);
  if (!complete) title += " (incomplete input)";
  return title;
}

/// Six digits: what is left of a sum does not depend on the order of its terms.
double rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

/// Straight lines are not measured: what compares them with themselves is known, their ambiguity is
/// not.
void add_quality(nlohmann::ordered_json& json, const figure::Bundled& bundled) {
  const figure::BundleQuality& quality = bundled.quality;
  const bool is_measured = bundled.router != nullptr;
  json["ink_ratio"] = rounded(quality.ink_ratio);
  json["detour_mean"] = rounded(quality.detour_mean);
  json["detour_p95"] = rounded(quality.detour_p95);
  json["detour_max"] = rounded(quality.detour_max);
  json["displacement_px"] = rounded(quality.displacement_px);
  json["reversal"] = rounded(quality.reversal);
  json["ambiguity"] = is_measured ? nlohmann::ordered_json(rounded(quality.ambiguity)) : nullptr;
  json["ambiguity_straight"] =
      is_measured ? nlohmann::ordered_json(rounded(quality.ambiguity_straight)) : nullptr;
  json["phase_fidelity"] = rounded(quality.phase_fidelity);
  json["score"] = rounded(quality.score());
}

void add_parameters(nlohmann::ordered_json& json, const figure::Bundled& bundled,
                    const FigureOptions& text, const figure::BundleOptions& options,
                    const render::DrawStats& stats) {
  nlohmann::ordered_json parameters;
  parameters["mode"] = bundled.mode.empty() ? "none" : bundled.mode;
  if (!bundled.reason.empty()) parameters["reason"] = bundled.reason;
  parameters["opacity"] = stats.opacity;
  if (bundled.router != nullptr) {
    parameters["degree"] = options.degree;
    parameters["beta"] = bundled.beta;
    if (bundled.column_px > 0) parameters["column_px"] = bundled.column_px;
    if (bundled.columns > 0) parameters["columns"] = bundled.columns;
    if (bundled.rows > 0) parameters["rows"] = bundled.rows;
    if (bundled.mode == "hierarchy") parameters["levels"] = options.levels;
    if (bundled.mode == "grid") parameters["grid"] = text.grid;
  }
  if (!text.metric.empty()) parameters["metric"] = text.metric;
  parameters["order"] = text.order;
  parameters["blend"] = text.blend;
  parameters["palette"] = text.palette;
  json["parameters"] = std::move(parameters);
}

/// Kinds that show who sent how much to whom.
bool has_pairs(app::FigureKind kind) {
  return kind == app::FigureKind::kMatrix || kind == app::FigureKind::kChord ||
         kind == app::FigureKind::kFlow;
}

/// What would be ignored is refused.
base::Status check_kind(const FigureOptions& options, app::FigureKind kind) {
  const bool is_model = kind == app::FigureKind::kModel;
  const bool is_timeline = kind == app::FigureKind::kTimeline;
  const bool is_bundled = is_timeline && !options.bursts;
  const auto only_for = [&](const char* option, const char* kinds) -> base::Status {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} belongs to {}, not to {}", option, kinds, options.kind)};
  };
  const auto needs = [](const char* option, const char* other) -> base::Status {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} belongs to timeline with {}", option, other)};
  };
  if (is_model) {
    if (options.from_s) return only_for("--from", "pictures of a run");
    if (options.until_s) return only_for("--until", "pictures of a run");
    if (!options.ranks.empty()) return only_for("--ranks", "pictures of a run");
    if (options.palette != "blue-orange") return only_for("--palette", "pictures of messages");
  } else {
    const std::string given = options.of_model.given();
    if (!given.empty()) return only_for(given.c_str(), "model");
    if (!options.of_model.more.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("{} is of one input, '{}' is another", options.kind,
                                     options.of_model.more[0])};
    }
    const std::string& metric = options.metric;
    if (!metric.empty() && metric != "messages" && metric != "bytes" && metric != "time" &&
        metric != "bandwidth") {
      return bad_option("--metric", metric, "messages, bytes, time or bandwidth");
    }
  }
  if (is_of_network(kind) || is_model) {
    if (!options.metric.empty() && !is_model) return only_for("--metric", "pictures of a run");
    if (options.opacity != "auto") return only_for("--opacity", "pictures of message lines");
    if (options.blend != "alpha") return only_for("--blend", "pictures of message lines");
    if (options.beta != "auto") return only_for("--beta", "timeline and chord");
  }
  if (is_of_network(kind)) {
    // Their input is checked with the network.
  } else if (!options.network_option.empty()) {
    return only_for(options.network_option.c_str(), "graph, routes and ranking");
  } else if (options.input.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "INPUT is required"};
  }
  if (options.bursts && !is_timeline) return only_for("--bursts", "timeline");
  if (options.bundle != "auto" && !is_timeline) return only_for("--bundle", "timeline");
  if (options.degree != 2 && !is_timeline) return only_for("--degree", "timeline");
  if (options.show_hierarchy && !is_timeline) return only_for("--show-hierarchy", "timeline");
  if (options.bursts && (options.bundle != "auto" || options.show_hierarchy)) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--bursts draws no lines that could be bundled",
                       "Leave out --bundle and --show-hierarchy, or --bursts."};
  }
  if (options.levels != 3 && !(is_bundled && options.bundle == "hierarchy")) {
    return needs("--levels", "--bundle hierarchy");
  }
  if (options.grid != "auto" && !(is_bundled && options.bundle == "grid")) {
    return needs("--grid", "--bundle grid");
  }
  return {};
}

base::Result<int> run_figure(const FigureOptions& options) {
  const auto kind = app::parse_figure_kind(options.kind);
  if (!kind) return kind.error();
  const auto parsed = parse(options);
  if (!parsed) return parsed.error();
  if (options.output == "-") {
    return base::Error{base::ErrorCode::kInvalidArgument, "a picture needs a file to go to",
                       "Name it with -o FILE.png or -o FILE.svg."};
  }
  if (!options.pick.empty() && (kind.value() != app::FigureKind::kTimeline || options.bursts)) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--pick lists the message lines behind a pixel of a timeline",
                       "Leave out --bursts, and take KIND timeline."};
  }
  if (!options.pick.empty() && !options.stats.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--pick and --stats both print on the standard output",
                       "Draw the picture twice."};
  }
  if (options.order != "rank" && !has_pairs(kind.value()) &&
      kind.value() != app::FigureKind::kTimeline) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("--order belongs to timeline, matrix, chord and flow, not to {}",
                                   options.kind)};
  }
  if (auto status = check_kind(options, kind.value()); !status) return status.error();
  if (options.step && !has_pairs(kind.value())) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--step belongs to matrix, chord and flow, not to {}", options.kind),
        "A part of the run is chosen with --from and --until."};
  }
  if (is_of_network(kind.value())) {
    return draw_network(kind.value(), options, options.of_network, parsed.value(),
                        options.stats == "json");
  }
  if (kind.value() == app::FigureKind::kModel) {
    return draw_model(options, options.of_model, options.metric, parsed.value(),
                      options.stats == "json");
  }
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (auto status = check_step(options, run.trace, options.step); !status) return status.error();
  const double begin_ms = base::cpu_time_ms();
  figure::Options drawing = parsed.value();
  drawing.title = title_of(kind.value(), options, run.trace.complete);
  figure::Bundled bundled;
  const auto scene = app::make_scene(kind.value(), run.trace, run.selection, drawing, options.step,
                                     run.pool, &bundled);
  if (!scene) return scene.error();
  render::DrawStats stats;
  if (auto status = app::write_picture(scene.value(), options.output, run.pool, &stats); !status) {
    return status.error();
  }
  if (drawing.pick) {
    CommonOptions listed = options;
    listed.output = "-";
    Table table = message_table(listed);
    for (const uint32_t i : bundled.picked) add_message(table, run.trace, i);
    if (auto status = table.finish(); !status) return status.error();
  }
  if (options.stats == "json") {
    nlohmann::ordered_json json;
    json["messages"] = scene.value().message_count;
    json["bundle_ms"] = bundled.bundle_ms;
    json["raster_ms"] = bundled.raster_ms + stats.raster_cpu_ms;
    json["total_ms"] = base::cpu_time_ms() - begin_ms;
    if (kind.value() == app::FigureKind::kTimeline) add_quality(json, bundled);
    add_parameters(json, bundled, options, drawing.bundling, stats);
    if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  }
  return kDone;
}

}  // namespace

void add_figure_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<FigureOptions>();
  CLI::App* command = app.add_subcommand(
      "figure", "Draws a run, its routes on a network, or how a series of runs grows");
  command
      ->add_option(
          "KIND", options->kind,
          "timeline, matrix, chord (processes on a circle), flow (from senders on the left to "
          "receivers on the right), profile or steps; of routes on a network: graph (nodes near "
          "those they talk to), routes (matrix of links), ranking (bars); of a series of runs: "
          "model "
          "(how parts of a program grow)")
      ->required();
  add_input(*command, *options, false);
  command->add_option("RUNS", options->of_model.more,
                      "model: further runs of the series, see --parameter");
  command->add_option("-o,--output", options->output, "Picture to write, *.png or *.svg")
      ->required();
  add_selection(*command, *options);
  command->add_option("--size", options->size, "Width x height in pixels")->capture_default_str();
  command->add_option(
      "--metric", options->metric,
      "What is shown: messages, bytes, time or bandwidth; unless you say so, lines of "
      "a timeline count messages, and pictures of pairs show bytes; of model any "
      "metric of the data");
  command->add_option("--theme", options->theme, "light or dark")->capture_default_str();
  command
      ->add_option("--palette", options->palette,
                   "Colours of a message from its sender to its receiver: blue-orange, "
                   "green-red, violet-gold")
      ->capture_default_str();
  command
      ->add_option("--blend", options->blend,
                   "How message lines add up: alpha (independent of their order), additive, or "
                   "over (one after the other, slow)")
      ->check(CLI::IsMember({"alpha", "additive", "over"}))
      ->capture_default_str();
  command
      ->add_option(
          "--opacity", options->opacity,
          "Of one message line, the lightest if they have weights: auto, or from 0 (no lines) to 1")
      ->capture_default_str();
  command
      ->add_option("--bundle", options->bundle,
                   "How message lines are bundled: none, hierarchy, grid, quadtree, or auto (in "
                   "columns that follow the phases, and not at all where that would mislead)")
      ->capture_default_str();
  command->add_option("--degree", options->degree, "Of the curves of bundles")
      ->check(CLI::Range(1, 15))
      ->capture_default_str();
  command
      ->add_option("--beta", options->beta,
                   "Strength of bundling, 0 (straight lines) to 1; auto: 1, and 0.85 for chord")
      ->capture_default_str();
  command->add_option("--levels", options->levels, "Of the tree of --bundle hierarchy")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command->add_option("--grid", options->grid, "Columns x rows of --bundle grid, or auto")
      ->capture_default_str();
  command->add_flag("--show-hierarchy", options->show_hierarchy,
                    "Mark the nodes that bundles are led along");
  command->add_flag("--bursts", options->bursts,
                    "One mark per sender and burst of messages instead of lines: from the first "
                    "send to the last receive, with dots on the rows of the receivers");
  command
      ->add_option(
          "--order", options->order,
          "Order of the processes in timeline, matrix, chord and flow: rank, host, communicator "
          "(coordinates "
          "of a Cartesian one, if recorded), or spectral (those side by side that talk to each "
          "other)")
      ->check(CLI::IsMember({"rank", "host", "communicator", "spectral"}))
      ->capture_default_str();
  command->add_option("--step", options->step,
                      "Matrix, chord, flow: only the messages of this time step");
  command->add_option("--pick", options->pick,
                      "Timeline: list the messages behind this pixel of the picture, X,Y");
  add_network_figure_options(*command, *options, options->of_network);
  add_model_figure_options(*command, options->of_model);
  command->add_option("--stats", options->stats, "Print quality and CPU time of the picture: json")
      ->check(CLI::IsMember({"json"}));
  command->footer(
      "Examples:\n  pathline figure timeline run -o timeline.png\n"
      "  pathline figure matrix run -o matrix.svg --theme dark --metric messages\n"
      "  pathline figure matrix run -o matrix.png --order spectral\n"
      "  pathline figure flow run -o flow.png --order host\n"
      "  pathline figure chord run -o chord.svg --metric messages --beta 0.9\n"
      "  pathline figure steps run -o steps.png\n"
      "  pathline figure routes --network torus:4x4x4x16x2 --hopbytes traffic.txt -o routes.png\n"
      "  pathline figure graph run --network slurm:topology.conf -o graph.png\n"
      "  pathline figure model series --at p=65536 -o models.png\n"
      "  pathline figure model series --kernel 'main->solve' --metric visits -o solve.svg");
  command->callback([options, command, &action] {
    note_order(*command, {"INPUT", "RUNS"}, options->of_model);
    for (const CLI::Option* option : command->parse_order()) {
      if (!options->network_option.empty()) break;
      if (option->get_group() == kNetworkGroup) options->network_option = option->get_name();
    }
    action = [options] { return run_figure(*options); };
  });
}

}  // namespace pathline::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "figure/figure.hpp"

#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/picture.hpp"
#include "cli/command.hpp"
#include "render/raster.hpp"

namespace pathline::cli {
namespace {

struct FigureOptions : CommonOptions {
  std::string kind;
  std::string size = "1280x720";
  std::string metric = "bytes";
  std::string theme = "light";
  std::string palette = "blue-orange";
  std::string blend = "alpha";
  std::string opacity = "auto";
  std::string bundle = "none";
  std::string order = "rank";
  std::optional<double> beta;
  std::string stats;
  std::optional<uint32_t> step;
};

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
  options.beta = text.beta;
  options.blend = text.blend == "additive" ? layout::Blend::kAdditive
                  : text.blend == "over"   ? layout::Blend::kOver
                                           : layout::Blend::kAlpha;
  options.metric = text.metric == "messages"    ? figure::Metric::kMessages
                   : text.metric == "time"      ? figure::Metric::kTime
                   : text.metric == "bandwidth" ? figure::Metric::kBandwidth
                                                : figure::Metric::kBytes;
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
  if (options.step) title += fmt::format(" of time step {}", *options.step);
  if (options.from_s) title += fmt::format(", from {} s", *options.from_s);
  if (options.until_s) title += fmt::format(", until {} s", *options.until_s);
  if (!complete) title += " (incomplete input)";
  return title;
}

/// Kinds that show who sent how much to whom.
bool has_pairs(app::FigureKind kind) {
  return kind == app::FigureKind::kMatrix || kind == app::FigureKind::kChord ||
         kind == app::FigureKind::kFlow;
}

bool is_bundled(app::FigureKind kind) {
  return kind == app::FigureKind::kChord || kind == app::FigureKind::kFlow;
}

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

base::Result<int> run_figure(const FigureOptions& options) {
  const auto kind = app::parse_figure_kind(options.kind);
  if (!kind) return kind.error();
  const auto parsed = parse(options);
  if (!parsed) return parsed.error();
  if (options.output == "-") {
    return base::Error{base::ErrorCode::kInvalidArgument, "a picture needs a file to go to",
                       "Name it with -o FILE.png or -o FILE.svg."};
  }
  if (options.order != "rank" && !has_pairs(kind.value())) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--order belongs to pictures of pairs, not to {}", options.kind)};
  }
  if (options.beta && !is_bundled(kind.value())) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("--beta belongs to chord and flow, not to {}", options.kind)};
  }
  if (options.step && !has_pairs(kind.value())) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--step belongs to matrix, chord and flow, not to {}", options.kind),
        "A part of the run is chosen with --from and --until."};
  }
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (auto status = check_step(options, run.trace, options.step); !status) return status.error();
  const double begin_ms = cpu_ms();
  figure::Options drawing = parsed.value();
  drawing.title = title_of(kind.value(), options, run.trace.complete);
  const auto scene =
      app::make_scene(kind.value(), run.trace, run.selection, drawing, options.step, run.pool);
  if (!scene) return scene.error();
  render::DrawStats stats;
  if (auto status = app::write_picture(scene.value(), options.output, run.pool, &stats); !status) {
    return status.error();
  }
  if (options.stats == "json") {
    nlohmann::ordered_json json;
    json["messages"] = scene.value().message_count;
    json["raster_ms"] = stats.raster_cpu_ms;
    json["total_ms"] = cpu_ms() - begin_ms;
    json["parameters"] = {{"mode", "none"}, {"opacity", stats.opacity}};
    if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  }
  return kDone;
}

}  // namespace

void add_figure_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<FigureOptions>();
  CLI::App* command =
      app.add_subcommand("figure", "Draws a run: timeline, matrix, chord, flow, profile or steps");
  command
      ->add_option(
          "KIND", options->kind,
          "timeline, matrix, chord (processes on a circle), flow (from senders on the left to "
          "receivers on the right), profile or steps")
      ->required();
  add_input(*command, *options);
  command->add_option("-o,--output", options->output, "Picture to write, *.png or *.svg")
      ->required();
  add_selection(*command, *options);
  command->add_option("--size", options->size, "Width x height in pixels")->capture_default_str();
  command
      ->add_option("--metric", options->metric,
                   "What a matrix, chord or flow shows; bandwidth a matrix only")
      ->check(CLI::IsMember({"messages", "bytes", "time", "bandwidth"}))
      ->capture_default_str();
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
      ->add_option("--opacity", options->opacity,
                   "Of one message line: auto, or from 0 (no lines) to 1")
      ->capture_default_str();
  command->add_option("--bundle", options->bundle, "How message lines are bundled: none")
      ->check(CLI::IsMember({"none"}))
      ->capture_default_str();
  command
      ->add_option(
          "--order", options->order,
          "Matrix, chord, flow: order of the processes: rank, host, communicator (coordinates of a "
          "Cartesian one, if recorded), or spectral (those side by side that talk to each "
          "other)")
      ->check(CLI::IsMember({"rank", "host", "communicator", "spectral"}))
      ->capture_default_str();
  command
      ->add_option("--beta", options->beta,
                   "Chord, flow: how strongly bundled, 0 (straight lines) to 1; 0.85 for chord, 1 "
                   "for flow unless you say")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--step", options->step,
                      "Matrix, chord, flow: only the messages of this time step");
  command->add_option("--stats", options->stats, "Print quality and CPU time of the picture: json")
      ->check(CLI::IsMember({"json"}));
  command->footer(
      "Examples:\n  pathline figure timeline run -o timeline.png\n"
      "  pathline figure matrix run -o matrix.svg --theme dark --metric messages\n"
      "  pathline figure matrix run -o matrix.png --order spectral\n"
      "  pathline figure flow run -o flow.png --order host\n"
      "  pathline figure chord run -o chord.svg --metric messages --beta 0.9\n"
      "  pathline figure steps run -o steps.png");
  command->callback([options, &action] { action = [options] { return run_figure(*options); }; });
}

}  // namespace pathline::cli

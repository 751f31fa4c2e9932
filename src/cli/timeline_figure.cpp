// SPDX-License-Identifier: BSD-3-Clause
#include "cli/timeline_figure.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/figure_kinds.hpp"

namespace pathline::cli {
namespace {

/// From 0 to 1; nothing for "auto".
base::Status parse_share(const char* option, const std::string& text, std::string_view expected,
                         std::optional<double>& share) {
  if (text == "auto") return {};
  share = base::number_in<double>(text);
  if (share && *share >= 0 && *share <= 1) return {};
  return bad_option(option, text, expected);
}

layout::Blend blend_of(const std::string& text) {
  return text == "additive" ? layout::Blend::kAdditive
         : text == "over"   ? layout::Blend::kOver
                            : layout::Blend::kAlpha;
}

/// Six digits: what is left of a sum does not depend on the order of its terms.
double rounded(double value) { return base::rounded(value, 6); }

}  // namespace

void add_line_options(Command& command, LineOptions& options) {
  command
      .option("--messages", options.messages,
              "Messages of a timeline: lines between the rows, strip (numbers over time below "
              "them), none, or auto (lines where they can be followed or an option says how they "
              "look, else the strip)")
      .one_of({"auto", "lines", "strip", "none"})
      .show_default();
  command.flag("--no-trim", options.no_trim,
               "Timeline: keep MPI_Init and MPI_Finalize at the ends of the run");
  command
      .option("--palette", options.palette,
              "Colours of a message from its sender to its receiver: blue-orange, "
              "green-red, violet-gold, ink-pink, or auto (ink-pink over regions, else "
              "blue-orange)")
      .show_default();
  command
      .option("--blend", options.blend,
              "How message lines add up: alpha (independent of their order), additive, or "
              "over (one after the other, slow)")
      .one_of({"alpha", "additive", "over"})
      .show_default();
  command
      .option(
          "--opacity", options.opacity,
          "Of one message line, the lightest if they have weights: auto, or from 0 (no lines) to 1")
      .show_default();
  command
      .option("--bundle", options.bundle,
              "How message lines are bundled: none, hierarchy, grid, quadtree, or auto (in "
              "columns that follow the phases, and not at all where that would mislead)")
      .show_default();
  command.option("--degree", options.degree, "Of the curves of bundles")
      .range(1, 15)
      .show_default();
  command
      .option("--beta", options.beta,
              "Strength of bundling, 0 (straight lines) to 1; auto: 1, and 0.85 for chord")
      .show_default();
  command.option("--levels", options.levels, "Of the tree of --bundle hierarchy")
      .range(1, 8)
      .show_default();
  command.option("--grid", options.grid, "Columns x rows of --bundle grid, or auto").show_default();
  command.flag("--show-hierarchy", options.show_hierarchy,
               "Mark the nodes that bundles are led along");
  command.flag("--bursts", options.bursts,
               "One mark per sender and burst of messages instead of lines: from the first "
               "send to the last receive, with dots on the rows of the receivers");
}

base::Status check_line_options(const LineOptions& options,
                                const std::vector<Command::Given>& given) {
  const auto refuse = [](std::string message, std::string advice = "") -> base::Status {
    return base::Error{base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
  };
  const auto is_one_of = [](const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool has_lines = options.messages == "auto" || options.messages == "lines";
  for (const auto& [name, group] : given) {
    const bool is_of_lines =
        is_one_of(name, {"--degree", "--beta", "--levels", "--grid", "--show-hierarchy", "--bundle",
                         "--blend", "--opacity", "--bursts"});
    if (!has_lines && (is_of_lines || (name == "--pick" && options.messages == "none"))) {
      return refuse(fmt::format("{} has no effect on --messages {}, which draws no lines", name,
                                options.messages),
                    fmt::format("Leave out {}, or --messages.", name));
    }
    const bool is_of_bundles =
        is_one_of(name, {"--degree", "--beta", "--levels", "--grid", "--show-hierarchy"});
    if (options.bursts &&
        (is_of_bundles || is_one_of(name, {"--blend", "--opacity", "--bundle", "--pick"}))) {
      return refuse(fmt::format("{} has no effect on --bursts, which draws no lines", name),
                    fmt::format("Leave out {}, or --bursts.", name));
    }
    if (name == "--levels" && options.bundle != "hierarchy") {
      return refuse("--levels belongs to timeline with --bundle hierarchy");
    }
    if (name == "--grid" && options.bundle != "grid") {
      return refuse("--grid belongs to timeline with --bundle grid");
    }
    if (is_of_bundles && options.bundle == "none") {
      return refuse(fmt::format("{} has no effect on --bundle none", name));
    }
  }
  return {};
}

base::Status parse_line_options(const LineOptions& options, figure::Options& look) {
  // Only the name is of interest here.
  if (const auto colors = layout::message_gradient(options.palette, look.theme); !colors) {
    return colors.error();
  }
  look.palette = options.palette;
  look.messages = options.messages == "lines"   ? figure::MessageMode::kLines
                  : options.messages == "strip" ? figure::MessageMode::kStrip
                  : options.messages == "none"  ? figure::MessageMode::kNone
                                                : figure::MessageMode::kAuto;
  look.trim = !options.no_trim;
  if (auto status = parse_share("--opacity", options.opacity,
                                "auto or a number from 0 (no lines) to 1", look.opacity);
      !status) {
    return status;
  }
  if (auto status = parse_share("--beta", options.beta,
                                "auto or a number from 0 (straight) to 1 (bundled)", look.beta);
      !status) {
    return status;
  }
  // Who chooses how lines look wants lines.
  const bool has_look = look.opacity.value_or(0) > 0 || options.blend != "alpha" ||
                        options.bundle != "auto" || options.beta != "auto" ||
                        options.degree != LineOptions().degree || options.show_hierarchy ||
                        options.bursts;
  if (has_look && look.messages == figure::MessageMode::kAuto) {
    look.messages = figure::MessageMode::kLines;
  }
  const auto bundling = bundle::parse_bundling(options.bundle);
  if (!bundling) return bundling.error();
  look.blend = blend_of(options.blend);
  look.bursts = options.bursts;
  look.bundling.mode = bundling.value();
  look.bundling.degree = options.degree;
  look.bundling.beta = look.beta;
  look.bundling.levels = options.levels;
  look.bundling.show_nodes = options.show_hierarchy;
  if (options.grid == "auto") return {};
  const auto sides = base::numbers_in<uint32_t>(options.grid, 'x');
  const auto fits = [](uint32_t cells) { return cells >= 2 && cells <= 1024; };
  if (!sides || sides->size() != 2 || !std::all_of(sides->begin(), sides->end(), fits)) {
    return bad_option("--grid", options.grid, "auto or columns x rows as in 24x12, 2 to 1024 each");
  }
  look.bundling.grid = {sides->front(), sides->back()};
  return {};
}

/// Straight lines are not measured: what compares them with themselves is known, their ambiguity is
/// not.
void add_quality(nlohmann::ordered_json& json, const bundle::Bundled& bundled) {
  const bundle::BundleQuality& quality = bundled.quality;
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

void add_timeline_parameters(nlohmann::ordered_json& parameters,
                             const figure::TimelineReport& report, const trace::Trace& trace) {
  const std::string& bundle = report.bundled.mode;
  const bool is_lines = report.mode == figure::MessageMode::kLines;
  parameters["mode"] = report.mode == figure::MessageMode::kStrip  ? "strip"
                       : !is_lines                                 ? "none"
                       : bundle == "none"                          ? "lines"
                       : bundle == "density" || bundle == "bursts" ? bundle.c_str()
                                                                   : "bundles";
  if (report.lines_window_s > 0) parameters["lines_window_s"] = rounded(report.lines_window_s);
  parameters["trimmed_s"] = {rounded(trace.span_seconds(report.trim.begin_ticks)),
                             rounded(trace.span_seconds(report.trim.end_ticks))};
}

void add_line_parameters(nlohmann::ordered_json& parameters, const LineOptions& options,
                         const bundle::Bundled& bundled, const render::DrawStats& stats) {
  if (bundled.router != nullptr) parameters["bundle"] = bundled.mode;
  if (!bundled.reason.empty()) parameters["reason"] = bundled.reason;
  parameters["opacity"] = stats.opacity;
  if (bundled.router == nullptr) return;
  parameters["degree"] = options.degree;
  parameters["beta"] = bundled.beta;
  if (bundled.column_px > 0) parameters["column_px"] = bundled.column_px;
  if (bundled.columns > 0) parameters["columns"] = bundled.columns;
  if (bundled.rows > 0) parameters["rows"] = bundled.rows;
  if (bundled.mode == "hierarchy") parameters["levels"] = options.levels;
  if (bundled.mode == "grid") parameters["grid"] = options.grid;
}

}  // namespace pathline::cli

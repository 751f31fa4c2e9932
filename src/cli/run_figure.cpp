// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run_figure.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/empty_result.hpp"
#include "app/findings.hpp"
#include "app/judged_part.hpp"
#include "app/judged_run.hpp"
#include "app/summary_picture.hpp"
#include "base/cpu_time.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/figure_kinds.hpp"
#include "cli/judged_answer.hpp"
#include "cli/message_rows.hpp"

namespace pathline::cli {
namespace {

/// "lulesh8: communication matrix of time step 3, from 1 s": what a picture is about must
/// stand in it when it has left the folder of its run.
///
/// runs  its name, or those of two.
std::string title_of(app::FigureKind kind, const CommonOptions& common, const std::string& runs,
                     std::optional<uint32_t> step, bool complete) {
  std::string title = runs;
  title += kind == app::FigureKind::kTimeline     ? ": timeline"
           : kind == app::FigureKind::kMatrix     ? ": communication matrix"
           : kind == app::FigureKind::kChord      ? ": who sends to whom"
           : kind == app::FigureKind::kFlow       ? ": who sends to whom"
           : kind == app::FigureKind::kSteps      ? ": time and MPI by rank"
           : kind == app::FigureKind::kEfficiency ? ": efficiency of each time step"
           : kind == app::FigureKind::kTopology   ? ": load and messages on the machine"
                                                  : ": profile";
  if (step) title += fmt::format(" in time step {}", *step);
  if (common.from_s) title += fmt::format(", from {} s", *common.from_s);
  if (common.until_s) title += fmt::format(", until {} s", *common.until_s);
  if (!complete) title += " (incomplete input)";
  return title;
}

/// Without messages there is nothing in them.
bool is_of_pairs(app::FigureKind kind) {
  return kind == app::FigureKind::kMatrix || kind == app::FigureKind::kChord ||
         kind == app::FigureKind::kFlow;
}

/// Only cells of a matrix can show a bandwidth: it has no sum.
base::Status parse_metric(app::FigureKind kind, const std::string& text, figure::Options& look) {
  if (text.empty() && kind == app::FigureKind::kTopology) look.metric = figure::Metric::kTime;
  if (text.empty()) return {};
  const bool has_sum = kind != app::FigureKind::kMatrix;
  if (text == "messages") {
    look.metric = figure::Metric::kMessages;
  } else if (text == "bytes") {
    look.metric = figure::Metric::kBytes;
  } else if (text == "time") {
    look.metric = figure::Metric::kTime;
  } else if (text == "bandwidth" && !has_sum) {
    look.metric = figure::Metric::kBandwidth;
  } else {
    return bad_option("--metric", text,
                      text == "bandwidth" ? "messages, bytes or time, which can be added up"
                      : has_sum           ? "messages, bytes or time"
                                          : "messages, bytes, time or bandwidth");
  }
  look.line_weight = look.metric;
  return {};
}

base::Status parse_pick(const std::string& text, figure::Options& look) {
  if (text.empty()) return {};
  const auto pixel = base::numbers_in<uint32_t>(text, ',');
  const double width = std::round(look.width_px * look.scale);
  const double height = std::round(look.height_px * look.scale);
  if (!pixel || pixel->size() != 2 || pixel->front() >= width || pixel->back() >= height) {
    return bad_option(
        "--pick", text,
        fmt::format("column,row of a pixel of the picture of {}x{} as in 640,210", width, height));
  }
  look.pick = figure::Pixel{static_cast<uint32_t>(pixel->front() / look.scale),
                            static_cast<uint32_t>(pixel->back() / look.scale)};
  return {};
}

/// The options as `look`, checked before the run is opened.
base::Status parse(app::FigureKind kind, const RunFigureOptions& options, const std::string& metric,
                   bool stats, figure::Options& look) {
  const auto order = comm::parse_order(options.order);
  if (!order) return order.error();
  look.order = order.value();
  look.linear_width = options.width == "linear";
  look.bundling.measure = stats;
  if (stats && !options.pick.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--pick and --stats both print on the standard output",
                       "Draw the picture twice."};
  }
  if (auto status = parse_metric(kind, metric, look); !status) return status;
  return parse_pick(options.pick, look);
}

base::Status print_picked(const CommonOptions& common, const trace::Trace& trace,
                          const std::vector<uint32_t>& picked) {
  CommonOptions listed = common;
  listed.output = "-";
  Table table = message_table(listed);
  for (const uint32_t i : picked) add_message(table, trace, i);
  return table.finish();
}

}  // namespace

void add_run_figure_options(Command& command, RunFigureOptions& options) {
  add_line_options(command, options.lines);
  command
      .option(
          "--order", options.order,
          "Order of the processes in timeline, matrix, chord and flow: rank, host, communicator "
          "(coordinates "
          "of a Cartesian one, if recorded), or spectral (those side by side that talk to each "
          "other)")
      .one_of({"rank", "host", "communicator", "spectral"})
      .show_default();
  command
      .option("--width", options.width,
              "Flow: widths of bands grow as the value, linear, or as its logarithm, log")
      .one_of({"linear", "log"})
      .show_default();
  command.option("--step", options.step, "Matrix, chord, flow, topology: only this time step");
  command
      .option("--slurm", options.slurm,
              "Topology: Slurm's topology.conf, for the switches between nodes")
      .value_name("FILE");
  command.flag(
      "--critical", options.critical,
      "Timeline: draw the critical path over the rows, the work that makes the run as long "
      "as it is; it jumps where a rank waits for another. And outline what the findings name, "
      "where it costs most");
  command.option("--pick", options.pick,
                 "Timeline: list the messages behind this pixel of the picture, X,Y");
}

namespace {

/// The run beside another one.
base::Result<int> draw_comparison(app::FigureKind kind, const CommonOptions& common,
                                  const RunFigureOptions& options, const std::string& compare,
                                  figure::Options look, bool stats) {
  if (stats || look.pick || options.critical) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} tells of one run, and --compare draws two", stats       ? "--stats"
                                                                    : look.pick ? "--pick"
                                                                                : "--critical")};
  }
  CommonOptions after = common;
  after.input = compare;
  const auto needs = app::needs_of(kind);
  auto first = options.step ? open_step(common, *options.step, needs) : open(common);
  if (!first) return first.error();
  auto second = options.step ? open_step(after, *options.step, needs) : open(after);
  if (!second) return second.error();
  const Opened& was = *first.value();
  const Opened& is = *second.value();
  look.title =
      title_of(kind, common, fmt::format("{} \u2192 {}", run_name(common.input), run_name(compare)),
               options.step, was.trace.complete && is.trace.complete);
  const auto scene = app::make_comparison_scene(
      kind, {was.trace, was.selection, run_name(common.input)},
      {is.trace, is.selection, run_name(compare)}, look, options.step, first.value()->pool);
  if (!scene) return scene.error();
  if (auto status = app::write_picture(scene.value(), common.output, first.value()->pool, nullptr);
      !status) {
    return status.error();
  }
  return kDone;
}

base::Result<layout::Scene> scene_of(app::FigureKind kind, const CommonOptions& common,
                                     const RunFigureOptions& options, Opened& run,
                                     const figure::Options& look, const profile::Profile* whole,
                                     figure::TimelineReport& report, app::BinsOfPicture& bins) {
  if (kind == app::FigureKind::kTopology) {
    return app::make_topology_scene(run.source, run.trace, options.slurm, run.selection,
                                    options.step, look, run.pool);
  }
  if (kind == app::FigureKind::kEfficiency) {
    app::FindingsRequest request;
    if (common.from_s || common.until_s) {
      request.focus = findings::Focus::kTime;
      request.from_s = common.from_s.value_or(0);
      request.until_s = common.until_s.value_or(run.trace.duration_seconds());
    }
    const bool is_chosen = request.focus == findings::Focus::kTime;
    const auto found = efficiency_of(common, request, {}, run, kByTime);
    if (!found) return found.error();
    figure::Options named = look;
    if (!is_chosen && request.focus == findings::Focus::kTime) {
      named.title += fmt::format(", {:.6f} s to {:.6f} s alone", request.from_s, request.until_s);
    }
    return app::make_efficiency_scene(found.value().answer, named);
  }
  if (run.summary) {
    return app::make_summary_scene(kind, common.input, *run.summary, run.trace, run.selection, look,
                                   run.pool, &report, &bins, whole);
  }
  return app::make_scene(kind, run.trace, run.selection, look, options.step, run.pool, &report,
                         whole);
}

Takes taken_by(app::FigureKind kind) {
  switch (kind) {
    case app::FigureKind::kTimeline:
    case app::FigureKind::kSteps:
    case app::FigureKind::kEfficiency:
    case app::FigureKind::kProfile: return Takes::kPartsOfSummaries;
    case app::FigureKind::kMatrix:
    case app::FigureKind::kChord:
    case app::FigureKind::kFlow: return Takes::kSums;
    default: return Takes::kTraces;
  }
}

/// Of the whole run as its summary keeps them, where these tell of the time that is drawn; else of
/// what was read.
base::Result<app::FindingsReport> findings_to_mark(const CommonOptions& common, Opened& run) {
  app::FindingsRequest request{.critical_path = true};
  auto kept = app::judged_run(common.input, run.judged, run.trace);
  if (!kept) return kept.error();
  if (kept.value() && kept.value()->answers(request)) {
    kept.value()->leave_out_below(request.min_percent);
    app::FindingsReport& findings = kept.value()->findings;
    const bool is_known = !kept.value()->has_findings_of_part() ||
                          (run.trace.seconds(run.selection.from_ticks) >= findings.begin_s &&
                           run.trace.seconds(run.selection.until_ticks) <= findings.end_s);
    if (is_known && !findings.stretches.empty()) return std::move(findings);
  }
  if (run.trace.whole) {
    app::focus_on(run.trace, run.selection, request);
    if (!common.quiet) {
      note(
          fmt::format("what is marked was found in {:.6f} s to {:.6f} s alone, not in all of the "
                      "run",
                      request.from_s, request.until_s));
    }
  }
  base::Progress progress;
  return app::find_findings(run.trace, run.source, request, run.pool, progress);
}

}  // namespace

base::Result<int> draw_run(app::FigureKind kind, const CommonOptions& common,
                           const RunFigureOptions& options, const std::string& metric,
                           const std::string& compare, figure::Options look, bool stats) {
  if (auto status = parse(kind, options, metric, stats, look); !status) return status.error();
  if (!compare.empty()) return draw_comparison(kind, common, options, compare, look, stats);
  const bool by_messages = kind == app::FigureKind::kTimeline && options.order == "spectral";
  const bool needs_events = options.critical || look.pick || by_messages;
  const auto needs = options.critical ? std::optional(app::PartNeeds::kFindings)
                     : needs_events   ? std::nullopt
                                      : app::needs_of(kind);
  CommonOptions reading = common;
  if (kind == app::FigureKind::kProfile) reading.messages = trace::WantedMessages::kCount;
  auto opened = options.step ? open_step(reading, *options.step, needs)
                             : open(reading, needs_events ? Takes::kTraces : taken_by(kind),
                                    app::tables_of(kind), needs);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (kind == app::FigureKind::kTimeline && run.summary && run.trace.locations.empty()) {
    // Of messages alone, which no bins have.
    if (auto status = read_events(common, run); !status) return status.error();
  }
  std::optional<profile::Profile> whole;
  if (kind == app::FigureKind::kProfile && run.summary &&
      app::leaves_out_time(run.trace, run.selection)) {
    whole = std::move(run.summary->profile);
    auto summed = take_sums(reading, *needs, run);
    if (!summed) return summed.error();
    if (!summed.value()) {
      if (auto status = read_events(reading, run, needs); !status) return status.error();
    }
  }
  const double begin_ms = base::cpu_time_ms();
  look.title = title_of(kind, common, run_name(common.input), options.step, run.trace.complete);
  if (options.critical) {
    auto found = findings_to_mark(common, run);
    if (!found) return found.error();
    look.causes = std::make_shared<const figure::Causes>(app::causes_of(found.value()));
    look.critical =
        std::make_shared<const figure::CriticalPath>(std::move(found.value().stretches));
  }
  figure::TimelineReport report;
  app::BinsOfPicture bins;
  const auto scene =
      scene_of(kind, common, options, run, look, whole ? &*whole : nullptr, report, bins);
  if (!scene) return scene.error();
  const LineOptions& lines = options.lines;
  const bool asks_for_lines = lines.messages != "auto" || lines.bundle != "auto" || lines.bursts ||
                              lines.opacity != "auto" || lines.palette != "auto" ||
                              lines.blend != "alpha" || lines.show_hierarchy || !metric.empty();
  if (bins.any && !common.quiet && lines.messages != "none" && asks_for_lines) {
    note(
        fmt::format("the picture has no messages: it is made of bins of {}; of a shorter time, by "
                    "--from and --until, it has",
                    base::human_seconds(bins.seconds)));
  }
  render::DrawStats drawn;
  if (auto status = app::write_picture(scene.value(), common.output, run.pool, &drawn); !status) {
    return status.error();
  }
  if (is_of_pairs(kind) && scene.value().message_count == 0 && !common.quiet) {
    note(run.is_of_file() ? fmt::format("the picture is empty: there are no messages{}",
                                        run.selection.ranks.empty() ? "" : " between these ranks")
                          : "the picture is empty: " + run.why_no_messages());
  }
  if (look.pick) {
    if (auto status = print_picked(common, run.trace, report.picked); !status)
      return status.error();
  }
  if (!stats) return kDone;
  nlohmann::ordered_json json;
  json["messages"] = scene.value().message_count;
  json["bundle_ms"] = report.bundled.bundle_ms;
  json["raster_ms"] = report.bundled.raster_ms + drawn.raster_cpu_ms;
  json["total_ms"] = base::cpu_time_ms() - begin_ms;
  if (kind == app::FigureKind::kTimeline) add_quality(json, report.bundled);
  if (run.is_of_file()) {
    json["source"] = "summary";
    json["exact"] = !bins.any && bins.rows_for_one == 1;
    if (bins.any) json["bin_s"] = base::rounded(bins.seconds, 6);
    if (bins.rows_for_one > 1) json["one_row_of"] = bins.rows_for_one;
  }
  nlohmann::ordered_json parameters;
  if (kind == app::FigureKind::kTimeline) {
    add_timeline_parameters(parameters, report, run.trace);
  }
  add_line_parameters(parameters, options.lines, report.bundled, drawn);
  if (!metric.empty()) parameters["metric"] = metric;
  parameters["order"] = options.order;
  parameters["blend"] = options.lines.blend;
  parameters["palette"] = options.lines.palette;
  json["parameters"] = std::move(parameters);
  if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  return kDone;
}

}  // namespace pathline::cli

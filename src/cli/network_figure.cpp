// SPDX-License-Identifier: BSD-3-Clause
#include "cli/network_figure.hpp"

#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/route_choice.hpp"
#include "base/cpu_time.hpp"
#include "base/text.hpp"
#include "cli/figure_kinds.hpp"

namespace pathline::cli {
namespace {

const std::map<std::string, figure::RouteMetric> kColors = {
    {"load", figure::RouteMetric::kBytes},
    {"routes", figure::RouteMetric::kRoutes},
    {"length", figure::RouteMetric::kLength},
    {"hop-bytes", figure::RouteMetric::kHopBytes},
    {"max-load", figure::RouteMetric::kMaxLoad}};

const std::map<std::string, figure::RankingMetric> kRankings = {
    {"route-length", figure::RankingMetric::kRouteLength},
    {"route-bytes", figure::RankingMetric::kRouteBytes},
    {"route-hop-bytes", figure::RankingMetric::kRouteHopBytes},
    {"route-max-load", figure::RankingMetric::kRouteMaxLoad},
    {"link-bytes", figure::RankingMetric::kLinkBytes},
    {"link-routes", figure::RankingMetric::kLinkRoutes},
    {"node-out-pairs", figure::RankingMetric::kNodeOutPairs},
    {"node-in-pairs", figure::RankingMetric::kNodeInPairs},
    {"node-out-bytes", figure::RankingMetric::kNodeOutBytes},
    {"node-in-bytes", figure::RankingMetric::kNodeInBytes}};

/// The name of what the traffic was read from.
std::string source_of(const NetworkOptions& options) {
  if (!options.input.empty()) return run_name(options.input);
  const std::string& file =
      options.request.hop_bytes.empty() ? options.request.routes : options.request.hop_bytes;
  return base::printable(std::filesystem::path(file).filename().string());
}

/// "placement new.txt, routes io.txt"; "" for the network's own rule and the usual places.
std::string state_of(const app::NetworkRequest& request, const std::string& run) {
  std::string text;
  const auto add = [&](const char* word, const std::string& file) {
    if (file.empty()) return;
    const std::filesystem::path path(file);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", word,
                        base::printable(path.filename().string()));
  };
  add("run", run);
  add("placement", request.placement);
  add("routes", request.routes);
  return text;
}

/// What --compare names: the traffic with other routes or in other places, or another run.
base::Result<app::NetworkInput> open_other(const std::string& compare, const NetworkOptions& given,
                                           std::string& state, base::ThreadPool& pool) {
  NetworkOptions other = given;
  std::string run;
  if (compare.starts_with("routes:")) {
    other.request.routes = compare.substr(7);
  } else if (compare.starts_with("placement:")) {
    other.request.placement = compare.substr(10);
    // Recorded routes are those of the old places.
    const bool has_traffic = !other.input.empty() || !other.request.hop_bytes.empty();
    if (has_traffic) other.request.routes.clear();
  } else {
    other.input = run = compare;
    other.request.hop_bytes.clear();
    other.request.routes.clear();
  }
  state = state_of(other.request, run);
  // Hop counts of a file of traffic are those of the state it was measured in.
  other.request.ignore_hops = true;
  return open_network(other, pool);
}

}  // namespace

void add_network_figure_options(Command& command, NetworkOptions& network,
                                NetworkFigureOptions& options) {
  const std::string group = kNetworkGroup;
  add_network_options(command, network, false, group);
  command
      .option("--merge", options.merge,
              "Draw nodes that agree in these coordinates as one: A,D; the graph chooses above 512 "
              "nodes")
      .group(group);
  command
      .option("--top-links", options.top_links,
              "Draw only the routes over the most loaded links, 5%; a ranking marks them")
      .group(group);
  command
      .option("--select", options.select,
              "Draw only these routes: pairs:FILE (SRC DST of ranks), list:FILE, as 'pathline "
              "routes --list' wrote it, or top-links:5%")
      .group(group);
  add_route_filter(command, options.filter, group);
  command
      .option("--color", options.color,
              "What colours of links and routes say, load unless you say so: load, routes, "
              "length, hop-bytes, max-load")
      .one_of({"load", "routes", "length", "hop-bytes", "max-load"})
      .group(group);
  command
      .option("--cells", options.cells,
              "routes: what links that share a cell show, max (unless you say so) or sum")
      .one_of({"max", "sum"})
      .group(group);
  command
      .option("--rank", options.rank,
              "ranking: link-bytes (unless you say so), link-routes, route-length, route-bytes, "
              "route-hop-bytes, route-max-load, node-out-pairs, node-in-pairs, node-out-bytes, "
              "node-in-bytes")
      .one_of({"route-length", "route-bytes", "route-hop-bytes", "route-max-load", "link-bytes",
               "link-routes", "node-out-pairs", "node-in-pairs", "node-out-bytes", "node-in-bytes"})
      .group(group);
}

base::Result<int> draw_network(app::FigureKind kind, const NetworkOptions& network,
                               const NetworkFigureOptions& options, const std::string& compare,
                               const figure::Options& look, bool stats) {
  if (network.request.network.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "this figure is of routes on a network: --network is required"};
  }
  figure::NetworkOptions drawing;
  if (!options.top_links.empty()) {
    auto share = app::parse_percent(options.top_links, "--top-links");
    if (!share) return share.error();
    drawing.top_links_share = share.value();
  }
  base::ThreadPool pool(network.threads);
  auto opened = open_network(network, pool);
  if (!opened) return opened.error();
  const app::NetworkInput& input = opened.value();
  base::CpuStopwatch watch;

  drawing.width_px = look.width_px;
  drawing.height_px = look.height_px;
  drawing.scale = look.scale;
  drawing.theme = look.theme;
  drawing.palette = look.palette;
  drawing.title = source_of(network);
  drawing.state = state_of(network.request, "");
  std::optional<app::NetworkInput> other;
  if (!compare.empty()) {
    auto compared = open_other(compare, network, drawing.after_state, pool);
    if (!compared) return compared.error();
    other = std::move(compared).value();
    drawing.after = &other->routes;
  }
  if (!options.merge.empty()) {
    auto dimensions = app::parse_dimensions(options.merge, *input.machine.network);
    if (!dimensions) return dimensions.error();
    drawing.aggregate = std::move(dimensions).value();
  }
  if (!options.select.empty()) {
    auto chosen = app::select_routes(options.select, input);
    if (!chosen) return chosen.error();
    drawing.chosen = std::move(chosen).value();
  }
  if (options.filter.any()) {
    if (!drawing.chosen) {
      drawing.chosen.emplace(input.routes.size());
      std::iota(drawing.chosen->begin(), drawing.chosen->end(), 0U);
    }
    auto chosen = app::filter_routes(options.filter, input, std::move(*drawing.chosen));
    if (!chosen) return chosen.error();
    drawing.chosen = std::move(chosen).value();
  }
  if (!options.color.empty()) drawing.color = kColors.at(options.color);
  if (options.cells == "sum") drawing.cells = figure::CellValue::kSum;
  if (!options.rank.empty()) drawing.ranking = kRankings.at(options.rank);

  auto scene = app::make_network_scene(kind, input, drawing);
  if (!scene) return scene.error();
  const double scene_ms = watch.lap_ms();
  render::DrawStats drawn;
  if (auto status = app::write_picture(scene.value(), network.output, pool, &drawn); !status) {
    return status.error();
  }
  if (stats) {
    nlohmann::ordered_json json;
    if (input.of_summary) json["source"] = "summary";
    json["routes"] = input.routes.size();
    json["scene_ms"] = scene_ms;
    json["raster_ms"] = drawn.raster_cpu_ms;
    json["total_ms"] = scene_ms + watch.lap_ms();
    if (auto status = write_result("-", json.dump(2) + '\n'); !status) return status.error();
  }
  return kDone;
}

}  // namespace pathline::cli

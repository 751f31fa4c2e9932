// SPDX-License-Identifier: BSD-3-Clause
#include "app/reroute.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/route_choice.hpp"

namespace pathline::app {
namespace {

RerouteGain gain_of(const network::Rerouting& result, network::Criterion criterion) {
  RerouteGain gain;
  for (size_t i = 0; i < result.selected.size(); ++i) {
    const uint64_t before = result.value_before[i];
    const uint64_t after = result.value_after[i];
    if (after >= before) continue;
    ++gain.improved;
    const double saved = static_cast<double>(before - after);
    const double percent = 100 * saved / static_cast<double>(before);
    gain.mean_pct += percent;
    gain.max_pct = std::max(gain.max_pct, percent);
    gain.saved_bytes += criterion == network::Criterion::kLoad
                            ? saved
                            : saved * static_cast<double>(result.routes.bytes[result.selected[i]]);
  }
  if (gain.improved > 0) gain.mean_pct /= static_cast<double>(gain.improved);
  return gain;
}

}  // namespace

base::Result<RerouteReport> reroute(const NetworkInput& input, const RerouteRequest& request,
                                    base::ThreadPool& pool) {
  auto selected = select_routes(request.select, input);
  if (!selected) return selected.error();
  if (request.filter.any()) {
    selected = filter_routes(request.filter, input, std::move(selected).value());
    if (!selected) return selected.error();
  }
  if (request.how.global && request.how.criterion == network::Criterion::kLength) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--global lowers the maximum link load; it cannot go with --criterion "
                       "length"};
  }
  RerouteReport report;
  report.found = network::reroute(*input.machine.network, input.routes, std::move(selected).value(),
                                  request.how, pool);
  report.before = network::totals(input.routes, report.found.before);
  report.after = network::totals(report.found.routes, report.found.after);
  report.gain = gain_of(report.found, request.how.criterion);
  return report;
}

nlohmann::ordered_json to_json(const NetworkInput& input, const RerouteRequest& request,
                               const RerouteReport& report) {
  using Json = nlohmann::ordered_json;
  const network::Rerouting& found = report.found;
  const network::RouteTotals& before = report.before;
  const network::RouteTotals& after = report.after;
  Json json;
  if (input.of_summary) json["source"] = "summary";
  json["network"] = input.machine.network->spec();
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["criterion"] = request.how.criterion == network::Criterion::kLength ? "length" : "load";
  json["delta"] = request.how.delta;
  json["global"] = request.how.global;
  json["routes"] = input.routes.size();
  json["selected"] = found.selected.size();
  json["improved"] = report.gain.improved;
  json["mean_reduction_pct"] = report.gain.mean_pct;
  json["max_reduction_pct"] = report.gain.max_pct;
  json["saved_bytes"] = report.gain.saved_bytes;
  json["moved"] = found.moved;
  json["worsened"] = found.worsened;
  json["max_link_load_before_bytes"] = before.max_link_load_bytes;
  json["max_link_load_after_bytes"] = after.max_link_load_bytes;
  json["bound_bytes"] = found.bound_bytes;
  json["gap_pct"] = after.max_link_load_bytes == 0
                        ? Json()
                        : Json(100 - 100 * static_cast<double>(found.bound_bytes) /
                                         static_cast<double>(after.max_link_load_bytes));
  json["hop_bytes_before"] = before.hop_bytes;
  json["hop_bytes_after"] = after.hop_bytes;
  json["total_route_length_before"] = before.total_route_length;
  json["total_route_length_after"] = after.total_route_length;
  json["us_per_route"] =
      found.searches == 0 ? Json()
                          : Json(1e6 * found.search_seconds / static_cast<double>(found.searches));
  return json;
}

std::vector<ReroutedRoute> rerouted_routes(const NetworkInput& input, const RerouteReport& report) {
  const network::Network& network = *input.machine.network;
  const network::Rerouting& found = report.found;
  std::vector<ReroutedRoute> rows;
  for (const uint32_t r : found.selected) {
    const auto old_links = input.routes.links_of(r);
    const auto new_links = found.routes.links_of(r);
    std::string way = network.name(found.routes.from[r]);
    for (const network::Link link : new_links) way += " > " + network.name(network.target(link));
    rows.push_back({.route = r,
                    .hops_before = static_cast<uint32_t>(old_links.size()),
                    .hops_after = static_cast<uint32_t>(new_links.size()),
                    .max_link_load_before_bytes = network::max_load(old_links, found.before.bytes),
                    .max_link_load_after_bytes = network::max_load(new_links, found.after.bytes),
                    .moved = !std::ranges::equal(old_links, new_links),
                    .way = std::move(way)});
  }
  return rows;
}

std::string link_loads_csv(const network::Network& network, const RerouteReport& report) {
  const network::LinkLoads& before = report.found.before;
  const network::LinkLoads& after = report.found.after;
  std::string text = "link,from,to,bytes_before,bytes_after,routes_before,routes_after\n";
  for (uint32_t link = 0; link < network.link_limit(); ++link) {
    if (before.routes[link] + after.routes[link] == 0) continue;
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", link, uint32_t{network.source(network::Link(link))},
                    uint32_t{network.target(network::Link(link))}, before.bytes[link],
                    after.bytes[link], before.routes[link], after.routes[link]);
  }
  return text;
}

}  // namespace pathline::app

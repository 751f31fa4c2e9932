// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "profile/profile_file.hpp"

namespace pathline::profile {
namespace {

/// The values of a metric that adds up; nullptr if there are none.
const double* values_of(const MetricTable& table, std::string_view name) {
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const Metric& metric = table.metrics[m];
    if (metric.name != name || metric.combine != Combine::kSum) continue;
    return table.values[m].empty() ? nullptr : table.values[m].data();
  }
  return nullptr;
}

uint64_t whole(double value) {
  constexpr double kMost = 9007199254740992;  // 2^53
  return static_cast<uint64_t>(std::llround(std::clamp(value, 0.0, kMost)));
}

void add_names(const MetricTable& table, TableProfile& result) {
  trace::Definitions& definitions = result.trace.definitions;
  std::map<std::string_view, trace::Region> known;
  for (const MetricNode& node : table.call_paths) {
    auto [place, is_new] = known.try_emplace(node.region, definitions.regions.size());
    if (is_new) {
      const auto id = static_cast<uint32_t>(definitions.regions.size());
      definitions.add_string(id, node.region);
      definitions.regions.push_back(
          {.id = id, .name = definitions.text(id), .function = trace::Region(id)});
    }
    const bool is_root = node.parent == MetricNode::kNoParent;
    result.profile.call_paths.push_back(
        {is_root ? CallPath::none() : CallPath(node.parent), place->second});
  }
}

void add_locations(const MetricTable& table, trace::Trace& trace) {
  for (uint32_t l = 0; l < table.location_count; ++l) {
    trace::Location& location = trace.locations.emplace_back();
    location.id = l;
    if (l >= table.rank_of_location.size()) continue;
    location.rank = table.rank_of_location[l];
    if (location.rank.valid()) {
      trace.rank_count = std::max(trace.rank_count, uint32_t{location.rank} + 1);
    }
  }
}

}  // namespace

base::Result<TableProfile> from_table(const MetricTable& table) {
  const double* times = values_of(table, kTimeMetric);
  const double* visits = values_of(table, kVisitsMetric);
  if (times == nullptr && visits == nullptr) {
    return base::Error{base::ErrorCode::kNotFound, "the profile has neither times nor visits"};
  }
  TableProfile result;
  result.has_times = times != nullptr;
  result.has_visits = visits != nullptr;
  add_names(table, result);
  add_locations(table, result.trace);
  result.profile.by_location.resize(table.location_count);
  for (uint32_t c = 0; c < table.call_paths.size(); ++c) {
    for (uint32_t l = 0; l < table.location_count; ++l) {
      const size_t at = size_t{c} * table.location_count + l;
      const Cost cost{.call_path = c,
                      .visits = visits == nullptr ? 0 : whole(visits[at]),
                      .exclusive_ticks = times == nullptr ? 0 : whole(1e9 * times[at])};
      if (cost.visits + cost.exclusive_ticks > 0) result.profile.by_location[l].push_back(cost);
    }
  }
  return result;
}

}  // namespace pathline::profile

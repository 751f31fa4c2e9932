// SPDX-License-Identifier: BSD-3-Clause
#include "profile/metric_table.hpp"

namespace pathline::profile {

std::vector<std::string> path_names(const MetricTable& table) {
  std::vector<std::string> names;
  names.reserve(table.call_paths.size());
  for (const MetricNode& node : table.call_paths) {
    std::string name;
    if (node.parent != MetricNode::kNoParent) {
      const std::string& parent = names[node.parent];
      name.reserve(parent.size() + kCallPathArrow.size() + node.region.size());
      name.append(parent).append(kCallPathArrow);
    }
    name.append(node.region);
    names.push_back(std::move(name));
  }
  return names;
}

MetricTable metric_table(const trace::Trace& trace, const Profile& profile) {
  MetricTable table;
  table.metrics = {{.name = "time", .unit = "sec"},
                   {.name = "visits", .unit = "occ"},
                   {.name = "bytes_sent", .unit = "bytes"},
                   {.name = "bytes_received", .unit = "bytes"}};
  for (const CallPathNode& node : profile.call_paths) {
    MetricNode& added = table.call_paths.emplace_back();
    if (node.parent.valid()) added.parent = node.parent;
    added.region = "UNKNOWN";
    if (node.region.valid()) added.region = trace.definitions.regions[node.region].name;
  }
  for (const auto& costs : profile.by_location) table.location_count += costs.empty() ? 0 : 1;
  const size_t size = table.call_paths.size() * table.location_count;
  table.values.assign(table.metrics.size(), std::vector<double>(size));
  size_t column = 0;
  for (size_t i = 0; i < profile.by_location.size(); ++i) {
    const std::vector<Cost>& costs = profile.by_location[i];
    if (costs.empty()) continue;
    table.rank_of_location.push_back(trace.locations[i].rank);
    for (const Cost& cost : costs) {
      const size_t at = size_t{cost.call_path} * table.location_count + column;
      table.values[0][at] = trace.span_seconds(cost.exclusive_ticks);
      table.values[1][at] = static_cast<double>(cost.visits);
      table.values[2][at] = static_cast<double>(cost.bytes_sent);
      table.values[3][at] = static_cast<double>(cost.bytes_received);
    }
    ++column;
  }
  return table;
}

}  // namespace pathline::profile

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
  table.metrics = {{.name = "time", .unit = "sec"}, {.name = "visits", .unit = "occ"}};
  for (const CallPathNode& node : profile.call_paths) {
    MetricNode& added = table.call_paths.emplace_back();
    if (node.parent.valid()) added.parent = node.parent;
    added.region = "UNKNOWN";
    if (node.region.valid()) added.region = trace.definitions.regions[node.region].name;
  }
  for (const auto& costs : profile.by_location) table.location_count += costs.empty() ? 0 : 1;
  const size_t size = table.call_paths.size() * table.location_count;
  table.values.assign(2, std::vector<double>(size));
  size_t column = 0;
  for (const auto& costs : profile.by_location) {
    if (costs.empty()) continue;
    for (const Cost& cost : costs) {
      const size_t at = size_t{cost.call_path} * table.location_count + column;
      table.values[0][at] = trace.span_seconds(cost.exclusive_ticks);
      table.values[1][at] = static_cast<double>(cost.visits);
    }
    ++column;
  }
  return table;
}

}  // namespace pathline::profile

// SPDX-License-Identifier: BSD-3-Clause
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "profile/metric_table.hpp"
#include "profile/profile.hpp"

namespace pathline::profile {
namespace {

/// With who called it, where that is known: "exchange (halo.c:52)->MPI_Waitall".
std::string plain(const trace::RegionDefinition& region) {
  if (region.site.empty()) return base::printable(region.name);
  return base::printable(fmt::format("{}{}{}", region.site, kCallPathArrow, region.name));
}

std::string with_id(const trace::RegionDefinition& region) {
  return fmt::format("{} (#{})", plain(region), region.id);
}

std::string with_place(const trace::RegionDefinition& region) {
  if (region.file.empty() || !region.site.empty()) return with_id(region);
  const size_t folder_end = region.file.find_last_of("/\\");
  const std::string_view file =
      folder_end == std::string_view::npos ? region.file : region.file.substr(folder_end + 1);
  return region.line == 0
             ? base::printable(fmt::format("{} ({})", region.name, file))
             : base::printable(fmt::format("{} ({}:{})", region.name, file, region.line));
}

}  // namespace

std::vector<std::string> region_labels(const trace::Trace& trace, const Profile& profile) {
  const auto& regions = trace.definitions.regions;
  std::vector<bool> visited(regions.size());
  for (const CallPathNode& node : profile.call_paths) {
    if (!node.region.valid()) continue;
    visited[node.region] = true;
    visited[regions[node.region].function] = true;
  }
  std::vector<std::string> labels(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    if (visited[i]) labels[i] = plain(regions[i]);
  }
  for (const auto longer : {with_place, with_id}) {
    std::unordered_map<std::string, uint32_t> uses;
    for (size_t i = 0; i < regions.size(); ++i) uses[labels[i]] += visited[i] ? 1 : 0;
    for (size_t i = 0; i < regions.size(); ++i) {
      if (visited[i] && uses[labels[i]] > 1) labels[i] = longer(regions[i]);
    }
  }
  return labels;
}

}  // namespace pathline::profile

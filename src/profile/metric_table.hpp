// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace pathline::profile {

/// How the values of parts (children, locations, pruned call paths) become that of the whole.
enum class Combine : uint8_t { kSum, kMin, kMax };

struct Metric {
  std::string name;  ///< Unique in its table: "time", "visits", "bytes_sent".
  std::string unit;  ///< "sec", "occ", "bytes"; "" when the profile does not say.
  Combine combine = Combine::kSum;
};

/// One call path: a region called from its parent.
struct MetricNode {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  uint32_t parent = kNoParent;  ///< Stands before its children.
  std::string region;
};

/// Metric x call path x location, in the unit of the metric. Siblings may share a name.
struct MetricTable {
  std::vector<Metric> metrics;
  std::vector<MetricNode> call_paths;
  uint32_t location_count = 0;
  /// Per location; none() where it is not known, empty where none is.
  std::vector<trace::Rank> rank_of_location;
  /// Per metric: exclusive values, call path x location (locations side by side). Empty for a
  /// metric without any data. Where Metric::combine is not kSum there is no exclusive value, and
  /// what stands here is that of the call path with everything below it.
  std::vector<std::vector<double>> values;

  [[nodiscard]] const double* row(size_t metric, size_t call_path) const {
    return values[metric].data() + call_path * location_count;
  }
};

/// What joins the regions of a call path, root first, wherever one is printed.
inline constexpr std::string_view kCallPathArrow = "->";

/// "main->solve->MPI_Allreduce", per call path.
///
/// cost  O(size of the result), which can grow with the square of the depth.
std::vector<std::string> path_names(const MetricTable& table);

/// Metrics "time" (s, exclusive), "visits", "bytes_sent" and "bytes_received" of a trace's profile;
/// locations are those of the trace that the profile has calls of.
MetricTable metric_table(const trace::Trace& trace, const Profile& profile);

}  // namespace pathline::profile

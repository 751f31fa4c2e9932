// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/metric_table.hpp"
#include "profile/profile.hpp"

namespace pathline::profile {

/// A profile that was read from a file.
struct ProfileFile {
  /// Call paths in the order of the file, depth first.
  MetricTable table;
  /// Unique names of metrics asked for that are declared, but have no data; not in `table`.
  std::vector<std::string> without_data;
  /// Unique names of metrics asked for whose type of value (RATE, TAU_ATOMIC, HISTOGRAM, ...) is no
  /// number, or which are derived from others; not in `table`.
  std::vector<std::string> unsupported;
  /// What is odd about the file but does not change what was read: a wrong checksum; how many
  /// exclusive values would be negative and were taken as 0.
  std::vector<std::string> warnings;
};

/// Metrics of which from_table() makes a Profile.
inline constexpr std::string_view kTimeMetric = "time";
inline constexpr std::string_view kVisitsMetric = "visits";

/// Visits and times of a file, and what the ids in them mean.
struct TableProfile {
  trace::Trace trace;  ///< Regions, locations and ranks; no events. A tick is a nanosecond.
  Profile profile;
  bool has_visits = false;  ///< Else all visits are 0.
  bool has_times = false;   ///< Else all ticks are 0.
};

/// Call paths of one name are one region, as a table knows no more of them. Times are rounded to
/// nanoseconds; more than 2^53 of them, 104 days, are taken as that.
///
/// errors  kNotFound for a table that has neither of the two metrics.
/// cost    O(call paths x locations).
base::Result<TableProfile> from_table(const MetricTable& table);

}  // namespace pathline::profile

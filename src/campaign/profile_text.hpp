// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/metric_table.hpp"

namespace pathline::campaign {

/// A profile as it is kept: what most runs of a step share, apart from what each has measured.
struct PackedProfile {
  std::string shape;  ///< Metrics and call paths.
  uint32_t locations = 0;
  std::string ranks;            ///< Of the locations.
  std::vector<double> amounts;  ///< Of all metrics that have data, one after the other.
};

PackedProfile packed_profile(const profile::MetricTable& table);

/// nullopt for what packed_profile() has not made.
std::optional<profile::MetricTable> unpacked_profile(const PackedProfile& packed);

}  // namespace pathline::campaign

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/metric_table.hpp"

namespace pathline::campaign {

/// A value of a profile for regions: visits, exclusive_s, inclusive_s (recursion counts once),
/// exclusive_min_s, exclusive_max_s and exclusive_mean_s over ranks, imbalance (maximum over mean),
/// bytes_sent, bytes_received.
///
/// regions  a region's name or a call path joined by "->", in which * and ? stand for letters;
///          "MPI" for all functions of MPI.
/// returns  nullopt if the profile has no such region or no such value.
std::optional<double> profile_value(const profile::MetricTable& table, const std::string& regions,
                                    const std::string& value);

/// What to write instead of a value that there is none of; "" if there is.
std::string advice_on_value(const std::string& value);

}  // namespace pathline::campaign

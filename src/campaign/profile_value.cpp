// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/profile_value.hpp"

#include <algorithm>
#include <cmath>
#include <fnmatch.h>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace pathline::campaign {
namespace {

using profile::MetricTable;

const std::vector<std::string> kValues = {"exclusive_s",     "inclusive_s",      "visits",
                                          "bytes_sent",      "bytes_received",   "exclusive_min_s",
                                          "exclusive_max_s", "exclusive_mean_s", "imbalance"};

/// For fnmatch(): only * and ? mean something, as names have brackets ("sum(int[3])").
std::string pattern_of(const std::string& regions) {
  if (regions == "MPI") return "MPI_*";
  std::string pattern;
  for (const char c : regions) {
    if (c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// Per call path whether it is meant.
std::vector<bool> chosen(const MetricTable& table, const std::string& regions) {
  const std::string pattern = pattern_of(regions);
  const bool by_path = pattern.find(profile::kCallPathArrow) != std::string::npos;
  const std::vector<std::string> paths =
      by_path ? profile::path_names(table) : std::vector<std::string>();
  std::vector<bool> is_chosen(table.call_paths.size());
  for (size_t c = 0; c < is_chosen.size(); ++c) {
    const std::string& name = by_path ? paths[c] : table.call_paths[c].region;
    is_chosen[c] = ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  }
  return is_chosen;
}

const char* metric_of(const std::string& value) {
  if (value == "visits" || value == "bytes_sent" || value == "bytes_received") {
    return value.c_str();
  }
  return "time";
}

}  // namespace

std::string advice_on_value(const std::string& value) {
  if (std::find(kValues.begin(), kValues.end(), value) != kValues.end()) return "";
  const std::string_view meant = base::nearest(value, kValues);
  if (!meant.empty()) return fmt::format("Did you mean '{}'?", meant);
  return fmt::format("There are {}.", fmt::join(kValues, ", "));
}

std::optional<double> profile_value(const MetricTable& table, const std::string& regions,
                                    const std::string& value) {
  const std::string wanted = metric_of(value);
  const auto metric = std::find_if(table.metrics.begin(), table.metrics.end(),
                                   [&](const profile::Metric& one) { return one.name == wanted; });
  if (metric == table.metrics.end()) return std::nullopt;
  const auto m = static_cast<size_t>(metric - table.metrics.begin());
  if (table.values[m].empty()) return std::nullopt;
  std::vector<bool> is_chosen = chosen(table, regions);
  if (std::find(is_chosen.begin(), is_chosen.end(), true) == is_chosen.end()) return std::nullopt;
  if (value == "inclusive_s") {
    for (size_t c = 0; c < is_chosen.size(); ++c) {
      const uint32_t parent = table.call_paths[c].parent;
      if (parent != profile::MetricNode::kNoParent && is_chosen[parent]) is_chosen[c] = true;
    }
  }
  // Threads of a rank are summed.
  std::map<uint32_t, double> by_rank;
  for (size_t l = 0; l < table.location_count; ++l) {
    double& sum = by_rank[l < table.rank_of_location.size() ? uint32_t{table.rank_of_location[l]}
                                                            : static_cast<uint32_t>(l)];
    for (size_t c = 0; c < is_chosen.size(); ++c) {
      if (is_chosen[c]) sum += table.row(m, c)[l];
    }
  }
  double least = INFINITY;
  double most = 0;
  double sum = 0;
  for (const auto& [rank, amount] : by_rank) {
    least = std::min(least, amount);
    most = std::max(most, amount);
    sum += amount;
  }
  const double mean = by_rank.empty() ? 0 : sum / static_cast<double>(by_rank.size());
  if (value == "exclusive_min_s") return least;
  if (value == "exclusive_max_s") return most;
  if (value == "exclusive_mean_s") return mean;
  if (value == "imbalance") return mean > 0 ? most / mean : 0;
  return sum;
}

}  // namespace pathline::campaign

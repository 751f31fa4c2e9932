// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/profile_text.hpp"

#include "base/parse.hpp"
#include "campaign/text_list.hpp"

namespace pathline::campaign {
namespace {

/// Metrics and call paths of a table; the same for most runs of a step.
std::string shape_of(const profile::MetricTable& table) {
  std::vector<std::string> texts;
  texts.push_back(std::to_string(table.metrics.size()));
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const profile::Metric& metric = table.metrics[m];
    texts.push_back(metric.name);
    texts.push_back(metric.unit);
    texts.push_back(std::to_string(static_cast<int>(metric.combine)));
    texts.emplace_back(table.values[m].empty() ? "" : "data");
  }
  for (const profile::MetricNode& node : table.call_paths) {
    texts.push_back(node.parent == profile::MetricNode::kNoParent ? ""
                                                                  : std::to_string(node.parent));
    texts.push_back(node.region);
  }
  return joined(texts);
}

/// Of shape_of(); nullopt if it is damaged. values  filled in later.
std::optional<profile::MetricTable> table_of(std::string_view shape, std::vector<bool>& has_data) {
  const auto texts = split(shape);
  if (!texts || texts->empty()) return std::nullopt;
  profile::MetricTable table;
  const auto metrics = base::number_in<uint32_t>((*texts)[0]);
  if (!metrics || (texts->size() - 1) / 4 < *metrics) return std::nullopt;
  size_t at = 1;
  if ((texts->size() - at - size_t{*metrics} * 4) % 2 != 0) return std::nullopt;
  for (size_t m = 0; m < *metrics; ++m, at += 4) {
    const auto combine = base::number_in<uint8_t>((*texts)[at + 2]);
    if (!combine || *combine > static_cast<uint8_t>(profile::Combine::kMax)) return std::nullopt;
    table.metrics.push_back({.name = (*texts)[at],
                             .unit = (*texts)[at + 1],
                             .combine = static_cast<profile::Combine>(*combine)});
    has_data.push_back(!(*texts)[at + 3].empty());
  }
  for (; at < texts->size(); at += 2) {
    profile::MetricNode node{.region = (*texts)[at + 1]};
    if (!(*texts)[at].empty()) {
      const auto parent = base::number_in<uint32_t>((*texts)[at]);
      if (!parent || *parent >= table.call_paths.size()) return std::nullopt;
      node.parent = *parent;
    }
    table.call_paths.push_back(std::move(node));
  }
  return table;
}

}  // namespace

PackedProfile packed_profile(const profile::MetricTable& table) {
  PackedProfile packed{.shape = shape_of(table), .locations = table.location_count};
  std::vector<std::string> ranks;
  for (const trace::Rank rank : table.rank_of_location) {
    ranks.push_back(rank.valid() ? std::to_string(uint32_t{rank}) : "");
  }
  packed.ranks = joined(ranks);
  for (const std::vector<double>& of_metric : table.values) {
    packed.amounts.insert(packed.amounts.end(), of_metric.begin(), of_metric.end());
  }
  return packed;
}

std::optional<profile::MetricTable> unpacked_profile(const PackedProfile& packed) {
  std::vector<bool> has_data;
  std::optional<profile::MetricTable> table = table_of(packed.shape, has_data);
  const auto ranks = split(packed.ranks);
  if (!table || !ranks || (!ranks->empty() && ranks->size() != packed.locations)) {
    return std::nullopt;
  }
  table->location_count = packed.locations;
  for (const std::string& rank : *ranks) {
    const auto number = base::number_in<uint32_t>(rank);
    table->rank_of_location.push_back(number ? trace::Rank(*number) : trace::Rank::none());
    if (table->rank_of_location.back().valid() == rank.empty()) return std::nullopt;
  }
  const size_t size = table->call_paths.size() * packed.locations;
  size_t begin = 0;
  for (const bool has : has_data) {
    std::vector<double>& values = table->values.emplace_back();
    if (!has) continue;
    if (size > packed.amounts.size() - begin) return std::nullopt;
    const auto first = packed.amounts.begin() + static_cast<ptrdiff_t>(begin);
    values.assign(first, first + static_cast<ptrdiff_t>(size));
    begin += size;
  }
  if (begin != packed.amounts.size()) return std::nullopt;
  return table;
}

}  // namespace pathline::campaign

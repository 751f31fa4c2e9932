// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "figure/network/view.hpp"

// What a ranking ranks.
namespace pathline::figure {

/// What a metric ranks and how its values read.
struct RankedSubject {
  const char* title;
  const char* one;
  const char* many;
  const char* value;  ///< What an axis calls it.
  RouteMetric text;   ///< How values are written.
  bool has_sum = true;
};

RankedSubject ranked_subject(RankingMetric metric, LoadUnit unit);

/// A bar.
struct RankedItem {
  double value = 0;
  uint32_t from = 0;  ///< Group.
  uint32_t to = 0;    ///< Of routes and links.
};

/// Of the routes drawn, in no order.
std::vector<RankedItem> ranked_items(const NetworkView& view, RankingMetric metric);

/// "(0 1) → (0 2)" of a route or link, else the name of the node.
std::string ranked_name(const NetworkView& view, RankingMetric metric, const RankedItem& item);

/// "8.2 MB", "7 hops", "12": a value of options.ranking.
std::string ranked_text(const NetworkOptions& options, double value);

}  // namespace pathline::figure

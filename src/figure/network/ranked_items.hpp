// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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

}  // namespace pathline::figure

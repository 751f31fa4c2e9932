// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mapping/problem.hpp"

namespace pathline::mapping {

/// What no placement can go below, in the unit of Problem::cost(): every item by itself with its
/// heaviest partners on the places nearest to it, as near as they are to any place.
/// cost  O(places^2 + weights log partners).
int64_t lower_bound(const Problem& problem);

}  // namespace pathline::mapping

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "cube/anchor.hpp"
#include "profile/metric_table.hpp"

namespace pathline::cube {

/// Which cnode the rows of INCLUSIVE metrics belong to: each root, and for each cnode, depth first,
/// all of its children. (Rows of EXCLUSIVE metrics are in the order of the cnodes.)
std::vector<uint32_t> cnodes_by_inclusive_row(const std::vector<Cnode>& cnodes);

/// Turns values with everything below into those of the cnode alone. `values` is cnode x location,
/// parents before children.
void make_exclusive(const std::vector<Cnode>& cnodes, uint32_t location_count,
                    std::vector<double>& values);

/// Takes what is below 0 as 0. Returns how many that were.
uint64_t clamp_negative(std::vector<double>& values);

/// The least or largest value of a cnode and everything below.
void include_children(const std::vector<Cnode>& cnodes, uint32_t location_count,
                      profile::Combine combine, std::vector<double>& values);

}  // namespace pathline::cube

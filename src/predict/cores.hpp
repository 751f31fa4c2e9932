// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "host/topology.hpp"
#include "store/rows.hpp"

namespace pathline::predict {

/// Which cores the slots of a node are: neighbours, or as far from one another as can be.
enum class Bind : uint8_t { kCompact, kSpread };

/// Which core each slot of a node is, in the order in which slots are taken.
std::vector<uint32_t> core_order(const host::Node& node, Bind bind);

/// The innermost level of a node that two cores share, as an index of its levels.
size_t shared_level(const host::Node& node, uint32_t a, uint32_t b);

/// Scenarios that were measured between which a core lies that works with the others of `active`,
/// by how many work in each unit that it is in: one with fewer and one with more; the same twice
/// where that very case was measured.
/// errors  a refusal when there are no such two
/// cost    O(cores of all scenarios * cores * levels)
base::Result<std::pair<store::Id, store::Id>> scenarios_between(
    const host::Node& node, std::span<const store::Scenario> scenarios,
    std::span<const uint32_t> active, uint32_t core);

}  // namespace pathline::predict

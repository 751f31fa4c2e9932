// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/network.hpp"
#include "network/routes.hpp"

// Which nodes a graph of very many draws as one.
namespace pathline::figure {

/// Graphs of more nodes that talk are merged unless somebody says otherwise.
inline constexpr size_t kMergedFrom = 512;

/// Dimensions to keep, ascending, so that at most 64 groups remain and most of the bytes on links
/// go between them: what is merged is what carries least. Fewer groups where that makes hardly a
/// difference. Absent, if nothing need be merged (few nodes, or clusters that a picture shows side
/// by side) or can be (a network whose nodes have one coordinate).
///
/// after   the other state of a comparison, or nullptr.
/// cost    O(links crossed + 2^dimensions).
std::optional<std::vector<size_t>> dimensions_to_keep(const network::Network& network,
                                                      const network::Routes& routes,
                                                      const network::Routes* after);

/// "A, C".
std::string dimension_names(const network::Network& network, std::span<const size_t> dimensions,
                            const char* between);

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "network/hop_bytes.hpp"
#include "network/route_file.hpp"

namespace pathline::network {

/// A network that may have been measured, and how much of the data it explains.
struct InferredNetwork {
  std::string spec;                       ///< For --network, ranks per node and order included.
  std::vector<uint32_t> sizes;            ///< Per dimension.
  std::vector<std::optional<bool>> wrap;  ///< Per dimension; absent where the data fit both.
  std::vector<std::string> orders;  ///< All that explain as many routes; empty without routes.
  uint32_t ranks_per_node = 1;
  std::string remark;    ///< What the data leave open beside wraps and orders; else empty.
  size_t hop_lines = 0;  ///< With a hop count.
  size_t hop_lines_explained = 0;
  size_t routes = 0;  ///< Complete ones.
  size_t routes_explained = 0;

  [[nodiscard]] double share() const {
    const size_t all = hop_lines + routes;
    return all == 0 ? 0
                    : static_cast<double>(hop_lines_explained + routes_explained) /
                          static_cast<double>(all);
  }
};

/// Meshes and tori of up to six dimensions whose distances are the hop counts measured and whose
/// coordinates, wraps and order of dimensions are those of the routes recorded; the XC40 where its
/// numbering of nodes fits. From hop counts alone all shapes with the right number of nodes are
/// tried, so that none is guessed from the count.
///
/// hop_bytes, routes  nullptr where there is none; at least one.
/// returns            best first; equal ones with fewer dimensions first.
/// errors             kInvalidArgument when the data hold neither hop counts nor routes.
/// cost               O(shapes tried + routes * orders), below a second for 4,096 nodes.
base::Result<std::vector<InferredNetwork>> infer(const HopBytes* hop_bytes,
                                                 const RouteFile* routes);

}  // namespace pathline::network

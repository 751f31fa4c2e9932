// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/network_input.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// Which routes a question is about, as a person types it. What is given must all hold.
struct RouteFilter {
  std::string top_routes;  ///< "10%": those with most of `by`.
  std::string by;          ///< "hop-bytes", the same as "", "bytes" or "length" (links).
  std::string through;     ///< A vertex, by its name or number, or a link "A->B" of two.
  std::string nodes;       ///< "A=0,C=3": with an end on a node with these coordinates.
  bool within = false;     ///< With both ends there.
  bool crossing = false;   ///< With one end there and the other elsewhere.

  [[nodiscard]] bool any() const {
    return !top_routes.empty() || !by.empty() || !through.empty() || !nodes.empty() || within ||
           crossing;
  }
};

/// The routes that a filter leaves of `routes`, in their order; those with the most are taken of
/// what the other conditions leave.
///
/// errors  kInvalidArgument for texts that are none of the above, a coordinate that the network
///         does not have, and what belongs to a condition that is not there; kNotFound for an
///         unknown vertex and when nothing is left.
/// cost    O(links of the routes + routes log routes).
base::Result<std::vector<uint32_t>> filter_routes(const RouteFilter& filter,
                                                  const NetworkInput& input,
                                                  std::vector<uint32_t> routes);

}  // namespace pathline::app

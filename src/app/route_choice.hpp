// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/network_input.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// "5%" or "5" as a share of 1.
/// errors  kInvalidArgument naming `option`.
base::Result<double> parse_percent(const std::string& text, const std::string& option);

/// The dimensions of the network that "A,D" or "group,cabinet" names, ascending.
/// errors  kInvalidArgument naming those there are.
base::Result<std::vector<size_t>> parse_dimensions(const std::string& text,
                                                   const network::Network& network);

/// The routes between the pairs `SRC DST` of ranks that the lines of a file name, ascending.
/// errors  kCorrupt and kInvalidArgument naming file, line and fact; kNotFound when no route is
///         between any of them.
base::Result<std::vector<uint32_t>> routes_of_pairs(const std::string& file,
                                                    const NetworkInput& input);

/// The routes that a CSV file of `pathline routes --list` names: those between the nodes of its
/// columns from and to, or over the links of its column link; ascending.
/// errors  kCorrupt and kInvalidArgument naming file, line and fact; kNotFound for none.
base::Result<std::vector<uint32_t>> routes_of_list(const std::string& file,
                                                   const NetworkInput& input);

/// The routes that `top-links:5%`, `pairs:FILE` or `list:FILE` selects, ascending.
/// errors  kInvalidArgument for other texts, and those of routes_of_pairs() and routes_of_list().
/// cost    O(links of all routes).
base::Result<std::vector<uint32_t>> select_routes(const std::string& select,
                                                  const NetworkInput& input);

}  // namespace pathline::app

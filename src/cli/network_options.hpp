// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/network_input.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// Options of the commands that put traffic on a network.
struct NetworkOptions : CommonOptions {
  app::NetworkRequest request;
};

/// --network, --hopbytes, --routes and what belongs to them.
/// group  headline of the help under which they stand; "": the usual one.
void add_network_options(CLI::App& command, NetworkOptions& options, bool required,
                         const std::string& group = "");
/// INPUT, which may be left out, and the above.
void add_network_input(CLI::App& command, NetworkOptions& options);

/// Opens what the options name, notes on stderr what is worth knowing of it.
base::Result<app::NetworkInput> open_network(const NetworkOptions& options, base::ThreadPool& pool);

/// "5%" or "5" as a share of 1.
/// errors  kInvalidArgument naming `option`.
base::Result<double> parse_percent(const std::string& text, const std::string& option);

/// The dimensions of the network that "A,D" or "group,cabinet" names; every dimension but them is
/// merged.
base::Result<std::vector<size_t>> parse_dimensions(const std::string& text,
                                                   const network::Network& network);

/// The routes between the pairs `SRC DST` of ranks that the lines of a file name, ascending.
/// errors  kCorrupt and kInvalidArgument naming file, line and fact; kNotFound when no route is
///         between any of them.
base::Result<std::vector<uint32_t>> routes_of_pairs(const std::string& file,
                                                    const app::NetworkInput& input);

/// The routes that `top-links:5%` or `pairs:FILE` selects, ascending.
base::Result<std::vector<uint32_t>> select_routes(const std::string& select,
                                                  const app::NetworkInput& input);

/// A number of bytes, or of routes where no bytes are known, as JSON.
nlohmann::ordered_json totals_json(const app::NetworkInput& input,
                                   const network::RouteTotals& totals);

}  // namespace pathline::cli

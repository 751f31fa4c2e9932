// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/network_input.hpp"
#include "app/route_filter.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// Options of the commands that put traffic on a network.
struct NetworkOptions : CommonOptions {
  app::NetworkRequest request;
};

/// --network, --hopbytes, --routes and what belongs to them.
/// group  headline of the help under which they stand; "": the usual one.
void add_network_options(Command& command, NetworkOptions& options, bool required,
                         const std::string& group = "");
/// INPUT, which may be left out, and the above.
void add_network_input(Command& command, NetworkOptions& options, bool required = true);

/// --top-routes, --by, --through, --nodes, --within and --crossing.
void add_route_filter(Command& command, app::RouteFilter& filter, const std::string& group = "");

/// Whether a file can be written, and is none that the options read: app::check_output().
base::Status check_written(const NetworkOptions& options, const std::string& file);

/// Opens what the options name, notes on stderr what is worth knowing of it.
/// errors  those of check_written() for -o, of the readers and of app::open_network().
base::Result<app::NetworkInput> open_network(const NetworkOptions& options, base::ThreadPool& pool);

}  // namespace pathline::cli

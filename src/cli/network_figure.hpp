// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/picture.hpp"
#include "cli/network_options.hpp"

namespace pathline::cli {

/// What only the figures graph, routes and ranking know.
struct NetworkFigureOptions {
  std::string merge;
  std::string top_links;
  std::string select;
  std::string color;
  std::string cells;
  std::string rank;
  app::RouteFilter filter;
};

/// The above and the options of add_network_options(), under a headline of their own.
void add_network_figure_options(Command& command, NetworkOptions& network,
                                NetworkFigureOptions& options);

/// Draws the figure into the output file of `network`.
/// look   size, theme and palette.
/// stats  prints the CPU time of it as JSON.
base::Result<int> draw_network(app::FigureKind kind, const NetworkOptions& network,
                               const NetworkFigureOptions& options, const std::string& compare,
                               const figure::Options& look, bool stats);

}  // namespace pathline::cli

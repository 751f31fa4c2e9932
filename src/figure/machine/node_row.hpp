// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "insitu/machine.hpp"
#include "layout/scene.hpp"

namespace pathline::figure {

/// The nodes of a machine side by side.
struct NodeRow {
  std::vector<layout::Rect> nodes;    ///< Per node; only x and w.
  std::vector<double> place_of_rank;  ///< x of the middle of each rank, px.
  double scale = 1;                   ///< Pixels for a unit of the machine.
  /// Ranks find no room side by side: nodes are columns of equal width, with the ranks one below
  /// the other.
  bool stacked = false;
  size_t most_ranks = 0;  ///< Of a node.
};

/// Puts all nodes between `left` and `left` + `width`, further apart where another switch begins.
NodeRow place_nodes(const insitu::Machine& machine, double left, double width);

/// The kinds of hardware, from outside, that tell more than a row of their own costs: those that
/// some node has and that do not only repeat the one above.
std::vector<std::string> shown_rows(const insitu::Machine& machine);

}  // namespace pathline::figure

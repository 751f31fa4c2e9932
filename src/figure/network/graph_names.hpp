// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure/network/graph_nodes.hpp"
#include "figure/network/view.hpp"

namespace pathline::figure {

/// Names of the nodes with most partners, beside their circles as far as they find room in `area`:
/// of all up to 64, else of the first 8.
void add_graph_names(layout::Scene& scene, const layout::Theme& theme, const NetworkView& view,
                     const GraphNodes& nodes, const layout::Rect& area);

}  // namespace pathline::figure

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure/network/view.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// What options.ranking ranks in both states of a comparison: all values falling on one scale, grey
/// before and in colour after, and beside them the largest of either state by name.
void add_ranking_comparison(layout::Scene& scene, const layout::Theme& theme,
                            const layout::Rect& area, const NetworkView& view,
                            const NetworkOptions& options);

}  // namespace pathline::figure

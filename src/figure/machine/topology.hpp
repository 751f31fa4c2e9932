// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "figure/figure.hpp"
#include "insitu/figures.hpp"
#include "insitu/machine.hpp"
#include "layout/scene.hpp"

namespace pathline::figure {

/// The machine that a run used, in one picture: switches above, nodes with their hardware side by
/// side, larger gaps where another switch begins, below each the ranks it runs, coloured by what
/// they computed in the step (Options::metric kTime), sent (kBytes) or how many messages
/// (kMessages). Messages are lines from their sender, above, down to their receiver, so that A to B
/// and B to A are two: apart by colour whether they leave the node, as wide as their bytes.
/// Messages without any byte are drawn over all others. Where nodes are too narrow for their ranks
/// side by side, a node is one column of cells, a rank each. With more pairs than can be told apart
/// lines add up, and those of most bytes are drawn over them. Where ranks write to files, bars
/// below the ranks say how much; the subtitle names the rank that does most and the region it does
/// it in.
///
/// figures  names what is in `step`
/// errors  kInvalidArgument for a picture too small, without ranks, and for bandwidth.
/// cost    O(ranks + hardware + pairs log pairs + pixels).
base::Result<layout::Scene> topology(const insitu::Machine& machine, const insitu::Figures& figures,
                                     const insitu::Step& step, const Options& options);

}  // namespace pathline::figure
